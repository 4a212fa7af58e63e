import { randomUUID } from 'node:crypto'
import { acceptanceTime } from '../../../core/domain/journal/chain.ts'
import type { SourceDifference } from '../schemas/sources.ts'
import { transact, type Pool, type Sql } from '../../../core/store/db/database.ts'
import { upsertRows } from '../../../core/store/db/rows.ts'
import { appendChanges } from '../../../core/store/journal/journal.ts'
import { takeHead } from '../../../core/store/journal/resumption.ts'

/** A business day: the stored figures, and those of its source; amounts in minor units. */
export type ComparedDay = {
  day: string
  here: number
  there: number
  comparedAt: Date
  /** When the day was read again because it differed. */
  rereadAt: Date | null
  toldAt: Date | null
}

type OfSource = { locationId: string; id: string }

/** Lists the days from `from` on, the newest first. */
export async function listComparedDays(sql: Sql, { locationId, id }: OfSource, from: string): Promise<ComparedDay[]> {
  return sql<ComparedDay[]>`
    select day::text as day, here, there, compared_at as "comparedAt", reread_at as "rereadAt", told_at as "toldAt"
    from source_days where location_id = ${locationId} and source_id = ${id} and day >= ${from} order by day desc`
}

const toRows = ({ locationId, id }: OfSource, days: readonly ComparedDay[]) =>
  days.map((one) => ({
    location_id: locationId,
    source_id: id,
    day: one.day,
    here: one.here,
    there: one.there,
    compared_at: one.comparedAt,
    reread_at: one.rereadAt,
    told_at: one.toldAt,
  }))

/** Stores the result of a comparison and writes its differences to the journal, in one transaction. */
export async function keepComparedDays(
  pool: Pool,
  source: OfSource,
  { days, differences, now }: { days: readonly ComparedDay[]; differences: readonly SourceDifference[]; now: Date },
): Promise<void> {
  const { locationId } = source
  await transact(pool, async (tx) => {
    const head = differences.length === 0 ? undefined : await takeHead(tx, locationId, { now })
    await upsertRows(tx, 'source_days', 'location_id, source_id, day', toRows(source, days))
    if (!head) return
    const changes = differences.map((difference) => ({
      kind: 'source',
      id: randomUUID(),
      prevSeq: null,
      types: ['source.differs'],
      document: JSON.stringify(difference),
    }))
    await appendChanges(tx, { locationId, head }, changes, acceptanceTime(head, now))
  })
}

/** Reads the stored orders of a location that were closed in an interval, or opened in it and still open. */
export async function listOrdersOfShop(
  sql: Sql,
  locationId: string,
  { from, until }: { from: Date; until: Date },
): Promise<string[]> {
  const rows = await sql<{ document: string }[]>`
    select document from orders
    where location_id = ${locationId} and closed and closed_at >= ${from} and closed_at < ${until}
    union all
    select document from orders
    where location_id = ${locationId} and not closed and created_at >= ${from} and created_at < ${until}`
  return rows.map(({ document }) => document)
}
