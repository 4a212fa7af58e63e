import type { DocumentText } from '../../../core/domain/documents/document-text.ts'
import { readStoredOrder } from '../../../core/domain/documents/stored-documents.ts'
import { Reconciling, type Reconciliation, type ReconciliationOptions } from '../domain/reconciliation.ts'
import type { Order } from '../../../core/contract/orders/schema.ts'
import type { Report } from '../../../core/contract/reports/schema.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { listOrderDocuments, type OrderVersion } from '../../../core/contract/orders/rows.ts'
import { inShortTurns } from './short-turns.ts'

/** Reads the orders of a report. A report may name tens of thousands, so this yields to other requests. */
export async function readOrders(documents: readonly DocumentText[]): Promise<Order[]> {
  const orders: Order[] = []
  await inShortTurns(documents, (document) => orders.push(readStoredOrder(document)))
  return orders
}

/** Orders that were read already, by the journal number of their version. */
export type ReadVersions = ReadonlyMap<number, Order>

/** Reads the stored versions of orders, skipping those already read. */
export async function readVersions(
  sql: Sql,
  locationId: string,
  versions: readonly OrderVersion[],
  known: ReadVersions,
): Promise<Order[]> {
  const others = versions.filter(({ seq }) => !known.has(seq)).map(({ id }) => id)
  const read = new Map(
    (await readOrders(await listOrderDocuments(sql, locationId, others))).map((one) => [one.id, one]),
  )
  return versions.flatMap(({ id, seq }) => known.get(seq) ?? read.get(id) ?? [])
}

/** Reconciles a report with its orders in short turns, yielding to other requests. */
export async function reconcileInTurns(
  report: Report,
  orders: readonly Order[],
  options: ReconciliationOptions,
): Promise<Reconciliation> {
  const reconciling = new Reconciling(report, orders, options)
  await inShortTurns(reconciling.counted, reconciling.add)
  return reconciling.end()
}
