import type { Sql } from '../db/database.ts'

/**
 * Ends what these makers (keys, sessions, passkeys) made, directly or indirectly: links, sessions, passkeys, and keys
 * of scope `admin`. A key that an operator makes for a till or a partner of one location outlives the operator's
 * session. The passkeys of `signedOut`, a session whose user signs out, stay.
 */
export async function endMadeBy(sql: Sql, makers: readonly string[], at: Date, signedOut?: string): Promise<void> {
  let left = [...makers]
  while (left.length > 0) {
    const ended = await sql<{ id: string }[]>`
      update console_sessions set ended_at = ${at}
      where ended_at is null and (made_by = any(${left}::text[]) or key_id = any(${left}::text[]::uuid[])) returning id`
    const revoked = await sql<{ id: string }[]>`
      update api_keys set revoked_at = ${at} where revoked_at is null and made_by = any(${left}::text[]) returning id`
    const origins = left.filter((id) => id !== signedOut)
    const removed = await sql<{ id: string }[]>`
      update console_passkeys set ended_at = ${at}
      where ended_at is null and (lineage && ${origins}::text[] or key_id = any(${origins}::text[]::uuid[])) returning id`
    left = [...ended, ...revoked, ...removed].map(({ id }) => id)
  }
}

/**
 * Ends every right to a deleted location: its keys, and the sessions, links and passkeys for this location alone. Those
 * for several locations lose only this one. Ids can be reused, and former holders must not read a new location.
 */
export async function endRightsTo(sql: Sql, locationId: string): Promise<void> {
  await sql`delete from api_keys where location_id = ${locationId}`
  await sql`delete from console_sessions where location_ids = array[${locationId}::text::uuid]`
  await sql`
    update console_sessions set location_ids = array_remove(location_ids, ${locationId}::text::uuid)
    where ${locationId}::text::uuid = any(location_ids)`
  await sql`delete from console_passkeys where location_ids = array[${locationId}::text::uuid]`
  await sql`
    update console_passkeys set location_ids = array_remove(location_ids, ${locationId}::text::uuid)
    where ${locationId}::text::uuid = any(location_ids)`
}
