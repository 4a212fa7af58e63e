import { leafHash, nodeHash, rangeHash, type Subtree } from '../../domain/journal/merkle.ts'
import type { Sql } from '../db/database.ts'
import { insertRows } from '../db/rows.ts'
import { listResumed } from './resumption.ts'

/** Subtrees of 256, 65,536 and so many entries are kept: all others are made of 256 hashes at most. */
const keptLevels = 8

const width = 2 ** keptLevels

/** Numbers that no entry has, since the journal was resumed: those after `after` and before `seq`. */
type Gap = { after: number; seq: number }

/** Which number the n-th entry of a journal has, from 0, and which entry a number is. */
export class Positions {
  readonly #gaps: readonly Gap[]

  constructor(gaps: readonly Gap[]) {
    this.#gaps = gaps
  }

  seqOf(index: number): number {
    let seq = index + 1
    for (const { after, seq: resumed } of this.#gaps) if (seq > after) seq += resumed - 1 - after
    return seq
  }

  /** How many entries there are up to a number. */
  countTo(seq: number): number {
    let count = seq
    for (const { after, seq: resumed } of this.#gaps) {
      if (seq >= resumed) count -= resumed - 1 - after
      else if (seq > after) count -= seq - after
    }
    return count
  }
}

export async function readPositions(sql: Sql, locationId: string): Promise<Positions> {
  const gaps = await listResumed(sql, locationId)
  return new Positions(gaps.map(({ after, sequence: seq }) => ({ after, seq })))
}

type Stored = { place: number; hash: string }

/**
 * The tree over the first `size` entries of a journal. Whole subtrees of 256 entries and more are read where they are kept, and
 * made and kept where they are not.
 */
export class JournalTree {
  readonly size: number
  readonly #sql: Sql
  readonly #locationId: string
  readonly #positions: Positions
  readonly #blocks: Map<string, Promise<Buffer[]>>

  /** `smaller` is a tree over fewer entries of the same journal: what was read for it is not read again. */
  constructor(
    sql: Sql,
    locationId: string,
    { size, positions, smaller }: { size: number; positions: Positions; smaller?: JournalTree | undefined },
  ) {
    this.#blocks = new Map(smaller ? smaller.#blocks : [])
    this.#sql = sql
    this.#locationId = locationId
    this.size = size
    this.#positions = positions
  }

  readonly subtree: Subtree = async (level, place) => {
    const base = level - (level % keptLevels)
    const count = 2 ** (level - base)
    const first = place * count
    const nodes = await this.#block(base, Math.floor(first / width))
    return merge(nodes.slice(first % width, (first % width) + count))
  }

  root(size = this.size): Promise<Buffer> {
    return rangeHash(this.subtree, 0, size)
  }

  /** The hashes of a kept level that are children of one of the next; at the right edge those that there are. */
  #block(level: number, block: number): Promise<Buffer[]> {
    const first = block * width
    const end = Math.min(first + width, Math.floor(this.size / 2 ** level))
    const name = `${level} ${first} ${end}`
    const known = this.#blocks.get(name)
    if (known) return known
    const made = level === 0 ? this.#leaves(first, end) : this.#kept(level, first, end)
    this.#blocks.set(name, made)
    // A tree of a million entries is walked block by block: only the last of each level are asked for again.
    if (this.#blocks.size > 32) this.#blocks.delete(this.#blocks.keys().next().value as string)
    return made
  }

  async #leaves(first: number, end: number): Promise<Buffer[]> {
    const [from, to] = [this.#positions.seqOf(first), this.#positions.seqOf(end - 1)]
    const rows = await this.#sql<{ hash: string }[]>`
      select hash from journal where location_id = ${this.#locationId} and seq >= ${from} and seq <= ${to} order by seq`
    if (rows.length !== end - first)
      throw new Error(
        `the journal of ${this.#locationId} has ${rows.length} entries from ${from} to ${to}, and not ${end - first}`,
      )
    return rows.map(({ hash }) => leafHash(Buffer.from(hash, 'hex')))
  }

  async #kept(level: number, first: number, end: number): Promise<Buffer[]> {
    const rows = await this.#sql<Stored[]>`
      select place, hash from tree_nodes
      where location_id = ${this.#locationId} and level = ${level} and place >= ${first} and place < ${end} order by place`
    const nodes = new Map<number, Buffer>(rows.map(({ place, hash }) => [place, Buffer.from(hash, 'hex')]))
    const missing: { location_id: string; level: number; place: number; hash: string }[] = []
    for (let place = first; place < end; place++) {
      if (nodes.has(place)) continue
      const node = merge(await this.#block(level - keptLevels, place))
      nodes.set(place, node)
      missing.push({ location_id: this.#locationId, level, place, hash: node.toString('hex') })
    }
    await insertRows(this.#sql, 'tree_nodes', missing, 'on conflict (location_id, level, place) do nothing')
    return Array.from({ length: end - first }, (_, i) => nodes.get(first + i) as Buffer)
  }
}

/** The root over hashes whose number is a power of two. */
function merge(nodes: readonly Buffer[]): Buffer {
  if (nodes.length === 1) return nodes[0] as Buffer
  const parents: Buffer[] = []
  for (let i = 0; i < nodes.length; i += 2) parents.push(nodeHash(nodes[i] as Buffer, nodes[i + 1] as Buffer))
  return merge(parents)
}

/** Lists the kept subtrees of a location by level and place, for verify. */
export async function listTreeNodes(sql: Sql, locationId: string): Promise<Map<string, string>> {
  const rows = await sql<{ level: number; place: number; hash: string }[]>`
    select level, place, hash from tree_nodes where location_id = ${locationId}`
  return new Map(rows.map(({ level, place, hash }) => [`${level} ${place}`, hash]))
}

/** Yields the hashes of the entries of a journal in order, some at once. */
export async function* walkHashes(sql: Sql, locationId: string): AsyncGenerator<{ seq: number; hash: string }[]> {
  for (let after = 0; ;) {
    const rows = await sql<{ seq: number; hash: string }[]>`
      select seq, hash from journal where location_id = ${locationId} and seq > ${after} order by seq limit 5000`
    if (rows.length === 0) return
    yield rows
    after = (rows.at(-1) as { seq: number }).seq
  }
}
