import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JournalTail } from '../../../src/core/delivery/journal-tail.ts'
import { Random } from '../../../simulator/random.ts'
import type { Pool } from '../../../src/core/store/db/database.ts'
import { startApp } from '../../support/app.ts'
import { order, orderOf, versionOf } from '../../support/records.ts'

const app = await startApp()

/** Returns the pool with a counter of the store's statements. */
function counting(pool: Pool): { pool: Pool; statements: () => number } {
  let statements = 0
  const counted = new Proxy(pool, {
    get(target, name) {
      if (name === 'unsafe') statements += 1
      return Reflect.get(target, name) as unknown
    },
  })
  return { pool: counted, statements: () => statements }
}

/** Reads all entries after a sequence. */
async function readAll(tail: JournalTail, locationId: string, after: number): Promise<number[]> {
  const seen: number[] = []
  for (;;) {
    const entries = await tail.read(locationId, seen.at(-1) ?? after)
    if (entries.length === 0) return seen
    seen.push(...entries.map(({ seq }) => seq))
  }
}

const from = (after: number, head: number) => Array.from({ length: head - after }, (_, i) => after + 1 + i)

test('every reader gets all entries after its position, in order, whatever it and others have read', async () => {
  const place = await app.addLocation()
  const tail = new JournalTail(app.pool)
  const random = new Random('00000007000000070000000700000007')
  let head = 0
  for (let round = 0; round < 25; round++) {
    const count = random.int(1, 60)
    await app.store(
      Array.from({ length: count }, (_, i) => order(versionOf(place.id, head + i + 1, 1))),
      place.key,
    )
    head += count
    const places = Array.from({ length: 4 }, () => random.int(0, head))
    const read = await Promise.all(places.map((after) => readAll(tail, place.id, after)))
    for (const [i, after] of places.entries()) assert.deepEqual(read[i], from(after, head))
  }
})

test('many readers of one commit cost one statement, and later readers none', async () => {
  const place = await app.addLocation()
  const { pool, statements } = counting(app.pool)
  const tail = new JournalTail(pool)
  await app.store(
    [1, 2, 3].map((n) => order(versionOf(place.id, n, 1))),
    place.key,
  )
  const readers = await Promise.all(Array.from({ length: 200 }, () => tail.read(place.id, 0)))
  for (const entries of readers) assert.equal(entries.length, 3)
  assert.equal(statements(), 1)
  for (const after of [0, 1, 2]) assert.equal((await tail.read(place.id, after)).length, 3 - after)
  assert.equal(statements(), 1)
})

test('of large documents only the newest are cached; the others are read again on request', async () => {
  const place = await app.addLocation()
  const { pool, statements } = counting(app.pool)
  const tail = new JournalTail(pool)
  const large = { orderPlace: 'x'.repeat(200_000) }
  await app.store(
    [1, 2, 3, 4, 5].map((n) => order(orderOf(place.id, n, large))),
    place.key,
  )
  assert.deepEqual(await readAll(tail, place.id, 0), [1, 2, 3, 4, 5])
  const before = statements()
  assert.equal((await tail.read(place.id, 4)).length, 1)
  assert.equal(statements(), before)
  assert.deepEqual(
    (await tail.read(place.id, 0)).map(({ seq }) => seq),
    [1, 2, 3, 4, 5],
  )
  assert.equal(statements(), before + 1)
})
