import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'

/** Says that a body came in pieces so small that their framing costs more than their content. */
export class BodyCrumbled extends Error {}

/**
 * So many pieces are taken whatever their size; above that they must hold this many bytes on the average. A line of a
 * till has hundreds, and 64 KiB of a connection are 11,000 pieces of one byte.
 */
const piecesFree = 10_000
/** In bytes: a body whose pieces are smaller than this on average counts as crumbled. */
const pieceBytes = 16

/** Remembers the bodies that arrived in too many small pieces. Nothing more of them is read. */
const crumbledBodies = new WeakSet<Readable>()

/**
 * What has arrived of a stream, a turn of the event loop after it did, unless that is all of it. Asked at once, it would be read and its socket
 * started again while the socket is still being read from, and what others sent would wait for up to 2 MiB of each
 * body. A piece is what the HTTP parser makes of a chunk: small ones are handed out joined, and their objects die young.
 */
export class Arrivals {
  readonly #body: Readable
  readonly #onNews = () => this.#wake?.()
  #wake: (() => void) | undefined
  #pieces = 0
  #bytes = 0
  #isStopped = false

  constructor(body: Readable) {
    this.#body = body
    for (const event of ['readable', 'end', 'error', 'close']) body.on(event, this.#onNews)
  }

  /**
   * Resolves to the next bytes; to undefined at the end, and to null when nothing came for so long. Throws
   * `BodyCrumbled` after what came until then, what the stream throws, and an error after `stop`.
   */
  async next(waitMs: number): Promise<Buffer | undefined | null> {
    const body = this.#body
    for (;;) {
      if (!this.#isWhole) await setImmediate()
      if (this.#isStopped) throw new Error('nobody reads it any more')
      if (this.#isCrumbled) throw this.#crumbled()
      const bytes = this.#take()
      if (bytes) return bytes
      if (body.errored) throw body.errored
      if (body.readableEnded || (this.#isWhole && !body.destroyed)) return undefined
      if (body.destroyed) throw new Error('it was closed before its end')
      if (!(await this.#news(waitMs))) return null
    }
  }

  /**
   * Reads no more, and ends a wait. A request that was answered tells nothing more of itself, not even that its connection
   * is gone: who waits for the rest of its body would hold what was unpacked of it for the whole of the wait.
   */
  stop(): void {
    this.#isStopped = true
    this.#wake?.()
    for (const event of ['readable', 'end', 'error', 'close']) this.#body.off(event, this.#onNews)
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

  /** Takes what has arrived since the last call as one buffer; undefined when nothing has. */
  #take(): Buffer | undefined {
    const pieces: Buffer[] = []
    for (let piece = this.#body.read(); piece !== null; piece = this.#body.read()) {
      pieces.push(piece)
      this.#bytes += piece.length
    }
    this.#pieces += pieces.length
    return pieces.length > 1 ? Buffer.concat(pieces) : pieces[0]
  }

  /** All of a request has arrived, as a small one has when it is first asked for: nothing more is read from its socket. */
  get #isWhole(): boolean {
    return 'complete' in this.#body && this.#body.complete === true
  }

  /** True when the body came in too many pieces that are too small (decision 0013). */
  get #isCrumbled(): boolean {
    return crumbledBodies.has(this.#body) || (this.#pieces > piecesFree && this.#bytes < pieceBytes * this.#pieces)
  }

  #crumbled(): BodyCrumbled {
    crumbledBodies.add(this.#body)
    const size = (this.#bytes / this.#pieces).toFixed(1)
    return new BodyCrumbled(`it came in ${this.#pieces} pieces of ${size} bytes: send chunks of a record or more`)
  }
}
