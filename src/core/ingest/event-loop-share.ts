import { setTimeout } from 'node:timers/promises'
import { Semaphore } from '../store/db/semaphore.ts'

/** Number of records after which other requests get a turn. */
export const recordsPerTurn = 25

/** After this much work other requests get the event loop: about 1 ms of usual records, 20 ms of the worst text. */
export const workPerTurn = { records: 25, bytes: 256 * 1024 }

/**
 * Work that waits for a turn, first come, first served. One piece continues in each turn of the event loop: otherwise
 * each turn would contain a piece of every body, and other requests would wait for all of them.
 */
export class TurnQueue {
  readonly #waiting: (() => void)[] = []
  readonly #goOn = () => {
    this.#waiting.shift()?.()
    if (this.#waiting.length > 0) setImmediate(this.#goOn)
  }

  /** Resolves in a later turn of the event loop, shared with nothing else of this queue. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(this.#goOn)
    })
  }
}

const bodies = new TurnQueue()

/** Resolves in a later turn of the event loop, shared with no other body of this process. */
export const nextBodyTurn = (): Promise<void> => bodies.next()

/** Only one long item is in progress at a time: parsed, it takes ten times its length in memory. */
const longWork = new Semaphore(1)

export type ShareOptions = {
  /** Resolves at the next turn of the body. */
  yieldTurn?: () => Promise<unknown>
  /** Resolves after this many milliseconds. */
  rest?: (ms: number) => Promise<unknown>
  /** Milliseconds of a monotonic clock. */
  now?: () => number
}

/**
 * Yields the event loop regularly. Reading a body does not wait for anything, so without turns every other request
 * would wait until it is read.
 */
export class EventLoopShare {
  readonly #yieldTurn: () => Promise<unknown>
  readonly #rest: (ms: number) => Promise<unknown>
  readonly #now: () => number
  #records = 0
  #bytes = 0

  constructor({ yieldTurn = nextBodyTurn, rest = setTimeout, now = () => performance.now() }: ShareOptions = {}) {
    this.#yieldTurn = yieldTurn
    this.#rest = rest
    this.#now = now
  }

  /** Counts the next piece of work. Returns a promise of the next turn if it is too much for this one. */
  spend(records: number, bytes: number): Promise<unknown> | undefined {
    this.#records += records
    this.#bytes += bytes
    if (this.#records < workPerTurn.records && this.#bytes < workPerTurn.bytes) return undefined
    this.#records = 0
    this.#bytes = 0
    return this.#yieldTurn()
  }

  /**
   * Does work longer than one turn part by part, and rests after each part for as long as it took: other requests need several turns of the
   * event loop, and without rests each turn would contain a part. Only one body at a time does this.
   */
  async divide<Result>(parts: Iterator<unknown, Result>): Promise<Result> {
    const end = await longWork.take()
    try {
      for (;;) {
        const began = this.#now()
        const { done, value } = parts.next()
        await this.#rest(Math.ceil(this.#now() - began))
        if (done) return value
      }
    } finally {
      end()
    }
  }
}
