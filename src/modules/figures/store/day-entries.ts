import { acceptanceTime } from '../../../core/domain/journal/chain.ts'
import { entryId } from '../../../core/domain/journal/entry-ids.ts'
import type { BusinessDay } from '../schemas/business-days.ts'
import type { Transaction } from '../../../core/store/db/database.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { appendChanges } from '../../../core/store/journal/journal.ts'
import type { TakenHead } from '../../../core/store/journal/resumption.ts'

/** A journal entry about a day, and its time. */
export type ToldDay = { seq: number; at: Date; day: BusinessDay }

/** Lists all journal entries about these days, by date, in journal order. Index: journal_days. */
export async function listAnnouncedDays(
  sql: Sql,
  locationId: string,
  dates: readonly string[],
): Promise<Map<string, ToldDay[]>> {
  if (dates.length === 0) return new Map()
  const rows = await sql<{ seq: number; at: Date; document: string }[]>`
    select seq, accepted_at as at, document from journal
    where location_id = ${locationId} and kind = 'day'
      and id = any(${dates.map((date) => entryId(locationId, date))}::uuid[]) order by seq`
  const entries = rows.map(({ seq, at, document }) => ({ seq, at, day: JSON.parse(document) as BusinessDay }))
  return Map.groupBy(entries, ({ day }) => day.date)
}

export type AnnouncedDay = { seq: number; day: BusinessDay }

/** Finds the last journal entry about each of these days, by date. */
export async function findAnnouncedDays(
  sql: Sql,
  locationId: string,
  dates: readonly string[],
): Promise<Map<string, AnnouncedDay>> {
  if (dates.length === 0) return new Map()
  const rows = await sql<{ seq: number; document: string }[]>`
    select seq, document from journal
    where location_id = ${locationId} and kind = 'day'
      and id = any(${dates.map((date) => entryId(locationId, date))}::uuid[]) order by seq`
  return new Map(
    rows.map(({ seq, document }) => {
      const day = JSON.parse(document) as BusinessDay
      return [day.date, { seq, day }]
    }),
  )
}

/** `isPast` means that a first entry causes no event. */
export type DayNews = { day: BusinessDay; before: AnnouncedDay | undefined; isPast: boolean }

/**
 * Appends entries about days. The first entry of a day has the event `day.completed`, or none if the day is long past;
 * later entries have `day.revised`. The caller holds the head's lock.
 */
export async function appendDays(
  tx: Transaction,
  locationId: string,
  head: TakenHead,
  { news, now }: { news: readonly DayNews[]; now: Date },
): Promise<void> {
  const changes = news.map(({ day, before, isPast }) => ({
    kind: 'day',
    id: entryId(locationId, day.date),
    prevSeq: before?.seq ?? null,
    types: before ? ['day.revised'] : isPast ? [] : ['day.completed'],
    document: JSON.stringify(day),
  }))
  await appendChanges(tx, { locationId, head }, changes, acceptanceTime(head, now))
}
