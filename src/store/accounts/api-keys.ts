import { randomUUID } from 'node:crypto'
import { hashKey, newKey } from '../../domain/accounts/keys.ts'
import type { Scope } from '../../schemas/scopes.ts'
import type { Sql } from '../db/database.ts'

export type ApiKey = {
  id: string
  hash: string
  /** First characters of the key, to recognise it in a list; never enough to use it. */
  hint: string
  name: string
  locationId: string
  recipientId: string | null
  scopes: Scope[]
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
  lastUsedAt: Date | null
  /** Since when the location is not active. */
  suspendedAt: Date | null
}

export const apiKeyColumns = (sql: Sql) => sql`
  id, hash, hint, name, location_id as "locationId", recipient_id as "recipientId", scopes,
  created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt",
  suspended_at as "suspendedAt"`

export async function insertApiKey(sql: Sql, key: Omit<ApiKey, 'suspendedAt'>): Promise<void> {
  await sql`
    insert into api_keys (id, hash, hint, name, location_id, recipient_id, scopes, created_at, expires_at)
    values (${key.id}, ${key.hash}, ${key.hint}, ${key.name}, ${key.locationId}, ${key.recipientId}, ${key.scopes},
      ${key.createdAt}, ${key.expiresAt})`
}

/** Says what a new key opens: the data of one location, or of one recipient's webhooks there, until it expires. */
export type Grant = Pick<ApiKey, 'locationId' | 'recipientId' | 'scopes' | 'expiresAt' | 'name'>

/** Makes and stores a key of an existing location. Its text is returned once and kept nowhere. */
export async function createApiKey(
  sql: Sql,
  mode: 'live' | 'test',
  { locationId, recipientId, scopes, expiresAt, name }: Grant,
  now: Date,
): Promise<{ id: string; key: string }> {
  const key = newKey(mode)
  const id = randomUUID()
  const grant = { locationId, recipientId, scopes, expiresAt, name }
  const times = { createdAt: now, revokedAt: null, lastUsedAt: null }
  await insertApiKey(sql, { id, hash: hashKey(key), hint: key.slice(0, 12), ...grant, ...times })
  return { id, key }
}

/** Finds a key by its SHA-256, also when it is expired or revoked, so that the answer can say which. */
export async function findApiKey(sql: Sql, hash: string): Promise<ApiKey | undefined> {
  const [row] = await sql<ApiKey[]>`select ${apiKeyColumns(sql)} from api_keys where hash = ${hash}`
  return row
}

export async function listApiKeys(sql: Sql, locationId?: string): Promise<ApiKey[]> {
  const where = locationId === undefined ? sql`` : sql`where location_id = ${locationId}`
  return sql<ApiKey[]>`select ${apiKeyColumns(sql)} from api_keys ${where} order by created_at, id`
}

export async function findApiKeyById(sql: Sql, id: string): Promise<ApiKey | undefined> {
  const [row] = await sql<ApiKey[]>`select ${apiKeyColumns(sql)} from api_keys where id = ${id}`
  return row
}

/** Lets a key end at a moment, unless it ends before that already. */
export async function limitApiKey(sql: Sql, id: string, until: Date): Promise<void> {
  await sql`update api_keys set expires_at = least(expires_at, ${until}) where id = ${id}`
}

/** Returns the key as it now stands; undefined when there is none. Revoking twice keeps the first moment. */
export async function revokeApiKey(sql: Sql, id: string, at: Date): Promise<ApiKey | undefined> {
  const [row] = await sql<ApiKey[]>`
    update api_keys set revoked_at = coalesce(revoked_at, ${at}) where id = ${id} returning ${apiKeyColumns(sql)}`
  return row
}

/** Such writes are rare on purpose: on Citus a write to this table touches every node (SQL rule 2). */
export async function touchApiKeys(sql: Sql, used: ReadonlyMap<string, Date>): Promise<void> {
  for (const [id, at] of used) await sql`update api_keys set last_used_at = ${at} where id = ${id}`
}
