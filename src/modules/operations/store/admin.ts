import type { ApiKey } from '../../../core/store/accounts/api-keys.ts'
import { apiKeyColumns } from '../../../core/store/accounts/api-keys.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import type { RejectedRecord } from '../../../core/store/pushes/rejected.ts'
import { passedOver } from '../../../core/store/journal/resumption.ts'
import { webhookColumns, type WebhookRow } from '../../../core/contract/webhooks/rows.ts'

/** Facts about a location besides its row. */
export type LocationFacts = {
  id: string
  createdAt: Date
  /** The last good backup. */
  backupAt: Date | null
  sequence: number
  lastAcceptedAt: Date | null
  lastOrderAt: Date | null
  openOrders: number
  rejected: number
  /** When the first of these records was rejected. */
  firstRejectedAt: Date | null
  enabled: number
  failing: number
  disabled: number
}

const idList = (sql: Sql, ids: readonly string[]) => sql`${[...ids]}::text[]::uuid[]`

/** Lists facts about a page of locations; `rejectedSince` is the time from which rejected records are counted. */
export async function listLocationFacts(
  sql: Sql,
  ids: readonly string[],
  { rejectedSince, breakerThreshold }: { rejectedSince: Date; breakerThreshold: number },
): Promise<LocationFacts[]> {
  return sql<LocationFacts[]>`
    select l.id, l.created_at as "createdAt",
      (select u.succeeded_at from upkeep u where u.location_id = l.id and u.work = 'backup') as "backupAt",
      s.last_seq as sequence, s.last_accepted_at as "lastAcceptedAt",
      (select max(o.created_at) from orders o where o.location_id = l.id) as "lastOrderAt",
      (select count(*) from orders o where o.location_id = l.id and not o.closed) as "openOrders",
      (select count(*) from rejected_records r where r.location_id = l.id and r.received_at >= ${rejectedSince}) as rejected,
      (select min(r.received_at) from rejected_records r where r.location_id = l.id and r.received_at >= ${rejectedSince}) as "firstRejectedAt",
      (select count(*) from webhooks w where w.location_id = l.id and w.state = 'enabled' and w.failures < ${breakerThreshold}) as enabled,
      (select count(*) from webhooks w where w.location_id = l.id and w.state = 'enabled' and w.failures >= ${breakerThreshold}) as failing,
      (select count(*) from webhooks w where w.location_id = l.id and w.state = 'disabled') as disabled
    from locations l join location_seq s on s.location_id = l.id where l.id = any(${idList(sql, ids)})`
}

/**
 * Lists, for each location of a page, when a verification found its journal broken, the last successful verification,
 * and the first entry. Also counts, since a day, the Z reports that differ from their orders, and the business days
 * that changed after they were complete.
 */
export async function listLocationFaults(
  sql: Sql,
  ids: readonly string[],
  since: string,
): Promise<
  {
    id: string
    brokenAt: Date | null
    verifiedAt: Date | null
    firstAt: Date | null
    unbalanced: number
    revised: number
    revisedAt: Date | null
  }[]
> {
  return sql`
    select l.id,
      (select u.at from upkeep u where u.location_id = l.id and u.work = 'verify' and not u.ok) as "brokenAt",
      greatest(
        (select u.succeeded_at from upkeep u where u.location_id = l.id and u.work = 'verify'),
        (select max(v.ended_at) from verifications v where v.location_id = l.id and v.state = 'ok')
      ) as "verifiedAt",
      (select j.accepted_at from journal j where j.location_id = l.id order by j.seq limit 1) as "firstAt",
      (select count(*) from projections p join report_checks c
          on c.location_id = p.location_id and c.generation = p.generation
        where p.location_id = l.id and p.name = 'days' and p.live and c.day >= ${since}
          and c.document like '%"verdict":"unbalanced"%') as unbalanced,
      (select count(distinct j.id) from journal j where j.location_id = l.id and j.kind = 'day'
          and j.accepted_at >= ${since}::date and 'day.revised' = any(j.types)) as revised,
      (select min(j.accepted_at) from journal j where j.location_id = l.id and j.kind = 'day'
          and j.accepted_at >= ${since}::date and 'day.revised' = any(j.types)) as "revisedAt"
    from locations l where l.id = any(${idList(sql, ids)})`
}

/**
 * Lists all webhooks of a page of locations. Each has the number of entries after the last entry it has sent, and the
 * number of events set aside for a retry.
 */
export async function listWebhooksOf(
  sql: Sql,
  ids: readonly string[],
): Promise<(WebhookRow & { behind: number; setAside: number })[]> {
  return sql`
    select ${webhookColumns(sql)},
      greatest(s.last_seq - cursor - ${passedOver(sql, sql`webhooks.location_id`, sql`webhooks.cursor`)}, 0) as behind,
      (select count(*) from webhook_retries r where r.location_id = webhooks.location_id and r.webhook_id = webhooks.id) as "setAside"
    from webhooks join location_seq s on s.location_id = webhooks.location_id
    where webhooks.location_id = any(${idList(sql, ids)}) order by webhooks.location_id, created_at, id`
}

export type KeyFilter = {
  locationId: string | null
  state: 'active' | 'ended' | 'all'
  after: { at: Date; id: string } | null
  now: Date
  limit: number
}

/** Lists keys, newest first. Each node has the whole table, which is read completely. */
export async function listKeysPage(sql: Sql, { locationId, state, after, now, limit }: KeyFilter): Promise<ApiKey[]> {
  const isOver = sql`(revoked_at is not null or coalesce(expires_at <= ${now}, false))`
  const inState = { active: sql`and not ${isOver}`, ended: sql`and ${isOver}`, all: sql`` }[state]
  return sql<ApiKey[]>`
    select ${apiKeyColumns(sql)} from api_keys
    where true ${locationId === null ? sql`` : sql`and location_id = ${locationId}`} ${inState}
      ${after === null ? sql`` : sql`and (created_at, id) < (${after.at}, ${after.id})`}
    order by created_at desc, id desc limit ${limit}`
}

export type RejectedFilter = {
  id: string | null
  code: string | null
  since: Date
  after: { at: Date; id: string } | null
  limit: number
}

/** Lists rejected records of a location, newest first. Index: rejected_records_received; for a single record, the primary key. */
export async function listRejectedPage(
  sql: Sql,
  locationId: string,
  { id, code, since, after, limit }: RejectedFilter,
): Promise<RejectedRecord[]> {
  return sql<RejectedRecord[]>`
    select id, received_at as "receivedAt", key_id as "keyId", line, code, detail, errors, record
    from rejected_records
    where location_id = ${locationId} and received_at >= ${since} ${code === null ? sql`` : sql`and code = ${code}`}
      ${id === null ? sql`` : sql`and id = ${id}`} ${after === null ? sql`` : sql`and (received_at, id) < (${after.at}, ${after.id})`}
    order by received_at desc, id desc limit ${limit}`
}

export type RejectedGroup = {
  locationId: string
  code: string
  /** As written in the JSON text of the faults, including escapes. */
  pointer: string | null
  count: number
  firstAt: Date
  lastAt: Date
  lastId: string
}

/**
 * Counts the rejected records of a page of locations, by code and pointer of the first fault. The text is not parsed:
 * PostgreSQL may not accept it as JSON.
 */
export async function groupRejected(
  sql: Sql,
  ids: readonly string[],
  { since, code }: Pick<RejectedFilter, 'since' | 'code'>,
): Promise<RejectedGroup[]> {
  return sql<RejectedGroup[]>`
    select location_id as "locationId", code, substring(errors from '"pointer":"((?:[^"\\\\]|\\\\.)*)"') as pointer, count(*) as count,
      min(received_at) as "firstAt", max(received_at) as "lastAt",
      (array_agg(id::text order by received_at desc))[1] as "lastId"
    from rejected_records
    where location_id = any(${idList(sql, ids)}) and received_at >= ${since} ${code === null ? sql`` : sql`and code = ${code}`}
    group by 1, 2, 3 order by 4 desc, 1, 2`
}

/** Deletes the rejected records of a location that were received before a moment. Resolves to their number. */
export async function deleteRejected(sql: Sql, locationId: string, before: Date): Promise<number> {
  const gone = await sql`
    delete from rejected_records where location_id = ${locationId} and received_at < ${before} returning 1`
  return gone.length
}

/**
 * Lists size and estimated rows of each table, largest first. On Citus only the part of a table on the coordinator
 * counts.
 */
export async function listTableSizes(sql: Sql): Promise<{ name: string; bytes: number; rows: number }[]> {
  return sql`
    select c.relname as name, pg_total_relation_size(c.oid) as bytes, greatest(c.reltuples, 0)::bigint as rows
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and c.relkind in ('r', 'p') order by 2 desc, 1`
}

export async function listMigrations(sql: Sql): Promise<{ version: number; name: string; appliedAt: Date }[]> {
  return sql`select version, name, applied_at as "appliedAt" from schema_migrations order by version`
}
