import { listLimit } from '../record-limits.ts'

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

/** The scan yields to other requests after this many bytes, which take a third of a millisecond. */
export const pauseEvery = 64 * 1024

/** Returns whether a byte is white space of JSON. Bytes 11 and 12, which JSON does not allow, count as well. */
const isBlank = (byte: number | undefined) => byte === 0x20 || (byte !== undefined && byte >= 9 && byte <= 13)

/** Returns the bytes between two offsets, without surrounding white space. */
function trimmed(bytes: Buffer, from: number, to: number): Buffer {
  let [start, end] = [from, to]
  while (start < end && isBlank(bytes[start])) start += 1
  while (end > start && isBlank(bytes[end - 1])) end -= 1
  return bytes.subarray(start, end)
}

/** Returns whether a body, in parts, is read as an array: its first byte after white space is a bracket. */
export function isArrayText(parts: readonly Buffer[]): boolean {
  const part = parts.find((bytes) => !bytes.every(isBlank))
  return part?.find((byte) => !isBlank(byte)) === openBracket
}

/** Why the text is not an array, in words for its sender. */
export class ArrayBroken extends Error {}

function isBlankBetween(bytes: Buffer, from: number, to: number): boolean {
  let at = from
  while (at < to && isBlank(bytes[at])) at += 1
  return at === to
}

/**
 * The current element of a walk. If elements are extracted, its earlier parts are kept up to the maximum size of a
 * record; if they are only counted, nothing is allocated per element, because eight MiB can contain four million.
 */
class Element {
  readonly #isCut: boolean
  #before: Buffer[] = []
  #length = 0
  #count = 0

  constructor(isCut: boolean) {
    this.#isCut = isCut
  }

  /** Continues in the next part. */
  continue(bytes: Buffer): void {
    if (this.#length > listLimit) return
    // White space before the element does not count.
    const from = this.#length === 0 ? bytes.findIndex((byte) => !isBlank(byte)) : 0
    if (from === -1) return
    if (this.#isCut) this.#before.push(bytes.subarray(from))
    this.#length += bytes.length - from
  }

  /** Ends the element between two offsets of a part. Returns its text; undefined if it is missing, or only counted. */
  end(part: Buffer, from: number, to: number, isEnd: boolean): Buffer | undefined {
    const begunBefore = this.#length > 0
    if (!begunBefore && isBlankBetween(part, from, to)) {
      if (isEnd && this.#count === 0) return undefined
      throw new ArrayBroken(`element ${this.#count + 1} of the array is missing`)
    }
    this.#count += 1
    if (this.#isCut) return begunBefore ? this.#join(part.subarray(from, to)) : trimmed(part, from, to)
    this.#length = 0
    return undefined
  }

  #join(last: Buffer): Buffer {
    this.continue(last)
    const joined = Buffer.concat(this.#before)
    this.#before = []
    this.#length = 0
    return joined.length > listLimit ? joined : trimmed(joined, 0, joined.length)
  }
}

/** Walks over the bytes of an array once, tracking strings and depth. Yields undefined regularly, as a pause. Throws `ArrayBroken`. */
function* walk(parts: readonly Buffer[], element: Element): Generator<Buffer | undefined> {
  let depth = 0
  let hasEnded = false
  let inString = false
  let isEscaped = false
  let unpaused = 0
  for (const part of parts) {
    let start = 0
    for (let at = 0; at < part.length; at++) {
      const byte = part[at]
      unpaused += 1
      if (unpaused === pauseEvery) {
        unpaused = 0
        yield undefined
      }
      if (hasEnded) {
        if (!isBlank(byte)) throw new ArrayBroken('unexpected text after the end of the array')
      } else if (isEscaped) isEscaped = false
      else if (inString) {
        if (byte === backslash) isEscaped = true
        else if (byte === quote) inString = false
      } else if (byte === quote) inString = true
      else if (byte === openBracket || byte === openBrace) {
        depth += 1
        if (depth === 1) start = at + 1
      } else if (byte === comma && depth === 1) {
        const bytes = element.end(part, start, at, false)
        if (bytes) yield bytes
        start = at + 1
      } else if (byte === closeBracket || byte === closeBrace) {
        depth -= 1
        hasEnded = depth === 0
        if (!hasEnded) continue
        const last = element.end(part, start, at, true)
        if (last) yield last
      }
    }
    if (!hasEnded && depth > 0) element.continue(part.subarray(start))
  }
  if (!hasEnded) throw new ArrayBroken('the array has no closing bracket')
}

/**
 * Splits the text of a JSON array, given in parts, into the texts of its elements, in order. The reader of an element
 * checks whether it is JSON. An element that is too long for a record is truncated, but stays too long. Yields
 * undefined regularly, as a pause. Throws `ArrayBroken` if the text is not an array.
 */
export const cutArray = (parts: readonly Buffer[]): Generator<Buffer | undefined> => walk(parts, new Element(true))

/** Checks, without extracting elements, whether the text is one complete array. */
export const checkArray = (parts: readonly Buffer[]): Generator => walk(parts, new Element(false))
