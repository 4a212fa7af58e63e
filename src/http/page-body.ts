import { comma, frameEnd, frameStart } from './json-frame.ts'
import type { Documents } from '../store/pages.ts'

/** Bytes of a new buffer: most pages of 100 orders fit without growing it. */
const firstBytes = 512 * 1024

/** Buffers that wait to be used again; more than these are left to the collector. */
const keptBodies = 16

/**
 * Buffers that are reused. A page of 100 orders has a quarter of a megabyte. With a new buffer for each page, the
 * garbage collector would scan the whole heap many times a second (measured: a quarter of the processor time).
 */
const kept: Buffer[] = []

/** The body of a page, `{"data":[…],"meta":…}`, put together in one buffer that goes to the socket as it is. */
export class PageBody implements Documents {
  #bytes: Buffer | null = null
  #length = 0

  add(chunk: Buffer, from: number, to: number): void {
    const bytes = this.#room(to - from + 1)
    if (this.#length > frameStart.length) {
      this.#length += comma.copy(bytes, this.#length)
    }
    this.#length += chunk.copy(bytes, this.#length, from, to)
  }

  /** Holds nothing until the next document. */
  clear(): void {
    this.release()
  }

  /** Closes the list and puts the members of an object after it. The bytes stay valid until `release`. */
  finish(members: object): Buffer {
    const end = frameEnd(members)
    const bytes = this.#room(Buffer.byteLength(end))
    this.#length += bytes.write(end, this.#length)
    return bytes.subarray(0, this.#length)
  }

  /** The bytes may be used for another page. */
  release(): void {
    const bytes = this.#bytes
    this.#bytes = null
    if (bytes?.length === firstBytes && kept.length < keptBodies) kept.push(bytes)
  }

  /** Allocated with the first document, so that pages which wait for the database use no buffer. */
  #room(size: number): Buffer {
    if (!this.#bytes) {
      this.#bytes = kept.pop() ?? Buffer.allocUnsafeSlow(firstBytes)
      this.#length = frameStart.copy(this.#bytes)
    }
    if (this.#length + size <= this.#bytes.length) return this.#bytes
    const grown = Buffer.allocUnsafeSlow(2 * (this.#length + size))
    this.#bytes.copy(grown, 0, 0, this.#length)
    const former = this.#bytes
    this.#bytes = grown
    if (former.length === firstBytes && kept.length < keptBodies) kept.push(former)
    return grown
  }
}
