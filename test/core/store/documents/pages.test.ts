import assert from 'node:assert/strict'
import { defaultLocationSettings } from '../../../../src/core/ingest/write/locations.ts'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { allTime, dayOf } from '../../../../src/core/domain/days/day-ranges.ts'
import { transact, type Pool, type Sql } from '../../../../src/core/store/db/database.ts'
import { addDayCounts, DayCountCache, type DayChange } from '../../../../src/core/contract/paging/day-counts.ts'
import { appendChanges } from '../../../../src/core/store/journal/journal.ts'
import { takeHead } from '../../../../src/core/store/journal/resumption.ts'
import { insertLocation } from '../../../../src/core/contract/location/rows.ts'
import { collectOrders, type OrderState } from '../../../../src/core/contract/orders/rows.ts'
import { readPage, type Documents, type Reads } from '../../../../src/core/contract/paging/pages.ts'
import { Reader } from '../../../../src/core/store/db/reader/reader.ts'
import { reportList, reportRows } from '../../../../src/core/contract/reports/rows.ts'
import { atEnd, createDatabase, everyServer } from '../../../support/database.ts'
import { storeOrders } from '../../../support/orders.ts'
import { idOf } from '../../../support/records.ts'
import { dayMs } from '../../../../src/core/domain/days/time-units.ts'

const at = new Date('2026-03-01T10:00:00.000Z')
const start = Date.parse('2026-03-01T00:00:00.000Z')

async function newLocation(pool: Pool): Promise<string> {
  const id = randomUUID()
  const row = { id, document: '{}', withoutDevices: '{}', ...defaultLocationSettings, seq: 0 }
  await insertLocation(pool, row, at)
  return id
}

/** Advances the head, as every change does. */
async function advance(pool: Pool, locationId: string, days: DayChange[], write: (tx: Pool) => Promise<void>) {
  await transact(pool, async (tx) => {
    const head = await takeHead(tx, locationId, { now: at })
    assert.ok(head)
    const seq = head.seq + 1
    await write(tx as unknown as Pool)
    await addDayCounts(tx, locationId, days, seq)
    const entry = { kind: 'order', id: idOf('order', 0), prevSeq: null, types: [], document: '{}' }
    await appendChanges(tx, { locationId, head }, [entry], at.toISOString())
  })
}

const databases = await Promise.all((await everyServer()).map((server) => createDatabase({ server })))

/** Returns a page's documents as text. */
function collector(): Documents & { documents: string[] } {
  const documents: string[] = []
  return {
    documents,
    add: (chunk, from, to) => documents.push(chunk.toString('utf8', from, to)),
    clear: () => (documents.length = 0),
  }
}

for (const { server, pool } of databases) {
  const reader = new Reader(pool, { connections: 2, pipelining: true, deadlineMs: 10_000 })
  atEnd(async () => reader.end())
  const readsWith = (dayCounts: DayCountCache): Reads => ({ pool, reader, dayCounts })

  describe(`on the ${server} server`, () => {
    test('a page with any filter, direction and offset equals that of a plain sort', async () => {
      const place = fc.tuple(fc.integer({ min: 0, max: 4 }), fc.constantFrom(0, 1, dayMs / 2, dayMs - 1))
      const moment = place.map(([day, ms]) => start + day * dayMs + ms)
      const rows = fc.array(fc.record({ ms: moment, closed: fc.boolean(), reported: fc.boolean() }), { maxLength: 40 })
      const range = fc.oneof(
        fc.constant(allTime),
        fc.tuple(moment, moment).map(([a, b]) => ({ first: Math.min(a, b), last: Math.max(a, b) })),
      )
      const queries = fc.array(
        fc.record({
          range,
          index: fc.integer({ min: 0, max: 12 }),
          size: fc.integer({ min: 1, max: 9 }),
          descending: fc.boolean(),
          state: fc.constantFrom<OrderState>('open', 'closed', 'all'),
          reported: fc.boolean(),
        }),
        { minLength: 8, maxLength: 8 },
      )
      await fc.assert(
        fc.asyncProperty(rows, queries, async (all, requests) => {
          const locationId = await newLocation(pool)
          const reads = readsWith(new DayCountCache())
          const orders = all.map(({ ms, closed, reported }, n) => ({
            id: idOf('order', n),
            createdAt: new Date(ms).toISOString(),
            updatedAt: new Date(ms).toISOString(),
            closedAt: closed ? new Date(ms).toISOString() : null,
            reportId: reported ? idOf('report', 1) : null,
            canceled: false,
            transferred: false,
            paid: false,
            externalKey: null,
            number: String(n % 3),
            deviceId: idOf('device', n % 2),
            operatorId: idOf('operator', 1),
            channel: 'pos',
            serviceType: n % 4 === 0 ? 'takeaway' : 'eat_in',
            training: n % 5 === 0,
            alone: false,
            seq: n + 2,
            document: String(n),
          }))
          const days = new Map<string, DayChange>()
          for (const { ms, closed } of all) {
            const kind = closed ? 'order.closed' : 'order.open'
            const day = dayOf(ms)
            const change = days.get(kind + day) ?? { kind, day, n: 0 }
            days.set(kind + day, { ...change, n: change.n + 1 })
          }
          await storeOrders(pool, locationId, orders)
          await advance(pool, locationId, [...days.values()], async () => {})
          for (const { range, index, size, descending, state, reported } of requests) {
            const expected = all
              .map((row, n) => ({ ...row, n }))
              .filter(({ ms }) => ms >= range.first && ms <= range.last)
              .filter(({ closed }) => state === 'all' || closed === (state === 'closed'))
              .filter((row) => !reported || row.reported)
              .toSorted((a, b) => (descending ? -1 : 1) * (a.ms - b.ms || a.n - b.n))
            const page = { index, size, range, descending, after: null }
            const found = collector()
            const filters = reported ? { reportId: idOf('report', 1) } : {}
            const { totalCount: total } = await collectOrders(reads, locationId, { state, filters, page }, found)
            const slice = expected.slice(index * size, (index + 1) * size)
            assert.equal(total, expected.length)
            assert.deepEqual(
              found.documents,
              slice.map(({ n }) => String(n)),
            )
          }
        }),
        { numRuns: 25 },
      )
    })

    test('counts follow additions and removals, and each change of a known location is visible at its next read', async () => {
      const locationId = await newLocation(pool)
      const cache = new DayCountCache()
      const change = (kind: DayChange['kind'], day: string, n: number) => ({ kind, day, n })
      const page = { index: 0, size: 1, range: allTime, descending: false, after: null }
      const total = async () =>
        (await readPage(readsWith(cache), locationId, { list: reportList, page }, collector())).totalCount
      const move = (...days: DayChange[]) => advance(pool, locationId, days, async () => {})
      assert.equal(await total(), 0)
      await move(
        change('report', '2026-03-01', 3),
        change('report', '2026-03-02', 2),
        change('order.open', '2026-03-01', 9),
      )
      assert.equal(await total(), 5)
      await move(change('report', '2026-03-01', -1), change('report', '2026-03-02', 4))
      assert.equal(await total(), 8)
      await move(change('report', '2026-03-01', -2))
      assert.equal(await total(), 6)
      await assert.rejects(move(change('report', '2026-03-01', -1)), /day_counts_n/)
      assert.equal(await total(), 6)
    })

    test('late counts from before a known change do not overwrite it', async () => {
      const locationId = await newLocation(pool)
      const cache = new DayCountCache()
      const add = (day: string) => advance(pool, locationId, [{ kind: 'report', day, n: 1 }], async () => {})
      /** Reads now, and responds when released. */
      const readLate = async () => {
        let release = () => {}
        const released = new Promise<void>((resolve) => (release = resolve))
        let notify = () => {}
        const isQueried = new Promise<void>((resolve) => (notify = resolve))
        const slow = async (...query: [TemplateStringsArray, ...string[]]) => {
          const rows = await pool(...query)
          notify()
          await released
          return rows
        }
        const reading = cache.refresh(slow as unknown as Sql, locationId)
        await isQueried
        return () => (release(), reading)
      }
      await add('2026-03-01')
      await cache.refresh(pool, locationId)
      await add('2026-03-01')
      const first = await readLate()
      await add('2026-03-01')
      await cache.refresh(pool, locationId)
      await add('2026-03-02')
      const second = await readLate()
      await first()
      await second()
      const page = { index: 0, size: 1, range: allTime, descending: false, after: null }
      const { totalCount } = await readPage(readsWith(cache), locationId, { list: reportList, page }, collector())
      assert.equal(totalCount, 4)
    })

    test('a page includes every change committed before, while other reads and writes continue', async () => {
      const locationId = await newLocation(pool)
      const cache = new DayCountCache()
      const page = { index: 0, size: 1, range: allTime, descending: false, after: null }
      const total = async () =>
        (await readPage(readsWith(cache), locationId, { list: reportList, page }, collector())).totalCount
      let committed = 0
      let writing = true
      const read = async () => {
        while (writing) {
          const before = committed
          const found = await total()
          assert.ok(found >= before, `${found} where ${before} were committed`)
        }
      }
      const write = async () => {
        for (let n = 1; n <= 150; n++) {
          const createdAt = new Date(start + n * 1000).toISOString()
          const row = { id: idOf('report', n), createdAt, updatedAt: createdAt, number: n, seq: n, document: '{}' }
          const day: DayChange = { kind: 'report', day: dayOf(start), n: 1 }
          await advance(pool, locationId, [day], (tx) => reportRows.upsert(tx, locationId, [row]))
          committed = n
          assert.equal(await total(), n)
        }
      }
      const readers = Promise.allSettled(Array.from({ length: 4 }, read))
      await write().finally(() => (writing = false))
      for (const reader of await readers) if (reader.status === 'rejected') throw reader.reason
    })
  })
}
