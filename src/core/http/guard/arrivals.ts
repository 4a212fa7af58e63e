import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { CountedRequest } from './counted-request.ts'

/** The body came in pieces so small that their framing costs more than their content. */
export class BodyCrumbled extends Error {}

/** Events after which data or an end may be available. */
const news = ['readable', 'crumbled', 'broken', 'end', 'error', 'close']

/**
 * The bytes of a stream that have arrived, read one turn of the event loop later unless the stream is complete: reading
 * at once would resume the socket while it is read, and up to 2 MiB of each body would delay other requests. A piece is
 * what the HTTP parser makes of a chunk; small pieces are joined, so their objects are short-lived.
 */
export class Arrivals {
  readonly #body: Readable
  readonly #onNews = () => this.#wake?.()
  #wake: (() => void) | undefined
  #isStopped = false

  constructor(body: Readable) {
    this.#body = body
    for (const event of news) body.on(event, this.#onNews)
  }

  /**
   * Resolves to the next bytes, to undefined at the end, and to null if nothing arrived in time. Throws
   * `BodyCrumbled` and `BodyBroken` after the bytes received until then, errors of the stream, and an error after
   * `stop`.
   */
  async next(waitMs: number): Promise<Buffer | undefined | null> {
    const body = this.#body
    for (;;) {
      if (!this.#isComplete) await setImmediate()
      if (this.#isStopped) throw new Error('the body is no longer read')
      const bytes = this.#take()
      if (bytes) return bytes
      if (body instanceof CountedRequest && body.isCrumbled)
        throw new BodyCrumbled(`the body arrived in ${body.crumbs}: send chunks of one record or more`)
      if (body instanceof CountedRequest && body.broken) throw body.broken
      if (body.errored) throw body.errored
      if (body.readableEnded || (this.#isComplete && !body.destroyed)) return undefined
      if (body.destroyed) throw new Error('the body was closed before its end')
      if (!(await this.#news(waitMs))) return null
    }
  }

  /**
   * Stops reading and ends a wait. An answered request emits nothing more, not even the loss of its connection: a
   * waiting reader would keep the decompressed data until its timeout.
   */
  stop(): void {
    this.#isStopped = true
    this.#wake?.()
    for (const event of news) this.#body.off(event, this.#onNews)
  }

  /** Resolves to whether something happened to the stream within this time. */
  async #news(waitMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(resolve, waitMs, false)
    this.#wake = () => resolve(true)
    const isNews = await promise
    clearTimeout(timer)
    this.#wake = undefined
    return isNews
  }

  /** Takes what has arrived since the last call as one buffer; undefined if nothing has. */
  #take(): Buffer | undefined {
    const pieces: Buffer[] = []
    for (let piece = this.#body.read(); piece !== null; piece = this.#body.read()) pieces.push(piece)
    return pieces.length > 1 ? Buffer.concat(pieces) : pieces[0]
  }

  /** Whether the complete request has arrived, as a small one has at the first read: nothing more is read from its socket. */
  get #isComplete(): boolean {
    return 'complete' in this.#body && this.#body.complete === true
  }
}
