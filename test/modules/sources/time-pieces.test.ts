import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomOf } from '../../../simulator/random.ts'
import { timePieces } from '../../../src/modules/sources/adapters/time-pieces.ts'

type Changed = { id: number; atMs: number }

const pageSize = 10

/** Creates documents, and a function that reads pages of them in no guaranteed order. Each page changes one. */
function listOf(seed: number, count: number, mostMs: number) {
  const random = randomOf('pieces', seed)
  const documents: Changed[] = Array.from({ length: count }, (_, id) => ({ id, atMs: random.int(0, mostMs) }))
  const changed = new Set<number>()
  const page = (fromMs: number, untilMs: number, n: number) => {
    const found = documents.filter(({ atMs }) => atMs >= fromMs && atMs <= untilMs)
    const some = found.slice(n * pageSize, (n + 1) * pageSize)
    const one = random.pick(documents)
    changed.add(one.id)
    one.atMs = mostMs + 1
    return some
  }
  return { documents, changed, page }
}

test('every document of a time range is read even if others leave it meanwhile, and no bound is passed before all is read', async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const { documents, changed, page } = listOf(seed, 400, 1_000_000)
    const seen = new Set<number>()
    let reached = 0
    const pieces = timePieces(
      { fromMs: 0, untilMs: 1_000_000 },
      {
        readOne: async (fromMs, untilMs) => {
          const found = page(fromMs, untilMs, 0)
          return found.length < pageSize ? found : undefined
        },
        readAll: async () => assert.fail('no millisecond has a page of documents'),
      },
    )
    for await (const piece of pieces) {
      for (const { id } of piece.documents) seen.add(id)
      assert.ok(piece.untilMs > reached)
      reached = piece.untilMs
      const missed = documents.filter(({ id, atMs }) => atMs <= reached && !seen.has(id) && !changed.has(id))
      assert.deepEqual(missed, [], `seed ${seed}`)
    }
    assert.equal(reached, 1_000_000)
  }
})

test('a millisecond with more documents than a page is read page by page', async () => {
  const documents = Array.from({ length: 35 }, (_, id) => ({ id, atMs: 500 }))
  const within = (fromMs: number, untilMs: number) => documents.filter(({ atMs }) => atMs >= fromMs && atMs <= untilMs)
  const seen = new Set<number>()
  const pieces = timePieces(
    { fromMs: 0, untilMs: 1_000 },
    {
      readOne: async (fromMs, untilMs) => {
        const found = within(fromMs, untilMs)
        return found.length < pageSize ? found : undefined
      },
      readAll: async (fromMs, untilMs) => within(fromMs, untilMs),
    },
  )
  for await (const piece of pieces) for (const { id } of piece.documents) seen.add(id)
  assert.equal(seen.size, 35)
})
