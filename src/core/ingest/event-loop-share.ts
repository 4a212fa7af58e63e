import { setTimeout } from 'node:timers/promises'
import { Semaphore } from '../store/db/semaphore.ts'

/** So many records are decided before others have their turn. */
export const recordsPerTurn = 25

/** After this much work other requests get the event loop: about 1 ms of usual records, 20 ms of the worst text. */
export const workPerTurn = { records: 25, bytes: 256 * 1024 }

/**
 * Work that waits for a turn, in the order in which it asked. One of it goes on in each turn of the event loop: were it all
 * of it, others would wait for as many turns as there are, say, bodies.
 */
export class TurnQueue {
  readonly #waiting: (() => void)[] = []
  readonly #goOn = () => {
    this.#waiting.shift()?.()
    if (this.#waiting.length > 0) setImmediate(this.#goOn)
  }

  /** Resolves in a later turn of the event loop, which nothing else of this queue shares. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(this.#goOn)
    })
  }
}

const bodies = new TurnQueue()

/** Resolves in a later turn of the event loop, which no other body of this process shares. */
export const nextBodyTurn = (): Promise<void> => bodies.next()

/** Of what is long one is begun at a time: parsed it takes ten times its length. */
const longWork = new Semaphore(1)

export type ShareOptions = {
  /** Resolves when the body has its next turn. */
  yieldTurn?: () => Promise<unknown>
  /** Resolves after this many milliseconds. */
  rest?: (ms: number) => Promise<unknown>
  /** Milliseconds of a clock that is never set. */
  now?: () => number
}

/**
 * Gives the event loop back now and then. Reading a body is work without waiting, and without turns every other
 * request would wait until it is read.
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

  /** Counts work that comes next. When it is too much for this turn there is the next one to wait for. */
  spend(records: number, bytes: number): Promise<unknown> | undefined {
    this.#records += records
    this.#bytes += bytes
    if (this.#records < workPerTurn.records && this.#bytes < workPerTurn.bytes) return undefined
    this.#records = 0
    this.#bytes = 0
    return this.#yieldTurn()
  }

  /**
   * Does what is longer than one turn part by part, and rests after each for as long as it took: a read needs several turns of the
   * event loop, and in each of them would be such a part. Of all bodies one is at it at a time.
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
