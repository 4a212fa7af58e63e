import { setImmediate } from 'node:timers/promises'

/** So many records are decided before others have their turn. */
export const recordsPerTurn = 25

/** After this much work other requests get the event loop: about 1 ms of usual records, 20 ms of the worst text. */
export const workPerTurn = { records: 25, bytes: 256 * 1024 }

/**
 * Gives the event loop back now and then. Reading a body is work without waiting, and without turns every other
 * request would wait until it is read. `yieldTurn` is given by tests.
 */
export class Turns {
  readonly #yieldTurn: () => Promise<unknown>
  #records = 0
  #bytes = 0

  constructor(yieldTurn: () => Promise<unknown> = setImmediate) {
    this.#yieldTurn = yieldTurn
  }

  /** Counts work that was done since the last turn. When it was enough there is the next one to wait for. */
  spend(records: number, bytes: number): Promise<unknown> | undefined {
    this.#records += records
    this.#bytes += bytes
    if (this.#records < workPerTurn.records && this.#bytes < workPerTurn.bytes) return undefined
    this.#records = 0
    this.#bytes = 0
    return this.#yieldTurn()
  }
}
