import { appendJournal, getHead } from '../../src/core/store/journal/journal.ts'
import { transact, type Pool } from '../../src/core/store/db/database.ts'
import { upsertOrders, type OrderRow } from '../../src/core/contract/orders/rows.ts'

/** Stores orders, and journal entries with their documents but without a hash chain. */
export async function storeOrders(pool: Pool, locationId: string, orders: readonly OrderRow[]): Promise<void> {
  const { epoch } = await getHead(pool, locationId)
  const entries = orders.map(({ id, seq, createdAt, document }) => ({
    locationId,
    epoch,
    seq,
    acceptedAt: createdAt,
    kind: 'order',
    id,
    prevSeq: null,
    types: [],
    document,
    salt: '',
    commitment: '',
    hash: '',
  }))
  await transact(pool, async (tx) => {
    await appendJournal(tx, locationId, entries)
    await upsertOrders(tx, locationId, orders)
  })
}
