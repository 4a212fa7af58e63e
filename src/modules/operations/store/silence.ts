import { isSilentSince, weekMs, weeksCompared } from '../domain/silence.ts'
import { dayMs } from '../../../core/domain/days/time-units.ts'
import type { Sql } from '../../../core/store/db/database.ts'

/** Lists the first order of a location after each of some moments; moments without a later order are omitted. */
async function listNextOrders(
  sql: Sql,
  locationId: string,
  moments: readonly Date[],
): Promise<{ after: Date; nextAt: Date }[]> {
  return sql`
    select m.at as after, o.created_at as "nextAt"
    from unnest(${moments.map((at) => at.toISOString())}::text[]::timestamptz[]) as m(at)
    cross join lateral (
      select created_at from orders where location_id = ${locationId} and created_at > m.at order by created_at limit 1
    ) o`
}

/**
 * Resolves to whether a location with its last sale at `lastAt` is silent for longer than usual
 * (docs/inside/07-figures.md); undefined if it is too new to know.
 */
export async function isSilent(sql: Sql, id: string, lastAt: Date, nowMs: number): Promise<boolean | undefined> {
  const moments = Array.from({ length: weeksCompared }, (_, weeks) => new Date(lastAt.getTime() - (weeks + 1) * weekMs))
  const found = await listNextOrders(sql, id, moments)
  const pausesMs = found.map(({ after, nextAt }) => nextAt.getTime() - after.getTime())
  return isSilentSince(lastAt.getTime(), pausesMs, nowMs)
}

/** A location that has been silent for longer than usual, since its last order. */
export type Silent = { id: string; since: Date }

/**
 * Lists the active locations that had sales and are silent for longer than usual, or for a day if they are too new to
 * know. It costs some index probes per location: call it every few minutes.
 */
export async function listSilent(sql: Sql, now: Date): Promise<Silent[]> {
  const rows = await sql<{ id: string; lastAt: Date | null }[]>`
    select l.id, (select max(o.created_at) from orders o where o.location_id = l.id) as "lastAt"
    from locations l where l.deactivated_at is null order by l.id`
  const silent: Silent[] = []
  for (const { id, lastAt } of rows) {
    if (lastAt === null) continue
    const byRhythm = await isSilent(sql, id, lastAt, now.getTime())
    if (byRhythm ?? now.getTime() - lastAt.getTime() > dayMs) silent.push({ id, since: lastAt })
  }
  return silent
}
