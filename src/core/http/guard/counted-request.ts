import { IncomingMessage } from 'node:http'

/**
 * So many pieces are taken whatever their size; above that they must hold this many bytes on the average. A line of a till
 * has hundreds (decision 0013).
 */
const piecesFree = 4_000
/** In bytes. */
const pieceBytes = 16

/** Says that a body ended before it was whole, or goes on in a way that cannot be read. */
export class BodyBroken extends Error {}

/**
 * A request that counts the pieces of its body, one for each chunk of the sender, and takes no more of them once they are
 * many and small. The HTTP parser hands out what it read of a connection in one turn of the event loop: 64 KiB are 11,000
 * pieces of one byte, and the way of each through a stream takes longer than the parser needs for it.
 */
export class CountedRequest extends IncomingMessage {
  #pieces = 0
  #bytes = 0
  #isCrumbled = false
  #broken: BodyBroken | undefined

  /** Returns false when no more is to be read of the connection, as `Readable` has it; emits `crumbled` at the first piece that is not taken. */
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

  /** Why the rest of the body does not come; undefined as long as it may. */
  get broken(): BodyBroken | undefined {
    return this.#broken
  }

  /** How small they were, for who sent them. */
  get crumbs(): string {
    return `${this.#pieces} pieces of ${(this.#bytes / this.#pieces).toFixed(1)} bytes`
  }
}
