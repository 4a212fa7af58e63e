import { randomUUID } from 'node:crypto'
import { hashKey, newToken } from '../../../core/domain/accounts/keys.ts'
import { sessionTimes, type Role, type SessionKind, type SessionScope } from '../schemas/console.ts'
import type { ApiKey } from '../../../core/store/accounts/api-keys.ts'
import type { HeldSession } from '../../../core/http/server-types.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { endMadeBy } from '../../../core/store/accounts/rights.ts'

/** A link into the console, or the session it became. */
export type ConsoleSessionRow = {
  id: string
  kind: SessionKind
  name: string
  role: Role | null
  scopes: SessionScope[]
  /** Locations of the session; null for all. */
  locationIds: string[] | null
  recipientId: string | null
  /** Id of the key that made it; the session ends when the key ends. Null if no key made it. */
  keyId: string | null
  /** Id of a key, session or passkey, or `cli`. */
  madeBy: string
  returnUrl: string | null
  userAgent: string | null
  /** The network address that opened it; null for an unused link, and if unknown. */
  address: string | null
  createdAt: Date
  redeemedAt: Date | null
  lastSeenAt: Date | null
  /** End of the code, or of the session. */
  endsAt: Date
  lastsS: number
  /** Seconds without use after which the session ends; null for no limit. */
  idleS: number | null
  /** Seconds after the use of the link in which the person may sign in again; 0 for never. */
  renewS: number
  /**
   * Until this time the session may be renewed, and its passkeys may open sessions; null for an unused link, and if a
   * return is not allowed.
   */
  renewUntil: Date | null
  /** Id of the link that opened the session; null if a key opened it. */
  grantId: string | null
  endedAt: Date | null
}

/** The secrets of a session, and the browser and address that open it. */
export type Opening = Pick<ConsoleSessionRow, 'userAgent' | 'address'> & { token: string; pageSecret: string }

/** A session, and the state of its key. */
type KeptSession = ConsoleSessionRow & {
  hash: string
  /** SHA-256 of the secret that its page keeps. */
  pageHash: string
  /** False if its key is deleted or revoked. */
  isKeyGood: boolean
  keyExpiresAt: Date | null
}

declare module '../../../core/http/server-types.ts' {
  interface HeldSession extends KeptSession {}
}

const columns = (sql: Sql) => sql`
  s.id, s.kind, s.name, s.role, s.scopes, s.location_ids as "locationIds", s.recipient_id as "recipientId",
  s.key_id as "keyId", s.made_by as "madeBy", s.return_url as "returnUrl", s.user_agent as "userAgent",
  s.address, s.created_at as "createdAt", s.redeemed_at as "redeemedAt", s.last_seen_at as "lastSeenAt", s.ends_at as "endsAt",
  s.lasts_s as "lastsS", s.idle_s as "idleS", s.renew_s as "renewS", s.renew_until as "renewUntil", s.grant_id as "grantId",
  s.ended_at as "endedAt"`

/** Stores a link, which has a `codeHash`, or a session opened with a key, which has a `hash`. */
export async function insertConsoleSession(
  sql: Sql,
  row: ConsoleSessionRow & { hash: string | null; pageHash: string | null; codeHash: string | null },
): Promise<void> {
  await sql`
    insert into console_sessions (id, hash, page_hash, code_hash, kind, name, role, scopes, location_ids, recipient_id, key_id,
      made_by, return_url, user_agent, address, created_at, redeemed_at, last_seen_at, ends_at, lasts_s, idle_s, renew_s,
      renew_until, grant_id)
    values (${row.id}, ${row.hash}, ${row.pageHash}, ${row.codeHash}, ${row.kind}, ${row.name}, ${row.role}, ${row.scopes},
      ${row.locationIds}::text[]::uuid[], ${row.recipientId}, ${row.keyId}, ${row.madeBy}, ${row.returnUrl}, ${row.userAgent},
      ${row.address}, ${row.createdAt}, ${row.redeemedAt}, ${row.lastSeenAt}, ${row.endsAt}, ${row.lastsS}, ${row.idleS}, ${row.renewS},
      ${row.renewUntil}, ${row.grantId})`
}

/** The rights, holder and lifetime of a link. */
export type LinkGrant = Pick<
  ConsoleSessionRow,
  'kind' | 'name' | 'role' | 'scopes' | 'locationIds' | 'recipientId' | 'keyId' | 'madeBy' | 'returnUrl'
> & { codeS: number; lastsS: number; idleS: number | null; renewS: number }

const unused = { userAgent: null, address: null, redeemedAt: null, lastSeenAt: null, renewUntil: null, endedAt: null }

/** Makes and stores a link. Its code is returned once and not stored. */
export async function createConsoleLink(
  sql: Sql,
  { codeS, ...grant }: LinkGrant,
  now: Date,
): Promise<{ id: string; code: string; expiresAt: Date }> {
  const [id, code] = [randomUUID(), newToken('tgc_')]
  const expiresAt = new Date(now.getTime() + codeS * 1_000)
  const row = {
    id,
    ...grant,
    ...unused,
    createdAt: now,
    endsAt: expiresAt,
    grantId: id,
    hash: null,
    pageHash: null,
    codeHash: hashKey(code),
  }
  await insertConsoleSession(sql, row)
  return { id, code, expiresAt }
}

/** Makes a session of a usable key, with some of its scopes; the session ends when the key ends. */
export async function createKeySession(
  sql: Sql,
  { id: keyId, name, hint, locationId, recipientId }: ApiKey,
  scopes: SessionScope[],
  { token, pageSecret, userAgent, address, now }: Opening & { now: Date },
): Promise<void> {
  const { lastsS, idleS } = sessionTimes.key
  const right = { scopes, locationIds: [locationId], recipientId, keyId, madeBy: keyId, role: null, returnUrl: null }
  const endsAt = new Date(now.getTime() + lastsS * 1_000)
  const times = { createdAt: now, redeemedAt: now, lastSeenAt: now, endsAt, endedAt: null, lastsS, idleS }
  const renewal = { renewS: 0, renewUntil: null, grantId: null }
  const by = { userAgent, address }
  const row = { id: randomUUID(), kind: 'key' as const, name: name || hint, ...right, ...times, ...renewal, ...by }
  await insertConsoleSession(sql, { ...row, hash: hashKey(token), pageHash: hashKey(pageSecret), codeHash: null })
}

/** Moves the end of a live session; false if it has already ended, or may not be renewed for that long. */
export async function renewSession(sql: Sql, id: string, endsAt: Date, now: Date): Promise<boolean> {
  const rows = await sql`
    update console_sessions set ends_at = ${endsAt}
    where id = ${id} and ended_at is null and ends_at > ${now} and renew_until >= ${endsAt} returning 1`
  return rows.length === 1
}

/**
 * Redeems a link for a session, once: only one of two simultaneous attempts succeeds. False if the code is wrong, used,
 * expired or ended. The end is computed without a time zone (SQL rule 10).
 */
export async function redeemCode(
  sql: Sql,
  codeHash: string,
  { token, pageSecret, userAgent, address, now }: Opening & { now: Date },
): Promise<boolean> {
  const rows = await sql`
    update console_sessions s set hash = ${hashKey(token)}, page_hash = ${hashKey(pageSecret)}, redeemed_at = ${now}, last_seen_at = ${now},
      user_agent = ${userAgent}, address = ${address},
      ends_at = (${now}::timestamptz at time zone 'UTC' + s.lasts_s * interval '1 second') at time zone 'UTC',
      renew_until = case when s.renew_s > 0 then (${now}::timestamptz at time zone 'UTC' + s.renew_s * interval '1 second') at time zone 'UTC' end
    where s.code_hash = ${codeHash} and s.redeemed_at is null and s.ended_at is null and s.ends_at > ${now}
    returning 1`
  return rows.length === 1
}

/** Finds a session by the SHA-256 of its cookie, even if it has ended, so that the answer can say that it has ended. */
export async function findConsoleSession(sql: Sql, hash: string): Promise<HeldSession | undefined> {
  const [row] = await sql<HeldSession[]>`
    select ${columns(sql)}, s.hash, s.page_hash as "pageHash", k.expires_at as "keyExpiresAt",
      (s.key_id is null or (k.id is not null and k.revoked_at is null)) as "isKeyGood"
    from console_sessions s left join api_keys k on k.id = s.key_id where s.hash = ${hash}`
  return row
}

export type SessionFilter = {
  /** Sessions of this key, sessions that this key or session made, and the session itself; null means all. */
  of: string | null
  state: 'live' | 'ended' | 'all'
  /** The position to continue from. */
  after: { at: Date; id: string } | null
  now: Date
  limit: number
}

const whose = (sql: Sql, of: string | null) =>
  of === null ? sql`` : sql`and (s.key_id = ${of} or s.made_by = ${of}::text or s.id = ${of})`

/** Lists links and sessions, newest first. The table is small, because rows are deleted some weeks after their end. */
export async function listConsoleSessions(
  sql: Sql,
  { of, state, after, now, limit }: SessionFilter,
): Promise<ConsoleSessionRow[]> {
  const isOver = sql`(s.ended_at is not null or s.ends_at <= ${now})`
  const inState = { live: sql`and not ${isOver}`, ended: sql`and ${isOver}`, all: sql`` }[state]
  return sql<ConsoleSessionRow[]>`
    select ${columns(sql)} from console_sessions s
    where true ${whose(sql, of)} ${inState} ${after === null ? sql`` : sql`and (s.created_at, s.id) < (${after.at}, ${after.id})`}
    order by s.created_at desc, s.id desc limit ${limit}`
}

/**
 * Ends a session and what it created (`endMadeBy`). Undefined if the session does not belong to `of`; if `of` is null,
 * any session can be ended. A session that has already ended keeps the time of its end.
 */
export async function endConsoleSession(
  sql: Sql,
  id: string,
  of: string | null,
  at: Date,
): Promise<ConsoleSessionRow | undefined> {
  const [row] = await sql<ConsoleSessionRow[]>`
    update console_sessions s set ended_at = coalesce(s.ended_at, ${at}) where s.id = ${id} ${whose(sql, of)}
    returning ${columns(sql)}`
  if (row) await endMadeBy(sql, [id], at)
  return row
}

/**
 * Ends a session that its user leaves. Sessions and links that it made end too, but its passkeys stay: they are the way
 * to return.
 */
export async function leaveConsoleSession(sql: Sql, id: string, at: Date): Promise<void> {
  await sql`update console_sessions set ended_at = coalesce(ended_at, ${at}) where id = ${id}`
  await endMadeBy(sql, [id], at, id)
}

/** Stores the last use of sessions. It is written only periodically, like the last use of keys. */
export async function touchConsoleSessions(sql: Sql, seen: ReadonlyMap<string, Date>): Promise<void> {
  for (const [id, at] of seen) await sql`update console_sessions set last_seen_at = ${at} where id = ${id}`
}

/** Deletes sessions that ended before a moment. */
export async function pruneConsoleSessions(sql: Sql, before: Date): Promise<void> {
  await sql`delete from console_sessions where least(ended_at, ends_at) < ${before}`
}
