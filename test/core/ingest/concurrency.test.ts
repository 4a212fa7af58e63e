import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRejection, readRecord } from '../../../src/core/ingest/records.ts'
import { poolerOf } from '../../../src/core/store/db/database.ts'
import { isOneServer } from '../../../src/core/store/pushes/statement.ts'
import { startApp, type Site, type TestApp } from '../../support/app.ts'
import { idOf, order, orderOf, report, reportOf, smallOrderOf } from '../../support/records.ts'
import { assertSound } from './soundness.ts'
import { countStored, hold } from './held-locations.ts'

const app = await startApp()
/** A server whose clock is an hour behind: no entry may have an earlier time than the entry before, of any server. */
const beside = await startApp({ database: app.database, clock: () => new Date(Date.now() - 3_600_000) })

/** Counts the transactions that wrote the journal. */
async function countTransactions(locationId: string): Promise<number> {
  const [row] = await app.pool<{ n: number }[]>`
    select count(distinct xmin::text) as n from journal where location_id = ${locationId}`
  return row?.n ?? 0
}

test('single pushes of many tills at once each get their own answer, and share transactions', async () => {
  const { id, key } = await app.addLocation()
  const count = 300
  const answers = await Promise.all(
    Array.from({ length: count }, (_, n) => app.store([order(smallOrderOf(id, n))], key)),
  )
  answers.forEach((answer, n) => assert.deepEqual([answer.accepted, answer.results[0]?.id], [1, idOf('order', n)]))
  const sequences = answers.map((answer) => answer.results[0]?.sequence as number)
  assert.deepEqual(
    sequences.toSorted((a, b) => a - b),
    Array.from({ length: count }, (_, n) => n + 1),
  )
  const entries = await assertSound(app.pool, id)
  sequences.forEach((sequence, n) => assert.equal(entries[sequence - 1]?.id, idOf('order', n)))
  const transactions = await countTransactions(id)
  assert.ok(transactions < count, `${transactions} transactions for ${count} pushes`)
})

test('an invalid record among pushes that share a transaction is rejected alone', async () => {
  const { id, key } = await app.addLocation()
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      app.push([n % 3 === 0 ? { type: 'order', data: { n } } : order(smallOrderOf(id, n))], { key }),
    ),
  )
  answers.forEach((answer, n) => assert.equal(answer.status, n % 3 === 0 ? 400 : 200))
  assert.equal((await assertSound(app.pool, id)).length, 40)
  const [row] = await app.pool<{ n: number }[]>`
    select count(*) as n from rejected_records where location_id = ${id}`
  assert.equal(row?.n, 20)
})

test('concurrent pushes of several locations do not affect each other', async () => {
  const sites = await Promise.all(Array.from({ length: 4 }, () => app.addLocation()))
  await Promise.all(
    sites.flatMap(({ id, key }, s) =>
      Array.from({ length: 40 }, (_, n) =>
        app.store([order(orderOf(id, n, { guests: s })), report(reportOf(id, n))], key),
      ),
    ),
  )
  for (const [s, { id, key }] of sites.entries()) {
    assert.equal((await assertSound(app.pool, id)).length, 80)
    const page = (await app.get('/v1/orders/?size=100', { key })).json
    assert.deepEqual(
      [page.meta.totalCount, ...new Set(page.data.map((one: { guests: number }) => one.guests))],
      [40, s],
    )
  }
})

test('two servers that receive pushes of one location leave no gap, lose nothing and count correctly', async () => {
  const { id, key } = await app.addLocation()
  const servers: TestApp[] = [app, beside]
  const acknowledged = new Map<string, string>()
  const clients = Array.from({ length: 16 }, async (_, client) => {
    for (let i = 0; i < 12; i++) {
      // Each client has its own orders, and all clients write one common order.
      const own = smallOrderOf(id, client * 100 + i)
      const createdAt = new Date(
        Date.parse('2026-03-01T00:00:00.000Z') + ((client * 7 + i) % 5) * 86_400_000,
      ).toISOString()
      const shared = smallOrderOf(id, 9999, {
        createdAt,
        updatedAt: createdAt,
        guests: client,
        closedAt: i % 2 === 0 ? null : createdAt,
      })
      const answer = await (servers[(client + i) % 2] as TestApp).push([order(own), order(shared)], { key })
      assert.equal(answer.status, 200)
      acknowledged.set(own.id, JSON.stringify(own))
    }
  })
  await Promise.all(clients)
  const entries = await assertSound(app.pool, id)
  const stored = new Map(entries.map((entry) => [entry.id, entry.document]))
  for (const [order, document] of acknowledged) assert.equal(stored.get(order), document)
  for (const server of servers) {
    const { totalCount } = (await server.get('/v1/orders/?state=all', { key })).json.meta
    assert.equal(totalCount, acknowledged.size + 1)
  }
})

test('two servers both return a change as soon as one of them acknowledged it', async () => {
  const { id, key } = await app.addLocation()
  for (let n = 0; n < 40; n++) {
    const [writer, reader] = n % 2 === 0 ? [app, beside] : [beside, app]
    await writer.push([order(smallOrderOf(id, n))], { key })
    const page = (await reader.get('/v1/orders/?size=1&sort=-createdAt', { key })).json
    assert.deepEqual([page.meta.totalCount, page.data[0].id], [n + 1, idOf('order', n)])
  }
})

test('a read during writes contains everything that was acknowledged before it', async () => {
  const { id, key } = await app.addLocation()
  let acknowledged = 0
  let writing = true
  const read = async () => {
    while (writing) {
      const before = acknowledged
      const { totalCount } = (await app.get('/v1/orders/?size=1', { key })).json.meta
      assert.ok(totalCount >= before, `${totalCount} where ${before} were acknowledged`)
    }
  }
  const write = async () => {
    for (let n = 0; n < 120; n++) {
      await app.store([order(smallOrderOf(id, n))], key)
      acknowledged = n + 1
    }
  }
  const readers = Promise.allSettled([read(), read(), read()])
  await write().finally(() => (writing = false))
  for (const reader of await readers) if (reader.status === 'rejected') throw reader.reason
})

/** Starts storing an order of each location in one turn, which is one shared statement. */
function writeAtOnce(sites: readonly Site[], orderOf: (id: string) => object = (id) => smallOrderOf(id, 1)) {
  return sites.map(({ id }) => {
    const bytes = Buffer.from(JSON.stringify(order(orderOf(id) as never)))
    const record = readRecord(bytes, { line: 1, locationId: id })
    assert.ok(!isRejection(record))
    return app.context.writer.write(id, { records: [record], rejected: [], bytes: bytes.length, keyId: null })
  })
}

const addSites = (count: number) => Promise.all(Array.from({ length: count }, () => app.addLocation()))

const accepted = [{ status: 'accepted', sequence: 1 }]

test('single pushes of several locations share a transaction, each with its own sequences and counts', async () => {
  const sites = await addSites(5)
  assert.deepEqual(
    await Promise.all(writeAtOnce(sites)),
    sites.map(() => accepted),
  )
  // Not on Citus, where the statement is a transaction on each node, nor behind a pooler, where no such statement is sent.
  if (poolerOf(app.pool) === 'none' && (await isOneServer(app.pool))) {
    const transactions = await app.pool`
      select distinct xmin::text from journal where location_id = any(${sites.map(({ id }) => id)}::uuid[])`
    assert.equal(transactions.length, 1)
  }
  const open = (id: string) => smallOrderOf(id, 2, { closedAt: null })
  await Promise.all(writeAtOnce(sites, open))
  const [first, ...others] = sites as [Site, ...Site[]]
  const later = new Date(Date.parse(smallOrderOf(first.id, 2).updatedAt) + 60_000).toISOString()
  // One closes the order, which moves it from one count to another; the others send the same version or an older one.
  const versions = await Promise.all([
    ...writeAtOnce([first], (id) => smallOrderOf(id, 2, { updatedAt: later })),
    ...writeAtOnce(others, open),
    ...writeAtOnce([first], (id) => smallOrderOf(id, 2, { updatedAt: '2001-01-01T00:00:00.000Z' })),
  ])
  const unchanged = [{ status: 'unchanged' }]
  assert.deepEqual(versions, [
    [{ status: 'accepted', sequence: 3 }],
    ...others.map(() => unchanged),
    [{ status: 'stale' }],
  ])
  for (const { id } of sites) await assertSound(app.pool, id)
})

/** Writes to the locations: this process is then the last writer there, and needs no look-up for the next records. */
async function becomeKnown(sites: readonly Site[]): Promise<void> {
  for (const n of [101, 102, 103]) await Promise.all(writeAtOnce(sites, (id) => smallOrderOf(id, n)))
}

for (const isKnown of [false, true]) {
  test(`a locked location does not delay other locations${isKnown ? ', without a look-up first' : ''}`, async () => {
    const sites = await addSites(3)
    if (isKnown) await becomeKnown(sites)
    const outcomes = [{ status: 'accepted', sequence: isKnown ? 4 : 1 }]
    const [held, ...free] = sites as [Site, ...Site[]]
    const release = await hold(app.pool, held.id)
    const [waiting, ...others] = writeAtOnce([held, ...free])
    assert.deepEqual(
      await Promise.all(others),
      free.map(() => outcomes),
    )
    await release()
    assert.deepEqual(await waiting, outcomes)
    for (const { id } of sites) await assertSound(app.pool, id)
  })
}

test('orders written without a look-up first are still compared with the stored ones', async () => {
  const [site] = (await addSites(1)) as [Site]
  const { id, key } = site
  // These orders come from an import, which the process does not remember.
  await app.store(
    Array.from({ length: 30 }, (_, n) => order(smallOrderOf(id, n))),
    key,
  )
  await becomeKnown([site])
  const at = (n: number, updatedAt: string) => smallOrderOf(id, n, { updatedAt, guests: 9 })
  const write = async (of: object) => (await Promise.all(writeAtOnce([site], () => of)))[0]
  assert.deepEqual(await write(smallOrderOf(id, 5)), [{ status: 'unchanged' }])
  assert.deepEqual(await write(at(6, '2001-01-01T00:00:00.000Z')), [{ status: 'stale' }])
  await becomeKnown([site])
  assert.deepEqual(await write(at(7, '2026-06-01T00:00:00.000Z')), [{ status: 'accepted', sequence: 34 }])
  // This process remembers its own writes and notices those of another process.
  await write(smallOrderOf(id, 200))
  await write(smallOrderOf(id, 201))
  const open = smallOrderOf(id, 202, { closedAt: null })
  assert.deepEqual(await write(open), [{ status: 'accepted', sequence: 37 }])
  assert.deepEqual(await write(at(202, '2026-06-01T00:00:00.000Z')), [{ status: 'accepted', sequence: 38 }])
  assert.deepEqual(await write(open), [{ status: 'stale' }])
  await beside.store([order(at(202, '2026-08-01T00:00:00.000Z'))], key)
  assert.deepEqual(await write(at(202, '2026-07-01T00:00:00.000Z')), [{ status: 'stale' }])
  await assertSound(app.pool, id)
})

test('a batch that the database refuses for one location stores the records of the others', async () => {
  const sites = await addSites(3)
  const [broken, ...sound] = sites as [Site, ...Site[]]
  // The number that this process would assign next is already used.
  await app.pool`
    insert into journal (location_id, seq, accepted_at, kind, id, types, document, salt, commitment, hash)
    values (${broken.id}, 1, now(), 'order', ${broken.id}, '{}', '{}', '', '', '')`
  const [refused, ...others] = writeAtOnce(sites)
  await assert.rejects(refused as Promise<unknown>, /duplicate key value/)
  assert.deepEqual(
    await Promise.all(others),
    sound.map(() => accepted),
  )
  for (const { id } of sound) await assertSound(app.pool, id)
  assert.equal(await countStored(app.pool, broken.id), 0)
})
