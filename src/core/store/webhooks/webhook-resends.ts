import type { EventType } from '../../schemas/events.ts'
import { transact, type Pool, type Sql } from '../db/database.ts'
import { assertNotArchived } from '../journal/asides.ts'
import { holdHead } from '../journal/journal.ts'
import { upsertRetries, type Retry } from './webhook-retries.ts'

/** Identifies events of a journal, as retries do. */
export type NamedEvent = Pick<Retry, 'seq' | 'type' | 'kind' | 'resourceId'>

/** Selects the events of these types in a stretch of the journal, from one number to another, inclusive. */
export type Stretch = { from: number; to: number; types: readonly EventType[] }

type EntryRow = { seq: number; kind: string; id: string; types: EventType[] }

const named = (rows: readonly EntryRow[], wanted: ReadonlySet<string>): NamedEvent[] =>
  rows.flatMap(({ seq, kind, id, types }) =>
    types.filter((type) => wanted.has(type)).map((type) => ({ seq, type, kind, resourceId: id })),
  )

/** Lists the events of a stretch, reading `scanned` entries; `isComplete` means that these were all. */
export async function listEventsBetween(
  sql: Sql,
  locationId: string,
  { from, to, types }: Stretch,
  scanned: number,
): Promise<{ events: NamedEvent[]; isComplete: boolean }> {
  const rows = await sql<EntryRow[]>`
    select seq, kind, id, types from journal
    where location_id = ${locationId} and seq >= ${from} and seq <= ${to} order by seq limit ${scanned + 1}`
  return { events: named(rows.slice(0, scanned), new Set(types)), isComplete: rows.length <= scanned }
}

/** Lists at most `limit` events of a stretch whose attempts all failed. A log has at most 15,000 attempts. */
export async function listFailedEvents(
  sql: Sql,
  { locationId, id }: { locationId: string; id: string },
  { from, to, types }: Stretch,
  limit: number,
): Promise<NamedEvent[]> {
  const failed = await sql<{ seq: number; type: EventType }[]>`
    select seq, type from webhook_attempts
    where location_id = ${locationId} and webhook_id = ${id} and seq >= ${from} and seq <= ${to}
    group by seq, type having not bool_or(ok) order by seq limit ${limit}`
  const seqs = [...new Set(failed.map(({ seq }) => String(seq)))]
  const rows = await sql<EntryRow[]>`
    select seq, kind, id, types from journal
    where location_id = ${locationId} and seq = any(${seqs}::text[]::bigint[]) order by seq`
  const wanted = new Set(types as readonly string[])
  const isFailed = new Set(failed.map(({ seq, type }) => `${seq} ${type}`))
  return named(rows, wanted).filter(({ seq, type }) => isFailed.has(`${seq} ${type}`))
}

/**
 * Stores events as retries to be sent at once, each before later events of its resource. Events after the cursor are
 * skipped, since they will be sent anyway. Ends the lease, so that the next session reads the retries.
 */
export async function resendEvents(
  pool: Pool,
  { locationId, id }: { locationId: string; id: string },
  events: readonly (NamedEvent & { attempts: number })[],
  at: Date,
): Promise<void> {
  await transact(pool, async (tx) => {
    await holdHead(tx, locationId)
    await assertNotArchived(tx, locationId, Math.min(...events.map(({ seq }) => seq)))
    const [row] = await tx<{ cursor: number }[]>`
      update webhooks set retry_at = ${at}, replayed_to = greatest(replayed_to, cursor), lease_token = null, lease_until = null
      where location_id = ${locationId} and id = ${id} returning cursor`
    const setAside = events.filter(({ seq }) => seq <= (row?.cursor ?? 0)).map((event) => ({ ...event, nextAt: null }))
    if (setAside.length > 0) await upsertRetries(tx, locationId, [{ webhookId: id, setAside }])
  })
}
