import { readStoredOrder } from '../../../core/domain/documents/stored-documents.ts'
import type { Entry } from '../../../core/domain/journal/messages.ts'
import { standingOf } from '../../../core/contract/money/counted.ts'
import { toMinor, unitsOf } from '../../../core/contract/money/decimal.ts'
import type { ChangedOrder } from '../schemas/changed-orders.ts'
import type { Order } from '../../../core/contract/orders/schema.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { readHistory } from '../../../core/store/journal/journal.ts'

/** At most this many orders are returned. */
export const changedAtMost = 100

const versionsAtMost = { entries: 1_000, bytes: 8 * 1024 ** 2 }

const counted = (order: Order, decimals: number) =>
  standingOf(order) === 'counted' ? toMinor(unitsOf(order.total), 0, decimals) : null

function toVersion({ seq, acceptedAt, document }: Entry): ChangedOrder['versions']['now'] {
  const { deviceId, operatorName } = readStoredOrder(document)
  return { sequence: seq, acceptedAt, deviceId, operatorName }
}

/**
 * Lists orders with their totals at a journal sequence and now, and the senders of both versions, in the order of the
 * ids. Throws `DocumentsArchived`.
 */
export async function readChangedOrders(
  sql: Sql,
  locationId: string,
  ids: readonly string[],
  { after, decimals }: { after: number; decimals: number },
): Promise<ChangedOrder[]> {
  const changed: ChangedOrder[] = []
  for (const id of ids.slice(0, changedAtMost)) {
    const versions = await readHistory(sql, locationId, { id }, versionsAtMost)
    const [latest, before] = [versions.at(-1), versions.findLast(({ seq }) => seq <= after)]
    if (!latest) continue
    const order = readStoredOrder(latest.document)
    changed.push({
      orderId: order.id,
      orderNumber: order.orderNumber,
      operatorName: order.operatorName,
      changedAt: latest.acceptedAt,
      before: before ? counted(readStoredOrder(before.document), decimals) : null,
      now: counted(order, decimals),
      versions: { before: before ? toVersion(before) : null, now: toVersion(latest) },
    })
  }
  return changed
}
