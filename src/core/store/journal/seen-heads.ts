import type { Head } from '../../domain/journal/chain.ts'
import { mayHaveResumed } from '../../domain/journal/chain.ts'
import type { Sql } from '../db/database.ts'
import { getHead } from './journal.ts'
import { JournalRewound } from './resumption.ts'

/**
 * Remembers the highest journal number of each location that this process has acknowledged or shown. A lower one means
 * that the database went back to an older state. It takes some 100 bytes per location.
 */
export class SeenHeads {
  readonly #highest = new Map<string, number>()
  readonly #rewound = new Set<string>()
  #raised = new Map<string, number>()
  /** What was seen before a journal jumped, by location. */
  #passed = new Map<string, number>()
  #rewinds = 0

  /** How often a journal was found set back since the process began. */
  get rewinds(): number {
    return this.#rewinds
  }

  /** Returns the highest number seen; 0 when nothing was seen of the location. */
  of(locationId: string): number {
    return this.#highest.get(locationId) ?? 0
  }

  /** A number that was committed, or read on the server that takes the writes. */
  raise(locationId: string, seq: number): void {
    const before = this.of(locationId)
    if (seq <= before) return
    if (before > 0 && mayHaveResumed(before, seq)) this.passed(locationId, before)
    this.#highest.set(locationId, seq)
    this.#raised.set(locationId, seq)
    this.#rewound.delete(locationId)
  }

  /** Returns the numbers that were raised since the last call, by location. */
  takeRaised(): Map<string, number> {
    const raised = this.#raised
    this.#raised = new Map()
    return raised
  }

  /**
   * Returns what was seen before journals jumped, by location, since the last call: it may be lost, though another process has resumed
   * the journal without knowing of it.
   */
  takePassed(): Map<string, number> {
    const passed = this.#passed
    this.#passed = new Map()
    return passed
  }

  /** Keeps what was seen before a jump for `takePassed`. */
  passed(locationId: string, seq: number): void {
    this.#passed.set(locationId, Math.max(seq, this.#passed.get(locationId) ?? 0))
  }

  /** Counts a journal that was found set back, once until it has resumed; true when it is news. */
  report({ locationId }: JournalRewound): boolean {
    if (this.#rewound.has(locationId)) return false
    this.#rewound.add(locationId)
    this.#rewinds += 1
    return true
  }

  /** Reads the head to show it. `rewound` says that it was lower than one seen before, when that is news. */
  async read(sql: Sql, locationId: string): Promise<{ head: Head; rewound: JournalRewound | null }> {
    // Taken first: what other requests see while this one waits says nothing about it.
    const seen = this.of(locationId)
    const head = await getHead(sql, locationId)
    this.raise(locationId, head.seq)
    if (head.seq >= seen) return { head, rewound: null }
    const found = new JournalRewound(locationId, seen, head.seq)
    return { head, rewound: this.report(found) ? found : null }
  }
}
