/** Initial bytes of the buffer: enough for most records and for every body of a management call. */
const firstSize = 4 * 1024

/** Bodies of at least this many bytes are collected in blocks. */
const blockSize = 256 * 1024

/** Maximum number of free blocks, 32 MiB in all. */
const spareAtMost = 128

/**
 * Free blocks. Large buffers stay in the heap of the C library long after the garbage collector freed them: a hundred
 * refused bodies, one after the other, used 570 MiB with a budget of 32 MiB.
 */
const spare: Buffer[] = []

/**
 * Collects bytes that arrive in pieces. Small pieces are copied together: an object for each would take a hundred times
 * the memory of a piece of one byte. Bytes beyond `limit` are counted but not kept.
 */
export class Gathered {
  readonly #limit: number
  /** The first bytes, in a buffer that grows to the size of a block. */
  #first: Buffer | undefined
  #blocks: Buffer[] = []
  #kept = 0
  #length = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Number of received bytes, kept or not. */
  get length(): number {
    return this.#length
  }

  get isOver(): boolean {
    return this.#length > this.#limit
  }

  /** Adds a piece and returns the additional memory. The piece itself is not kept. */
  append(piece: Buffer): number {
    this.#length += piece.length
    const kept = piece.subarray(0, this.#limit - this.#kept)
    const before = this.#held
    for (let from = 0; from < kept.length;) from += this.#copy(kept, from)
    return this.#held - before
  }

  /** The collected bytes, in their original buffers, which are reused after `drop`. */
  get parts(): Buffer[] {
    const first = this.#first?.subarray(0, this.#kept) ?? Buffer.alloc(0)
    return [first, ...this.#blocks.map((block, i) => block.subarray(0, this.#kept - blockSize * (i + 1)))]
  }

  /** Returns the contents as one buffer, and resets. */
  take(): Buffer {
    const [first, ...blocks] = this.parts as [Buffer, ...Buffer[]]
    const bytes = blocks.length === 0 ? first : Buffer.concat([first, ...blocks], this.#kept)
    this.drop()
    return bytes
  }

  /** Discards the contents, and resets. */
  drop(): void {
    spare.push(...this.#blocks.slice(0, spareAtMost - spare.length))
    this.#blocks = []
    this.#first = undefined
    this.#kept = 0
    this.#length = 0
  }

  get #held(): number {
    return (this.#first?.length ?? 0) + this.#blocks.length * blockSize
  }

  /** Copies as much as fits into the current block, allocating a block if needed. */
  #copy(piece: Buffer, from: number): number {
    if (this.#kept < blockSize) {
      const needed = Math.min(this.#kept + piece.length - from, blockSize)
      const first = this.#grow(needed)
      const count = piece.copy(first, this.#kept, from, from + needed - this.#kept)
      this.#kept += count
      return count
    }
    const at = this.#kept % blockSize
    if (at === 0) this.#blocks.push(spare.pop() ?? Buffer.allocUnsafeSlow(blockSize))
    const count = piece.copy(this.#blocks.at(-1) as Buffer, at, from)
    this.#kept += count
    return count
  }

  #grow(needed: number): Buffer {
    const first = this.#first
    if (first && needed <= first.length) return first
    const grown = Buffer.allocUnsafe(
      Math.min(this.#limit, blockSize, Math.max(firstSize, needed, 2 * (first?.length ?? 0))),
    )
    first?.copy(grown, 0, 0, this.#kept)
    this.#first = grown
    return grown
  }
}
