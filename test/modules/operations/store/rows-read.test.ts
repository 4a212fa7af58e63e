import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transact, type Transaction } from '../../../../src/core/store/db/database.ts'
import { listLaterOrders } from '../../../../src/modules/figures/store/order-walks.ts'
import { readOrderChanges } from '../../../../src/modules/figures/store/projections.ts'
import { findColumnFault, findDivergence } from '../../../../src/modules/operations/store/divergences.ts'
import { startApp, type Site } from '../../../support/app.ts'
import { createDatabase } from '../../../support/database.ts'
import { order, smallOrderOf } from '../../../support/records.ts'

// One PostgreSQL without a pooler, which counts the rows that a transaction reads.
const app = await startApp({ database: await createDatabase({ server: 'embedded' }) })
const orders = 300

/** Stores orders in two versions each. */
async function fill({ id, key }: Site): Promise<void> {
  for (const updatedAt of ['2026-03-14T12:00:00.000Z', '2026-03-14T13:00:00.000Z']) {
    const records = Array.from({ length: orders }, (_, n) => order(smallOrderOf(id, n + 1, { updatedAt })))
    await app.store(records, key)
  }
}

await fill(await app.addLocation())
await fill(await app.addLocation())
await app.pool`analyze`
// The statistics do not know this location, so PostgreSQL plans as if it had one row.
const site = await app.addLocation()
await fill(site)

const readers: Record<string, (tx: Transaction) => Promise<unknown>> = {
  'versions of orders for the figures': (tx) =>
    readOrderChanges(tx, site.id, 0, { entries: 1_000, bytes: 8 * 1024 ** 2 }),
  'orders that changed after a sequence': (tx) =>
    listLaterOrders(tx, site.id, { first: 0, end: Date.parse('2027-01-01') }, { after: orders, limit: 1_000 }),
  'rows that differ from the journal': (tx) => findDivergence(tx, site.id),
  'rows that differ from their documents': (tx) => findColumnFault(tx, site.id),
}

for (const [what, read] of Object.entries(readers)) {
  test(`${what} are found by reading each row a few times, in a location that the statistics do not know`, async () => {
    const count = await transact(app.pool, async (tx) => {
      await read(tx)
      const [row] = await tx<{ count: number }[]>`
        select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::int as count from pg_stat_xact_user_tables
        where relname in ('journal', 'orders')`
      return row?.count ?? 0
    })
    assert.ok(count >= orders && count < 20 * orders, `${count} rows were read for ${orders} orders in two versions`)
  })
}
