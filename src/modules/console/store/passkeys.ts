import { randomUUID } from 'node:crypto'
import { hashKey } from '../../../core/domain/accounts/keys.ts'
import type { Role, SessionScope } from '../schemas/console.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { insertConsoleSession, type ConsoleSessionRow, type Opening } from './console-sessions.ts'
import { endMadeBy } from '../../../core/store/accounts/rights.ts'

/** A passkey: its authenticator's data, and the rights of the sessions that it opens. */
export type PasskeyRow = {
  id: string
  /** The id of the credential at the authenticator, in base64url. */
  credentialId: string
  transports: string[]
  /** Whether it is synchronized to other devices of the person. */
  isSynced: boolean
  origin: string
  label: string
  /** Id of the link of the passkey. */
  grantId: string
  lineage: string[]
  name: string
  role: Role | null
  scopes: SessionScope[]
  locationIds: string[]
  recipientId: string | null
  keyId: string | null
  returnUrl: string | null
  lastsS: number
  idleS: number | null
  createdAt: Date
  lastUsedAt: Date | null
  endsAt: Date
  endedAt: Date | null
}

/** A passkey with the data that its check needs: the public key, and whether its API key is valid. */
export type HeldPasskey = PasskeyRow & {
  /** COSE, in base64url. */
  publicKey: string
  /** False if its key is deleted, revoked or expired. */
  isKeyGood: boolean
}

const columns = (sql: Sql) => sql`
  p.id, p.credential_id as "credentialId", p.transports, p.is_synced as "isSynced", p.origin, p.label,
  p.grant_id as "grantId", p.lineage, p.name, p.role, p.scopes, p.location_ids as "locationIds",
  p.recipient_id as "recipientId", p.key_id as "keyId", p.return_url as "returnUrl", p.lasts_s as "lastsS", p.idle_s as "idleS",
  p.created_at as "createdAt", p.last_used_at as "lastUsedAt", p.ends_at as "endsAt", p.ended_at as "endedAt"`

/** The data of a new passkey, as its authenticator made it. */
export type NewPasskey = Pick<
  HeldPasskey,
  'credentialId' | 'publicKey' | 'transports' | 'isSynced' | 'origin' | 'label'
> & { counter: number }

/**
 * Stores a passkey with the rights of a renewable session. Resolves to its id; undefined if its credential is already
 * known.
 */
export async function createPasskey(
  sql: Sql,
  session: ConsoleSessionRow & { renewUntil: Date; grantId: string },
  made: NewPasskey & { lineage: readonly string[] },
  at: Date,
): Promise<string | undefined> {
  const { name, role, scopes, locationIds, recipientId, keyId, returnUrl, lastsS, idleS, renewUntil, grantId } = session
  const rows = await sql<{ id: string }[]>`
    insert into console_passkeys (id, credential_id, public_key, counter, transports, is_synced, origin, label, grant_id, lineage,
      name, role, scopes, location_ids, recipient_id, key_id, return_url, lasts_s, idle_s, created_at, ends_at)
    values (${randomUUID()}, ${made.credentialId}, ${made.publicKey}, ${made.counter}, ${made.transports}, ${made.isSynced},
      ${made.origin}, ${made.label}, ${grantId}, ${[...made.lineage]}, ${name}, ${role}, ${scopes},
      ${locationIds}::text[]::uuid[], ${recipientId}, ${keyId}, ${returnUrl}, ${lastsS}, ${idleS}, ${at}, ${renewUntil})
    on conflict (credential_id) do nothing returning id`
  return rows[0]?.id
}

/**
 * Returns the ids from which passkeys made by a session descend: the session, and if a passkey opened the session, also
 * that passkey and the ids from which it descends.
 */
export async function lineageOf(sql: Sql, { id, madeBy }: Pick<ConsoleSessionRow, 'id' | 'madeBy'>): Promise<string[]> {
  const [opener] = await sql<{ id: string; lineage: string[] }[]>`
    select id, lineage from console_passkeys where id::text = ${madeBy}`
  return [...(opener ? [...opener.lineage, opener.id] : []), id]
}

/** Finds a passkey by its credential, even if it has ended. */
export async function findPasskey(sql: Sql, credentialId: string, now: Date): Promise<HeldPasskey | undefined> {
  const [row] = await sql<HeldPasskey[]>`
    select ${columns(sql)}, p.public_key as "publicKey", (p.key_id is null or
      (k.id is not null and k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now}))) as "isKeyGood"
    from console_passkeys p left join api_keys k on k.id = p.key_id where p.credential_id = ${credentialId}`
  return row
}

/**
 * Records a use of a passkey. False if it has ended, or if its counter did not rise: then a copy exists. An
 * authenticator without a counter sends 0 each time.
 */
export async function usePasskey(
  sql: Sql,
  id: string,
  { counter, at }: { counter: number; at: Date },
): Promise<boolean> {
  const rows = await sql`
    update console_passkeys set counter = ${counter}, last_used_at = ${at}
    where id = ${id} and ended_at is null and ends_at > ${at} and (counter < ${counter} or (counter = 0 and ${counter}::bigint = 0))
    returning 1`
  return rows.length === 1
}

/** Makes a session with the rights of a usable passkey; the session ends with the passkey. */
export async function createPasskeySession(
  sql: Sql,
  passkey: PasskeyRow,
  { token, pageSecret, userAgent, address, now }: Opening & { now: Date },
): Promise<string> {
  const { id: madeBy, name, role, scopes, locationIds, recipientId, keyId, returnUrl, grantId, lastsS, idleS } = passkey
  const right = { scopes, locationIds, recipientId, keyId, madeBy, role, returnUrl, grantId }
  const endsAt = new Date(Math.min(now.getTime() + lastsS * 1_000, passkey.endsAt.getTime()))
  const times = { createdAt: now, redeemedAt: now, lastSeenAt: now, endsAt, endedAt: null, lastsS, idleS }
  const renewal = { renewS: 0, renewUntil: passkey.endsAt }
  const row = { id: randomUUID(), kind: 'link' as const, name, ...right, ...times, ...renewal, userAgent, address }
  await insertConsoleSession(sql, { ...row, hash: hashKey(token), pageHash: hashKey(pageSecret), codeHash: null })
  return row.id
}

/** The owner of the listed passkeys: a link, or the key with which they end; null for all. */
export type PasskeyOwner = { grantId: string } | { keyId: string } | null

const within = (sql: Sql, owner: PasskeyOwner) => {
  if (owner === null) return sql``
  return 'grantId' in owner ? sql`and p.grant_id = ${owner.grantId}` : sql`and p.key_id = ${owner.keyId}`
}

export type PasskeyFilter = {
  owner: PasskeyOwner
  /** Only passkeys whose link has this name. */
  name?: string | undefined
  /** The position to continue from. */
  after: { at: Date; id: string } | null
  now: Date
  /** Null for all. */
  limit: number | null
}

/** Lists passkeys that have not ended, newest first. The table is small. */
export async function listPasskeys(sql: Sql, { owner, name, after, now, limit }: PasskeyFilter): Promise<PasskeyRow[]> {
  return sql<PasskeyRow[]>`
    select ${columns(sql)} from console_passkeys p
    where p.ended_at is null and p.ends_at > ${now} ${within(sql, owner)} ${name === undefined ? sql`` : sql`and p.name = ${name}`}
      ${after === null ? sql`` : sql`and (p.created_at, p.id) < (${after.at}, ${after.id})`}
    order by p.created_at desc, p.id desc limit ${limit}`
}

/** Ends a passkey and its sessions; undefined if the caller may not see it. Ending it twice keeps the first time. */
export async function endPasskey(sql: Sql, id: string, owner: PasskeyOwner, at: Date): Promise<PasskeyRow | undefined> {
  const [row] = await sql<PasskeyRow[]>`
    update console_passkeys p set ended_at = coalesce(p.ended_at, ${at}) where p.id = ${id} ${within(sql, owner)}
    returning ${columns(sql)}`
  if (row) await endMadeBy(sql, [id], at)
  return row
}

/** Deletes passkeys that ended before a moment, and expired challenges. */
export async function prunePasskeys(sql: Sql, before: Date, now: Date): Promise<void> {
  await sql`delete from console_passkeys where least(ended_at, ends_at) < ${before}`
  await sql`delete from console_challenges where ends_at < ${now}`
}

/** What an authenticator was asked to sign: for which session, and for pages of which origin. */
export type Challenge = { hash: string; sessionId: string | null; origin: string; endsAt: Date }

/**
 * Stores a challenge. If too many challenges are open, the oldest ones without a session are deleted, so that a flood
 * of requests does not keep others from signing in.
 */
export async function keepChallenge(
  sql: Sql,
  { hash, sessionId, origin, endsAt }: Challenge,
  atMost: number,
): Promise<void> {
  const [{ waiting } = { waiting: 0 }] = await sql<{ waiting: number }[]>`
    select count(*)::int as waiting from console_challenges`
  if (waiting >= atMost)
    await sql`
      delete from console_challenges where hash in (
        select hash from console_challenges where session_id is null order by ends_at desc offset ${atMost - 1})`
  await sql`
    insert into console_challenges (hash, session_id, origin, ends_at) values (${hash}, ${sessionId}, ${origin}, ${endsAt})`
}

/** Consumes a challenge, so that it is valid once; false if there is no such challenge for this session and origin. */
export async function takeChallenge(
  sql: Sql,
  { hash, sessionId, origin }: Omit<Challenge, 'endsAt'>,
  now: Date,
): Promise<boolean> {
  const rows = await sql<{ sessionId: string | null; origin: string; endsAt: Date }[]>`
    delete from console_challenges where hash = ${hash} returning session_id as "sessionId", origin, ends_at as "endsAt"`
  return rows.some((row) => row.sessionId === sessionId && row.origin === origin && row.endsAt > now)
}
