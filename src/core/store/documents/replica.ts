import { isUnavailable } from '../db/database.ts'
import type { Reads } from '../../contract/paging/pages.ts'

type Tell = (level: 'warn' | 'info', message: string, error?: unknown) => void

/** A replica that did not answer is left alone for so long. */
const restMs = 2_000

/** SQLSTATE of a read that a replica ended to go on with what its primary does: asked again it may pass. */
const conflict = '40001'

/**
 * Reads from a copy of the database that lags a little. Whatever goes wrong with it, the caller asks the primary: one
 * line is logged when it goes, and one when it is back.
 */
export class Replica {
  readonly #open: () => Promise<Reads>
  readonly #tell: Tell
  readonly #nowMs: () => number
  readonly #drop: () => void
  #restsUntil = -Infinity
  #isAway = false
  /** How often it failed since the process began. */
  failures = 0

  /** `open` is asked for each read; `drop` is called when what it gave cannot be used, so that the next one is made anew. */
  constructor(
    { open, drop = () => {} }: { open: () => Promise<Reads>; drop?: () => void },
    tell: Tell,
    nowMs: () => number = () => performance.now(),
  ) {
    this.#open = open
    this.#drop = drop
    this.#tell = tell
    this.#nowMs = nowMs
  }

  /** Resolves to what the work reads here; undefined when the replica cannot tell now. */
  async read<T>(work: (reads: Reads) => Promise<T>): Promise<T | undefined> {
    if (this.#nowMs() < this.#restsUntil) return undefined
    try {
      const found = await work(await this.#open())
      if (this.#isAway) this.#tell('info', 'the read replica answers again')
      this.#isAway = false
      return found
    } catch (error) {
      if ((error as { code?: unknown }).code === conflict) return undefined
      this.#restsUntil = this.#nowMs() + restMs
      this.failures += 1
      this.#drop()
      const words = isUnavailable(error) ? 'does not answer' : 'cannot be used'
      if (!this.#isAway) this.#tell('warn', `the read replica ${words}: the primary is used instead`, error)
      this.#isAway = true
      return undefined
    }
  }
}
