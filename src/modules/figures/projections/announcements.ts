import { addDays, businessTime, type BusinessClock } from '../../../core/domain/days/business-time.ts'
import type { DayRange } from '../../../core/domain/days/ranges.ts'
import { idleAfterDays } from '../domain/tills.ts'
import { snapshot, transact, type Pool, type Transaction } from '../../../core/store/db/database.ts'
import { appendDays, type DayNews } from '../store/day-entries.ts'
import { listDueDays, putDueDays, settleDueDay, type DueDay } from '../store/due-days.ts'
import { lockProjection } from '../store/projections.ts'
import { takeHead } from '../../../core/store/journal/resumption.ts'
import { readDays, type ReadDay } from './days-answer.ts'
import { daysProjection, readPendingDays } from './days.ts'
import { dayMs } from '../../../core/domain/days/time-units.ts'

/**
 * A day that is complete for the first time, although it ended longer ago than this, was imported; in milliseconds. Its
 * journal entry has no event, so that an import of years sends none.
 */
const pastMs = 31 * dayMs

/** Maximum number of days that are checked together. */
const daysAtOnce = 62

/**
 * Returns whether the journal needs an entry for a day: it is complete for the first time, or has changed since its
 * last entry.
 */
export function isNews({ day, announced }: ReadDay): boolean {
  if (announced) return day.revision !== announced.day.revision
  return day.status === 'complete'
}

async function readNews(
  tx: Transaction,
  locationId: string,
  range: DayRange,
  now: Date,
): Promise<{ days: ReadDay[]; news: DayNews[] } | undefined> {
  const live = await readPendingDays(tx, locationId)
  if (!live) return undefined
  const days = await readDays(tx, locationId, live, { range, now })
  const news = days.filter(isNews).map(({ day, announced }) => {
    return { day, before: announced, isPast: Date.parse(day.endsAt) < now.getTime() - pastMs }
  })
  return { days, news }
}

/**
 * Decides when each day is checked again. A day that is not over is checked at its end. A day with a report dated in
 * the future is checked when that time has come. Other days are checked when they or later days change.
 */
async function settle(
  tx: Transaction,
  locationId: string,
  due: readonly DueDay[],
  { days, now }: { days: readonly ReadDay[]; now: Date },
): Promise<void> {
  const byDate = new Map(days.map((read) => [read.day.date, read]))
  for (const one of due) {
    const read = byDate.get(one.day)
    const moments = read ? [new Date(read.day.endsAt), read.doubtedUntil].filter((at) => at && at > now) : []
    const next = moments.toSorted((a, b) => Number(a) - Number(b))[0]
    await settleDueDay(tx, locationId, one, next)
  }
}

/** Takes the first due days that are close together; `range` includes the days that the same reports affect. */
function rangeOf(due: readonly DueDay[]): { taken: DueDay[]; range: DayRange } {
  const first = (due[0] as DueDay).day
  const taken = due.filter(({ day }) => day <= addDays(first, daysAtOnce))
  return {
    taken,
    range: { since: addDays(first, -idleAfterDays), until: addDays((taken.at(-1) as DueDay).day, idleAfterDays) },
  }
}

/**
 * Checks the changed business days of a location, and appends an entry of kind `day` for each day that is now complete,
 * or that changed after it was complete. Each result is checked again with the head of the journal locked, so that two
 * processes do not append it twice. Resolves to the number of entries.
 */
export async function announceDays(pool: Pool, locationId: string, now: Date): Promise<number> {
  let count = 0
  for (;;) {
    const due = await listDueDays(pool, locationId, now, daysAtOnce)
    if (due.length === 0) return count
    const { taken, range } = rangeOf(due)
    const seen = await snapshot(pool, (tx) => readNews(tx, locationId, range, now))
    // Too much of the journal is not folded yet: the days stay due.
    if (!seen) return count
    const news = await transact(pool, async (tx) => {
      if (seen.news.length === 0) {
        await settle(tx, locationId, taken, { days: seen.days, now })
        return 0
      }
      const head = await takeHead(tx, locationId, { now })
      await lockProjection(tx, locationId, daysProjection.name)
      const read = head && (await readNews(tx, locationId, range, now))
      if (!read) return undefined
      if (read.news.length > 0) await appendDays(tx, locationId, head, { news: read.news, now })
      await settle(tx, locationId, taken, { days: read.days, now })
      return read.news.length
    })
    if (news === undefined) return count
    count += news
  }
}

/** Schedules another check of recent business days after a change without a journal entry, such as a retired device. */
export async function lookAtDaysAgain(
  pool: Pool,
  locationId: string,
  { clock, now }: { clock: BusinessClock; now: Date },
): Promise<void> {
  const today = businessTime(clock).dayOf(now.getTime())
  const days = Array.from({ length: idleAfterDays + 1 }, (_, back) => ({ day: addDays(today, -back), seq: 0 }))
  await putDueDays(pool, locationId, days)
}
