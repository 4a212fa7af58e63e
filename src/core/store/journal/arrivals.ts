import type { Sql } from '../db/database.ts'

/** How a version arrived: its stated last change, and when the journal accepted it. In ISO 8601, UTC, with milliseconds. */
export type Arrival = { updatedAt: string; acceptedAt: string }

/** Maximum versions of one resource that are read. */
const versionsAtMost = 200

const columns = `seq, prev_seq, accepted_at, substring(document from '"updatedAt":"([^"]+)"') as updated_at`

const text = `
  with recursive versions as (
    select seq as latest, 1 as n, ${columns} from journal where location_id = $1 and seq = any($2::bigint[])
    union all
    select v.latest, v.n + 1, p.* from versions v
    cross join lateral (select ${columns} from journal where location_id = $1 and seq = v.prev_seq limit 1) p
    where v.n < ${versionsAtMost}
  )
  select latest, accepted_at as "acceptedAt", updated_at as "updatedAt" from versions where updated_at is not null
  order by latest, seq`

/**
 * Lists, for each of these latest versions, how all versions of its resource arrived, oldest first; the key is the
 * latest version's number. Archived documents are left out. Follows `prev_seq` by the primary key.
 */
export async function listArrivals(
  sql: Sql,
  locationId: string,
  seqs: readonly number[],
): Promise<Map<number, Arrival[]>> {
  if (seqs.length === 0) return new Map()
  type Row = { latest: number; acceptedAt: Date; updatedAt: string }
  const rows = await sql.unsafe<Row[]>(text, [locationId, [...seqs]], { prepare: true })
  const byLatest = Map.groupBy(rows, ({ latest }) => latest)
  return new Map(
    [...byLatest].map(([latest, of]) => [
      latest,
      of.map(({ updatedAt, acceptedAt }) => ({ updatedAt, acceptedAt: acceptedAt.toISOString() })),
    ]),
  )
}
