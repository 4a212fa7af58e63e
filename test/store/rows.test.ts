import assert from 'node:assert/strict'
import { defaultLocationSettings } from '../../src/ingest/locations.ts'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { genesis } from '../../src/domain/chain.ts'
import { findApiKey, insertApiKey, listApiKeys, revokeApiKey, touchApiKeys } from '../../src/store/api-keys.ts'
import { findCatalogBytes, findCatalogList, upsertCatalogList } from '../../src/store/catalog.ts'
import { isUnavailable, openPool, transact } from '../../src/store/database.ts'
import { appendJournal, findHead, findSequenceAt, getHead, listJournal } from '../../src/store/journal.ts'
import { findLocation, insertLocation, listLocations, updateLocation } from '../../src/store/locations.ts'
import { upsertOrders, type OrderRow } from '../../src/store/orders.ts'
import { findOrders } from '../../src/store/stored-orders.ts'
import { walkDocuments } from '../../src/store/pages.ts'
import { Reader } from '../../src/store/reader/reader.ts'
import { insertRejected, listRejected } from '../../src/store/rejected.ts'
import { readTimestamp } from '../../src/store/rows.ts'
import { reportRows } from '../../src/store/reports.ts'
import { takeHead } from '../../src/store/resumption.ts'
import { atEnd, createDatabase, everyServer } from '../support/database.ts'
import { storeOrders } from '../support/orders.ts'
import { idOf, timeOf } from '../support/records.ts'

const at = new Date('2026-03-01T10:00:00.123Z')
const rowOf = (id: string) => ({
  id,
  document: '{"a":1,"deviceList":[]}',
  withoutDevices: '{"a":1}',
  ...defaultLocationSettings,
  seq: 0,
})

const databases = await Promise.all((await everyServer()).map((server) => createDatabase({ server })))

for (const { server, pool, connection } of databases) {
  const reader = new Reader(pool, { connections: 1, pipelining: true, deadlineMs: 10_000 })
  atEnd(async () => reader.end())
  const newLocation = async () => {
    const id = randomUUID()
    await insertLocation(pool, rowOf(id), at)
    return id
  }

  const orderRow = (n: number, changes: Partial<OrderRow> = {}): OrderRow => ({
    id: idOf('order', n),
    createdAt: timeOf(n),
    updatedAt: timeOf(n),
    closedAt: timeOf(n),
    reportId: null,
    canceled: false,
    transferred: false,
    paid: false,
    number: String(n),
    deviceId: idOf('device', 1),
    operatorId: idOf('operator', 1),
    channel: 'pos',
    serviceType: 'eat_in',
    training: false,
    seq: n + 1,
    document: `{"n":${n}}`,
    ...changes,
  })

  describe(`on the ${server} server`, () => {
    test('a location is made once, with an empty journal', async () => {
      const id = randomUUID()
      assert.equal(await insertLocation(pool, rowOf(id), at), true)
      assert.equal(await insertLocation(pool, { ...rowOf(id), document: '{}' }, at), false)
      assert.deepEqual(await findLocation(pool, id), { ...rowOf(id), deactivatedAt: null })
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
      }
      assert.deepEqual(await findLocation(pool, id), changed)
      assert.ok((await listLocations(pool)).some((row) => row.id === id))
      assert.equal(await findLocation(pool, randomUUID()), undefined)
      assert.equal(await findHead(pool, randomUUID()), undefined)
    })

    test('a time is read from a raw row as it was written, to the millisecond', async () => {
      const times = [0, 1, 10, 100, 120, 123, 999].map((ms) => new Date(Date.UTC(2026, 2, 14, 12, 34, 56, ms)))
      times.push(new Date('0099-12-31T23:59:59.500Z'), new Date('9999-12-31T23:59:59.999Z'))
      for (const time of times) {
        const [row] = await pool`select ${time}::timestamptz`.raw()
        assert.equal(readTimestamp((row as unknown as Buffer[])[0] as Buffer), time.toISOString())
      }
    })

    test('a key is found by its hash only, and revoking twice keeps the first moment', async () => {
      const locationId = await newLocation()
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

    test('a catalog list is one document, replaced whole', async () => {
      const locationId = await newLocation()
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

    test('orders come back as they were written, any number at once, and the last version wins', async () => {
      const locationId = await newLocation()
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

    test('an order without its entry of the journal is refused, and so is a document that would be taken for two', async () => {
      const locationId = await newLocation()
      // Citus copies the rows to their shard, and tells what ends that by its message alone.
      const refused = (error: unknown) => {
        const { code, message } = error as { code?: string; message: string }
        return code === '23502' || (code === 'XX000' && message.startsWith('null value in column'))
      }
      await assert.rejects(upsertOrders(pool, locationId, [orderRow(1)]), refused)
      const document = `{"a":"${'\u0001'.repeat(16)}"}`
      await assert.rejects(storeOrders(pool, locationId, [orderRow(1, { document })]), refused)
      assert.equal((await findOrders(pool, locationId, [orderRow(1).id])).size, 0)
      assert.deepEqual(await listJournal(pool, locationId, 0, 10), [])
    })

    test('a transaction that gives a number a second time is tried again from its start', async () => {
      const locationId = await newLocation()
      await storeOrders(pool, locationId, [orderRow(1)])
      const { epoch } = await getHead(pool, locationId)
      const [entry] = await listJournal(pool, locationId, 0, 1)
      assert.ok(entry)
      let attempts = 0
      await transact(pool, (tx) => {
        const seq = entry.seq + attempts++
        return appendJournal(tx, locationId, [{ ...entry, locationId, epoch, seq }])
      })
      assert.equal(attempts, 2)
      assert.equal((await listJournal(pool, locationId, 0, 10)).length, 2)
    })

    test('times of every year from 1 to 9999 come back as they were written', async () => {
      const locationId = await newLocation()
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

    test('the journal comes back in order, and its head is the last entry', async () => {
      const locationId = await newLocation()
      const { epoch } = await getHead(pool, locationId)
      const entries = Array.from({ length: 130 }, (_, i) => ({
        locationId,
        epoch,
        seq: i + 1,
        acceptedAt: at.toISOString(),
        kind: 'order',
        id: idOf('order', i),
        prevSeq: i === 0 ? null : i,
        types: i % 2 === 0 ? ['order.created', 'order.paid'] : [],
        document: `{"i":${i}.0}`,
        salt: String(i).padStart(32, '0'),
        commitment: String(i).padStart(64, '1'),
        hash: String(i).padStart(64, '0'),
      }))
      await transact(pool, async (tx) => {
        assert.deepEqual(await takeHead(tx, locationId, { now: at }), {
          epoch,
          seq: 0,
          hash: genesis,
          acceptedAt: null,
          erasures: null,
        })
        await appendJournal(tx, locationId, entries)
      })
      const pages = [
        ...(await listJournal(pool, locationId, 0, 100)),
        ...(await listJournal(pool, locationId, 100, 100)),
      ]
      assert.deepEqual(
        pages.map((entry) => ({ ...entry })),
        entries,
      )
      const head = { epoch, seq: 130, hash: entries[129]?.hash, acceptedAt: at.toISOString() }
      assert.deepEqual(await findHead(pool, locationId), head)
      await appendJournal(pool, locationId, [])
      assert.equal((await findHead(pool, locationId))?.seq, 130)
    })

    test('the first entry accepted at or after a moment is found, over equal times and gaps', async () => {
      const locationId = await newLocation()
      const { epoch } = await getHead(pool, locationId)
      const secondOf: [seq: number, second: number][] = [
        [1, 1],
        [2, 3],
        [3, 3],
        [4, 3],
        [2_000_000, 5],
        [2_000_001, 5],
        [2_000_002, 7],
      ]
      const moment = (second: number) => new Date(at.getTime() + second * 1000)
      const entry = { locationId, epoch, kind: 'order', id: idOf('order', 1), prevSeq: null, types: [], document: '{}' }
      const rest = { salt: 'a', commitment: 'b', hash: 'c' }
      assert.equal(await findSequenceAt(pool, locationId, moment(0)), 1)
      await appendJournal(
        pool,
        locationId,
        secondOf.map(([seq, second]) => ({ ...entry, ...rest, seq, acceptedAt: moment(second).toISOString() })),
      )
      for (let second = 0; second <= 8; second++) {
        const found = await findSequenceAt(pool, locationId, moment(second))
        const first = secondOf.find(([, accepted]) => accepted >= second)?.[0]
        // In a gap any number stands for the entry after it: what is read from there on is the same.
        const read = await listJournal(pool, locationId, found - 1, 1)
        assert.equal(read[0]?.seq, first, `second ${second}`)
      }
    })

    test('writers of one location wait for each other, those of another do not', async () => {
      const [one, two] = [await newLocation(), await newLocation()]
      const steps: string[] = []
      let release = () => {}
      const held = new Promise<void>((resolve) => (release = resolve))
      let locked = () => {}
      const isLocked = new Promise<void>((resolve) => (locked = resolve))
      const first = transact(pool, async (tx) => {
        await takeHead(tx, one, { now: at })
        locked()
        await held
        steps.push('first done')
      })
      await isLocked
      const second = transact(pool, async (tx) => {
        await takeHead(tx, one, { now: at })
        steps.push('second done')
      })
      await transact(pool, async (tx) => {
        await takeHead(tx, two, { now: at })
        steps.push('other done')
      })
      release()
      await Promise.all([first, second])
      assert.deepEqual(steps, ['other done', 'first done', 'second done'])
    })

    test('rejected records keep what was sent, NUL and all, newest first', async () => {
      const locationId = await newLocation()
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

    test('walking all documents gives each once, in order, whatever the batch', async () => {
      const locationId = await newLocation()
      // Ties in time, so that the id decides.
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

    test('documents that the till dated in the years 1 and 9999 are walked too', async () => {
      const locationId = await newLocation()
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

    test('a transaction is run again after a deadlock, and the numbers end as they should', async () => {
      const [one, two] = [await newLocation(), await newLocation()]
      let waiting = 0
      let both = () => {}
      const bothLocked = new Promise<void>((resolve) => (both = resolve))
      const cross = (first: string, second: string) =>
        transact(pool, async (tx) => {
          await tx`update location_seq set last_seq = last_seq + 1 where location_id = ${first}`
          if (++waiting === 2) both()
          await bothLocked
          await tx`update location_seq set last_seq = last_seq + 1 where location_id = ${second}`
        })
      await Promise.all([cross(one, two), cross(two, one)])
      assert.deepEqual([(await findHead(pool, one))?.seq, (await findHead(pool, two))?.seq], [2, 2])
      assert.ok(waiting > 2, 'there was no deadlock to survive')
    })

    test('a database that is away is told from a statement that fails', async () => {
      const away = openPool({ url: 'postgres://nobody@127.0.0.1:1/none' }, { connections: 1, pipelining: true })
      await assert.rejects(away`select 1`.execute(), isUnavailable)
      await away.end()
      const ended = openPool(connection, { connections: 1, pipelining: true })
      await ended.end()
      await assert.rejects(ended`select 1`.execute(), isUnavailable)
      await assert.rejects(pool`select 1/0`.execute(), (error) => !isUnavailable(error))
      await assert.rejects(pool`select * from nowhere`.execute(), (error) => !isUnavailable(error))
      const raise = (words: string) =>
        pool.unsafe(`do $$ begin raise exception using errcode = 'XX000', message = '${words}'; end $$`).execute()
      // So speaks the coordinator of a Citus cluster when a worker node went away at the commit, and when it was killed itself.
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
