import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findOrderBytes } from '../../../../src/core/contract/orders/rows.ts'
import { Reader } from '../../../../src/core/store/db/reader/reader.ts'
import { startApp } from '../../../support/app.ts'
import { atEnd } from '../../../support/database.ts'
import { idOf, order, versionOf } from '../../../support/records.ts'

const app = await startApp()
const other = await startApp({ database: app.database })
const locations = [app, other].map(({ location }) => location)

function readerOf(): Reader {
  const reader = new Reader(app.database.pool, { connections: 1, pipelining: true, deadlineMs: 60_000 })
  atEnd(async () => reader.end())
  return reader
}

/** Resolves to the order's version, stored as its number of guests, and the journal sequence that was read with it. */
async function readVersion(reader: Reader, locationId: string, id: string) {
  const { document, sequence } = await findOrderBytes(reader, locationId, id)
  return { version: Number(JSON.parse(String(document)).guests), sequence }
}

/** Returns a version of the only order: the journal contains nothing else, so version and sequence are equal. */
const version = (location: string, v: number) => order(versionOf(location, 1, v))

test('documents of several locations read at once have the sequence of their own journal', async () => {
  const [here, there] = locations as [string, string]
  await app.store([version(here, 1)])
  for (const v of [1, 2, 3]) await other.store([version(there, v)])
  const reader = readerOf()
  const places = Array.from({ length: 40 }, (_, n) => (n % 3 === 0 ? there : here))
  const read = await Promise.all(places.map((location) => readVersion(reader, location, idOf('order', 1))))
  const expected = places.map((location) => (location === there ? 3 : 1))
  assert.deepEqual(
    read,
    expected.map((v) => ({ version: v, sequence: v })),
  )
})

test('a read while tills push includes every change up to its sequence', async () => {
  const [here] = locations as [string]
  const id = idOf('order', 1)
  const reader = readerOf()
  const first = (await readVersion(reader, here, id)).version
  let isOver = false
  const pushing = (async () => {
    for (let v = first + 1; v <= first + 60; v += 1) await app.store([version(here, v)])
  })().finally(() => (isOver = true))
  const seen = new Set<number>()
  while (!isOver) {
    const read = await Promise.all(
      Array.from({ length: 24 }, async (_, n) => {
        const others = findOrderBytes(reader, here, idOf('order', 100 + n))
        return [await readVersion(reader, here, id), await others] as const
      }),
    ).then((pairs) => pairs.map(([of]) => of))
    for (const { version: v, sequence } of read) {
      seen.add(sequence)
      assert.ok(v >= sequence, `version ${v} with number ${sequence}`)
    }
  }
  await pushing
  assert.ok(seen.size > 1, 'nothing was pushed while it was read')
  const { version: v, sequence } = await readVersion(reader, here, id)
  assert.deepEqual({ v, sequence }, { v: first + 60, sequence: first + 60 })
})

test('a missing document has the sequence of its journal too, in one transaction with others', async () => {
  const [here] = locations as [string]
  const id = idOf('order', 1)
  const reader = readerOf()
  // The first read opens the connection, so that the next three are sent together.
  const { sequence } = await readVersion(reader, here, id)
  const read = await Promise.all([id, idOf('order', 2), id].map((one) => findOrderBytes(reader, here, one)))
  assert.deepEqual(
    read.map(({ document, version, sequence: number }) => [document === undefined, version, number]),
    [
      [false, sequence, sequence],
      [true, 0, sequence],
      [false, sequence, sequence],
    ],
  )
})
