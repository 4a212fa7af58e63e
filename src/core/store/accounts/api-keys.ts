import { randomUUID } from 'node:crypto'
import { hashKey, installationId, newKey } from '../../domain/accounts/keys.ts'
import type { Scope } from '../../schemas/scopes.ts'
import type { Sql } from '../db/database.ts'
import { endMadeBy } from './rights.ts'

export type ApiKey = {
  id: string
  hash: string
  /** First characters of the key, to recognize it in a list; never enough to use it. */
  hint: string
  name: string
  locationId: string
  recipientId: string | null
  scopes: Scope[]
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
  lastUsedAt: Date | null
  /**
   * For a key of scope `admin`, the session or key that made it: when its maker ends, the key ends too. Null for other
   * keys, and for keys made at the command line.
   */
  madeBy: string | null
}

/** A key as a request finds it, with the state of its location. */
export type HeldKey = ApiKey & {
  /** Since when the location is deactivated; null if it is active. */
  suspendedAt: Date | null
}

export const apiKeyColumns = (sql: Sql) => sql`
  id, hash, hint, name, location_id as "locationId", recipient_id as "recipientId", scopes,
  created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt",
  made_by as "madeBy"`

export async function insertApiKey(sql: Sql, key: ApiKey): Promise<void> {
  await sql`
    insert into api_keys (id, hash, hint, name, location_id, recipient_id, scopes, created_at, expires_at, made_by)
    values (${key.id}, ${key.hash}, ${key.hint}, ${key.name}, ${key.locationId}, ${key.recipientId}, ${key.scopes},
      ${key.createdAt}, ${key.expiresAt}, ${key.madeBy})`
}

/** What a new key gives access to: the data of one location, or of one recipient's webhooks there, until it expires. */
export type Grant = Pick<ApiKey, 'locationId' | 'recipientId' | 'scopes' | 'expiresAt' | 'name'> &
  Partial<Pick<ApiKey, 'madeBy'>>

/** Makes and stores a key of an existing location. Its text is returned once and never stored. */
export async function createApiKey(
  sql: Sql,
  mode: 'live' | 'test',
  { locationId, recipientId, scopes, expiresAt, name, madeBy = null }: Grant,
  now: Date,
): Promise<{ id: string; key: string }> {
  const key = newKey(mode)
  const id = randomUUID()
  const grant = { locationId, recipientId, scopes, expiresAt, name, madeBy: scopes.includes('admin') ? madeBy : null }
  const times = { createdAt: now, revokedAt: null, lastUsedAt: null }
  await insertApiKey(sql, { id, hash: hashKey(key), hint: key.slice(0, 12), ...grant, ...times })
  return { id, key }
}

/**
 * Finds a key by its SHA-256, with the state of its location. Expired and revoked keys are found too, so that the
 * answer can say so. A key whose location is missing is not found. Two queries: a location is on one node of Citus, and
 * keys are on all.
 */
export async function findApiKey(sql: Sql, hash: string): Promise<HeldKey | undefined> {
  const [key] = await sql<ApiKey[]>`select ${apiKeyColumns(sql)} from api_keys where hash = ${hash}`
  if (key === undefined || key.locationId === installationId) return key && { ...key, suspendedAt: null }
  const [location] = await sql<{ suspendedAt: Date | null }[]>`
    select deactivated_at as "suspendedAt" from locations where id = ${key.locationId}`
  return location && { ...key, ...location }
}

export async function listApiKeys(sql: Sql, locationId?: string): Promise<ApiKey[]> {
  const where = locationId === undefined ? sql`` : sql`where location_id = ${locationId}`
  return sql<ApiKey[]>`select ${apiKeyColumns(sql)} from api_keys ${where} order by created_at, id`
}

export async function findApiKeyById(sql: Sql, id: string): Promise<ApiKey | undefined> {
  const [row] = await sql<ApiKey[]>`select ${apiKeyColumns(sql)} from api_keys where id = ${id}`
  return row
}

/** Ends a key at a moment, unless it ends earlier. */
export async function limitApiKey(sql: Sql, id: string, until: Date): Promise<void> {
  await sql`update api_keys set expires_at = least(expires_at, ${until}) where id = ${id}`
}

/** Revokes a key and ends what it made; a second call keeps the first moment. Undefined if the key does not exist. */
export async function revokeApiKey(sql: Sql, id: string, at: Date): Promise<ApiKey | undefined> {
  const [row] = await sql<ApiKey[]>`
    update api_keys set revoked_at = coalesce(revoked_at, ${at}) where id = ${id} returning ${apiKeyColumns(sql)}`
  if (row) await endMadeBy(sql, [id], at)
  return row
}

/** Saves when keys were last used. Rarely called: on Citus a write to this table touches every node (SQL rule 2). */
export async function touchApiKeys(sql: Sql, used: ReadonlyMap<string, Date>): Promise<void> {
  for (const [id, at] of used) await sql`update api_keys set last_used_at = ${at} where id = ${id}`
}

/** Counts the keys that were used since a moment and expire after `now`, but not after `soon`. */
export async function countEndingKeys(
  sql: Sql,
  { usedSince, now, soon }: { usedSince: Date; now: Date; soon: Date },
): Promise<number> {
  const [row] = await sql<[{ n: number }]>`
    select count(*)::int as n from api_keys
    where revoked_at is null and last_used_at >= ${usedSince} and expires_at > ${now} and expires_at <= ${soon}`
  return row.n
}
