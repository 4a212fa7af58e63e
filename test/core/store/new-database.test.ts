import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listCatalogVersions } from '../../../src/core/contract/catalog/rows.ts'
import { openPool, transact } from '../../../src/core/store/db/database.ts'
import { readHistory } from '../../../src/core/store/journal/journal.ts'
import { listRecentOrders } from '../../../src/modules/figures/store/devices.ts'
import { findNamedOrders } from '../../../src/modules/warnings/store/known-ids.ts'
import {
  findOrderBytes,
  listOrderDocuments,
  listOrdersOfReport,
  upsertOrders,
  type OrderRow,
} from '../../../src/core/contract/orders/rows.ts'
import type { NumberedDocument } from '../../../src/core/contract/paging/numbered.ts'
import { Reader } from '../../../src/core/store/db/reader/reader.ts'
import { findReportBytes, listReportNumbers, reportRows } from '../../../src/core/contract/reports/rows.ts'
import { findOrders } from '../../../src/core/contract/orders/rows.ts'
import { addLocation } from '../../support/app.ts'
import { atEnd, createDatabase } from '../../support/database.ts'
import { idOf, timeOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'

const { connection, pool: direct } = await createDatabase({ server: 'embedded' })
const locationId = await addLocation(direct)
const rows = 2_000

// Plans are not renewed, as in the first minute of a database, and are generic, as for frequent statements.
for (const table of ['orders', 'reports', 'journal']) {
  await direct.unsafe(`alter table ${table} set (autovacuum_enabled = off)`)
}
const [{ name }] = await direct<[{ name: string }]>`select current_database() as name`
await direct.unsafe(`alter database ${name} set plan_cache_mode = force_generic_plan`)
const pool = openPool(connection, { connections: 1, pipelining: true })
atEnd(() => pool.end())
const reader = new Reader(pool, { connections: 1, pipelining: true, deadlineMs: 60_000 })
atEnd(async () => reader.end())

const orderRow = (n: number): OrderRow => ({
  id: idOf('order', n),
  createdAt: timeOf(n),
  updatedAt: timeOf(n),
  closedAt: timeOf(n),
  reportId: null,
  canceled: false,
  transferred: false,
  paid: false,
  externalKey: null,
  alone: false,
  number: String(n),
  deviceId: idOf('device', 1),
  operatorId: idOf('operator', 1),
  channel: 'pos',
  serviceType: 'eat_in',
  training: false,
  seq: n,
  document: '{}',
})

async function addRows(): Promise<void> {
  const id = (kind: 'order' | 'report') => `('${idOf(kind, 0).slice(0, 24)}' || lpad(to_hex(n), 12, '0'))::uuid`
  const from = `from generate_series(1, ${rows}) n`
  await direct.unsafe(`
    insert into journal (location_id, seq, accepted_at, kind, id, types, document, salt, commitment, hash)
    select '${locationId}', n, now(), 'order', ${id('order')}, '{}', repeat(' ', 2000), '', '', '' ${from}`)
  await direct.unsafe(`
    insert into journal (location_id, seq, accepted_at, kind, id, prev_seq, types, document, salt, commitment, hash)
    select location_id, seq + ${rows}, accepted_at, 'catalog.products', location_id, nullif(seq + ${rows} - 1, ${rows}), types,
      document, salt, commitment, hash
    from journal where location_id = '${locationId}' and seq <= 2`)
  await direct.unsafe(`
    insert into orders (location_id, id, created_at, updated_at, closed_at, closed, canceled, transferred, paid, seq, document,
      number, device_id, operator_id, channel, service_type, training)
    select '${locationId}', ${id('order')}, now(), now(), now(), true, false, false, false, n, '{"total":1}',
      n::text, '${idOf('device', 1)}', '${idOf('operator', 1)}', 'pos', 'eat_in', false ${from}`)
  await direct.unsafe(`
    insert into reports (location_id, id, created_at, updated_at, seq, document, number)
    select '${locationId}', ${id('report')}, now(), now(), n, '{}', n ${from}`)
}

const orders = [idOf('order', 500), idOf('order', 1_500)]
const reports = [idOf('report', 500), idOf('report', 1_500)]
const [order, report] = [orders[0] as string, reports[0] as string]

async function countFound(documents: readonly Promise<NumberedDocument>[]): Promise<number> {
  return (await Promise.all(documents)).filter(({ document }) => document).length
}

/** Functions that return the number of rows that they found. */
const looks: Record<string, () => Promise<number>> = {
  findOrderBytes: async () => ((await findOrderBytes(reader, locationId, order)).document ? 1 : 0),
  findReportBytes: async () => ((await findReportBytes(reader, locationId, report)).document ? 1 : 0),
  // All lists are requested at the same moment, so one statement finds them.
  'findOrderBytes of two': async () => countFound(orders.map((id) => findOrderBytes(reader, locationId, id))),
  'findReportBytes of two': async () => countFound(reports.map((id) => findReportBytes(reader, locationId, id))),
  findOrders: async () => (await findOrders(pool, locationId, orders)).size,
  findNamedOrders: async () => (await findNamedOrders(pool, locationId, orders)).size,
  listOrdersOfReport: async () => (await listOrdersOfReport(pool, locationId, report, orders)).versions.length,
  listOrderDocuments: async () => (await listOrderDocuments(pool, locationId, orders)).length,
  readHistory: async () =>
    (await readHistory(pool, locationId, { id: order }, { entries: 10, bytes: 1_000_000 })).length,
  listCatalogVersions: async () =>
    (await listCatalogVersions(pool, locationId, 'products', { from: rows + 2, entries: 10, bytes: 1_000_000 })).length,
  listRecentOrders: async () => (await listRecentOrders(pool, locationId, { since: new Date(0), limit: 2 })).length,
  'reportRows.find': async () => (await reportRows.find(pool, locationId, reports)).size,
  listReportNumbers: async () => (await listReportNumbers(pool, locationId, reports)).size,
}

type Reads = { index: string; scans: number; entries: number }

async function readsOfIndexes(): Promise<Map<string, Reads>> {
  const found = await direct<Reads[]>`
    select indexrelname as index, idx_scan::int as scans, idx_tup_read::int as entries from pg_stat_user_indexes`
  return new Map(found.map((of) => [of.index, of]))
}

test('in a new database rows are found by the primary key, although statements were planned for empty tables', async () => {
  for (const [name, look] of Object.entries(looks)) assert.equal(await look(), 0, name)
  // Nothing is written, because no entry has the document.
  await assert.rejects(transact(pool, (tx) => upsertOrders(tx, locationId, [orderRow(500)])))
  await addRows()
  for (const [name, look] of Object.entries(looks)) {
    const expected = name === 'findOrderBytes' || name === 'findReportBytes' || name === 'readHistory' ? 1 : 2
    assert.equal(await look(), expected, name)
  }
  await transact(pool, (tx) => upsertOrders(tx, locationId, [orderRow(500), orderRow(1_500)]))
  // A backend reports its statistics when it ends.
  reader.end()
  await pool.end()
  await eventually(
    async () => ((await readsOfIndexes()).get('journal_pkey')?.scans ?? 0) > 0,
    'the journal was looked up',
  )
  const reads = await readsOfIndexes()
  // Recent orders are read from a range of `orders_created`, all other rows by the primary key.
  const others = { orders_number: 0, orders_created: 2, reports_number: 0, reports_created: 0 }
  for (const [index, scans] of Object.entries(others)) assert.equal(reads.get(index)?.scans, scans, index)
  const entries = reads.get('journal_pkey')?.entries ?? 0
  assert.ok(entries < 10, `${entries} entries of the journal were read`)
})
