import type { Share } from '../../ingest/receive/body-budget.ts'
import type { Documents } from '../../contract/paging/pages.ts'
import { comma, frameEnd, frameStart } from './json-frame.ts'

/** Bytes of a block. Most pages of 100 orders fit into one block. */
export const blockBytes = 512 * 1024

/** Maximum number of blocks kept for reuse, 32 MiB in all; the garbage collector frees others. */
const keptBlocks = 64

/**
 * Free blocks. A page of 100 orders takes a quarter of a megabyte; with a new buffer for each page, the garbage
 * collector would scan the heap many times a second (measured: a quarter of the processor time).
 */
const kept: Buffer[] = []

/**
 * The body of a page, `{"data":[…],"meta":…}`, built in blocks that go to the socket unchanged. The second and later
 * blocks are counted against the budget while the page is built; if there is no room, all of the page is dropped.
 */
export class PageBody implements Documents {
  readonly #share: Share
  #blocks: Buffer[] = []
  /** The last block. */
  #block: Buffer | undefined
  /** Bytes used in the last block. */
  #length = 0
  #isEmpty = true
  #refusal: unknown
  #isReleased = false

  /** `release` closes the share. */
  constructor(share: Share) {
    this.#share = share
  }

  add(chunk: Buffer, from: number, to: number): void {
    this.#begin()
    this.#write(chunk, from, to)
  }

  /** Adds one document in several parts. */
  addParts(parts: readonly (Buffer | string)[]): void {
    this.#begin()
    for (const part of parts) this.#writeAll(part)
  }

  clear(): void {
    this.#drop()
    this.#refusal = undefined
  }

  /**
   * Closes the list and adds the members of an object after it. The bytes, in their blocks, stay valid until `release`.
   * Throws `BudgetSpent` if there was no room for all of them.
   */
  finish(members: object): Buffer[] {
    if (this.#blocks.length === 0) this.#writeAll(frameStart)
    this.#writeAll(frameEnd(members))
    if (this.#refusal !== undefined) throw this.#refusal
    const last = this.#blocks.length - 1
    return this.#blocks.map((block, i) => (i === last ? block.subarray(0, this.#length) : block))
  }

  /** Returns the blocks for reuse; later documents are ignored. */
  release(): void {
    this.#isReleased = true
    this.#drop()
  }

  #begin(): void {
    if (this.#isEmpty) this.#writeAll(frameStart)
    else this.#writeByte(comma)
    this.#isEmpty = false
  }

  #drop(): void {
    for (const block of this.#blocks) if (kept.length < keptBlocks) kept.push(block)
    this.#blocks = []
    this.#block = undefined
    this.#length = 0
    this.#isEmpty = true
    this.#share.close()
  }

  #writeAll(part: Buffer | string): void {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part
    this.#write(bytes, 0, bytes.length)
  }

  #writeByte(byte: number): void {
    const block = this.#room()
    if (block) block[this.#length++] = byte
  }

  #write(bytes: Buffer, from: number, to: number): void {
    for (let at = from; at < to;) {
      const block = this.#room()
      if (!block) return
      const count = bytes.copy(block, this.#length, at, to)
      this.#length += count
      at += count
    }
  }

  /** Returns the current block, with room for at least a byte; undefined if there is no memory left for it. */
  #room(): Buffer | undefined {
    if (!this.#block || this.#length === blockBytes) this.#takeBlock()
    return this.#block
  }

  /** Takes a block. The first is taken with the first document, so pages that wait for the database hold no block. */
  #takeBlock(): void {
    if (this.#refusal !== undefined || this.#isReleased) return
    try {
      // The first block is counted like any answer, when it is sent.
      if (this.#blocks.length > 0) this.#share.hold(blockBytes)
      this.#block = kept.pop() ?? Buffer.allocUnsafeSlow(blockBytes)
      this.#blocks.push(this.#block)
      this.#length = 0
    } catch (error) {
      this.#drop()
      this.#refusal = error
    }
  }
}
