import { hash } from 'node:crypto'

// The tree of RFC 6962, section 2.1, over the entries of a journal: a leaf is the hash of an entry, 32 bytes.

/**
 * Returns the SHA-256. Node makes a string with one character per byte in a third of the time that a `Buffer` takes.
 */
const sha256 = (data: Uint8Array): Buffer => Buffer.from(hash('sha256', data, 'latin1'), 'latin1')

const leafByte = Buffer.of(0)

export const leafHash = (data: Uint8Array): Buffer => sha256(Buffer.concat([leafByte, data]))

/**
 * The 65 bytes whose hash is a node: the byte 1, then the hashes of its left and its right child. One buffer serves all
 * nodes.
 */
const pair = Buffer.alloc(65, 1)

export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  pair.set(left, 1)
  pair.set(right, 33)
  return sha256(pair)
}

export const emptyRoot = (): Buffer => sha256(Buffer.alloc(0))

/** Returns the hash of the complete subtree of 2^level leaves that begins at the leaf `place` · 2^level. */
export type Subtree = (level: number, place: number) => Promise<Buffer>

/** Returns the largest power of two below `n`, and its exponent. `n` is at least 2. */
function splitOf(n: number): { size: number; level: number } {
  let [size, level] = [1, 0]
  while (size * 2 < n) [size, level] = [size * 2, level + 1]
  return { size, level }
}

/**
 * Returns the hash over the leaves from `begin` up to `end`, exclusive; `begin` is a multiple of the smallest power of
 * two that is not less than the number of leaves.
 */
export async function rangeHash(subtree: Subtree, begin: number, end: number): Promise<Buffer> {
  const count = end - begin
  if (count === 0) return emptyRoot()
  if (count === 1) return subtree(0, begin)
  const { size, level } = splitOf(count)
  if (size * 2 === count) return subtree(level + 1, begin / count)
  const [left, right] = await Promise.all([subtree(level, begin / size), rangeHash(subtree, begin + size, end)])
  return nodeHash(left, right)
}

/** Returns the audit path of a leaf among the leaves from `begin` up to `end`, its sibling first (section 2.1.1). */
export async function inclusionPath(
  subtree: Subtree,
  index: number,
  { begin = 0, end }: { begin?: number; end: number },
): Promise<Buffer[]> {
  if (end - begin <= 1) return []
  const middle = begin + splitOf(end - begin).size
  const isLeft = index < middle
  const within = isLeft ? { begin, end: middle } : { begin: middle, end }
  const [path, sibling] = await Promise.all([
    inclusionPath(subtree, index, within),
    isLeft ? rangeHash(subtree, middle, end) : rangeHash(subtree, begin, middle),
  ])
  return [...path, sibling]
}

/**
 * Proves that a tree of `from` leaves begins a tree of `to` leaves (section 2.1.2); empty for 0 and for the same size.
 */
export async function consistencyPath(subtree: Subtree, from: number, to: number): Promise<Buffer[]> {
  const sub = async (begin: number, end: number, isOriginal: boolean): Promise<Buffer[]> => {
    if (from === end) return isOriginal ? [] : [await rangeHash(subtree, begin, end)]
    const middle = begin + splitOf(end - begin).size
    const isLeft = from <= middle
    const [path, other] = await Promise.all([
      isLeft ? sub(begin, middle, isOriginal) : sub(middle, end, false),
      isLeft ? rangeHash(subtree, middle, end) : rangeHash(subtree, begin, middle),
    ])
    return [...path, other]
  }
  return from === 0 || from === to ? [] : sub(0, to, true)
}

/** Takes leaves one by one and computes the root over them from the complete subtrees at the right edge. */
export class RightEdge {
  /** The hash of the complete subtree of 2^level leaves, by level; undefined if the bit `level` of `size` is 0. */
  readonly #complete: (Buffer | undefined)[] = []
  size = 0

  /** Adds the hash of a leaf. `onWhole` is called for every completed subtree, from level 1 on. */
  add(leaf: Buffer, onWhole?: (level: number, place: number, hash: Buffer) => void): void {
    let [node, level, place] = [leaf, 0, this.size]
    for (let left = this.#complete[level]; left !== undefined; left = this.#complete[level]) {
      node = nodeHash(left, node)
      this.#complete[level] = undefined
      level += 1
      place = Math.floor(place / 2)
      onWhole?.(level, place, node)
    }
    this.#complete[level] = node
    this.size += 1
  }

  root(): Buffer {
    const parts = this.#complete.filter((node) => node !== undefined)
    return parts.length === 0 ? emptyRoot() : parts.reduce((right, left) => nodeHash(left, right))
  }
}
