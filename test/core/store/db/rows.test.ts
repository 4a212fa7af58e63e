import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { genesis } from '../../../../src/core/domain/journal/chain.ts'
import {
  findApiKey,
  insertApiKey,
  listApiKeys,
  revokeApiKey,
  touchApiKeys,
} from '../../../../src/core/store/accounts/api-keys.ts'
import { findCatalogBytes, findCatalogList, upsertCatalogList } from '../../../../src/core/contract/catalog/rows.ts'
import { isUnavailable, openPool } from '../../../../src/core/store/db/database.ts'
import { findHead, getHead } from '../../../../src/core/store/journal/journal.ts'
import {
  findLocation,
  insertLocation,
  listLocations,
  updateLocation,
} from '../../../../src/core/contract/location/rows.ts'
import { findOrders } from '../../../../src/core/contract/orders/rows.ts'
import { walkDocuments } from '../../../../src/core/contract/paging/pages.ts'
import { Reader } from '../../../../src/core/store/db/reader/reader.ts'
import { insertRejected, listRejected } from '../../../../src/core/store/pushes/rejected.ts'
import { readTimestamp } from '../../../../src/core/store/db/rows.ts'
import { reportRows } from '../../../../src/core/contract/reports/rows.ts'
import { at, newLocation, orderRow, rowOf } from '../stored-rows.ts'
import { atEnd, createDatabase, everyServer } from '../../../support/database.ts'
import { storeOrders } from '../../../support/orders.ts'
import { idOf, timeOf } from '../../../support/records.ts'

const databases = await Promise.all((await everyServer()).map((server) => createDatabase({ server })))

for (const { server, pool, connection } of databases) {
  const reader = new Reader(pool, { connections: 1, pipelining: true, deadlineMs: 10_000 })
  atEnd(async () => reader.end())
  describe(`on the ${server} server`, () => {
    test('a location is created once, with an empty journal', async () => {
      const id = randomUUID()
      assert.equal(await insertLocation(pool, rowOf(id), at), true)
      assert.equal(await insertLocation(pool, { ...rowOf(id), document: '{}' }, at), false)
      assert.deepEqual(await findLocation(pool, id), { ...rowOf(id), deactivatedAt: null, deleteAt: null })
      const { epoch, ...head } = await getHead(pool, id)
      assert.match(epoch, /^[0-9a-f]{8}$/)
      assert.deepEqual(head, { seq: 0, hash: genesis, acceptedAt: null })
      await updateLocation(pool, { id, document: '{"b":2,"deviceList":[1]}', withoutDevices: '{"b":2}', seq: 7 })
      const changed = {
        ...rowOf(id),
        document: '{"b":2,"deviceList":[1]}',
        withoutDevices: '{"b":2}',
        seq: 7,
        deactivatedAt: null,
        deleteAt: null,
      }
      assert.deepEqual(await findLocation(pool, id), changed)
      assert.ok((await listLocations(pool)).some((row) => row.id === id))
      assert.equal(await findLocation(pool, randomUUID()), undefined)
      assert.equal(await findHead(pool, randomUUID()), undefined)
    })

    test('the text of a time is read as it was written, to the millisecond', async () => {
      const times = [0, 1, 10, 100, 120, 123, 999].map((ms) => new Date(Date.UTC(2026, 2, 14, 12, 34, 56, ms)))
      times.push(new Date('0099-12-31T23:59:59.500Z'), new Date('9999-12-31T23:59:59.999Z'))
      for (const time of times) {
        const [row] = await pool<[{ written: string }]>`select ${time}::timestamptz::text as written`
        assert.equal(readTimestamp(row.written), time.toISOString())
      }
    })

    test('a key is found by its hash only, and a second revocation keeps the first time', async () => {
      const locationId = await newLocation(pool)
      const key = {
        id: randomUUID(),
        hash: 'a'.repeat(32) + randomUUID().replaceAll('-', ''),
        hint: 'tg_test_0123',
        name: 'till',
        locationId,
        recipientId: randomUUID(),
        scopes: ['read' as const, 'ingest' as const],
        createdAt: at,
        expiresAt: new Date('2027-01-01T00:00:00.000Z'),
        revokedAt: null,
        lastUsedAt: null,
        madeBy: null,
      }
      await insertApiKey(pool, key)
      assert.deepEqual({ ...(await findApiKey(pool, key.hash)) }, { ...key, suspendedAt: null })
      assert.equal(await findApiKey(pool, 'b'.repeat(64)), undefined)
      const first = await revokeApiKey(pool, key.id, at)
      const second = await revokeApiKey(pool, key.id, new Date())
      assert.deepEqual([first?.revokedAt, second?.revokedAt], [at, at])
      assert.equal(await revokeApiKey(pool, randomUUID(), at), undefined)
      await touchApiKeys(pool, new Map([[key.id, at]]))
      const [listed, ...others] = await listApiKeys(pool, locationId)
      assert.deepEqual([listed?.lastUsedAt, others.length], [at, 0])
      assert.ok((await listApiKeys(pool)).length >= 1)
    })

    test('a catalog list is one document, replaced as a whole', async () => {
      const locationId = await newLocation(pool)
      assert.equal((await findCatalogBytes(reader, locationId, 'taxes')).document, undefined)
      await upsertCatalogList(pool, locationId, 'taxes', { seq: 1, document: '[{"percentage":5.50}]' })
      await upsertCatalogList(pool, locationId, 'taxes', { seq: 2, document: '[]' })
      await upsertCatalogList(pool, locationId, 'products', { seq: 3, document: '["é"]' })
      assert.equal(String((await findCatalogBytes(reader, locationId, 'products')).document), '["é"]')
      const rows = await Promise.all(
        (['taxes', 'products'] as const).map((list) => findCatalogList(pool, locationId, list)),
      )
      assert.deepEqual(
        rows.map((row) => ({ ...row })),
        [
          { id: locationId, seq: 2, document: '[]' },
          { id: locationId, seq: 3, document: '["é"]' },
        ],
      )
      assert.equal(await findCatalogList(pool, locationId, 'payments'), undefined)
    })

    test('orders are read as they were written, any number at once, and the last version wins', async () => {
      const locationId = await newLocation(pool)
      const rows = Array.from({ length: 257 }, (_, n) =>
        orderRow(n, { closedAt: n % 3 === 0 ? null : timeOf(n + 1), reportId: n % 2 === 0 ? idOf('report', 1) : null }),
      )
      await storeOrders(pool, locationId, rows)
      const found = await findOrders(pool, locationId, [...rows.map((row) => row.id), randomUUID()])
      assert.deepEqual(
        rows.map(({ id }) => found.get(id)),
        rows,
      )
      const changed = orderRow(5, {
        paid: true,
        canceled: true,
        transferred: true,
        seq: 900,
        document: '{"n":5.0}',
        closedAt: null,
      })
      await storeOrders(pool, locationId, [changed])
      assert.deepEqual((await findOrders(pool, locationId, [changed.id])).get(changed.id), changed)
      assert.equal((await findOrders(pool, locationId, [])).size, 0)
      assert.equal((await findOrders(pool, randomUUID(), [changed.id])).size, 0)
    })

    test('times of every year from 1 to 9999 are read as they were written', async () => {
      const locationId = await newLocation(pool)
      const times = [
        '0001-01-01T00:00:00.000Z',
        '0042-02-28T23:59:59.999Z',
        '0099-12-31T23:59:59.999Z',
        '1582-10-10T00:00:00.000Z',
        '1883-11-18T12:00:00.001Z',
        '1969-12-31T23:59:59.999Z',
        '9999-12-31T23:59:59.999Z',
      ]
      const rows = times.map((time, n) => orderRow(n, { createdAt: time, updatedAt: time, closedAt: time }))
      await storeOrders(pool, locationId, rows)
      const found = await findOrders(
        pool,
        locationId,
        rows.map((row) => row.id),
      )
      assert.deepEqual(
        rows.map(({ id }) => found.get(id)?.createdAt),
        times,
      )
      const reports = times.map((time, n) => ({
        id: idOf('report', n),
        createdAt: time,
        updatedAt: time,
        number: n,
        seq: n + 1,
        document: '{}',
      }))
      await reportRows.upsert(pool, locationId, reports)
      const stored = await reportRows.find(
        pool,
        locationId,
        reports.map((row) => row.id),
      )
      assert.deepEqual(
        reports.map(({ id }) => stored.get(id)),
        reports,
      )
    })

    test('rejected records keep the sent bytes, including NUL, newest first', async () => {
      const locationId = await newLocation(pool)
      const rowsOf = (n: number, record: string) => ({
        id: idOf('order', n),
        receivedAt: new Date(at.getTime() + n),
        keyId: n === 0 ? null : randomUUID(),
        line: n,
        code: 'invalid_json',
        detail: 'it is broken',
        errors: '[]',
        record,
      })
      const rows = [rowsOf(0, '{"a":\0}'), rowsOf(1, 'x'.repeat(100_000)), rowsOf(2, '💥')]
      await insertRejected(pool, locationId, rows)
      const found = await listRejected(pool, locationId, 2)
      assert.deepEqual({ ...found[0] }, rows[2])
      assert.deepEqual({ ...found[1] }, rows[1])
      assert.equal(found.length, 2)
      assert.equal((await listRejected(pool, locationId, 10))[2]?.record, String.raw`{"a":\u0000}`)
    })

    test('a walk over all documents returns each once, in order, with any batch size', async () => {
      const locationId = await newLocation(pool)
      // Equal times, so that the id decides.
      const rows = Array.from({ length: 47 }, (_, n) => orderRow(n, { createdAt: timeOf(Math.floor(n / 5)) }))
      await storeOrders(pool, locationId, rows)
      for (const batch of [1, 5, 46, 47, 48]) {
        const seen: string[] = []
        for await (const documents of walkDocuments(pool, 'orders', locationId, batch))
          seen.push(...documents.map(String))
        assert.deepEqual(
          seen,
          rows.map((row) => row.document),
          `batch ${batch}`,
        )
      }
    })

    test('documents with times in the years 1 and 9999 are included in the walk', async () => {
      const locationId = await newLocation(pool)
      const times = ['0001-01-01T00:00:00.000Z', '0001-01-01T00:00:00.001Z', '9999-12-31T23:59:59.999Z']
      const rows = times.map((createdAt, n) => orderRow(n, { createdAt }))
      await storeOrders(pool, locationId, rows)
      const seen: string[] = []
      for await (const documents of walkDocuments(pool, 'orders', locationId, 1)) seen.push(...documents.map(String))
      assert.deepEqual(
        seen,
        rows.map((row) => row.document),
      )
    })

    test('an unavailable database is distinguished from a failed statement', async () => {
      const away = openPool({ url: 'postgres://nobody@127.0.0.1:1/none' }, { connections: 1, pipelining: true })
      await assert.rejects(away`select 1`, isUnavailable)
      await away.end()
      const ended = openPool(connection, { connections: 1, pipelining: true })
      await ended.end()
      await assert.rejects(ended`select 1`, isUnavailable)
      await assert.rejects(pool`select 1/0`, (error) => !isUnavailable(error))
      await assert.rejects(pool`select * from nowhere`, (error) => !isUnavailable(error))
      const raise = (words: string) =>
        pool.unsafe(`do $$ begin raise exception using errcode = 'XX000', message = '${words}'; end $$`)
      // The message of a Citus coordinator when a worker node failed during the commit, and when the coordinator itself
      // was killed.
      for (const words of [
        'could not commit transaction for shard 102046 on at least one active node',
        'postmaster was shut down, exiting',
        'server closed the connection unexpectedly',
      ])
        await assert.rejects(raise(words), isUnavailable, words)
      await assert.rejects(raise('cache lookup failed'), (error) => !isUnavailable(error))
    })
  })
}
