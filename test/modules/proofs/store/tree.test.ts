import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { inclusionPath } from '../../../../src/modules/proofs/domain/merkle.ts'
import { JournalTree, Positions } from '../../../../src/modules/proofs/store/tree.ts'
import { createDatabase } from '../../../support/database.ts'

const { pool } = await createDatabase()

const sha256 = (...parts: readonly (string | Buffer)[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** Numbers 701 to 1,000,000 have no entry: the journal was resumed. */
const [gapAfter, gapBefore] = [700, 1_000_001]

const total = 67_000

const seqAt = (index: number) => (index < gapAfter ? index + 1 : index - gapAfter + gapBefore)

const hashAt = (index: number) => sha256(`entry ${seqAt(index)}`)

/** Computes MTH of RFC 6962, section 2.1, literally. */
function treeHash(leaves: readonly Buffer[], from = 0, to = leaves.length): Buffer {
  if (to - from === 1) return sha256(Buffer.of(0), leaves[from] as Buffer)
  let k = 1
  while (2 * k < to - from) k *= 2
  return sha256(Buffer.of(1), treeHash(leaves, from, from + k), treeHash(leaves, from + k, to))
}

/** Returns the root of an audit path, calculated as a verifier does by RFC 9162, section 2.1.3.2. */
function rootOf(index: number, size: number, path: readonly Buffer[]): Buffer {
  let [fn, sn, root] = [index, size - 1, sha256(Buffer.of(0), hashAt(index))]
  for (const part of path) {
    assert.notEqual(sn, 0)
    if (fn % 2 === 1 || fn === sn) {
      root = sha256(Buffer.of(1), part, root)
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn / 2, Math.floor(sn / 2)]
    } else root = sha256(Buffer.of(1), root, part)
    ;[fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)]
  }
  assert.equal(sn, 0)
  return root
}

const leaves = Array.from({ length: total }, (_, i) => hashAt(i))

const roots = new Map<number, Buffer>()

/** Returns the root over the first entries. */
function rootAt(size: number): Buffer {
  const root = roots.get(size) ?? treeHash(leaves, 0, size)
  roots.set(size, root)
  return root
}

async function journalOf(): Promise<string> {
  const locationId = randomUUID()
  await pool`
    insert into journal (location_id, seq, accepted_at, kind, id, types, document, salt, commitment, hash)
    select ${locationId}, case when n <= ${gapAfter} then n else n + ${gapBefore - gapAfter - 1} end, '2026-03-14', 'order',
      ${randomUUID()}, '{}', '{}', '', '', encode(sha256(convert_to('entry ' ||
        case when n <= ${gapAfter} then n else n + ${gapBefore - gapAfter - 1} end, 'UTF8')), 'hex')
    from generate_series(1, ${total}::bigint) n`
  return locationId
}

const positions = new Positions([{ after: gapAfter, seq: gapBefore }])

test('a tree over a journal has the root of RFC 6962, with or without stored subtrees or an earlier smaller tree', async () => {
  const locationId = await journalOf()
  const open = (size: number, smaller?: JournalTree) => new JournalTree(pool, locationId, { size, positions, smaller })
  let smaller: JournalTree | undefined
  for (const size of [1, 2, 256, 257, 701, 5_000, 65_537, total]) {
    const tree = open(size, smaller)
    const root = rootAt(size)
    assert.deepEqual(await tree.root(), root, `${size} entries, behind a smaller tree`)
    assert.deepEqual(await open(size).root(), root, `${size} entries, from what is kept`)
    const before = Math.ceil(size / 3)
    assert.deepEqual(await tree.root(before), rootAt(before), `${before} of ${size} entries`)
    smaller = tree
  }
  await pool`delete from tree_nodes where location_id = ${locationId} and place % 3 = 1`
  assert.deepEqual(await open(total).root(), rootAt(total), 'where some of the kept are gone')
  await pool`delete from tree_nodes where location_id = ${locationId} and level % 8 <> 0`
  const [index, tree] = [33_000, open(total)]
  const path = await inclusionPath(tree.subtree, index, { end: total })
  assert.deepEqual(rootOf(index, total, path), rootAt(total), 'where only each second level is kept')
})

test('a tree has the root of RFC 6962 with any stored subtrees; a larger tree reuses those of a smaller one', async () => {
  const locationId = await journalOf()
  const countKept = async () => {
    const [row] = await pool<[{ n: number }]>`
      select count(*)::int as n from tree_nodes where location_id = ${locationId}`
    return row.n
  }
  const smaller = new JournalTree(pool, locationId, { size: 5_000, positions, keptUpTo: 0 })
  assert.deepEqual(await smaller.root(), rootAt(5_000))
  assert.equal(await countKept(), 0)
  const larger = new JournalTree(pool, locationId, { size: 5_100, positions, smaller })
  assert.deepEqual(await larger.root(), rootAt(5_100))
  await larger.kept()
  // Whole subtrees of 16, 256 and 4,096 entries.
  assert.equal(await countKept(), 318 + 19 + 1)
  await pool`delete from tree_nodes where location_id = ${locationId} and place % 3 = 1`
  for (const keptUpTo of [0, 1, 17, 4_096, 5_000, 5_100, 9_000]) {
    const tree = new JournalTree(pool, locationId, { size: 9_000, positions, keptUpTo })
    assert.deepEqual(await tree.root(), rootAt(9_000), `kept up to ${keptUpTo} of 9,000 entries`)
    assert.deepEqual(await tree.root(5_100), rootAt(5_100), `5,100 entries, kept up to ${keptUpTo}`)
  }
})

test('an audit path leads from an entry to the root', async () => {
  const locationId = await journalOf()
  for (const size of [1, 256, 701, 5_000, total]) {
    const tree = new JournalTree(pool, locationId, { size, positions })
    for (const index of new Set([0, Math.floor(size / 2), Math.max(0, size - 300), size - 1])) {
      const path = await inclusionPath(tree.subtree, index, { end: size })
      assert.deepEqual(rootOf(index, size, path), rootAt(size), `${index} of ${size}`)
    }
  }
})

test('a journal with a missing entry has no tree', async () => {
  const locationId = await journalOf()
  await pool`delete from journal where location_id = ${locationId} and seq = 300`
  const tree = new JournalTree(pool, locationId, { size: 5_000, positions })
  await assert.rejects(tree.root(), /has 15 entries from 289 to 304, and not 16/)
})
