import { addDays, businessTime, daysBetween } from '../domain/days/business-time.ts'
import { readStoredOrder } from '../domain/documents/stored-documents.ts'
import type { DayRange } from '../domain/figures/sales-table.ts'
import { standingOf } from '../domain/money/counted.ts'
import { toMinor, unitsOf } from '../domain/money/decimal.ts'
import { moneyOf } from '../domain/money/currency.ts'
import type { DayRevision } from '../schemas/business-days.ts'
import type { Order } from '../schemas/orders.ts'
import type { Sql } from '../store/db/database.ts'
import { findLocation } from '../store/documents/locations.ts'
import { listLaterOrders } from '../store/documents/order-walks.ts'
import { listToldDays } from '../store/journal/day-entries.ts'
import { readHistory } from '../store/journal/journal.ts'
import { readDays } from './days-answer.ts'
import type { LiveDays } from './days.ts'

/** So many orders are told of one day. */
const ordersAtMost = 100

const versionsAtMost = { entries: 1_000, bytes: 8 * 1024 ** 2 }

type ChangedOrder = NonNullable<DayRevision['orders']>[number]

/** Lists the orders of a day that changed after a number of the journal, with what they came to before and come to now. */
async function listChanged(
  sql: Sql,
  locationId: string,
  span: { first: number; end: number },
  { after, decimals }: { after: number; decimals: number },
): Promise<ChangedOrder[]> {
  const counted = (order: Order | undefined) =>
    order === undefined || standingOf(order) !== 'counted' ? null : toMinor(unitsOf(order.total), 0, decimals)
  const ids = await listLaterOrders(sql, locationId, span, { after, limit: ordersAtMost })
  const changed: ChangedOrder[] = []
  for (const id of ids) {
    const versions = await readHistory(sql, locationId, { id }, versionsAtMost)
    const [latest, before] = [versions.at(-1), versions.findLast(({ seq }) => seq <= after)]
    if (!latest) continue
    const order = readStoredOrder(latest.document)
    changed.push({
      orderId: order.id,
      orderNumber: order.orderNumber,
      operatorName: order.operatorName,
      changedAt: latest.acceptedAt,
      before: counted(before && readStoredOrder(before.document)),
      now: counted(order),
    })
  }
  return changed
}

/** Reads the business days that changed after they were complete for the first time, in the caller's snapshot. */
export async function readRevisions(
  sql: Sql,
  locationId: string,
  live: LiveDays,
  { range, now, withOrders }: { range: DayRange; now: Date; withOrders: boolean },
): Promise<DayRevision[]> {
  const told = await listToldDays(sql, locationId, daysBetween(range.since, range.until))
  // Only what was complete once can be revised: what else there is needs not be computed.
  const dates = [...told.keys()].toSorted()
  const [first, last] = [dates[0], dates.at(-1)]
  if (first === undefined || last === undefined) return []
  const [location, days] = await Promise.all([
    findLocation(sql, locationId),
    readDays(sql, locationId, live, { range: { since: first, until: last }, now }),
  ])
  const { decimals } = moneyOf(location?.currency ?? 'EUR')
  const time = businessTime(live.clock)
  const revisions: DayRevision[] = []
  for (const { day } of days) {
    const [completed, ...later] = told.get(day.date) ?? []
    if (!completed || day.status !== 'revised') continue
    const span = { first: time.startOf(day.date), end: time.startOf(addDays(day.date, 1)) }
    revisions.push({
      date: day.date,
      revision: day.revision,
      isComplete: day.isComplete,
      balanced: day.balanced,
      completedAt: completed.at.toISOString(),
      completedSequence: completed.seq,
      revisedAt: later.at(-1)?.at.toISOString() ?? null,
      before: completed.day.sales,
      now: day.sales,
      ...(withOrders ? { orders: await listChanged(sql, locationId, span, { after: completed.seq, decimals }) } : {}),
    })
  }
  return revisions
}
