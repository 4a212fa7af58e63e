import { leafHash, nodeHash, rangeHash, type Subtree } from '../domain/merkle.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { walkRows } from '../../../core/store/db/walk.ts'
import { cells, column, namesOf, runOver, unnest } from '../../../core/store/db/columns.ts'
import { findHead } from '../../../core/store/journal/journal.ts'
import { listResumed } from '../../../core/store/journal/resumption.ts'

/** Subtrees of 16, 256, 4,096 entries and so on are stored; every other hash is computed from at most 16 hashes. */
const keptLevels = 4

const width = 2 ** keptLevels

/** Number of new subtrees that are written at once. */
const writtenAtOnce = 1_000

/**
 * Number of blocks that are read at once. Blocks of entries are read 16 at once, as one block of the next level needs.
 */
const blocksAtOnce = 8

/**
 * `keepAhead` stores subtrees if at least `fewestAhead` entries follow the last stored subtree, and for at most
 * `mostAhead` entries at a time, which takes some 20 ms.
 */
const [fewestAhead, mostAhead] = [256, 4_096]

/** Numbers without an entry, since the journal was resumed: those after `after` and before `seq`. */
type Gap = { after: number; seq: number }

/** Maps between the number of an entry and its position in the journal, from 0. */
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

  /** Returns how many entries a journal has up to a sequence. */
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

/**
 * Requested hashes. At level 0, `first` and `last` are numbers of entries; at other levels, they are places of stored
 * subtrees.
 */
type Stretch = { level: number; first: number; last: number }

/** Stored hashes, in order; `places` are the places of subtrees, some of which may not be stored yet. */
type Stored = { places: number[]; hashes: Buffer[] }

type QueuedRead = Stretch & { resolve: (stored: Stored) => void; reject: (error: unknown) => void }

/** Splits hashes that were read as one text: a row for each would cost more than the hashing. */
const hashesOf = (text: string | null): Buffer[] => {
  const bytes = Buffer.from(text ?? '', 'hex')
  return Array.from({ length: bytes.length / 32 }, (_, i) => bytes.subarray(32 * i, 32 * (i + 1)))
}

/**
 * PostgreSQL plans this statement once. With `unnest` it would count the rows of each list and plan again for every
 * proof, which takes half of its time. Without the bounds it would estimate a stretch as a share of the journal.
 */
const stretchesText = `
  select n.places, coalesce(e.hashes, n.hashes) as hashes
  from generate_subscripts($2::int[], 1) i
  cross join lateral (select ($2::int[])[i] as level, ($3::bigint[])[i] as first, ($4::bigint[])[i] as last) s
  cross join lateral (
    select string_agg(hash, '' order by seq) as hashes from (
      select seq, hash from journal
      where s.level = 0 and location_id = $1 and seq >= s.first and seq <= s.last order by seq limit ${width}
    ) leaves
  ) e
  cross join lateral (
    select string_agg(place::text, ' ' order by place) as places, string_agg(hash, '' order by place) as hashes from (
      select place, hash from tree_nodes
      where s.level > 0 and location_id = $1 and level = s.level and place >= s.first and place <= s.last
      order by place limit ${width}
    ) kept
  ) n
  order by i`

async function readStretches(sql: Sql, locationId: string, stretches: readonly Stretch[]): Promise<Stored[]> {
  const of = (key: keyof Stretch) => stretches.map((stretch) => stretch[key])
  const rows = await sql.unsafe<{ places: string | null; hashes: string | null }[]>(
    stretchesText,
    [locationId, of('level'), of('first'), of('last')],
    { prepare: true },
  )
  return rows.map(({ places, hashes }) => ({
    places: places?.split(' ').map(Number) ?? [],
    hashes: hashesOf(hashes),
  }))
}

async function insertNodes(sql: Sql, locationId: string, nodes: readonly TreeNode[]): Promise<void> {
  const of = (name: keyof TreeNode, type: string) =>
    column(
      name,
      type,
      nodes.map((node) => node[name]),
    )
  const columns = [of('level', 'int'), of('place', 'bigint'), of('hash', 'text')]
  const text = `insert into tree_nodes (location_id, ${namesOf(columns)})
    select $1::uuid, ${cells(columns)} from ${unnest(columns)} on conflict (location_id, level, place) do nothing`
  await runOver(sql, text, locationId, columns)
}

type TreeOf = { size: number; positions: Positions; smaller?: JournalTree | undefined; keptUpTo?: number }

const none: Stored = { places: [], hashes: [] }

/** Returns the places from `first` up to `end`, exclusive. */
const placesOf = (first: number, end: number) => Array.from({ length: end - first }, (_, i) => first + i)

/**
 * The tree over the first `size` entries of a journal. Complete subtrees of 16 entries and more are read if they are
 * stored; otherwise they are made and stored.
 */
export class JournalTree {
  readonly size: number
  readonly #sql: Sql
  readonly #locationId: string
  readonly #positions: Positions
  readonly #keptUpTo: number
  readonly #blocks: Map<string, Promise<Buffer[]>>
  /** By level and place: a complete subtree does not change when other entries follow. */
  readonly #subtrees: Map<string, Promise<Buffer>>
  readonly #keeping: Promise<void>[] = []
  /** New subtrees to store. */
  #made: TreeNode[]
  #queue: QueuedRead[] = []

  /**
   * `keptUpTo` is the number of entries whose subtrees are stored; subtrees of later entries are computed without a
   * look-up. `smaller` is a tree over fewer entries of the same journal. This tree reuses its subtrees, and stores
   * those that `smaller` did not store.
   */
  constructor(sql: Sql, locationId: string, { size, positions, smaller, keptUpTo = size }: TreeOf) {
    this.#blocks = new Map(smaller ? smaller.#blocks : [])
    this.#subtrees = new Map(smaller ? smaller.#subtrees : [])
    this.#made = smaller ? smaller.#made.splice(0) : []
    this.#sql = sql
    this.#locationId = locationId
    this.size = size
    this.#positions = positions
    this.#keptUpTo = smaller?.size ?? keptUpTo
  }

  readonly subtree: Subtree = (level, place) => {
    const name = `${level} ${place}`
    const hash = this.#subtrees.get(name) ?? this.#subtree(level, place)
    this.#subtrees.set(name, hash)
    return hash
  }

  root(size = this.size): Promise<Buffer> {
    return rangeHash(this.subtree, 0, size)
  }

  async #subtree(level: number, place: number): Promise<Buffer> {
    const base = level - (level % keptLevels)
    const count = 2 ** (level - base)
    const first = place * count
    const nodes = await this.#block(base, Math.floor(first / width))
    return merge(nodes.slice(first % width, (first % width) + count))
  }

  /** Resolves when the new subtrees are stored; rejects if they could not be. */
  async kept(): Promise<void> {
    this.#keep()
    await Promise.all(this.#keeping)
  }

  /** Begins to store the new subtrees, sorted, so that processes that store the same subtrees cannot deadlock. */
  #keep(): void {
    const nodes = this.#made.toSorted((one, other) => one.level - other.level || one.place - other.place)
    this.#made = []
    if (nodes.length === 0) return
    const keeping = insertNodes(this.#sql, this.#locationId, nodes)
    keeping.catch(() => {})
    this.#keeping.push(keeping)
  }

  /** Returns the hashes of a level below one hash of the next stored level; fewer than `width` at the right edge. */
  #block(level: number, block: number): Promise<Buffer[]> {
    const first = block * width
    const end = Math.min(first + width, Math.floor(this.size / 2 ** level))
    const name = `${level} ${first} ${end}`
    const known = this.#blocks.get(name)
    if (known) return known
    const made = level === 0 ? this.#leaves(first, end) : this.#kept(level, first, end)
    this.#blocks.set(name, made)
    // A tree of a million entries is walked block by block: only the last blocks of each level are requested again.
    if (this.#blocks.size > 4 * blocksAtOnce) this.#blocks.delete(this.#blocks.keys().next().value as string)
    return made
  }

  /** Reads stored hashes. All stretches requested in one turn are read by one statement. */
  #read(level: number, first: number, last: number): Promise<Stored> {
    const { promise, resolve, reject } = Promise.withResolvers<Stored>()
    if (this.#queue.push({ level, first, last, resolve, reject }) === 1)
      queueMicrotask(() => {
        const queue = this.#queue
        this.#queue = []
        readStretches(this.#sql, this.#locationId, queue).then(
          (stored) => queue.forEach((one, i) => one.resolve(stored[i] as Stored)),
          (error: unknown) => queue.forEach((one) => one.reject(error)),
        )
      })
    return promise
  }

  async #leaves(first: number, end: number): Promise<Buffer[]> {
    const [from, to] = [this.#positions.seqOf(first), this.#positions.seqOf(end - 1)]
    const { hashes } = await this.#read(0, from, to)
    if (hashes.length !== end - first)
      throw new Error(
        `the journal of ${this.#locationId} has ${hashes.length} entries from ${from} to ${to}, and not ${end - first}`,
      )
    return hashes.map(leafHash)
  }

  async #kept(level: number, first: number, end: number): Promise<Buffer[]> {
    const later = Math.min(Math.max(first, Math.floor(this.#keptUpTo / 2 ** level)), end)
    const [stored, made] = await Promise.all([
      later > first ? this.#read(level, first, later - 1) : none,
      this.#make(level, placesOf(later, end)),
    ])
    if (stored.places.length === later - first) return [...stored.hashes, ...made]
    const found = new Map(stored.places.map((place, i) => [place, stored.hashes[i] as Buffer]))
    const missing = placesOf(first, later).filter((place) => !found.has(place))
    for (const [i, hash] of (await this.#make(level, missing)).entries()) found.set(missing[i] as number, hash)
    return [...placesOf(first, later).map((place) => found.get(place) as Buffer), ...made]
  }

  /** Makes subtrees of a stored level, and stores them. */
  async #make(level: number, places: readonly number[]): Promise<Buffer[]> {
    const made: Buffer[] = []
    const atOnce = level === keptLevels ? width : blocksAtOnce
    for (let at = 0; at < places.length; at += atOnce) {
      const blocks = places.slice(at, at + atOnce).map((place) => this.#block(level - keptLevels, place))
      for (const block of await Promise.all(blocks)) made.push(merge(block))
    }
    for (const [i, hash] of made.entries())
      this.#made.push({ level, place: places[i] as number, hash: hash.toString('hex') })
    // Roots and paths are returned without waiting until their subtrees are stored.
    if (this.#made.length >= writtenAtOnce) this.#keep()
    return made
  }
}

/** Returns the root over hashes whose number is a power of two. */
function merge(nodes: readonly Buffer[]): Buffer {
  if (nodes.length === 1) return nodes[0] as Buffer
  const parents: Buffer[] = []
  for (let i = 0; i < nodes.length; i += 2) parents.push(nodeHash(nodes[i] as Buffer, nodes[i + 1] as Buffer))
  return merge(parents)
}

/** A complete subtree of 2^level entries; `place` is the number of subtrees before it on its level, `hash` is hex. */
export type TreeNode = { level: number; place: number; hash: string }

/** Returns whether subtrees of this level are stored. */
export const isKept = (level: number): boolean => level > 0 && level % keptLevels === 0

/** Returns the number of entries under the stored subtrees of a location. */
export async function countKept(sql: Sql, locationId: string): Promise<number> {
  const [row] = await sql<{ last: number | null }[]>`
    select max(place) as last from tree_nodes where location_id = ${locationId} and level = ${keptLevels}`
  return typeof row?.last === 'number' ? (row.last + 1) * width : 0
}

/**
 * Stores the subtrees of new entries, at a location that has stored subtrees. A checkpoint then has few entries left to
 * read and to hash. Does nothing for fewer than 256 entries, and leaves entries beyond 4,096 to the next call.
 */
export async function keepAhead(sql: Sql, locationId: string): Promise<void> {
  const keptUpTo = await countKept(sql, locationId)
  if (keptUpTo === 0) return
  const head = await findHead(sql, locationId)
  // The positions are read after the head, because a gap after the head does not count.
  const positions = await readPositions(sql, locationId)
  const ahead = positions.countTo(head?.seq ?? 0) - keptUpTo
  if (ahead < fewestAhead) return
  const tree = new JournalTree(sql, locationId, { size: keptUpTo + Math.min(ahead, mostAhead), positions, keptUpTo })
  await tree.root()
  await tree.kept()
}

export async function hasTreeNodes(sql: Sql, locationId: string): Promise<boolean> {
  return (await sql`select from tree_nodes where location_id = ${locationId} limit 1`).length > 0
}

/** Returns the first of these subtrees that is stored with another hash. */
export async function findOtherNode(
  sql: Sql,
  locationId: string,
  nodes: readonly TreeNode[],
): Promise<{ level: number; place: number } | undefined> {
  const of = <Key extends keyof TreeNode>(key: Key) => nodes.map((node) => node[key])
  const [other] = await sql<{ level: number; place: number }[]>`
    select n.level, n.place from unnest(${of('level')}::int[], ${of('place')}::bigint[], ${of('hash')}::text[])
      with ordinality m(level, place, hash, number)
    join tree_nodes n on n.location_id = ${locationId} and n.level = m.level and n.place = m.place
    where n.hash <> m.hash order by m.number limit 1`
  return other
}

/** Yields the hashes of the entries of a journal in order, in batches. */
export function walkHashes(sql: Sql, locationId: string): AsyncGenerator<{ seq: number; hash: string }[]> {
  return walkRows(
    0,
    (after, batch) => sql<{ seq: number; hash: string }[]>`
      select seq, hash from journal where location_id = ${locationId} and seq > ${after} order by seq limit ${batch}`,
    ({ seq }) => seq,
    5000,
  )
}
