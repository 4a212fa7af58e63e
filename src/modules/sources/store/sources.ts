import type { Sql } from '../../../core/store/db/database.ts'

export type SourceState = 'active' | 'paused' | 'stopped'

export type SourceRow = {
  locationId: string
  id: string
  adapter: string
  account: string
  /** A reference to the secret, never the secret. */
  secret: string
  bellSecret: string | null
  baseUrl: string | null
  profile: Record<string, unknown>
  everySeconds: number
  state: SourceState
  createdAt: Date
  readsFrom: Date
  storedFrom: Date | null
  cursor: string | null
  rereadAt: Date | null
  comparedAt: Date | null
  dueAt: Date | null
  beganAt: Date | null
  succeededAt: Date | null
  failures: number
  failingSince: Date | null
  lastError: string | null
  accepted: number
}

type Stored = Omit<SourceRow, 'profile'> & { profile: string }

export const sourceColumns = (sql: Sql) => sql`
  location_id as "locationId", id, adapter, account, secret, bell_secret as "bellSecret", base_url as "baseUrl", profile,
  every_seconds as "everySeconds", state, created_at as "createdAt", reads_from as "readsFrom", stored_from as "storedFrom",
  cursor, reread_at as "rereadAt", compared_at as "comparedAt", due_at as "dueAt", began_at as "beganAt",
  succeeded_at as "succeededAt", failures, failing_since as "failingSince", last_error as "lastError", accepted`

export const toSource = (row: Stored): SourceRow => ({
  ...row,
  profile: JSON.parse(row.profile) as Record<string, unknown>,
})

export type NewSource = Pick<
  SourceRow,
  | 'locationId'
  | 'id'
  | 'adapter'
  | 'account'
  | 'secret'
  | 'bellSecret'
  | 'baseUrl'
  | 'profile'
  | 'everySeconds'
  | 'createdAt'
  | 'readsFrom'
>

/** Creates a paused source: nothing is stored before a person resumes it. */
export async function insertSource(sql: Sql, source: NewSource): Promise<void> {
  const { locationId, id, adapter, account, secret, bellSecret, baseUrl, profile, everySeconds } = source
  await sql`
    insert into sources (location_id, id, adapter, account, secret, bell_secret, base_url, profile, every_seconds, state,
      created_at, reads_from, failures, accepted)
    values (${locationId}, ${id}, ${adapter}, ${account}, ${secret}, ${bellSecret}, ${baseUrl},
      ${JSON.stringify(profile)}, ${everySeconds}, 'paused', ${source.createdAt}, ${source.readsFrom}, 0, 0)`
}

/** Finds a source by its id alone: on Citus it queries every shard. Index: sources_id. */
export async function findSourceAnywhere(sql: Sql, id: string): Promise<SourceRow | undefined> {
  const [row] = await sql<Stored[]>`select ${sourceColumns(sql)} from sources where id = ${id}`
  return row && toSource(row)
}

/** Lists the sources of a location, oldest first. */
export async function listSources(sql: Sql, locationId: string): Promise<SourceRow[]> {
  const rows = await sql<Stored[]>`
    select ${sourceColumns(sql)} from sources where location_id = ${locationId} order by created_at, id`
  return rows.map(toSource)
}

/** Lists the sources of the installation. On Citus it queries every shard. */
export async function listAllSources(sql: Sql, limit = 100_000): Promise<SourceRow[]> {
  const rows = await sql<Stored[]>`select ${sourceColumns(sql)} from sources order by created_at, id limit ${limit}`
  return rows.map(toSource)
}

/** Deletes a source with its notices and days; its stored records stay. */
export async function deleteSource(sql: Sql, locationId: string, id: string): Promise<void> {
  await sql`delete from sources where location_id = ${locationId} and id = ${id}`
}

/** Stops reading until `resumeSource`; a run in progress can store nothing more. */
export async function pauseSource(sql: Sql, locationId: string, id: string): Promise<void> {
  await sql`
    update sources set state = 'paused', due_at = null, lease_token = null, lease_until = null
    where location_id = ${locationId} and id = ${id}`
}

/**
 * Pauses the active sources of a location in the caller's transaction: a backup names secrets and URLs, and this
 * machine decides which of them it uses. Resolves to their number.
 */
export async function pauseSources(sql: Sql, locationId: string): Promise<number> {
  const paused = await sql`
    update sources set state = 'paused', due_at = null, lease_token = null, lease_until = null
    where location_id = ${locationId} and state = 'active' returning 1`
  return paused.length
}

/**
 * Activates a source, which continues immediately from its cursor. The first activation sets the time from which its
 * sales cause events.
 */
export async function resumeSource(sql: Sql, locationId: string, id: string, now: Date): Promise<void> {
  await sql`
    update sources set state = 'active', due_at = ${now}, stored_from = coalesce(stored_from, ${now}), failures = 0,
      failing_since = null, last_error = null
    where location_id = ${locationId} and id = ${id}`
}

/** Makes an active source due now. Resolves to whether it is active. */
export async function hastenSource(sql: Sql, locationId: string, id: string, now: Date): Promise<boolean> {
  const rows = await sql`
    update sources set due_at = ${now}
    where location_id = ${locationId} and id = ${id} and state = 'active' returning 1`
  return rows.length === 1
}

export type SourceStates = { all: number; failing: number; stopped: number; differingDays: number }

/**
 * Sums up the sources of the installation, and their differing days from `from` on. On Citus it queries every shard.
 */
export async function summariseSources(sql: Sql, from: string): Promise<SourceStates> {
  const [[states], [days]] = await Promise.all([
    sql<Omit<SourceStates, 'differingDays'>[]>`
      select count(*)::int as all, (count(*) filter (where state = 'active' and failures > 0))::int as failing,
        (count(*) filter (where state = 'stopped'))::int as stopped from sources`,
    sql<{ n: number }[]>`select count(*)::int as n from source_days where here <> there and day >= ${from}`,
  ])
  const { all = 0, failing = 0, stopped = 0 } = states ?? {}
  return { all, failing, stopped, differingDays: days?.n ?? 0 }
}
