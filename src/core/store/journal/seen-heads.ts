import type { Head } from '../../domain/journal/chain.ts'
import { mayHaveResumed } from '../../domain/journal/chain.ts'
import { JournalRewound } from './resumption.ts'

/**
 * Remembers the highest journal number of each location that this process has acknowledged or shown. A lower one means
 * that the database was restored to an earlier state. It takes some 100 bytes per location.
 */
export class SeenHeads {
  readonly #highest = new Map<string, number>()
  readonly #rewound = new Set<string>()
  #raised = new Map<string, number>()
  /** The highest number seen before a journal jumped, by location. */
  #passed = new Map<string, number>()
  #rewinds = 0

  /** How often a journal was found rewound since the process began. */
  get rewinds(): number {
    return this.#rewinds
  }

  /** Returns the highest number seen; 0 if none was. */
  of(locationId: string): number {
    return this.#highest.get(locationId) ?? 0
  }

  /** Records a number that was committed, or read on the server that takes the writes. */
  raise(locationId: string, seq: number): void {
    const before = this.of(locationId)
    if (seq <= before) return
    if (before > 0 && mayHaveResumed(before, seq)) this.passed(locationId, before)
    this.#highest.set(locationId, seq)
    this.#raised.set(locationId, seq)
    this.#rewound.delete(locationId)
  }

  /** Returns the numbers raised since the last call, by location. */
  takeRaised(): Map<string, number> {
    const raised = this.#raised
    this.#raised = new Map()
    return raised
  }

  /**
   * Returns the numbers seen before journals jumped since the last call, by location. Entries up to such a number may
   * be lost: another process may have resumed the journal without knowing of them.
   */
  takePassed(): Map<string, number> {
    const passed = this.#passed
    this.#passed = new Map()
    return passed
  }

  /** Records the number seen before a jump; `takePassed` returns it. */
  passed(locationId: string, seq: number): void {
    this.#passed.set(locationId, Math.max(seq, this.#passed.get(locationId) ?? 0))
  }

  /** Counts a rewound journal, once until it has resumed; returns true the first time. */
  report({ locationId }: JournalRewound): boolean {
    if (this.#rewound.has(locationId)) return false
    this.#rewound.add(locationId)
    this.#rewinds += 1
    return true
  }

  /** Reads the head to show it. `rewound` is set the first time that the head is lower than one seen before. */
  async read<H extends Head>(
    locationId: string,
    read: () => Promise<H>,
  ): Promise<{ head: H; rewound: JournalRewound | null }> {
    // Taken first, since it must not include what other requests see while this one waits.
    const seen = this.of(locationId)
    const head = await read()
    this.raise(locationId, head.seq)
    if (head.seq >= seen) return { head, rewound: null }
    const found = new JournalRewound(locationId, seen, head.seq)
    return { head, rewound: this.report(found) ? found : null }
  }
}
