import { IncomingMessage } from 'node:http'

/**
 * The first 4,000 pieces may have any size; with more, the average must be at least `pieceBytes`. A line of a till has
 * hundreds of bytes (decision 0013).
 */
const piecesFree = 4_000
/** Minimum average size of a piece, in bytes. */
const pieceBytes = 16

/** Thrown if a body ended early or continues with bytes that cannot be read. */
export class BodyBroken extends Error {}

/**
 * A request that counts the pieces of its body, one per chunk of the sender, and stops when they are many and small.
 * The HTTP parser emits in one turn of the event loop everything read from a connection: 64 KiB can be 11,000 pieces of
 * one byte, and passing each through a stream takes longer than parsing it.
 */
export class CountedRequest extends IncomingMessage {
  #pieces = 0
  #bytes = 0
  #isCrumbled = false
  #broken: BodyBroken | undefined

  /** Returns false to stop reading from the connection, as in `Readable`; emits `crumbled` at the first piece that is refused. */
  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    if (this.#isCrumbled) return false
    if (piece === null) return super.push(piece, encoding)
    this.#pieces++
    this.#bytes += piece.length
    if (this.#pieces <= piecesFree || this.#bytes >= pieceBytes * this.#pieces) return super.push(piece, encoding)
    this.#isCrumbled = true
    this.emit('crumbled')
    return false
  }

  /** True if the body arrived in too many small pieces. The rest and its end are not emitted. */
  get isCrumbled(): boolean {
    return this.#isCrumbled
  }

  /**
   * Marks the rest of the body as unreadable: its reader gets the reason as an error after the bytes received, and
   * can still respond. The stream itself does not fail, which would close the connection. Emits `broken`.
   */
  breakOff(why: string): void {
    this.#broken = new BodyBroken(why)
    this.emit('broken')
  }

  /** Why the rest of the body is missing; undefined while it may still come. */
  get broken(): BodyBroken | undefined {
    return this.#broken
  }

  /** Describes the size of the pieces, for the sender. */
  get crumbs(): string {
    return `${this.#pieces} pieces of ${(this.#bytes / this.#pieces).toFixed(1)} bytes`
  }
}
