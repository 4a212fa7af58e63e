/** Enough for most records and for every body of a management call. */
const firstSize = 4 * 1024

/**
 * Bytes that arrive in pieces. Small pieces are copied into one buffer that grows: an object for each would cost a
 * hundred times a piece of one byte. Of what exceeds `limit` nothing is kept, but it is counted.
 */
export class Gathered {
  readonly #limit: number
  #buffer: Buffer | undefined
  #kept = 0
  #length = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** All bytes that came, kept or not. */
  get length(): number {
    return this.#length
  }

  get isOver(): boolean {
    return this.#length > this.#limit
  }

  /** Takes a piece and tells how much more memory is held for it. The piece itself is not kept. */
  append(piece: Buffer): number {
    this.#length += piece.length
    const kept = piece.subarray(0, this.#limit - this.#kept)
    const needed = this.#kept + kept.length
    const held = this.#buffer?.length ?? 0
    if (needed > held) {
      const grown = Buffer.allocUnsafe(Math.min(this.#limit, Math.max(firstSize, needed, 2 * held)))
      this.#buffer?.copy(grown, 0, 0, this.#kept)
      this.#buffer = grown
    }
    kept.copy(this.#buffer as Buffer, this.#kept)
    this.#kept = needed
    return (this.#buffer?.length ?? 0) - held
  }

  /** Hands out what was kept, and begins anew. */
  take(): Buffer {
    const bytes = this.#buffer?.subarray(0, this.#kept) ?? Buffer.alloc(0)
    this.#buffer = undefined
    this.#kept = 0
    this.#length = 0
    return bytes
  }
}
