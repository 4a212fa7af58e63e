import { businessTime, daysBetween } from '../../../core/domain/days/business-time.ts'
import type { DayRange } from '../../../core/domain/days/ranges.ts'
import { moneyOf } from '../../../core/contract/money/currency.ts'
import type { DayRevision } from '../schemas/business-days.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { findLocation } from '../../../core/contract/location/rows.ts'
import { listLaterOrders } from '../store/order-walks.ts'
import { listAnnouncedDays } from '../store/day-entries.ts'
import { changedAtMost, readChangedOrders } from './changed-orders.ts'
import { readDays } from './days-answer.ts'
import type { LiveDays } from './days.ts'

/** Reads the business days that changed after they were complete for the first time, in the caller's snapshot. */
export async function readRevisions(
  sql: Sql,
  locationId: string,
  live: LiveDays,
  { range, now, withOrders }: { range: DayRange; now: Date; withOrders: boolean },
): Promise<DayRevision[]> {
  const announced = await listAnnouncedDays(sql, locationId, daysBetween(range.since, range.until))
  // Only a day that was complete once can be revised, so other days are not computed.
  const dates = [...announced.keys()].toSorted()
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
    const [completed, ...later] = announced.get(day.date) ?? []
    if (!completed || day.status !== 'revised') continue
    const after = completed.seq
    const span = { first: time.startOf(day.date), end: time.endOf(day.date) }
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
      ...(withOrders
        ? {
            orders: await readChangedOrders(
              sql,
              locationId,
              await listLaterOrders(sql, locationId, span, { after, limit: changedAtMost }),
              { after, decimals },
            ),
          }
        : {}),
    })
  }
  return revisions
}
