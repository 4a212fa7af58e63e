import { keepVerified, readVerified, type VerifiedHead } from './verified-files.ts'
import type { From, Verified } from './chain.ts'
import { dayMs } from '../../../../core/domain/days/time-units.ts'

type Use = {
  /** Whether a walk begins after the last verified entry. */
  isUsed: boolean
  /** Number of days after which a journal is completely read again. */
  wholeEveryDays: number
  now: Date
}

/** How far journals were verified, stored in a directory outside the database. */
export class VerifiedHeads {
  readonly #home: string | null
  readonly #known: ReadonlyMap<string, VerifiedHead>
  readonly #use: Use

  private constructor(home: string | null, known: ReadonlyMap<string, VerifiedHead>, use: Use) {
    this.#home = home
    this.#known = known
    this.#use = use
  }

  static async open(home: string | null, use: Use): Promise<VerifiedHeads> {
    return new VerifiedHeads(home, home === null ? new Map() : await readVerified(home), use)
  }

  /** Returns the last verified entry of a journal, and whether only the entries after it are read now. */
  of(id: string): Verified | undefined {
    const { isUsed, wholeEveryDays, now } = this.#use
    const known = this.#known.get(id)
    if (!known || known.seq === 0) return undefined
    const isRecent = now.getTime() - known.wholeAt.getTime() < wholeEveryDays * dayMs
    return { ...known, isStart: isUsed && isRecent }
  }

  /** Stores a verified head. A failed verification stores nothing, so that the next verification fails too. */
  async keep(id: string, { head, isFull }: { head: From; isFull: boolean }): Promise<void> {
    if (this.#home === null || head.seq === 0) return
    const { now } = this.#use
    const wholeAt = isFull ? now : (this.#known.get(id)?.wholeAt ?? now)
    await keepVerified(this.#home, id, { ...head, at: now, wholeAt })
  }
}
