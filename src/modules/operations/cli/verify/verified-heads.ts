import { keepVerified, readVerified, type VerifiedHead } from './verified-files.ts'
import type { From, Verified } from './chain.ts'
import { dayMs } from '../../../../core/domain/days/time-units.ts'

type Use = {
  /** Whether a walk begins after what was verified. */
  isUsed: boolean
  /** A journal is read whole again after this long. */
  wholeEveryDays: number
  now: Date
}

/** How far journals were verified, as it is kept in a directory outside of the database. */
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

  /** The last entry of a journal that was verified, and whether only what follows it is read now. */
  of(id: string): Verified | undefined {
    const { isUsed, wholeEveryDays, now } = this.#use
    const known = this.#known.get(id)
    if (!known || known.seq === 0) return undefined
    const isRecent = now.getTime() - known.wholeAt.getTime() < wholeEveryDays * dayMs
    return { ...known, isStart: isUsed && isRecent }
  }

  /** Keeps what was proved. What does not hold leaves what is kept as it is, so that it does not hold the next time either. */
  async keep(id: string, { head, isWhole }: { head: From; isWhole: boolean }): Promise<void> {
    if (this.#home === null || head.seq === 0) return
    const { now } = this.#use
    const wholeAt = isWhole ? now : (this.#known.get(id)?.wholeAt ?? now)
    await keepVerified(this.#home, id, { ...head, at: now, wholeAt })
  }
}
