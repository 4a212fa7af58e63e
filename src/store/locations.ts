import { randomBytes } from 'node:crypto'
import { genesis } from '../domain/chain.ts'
import type { Sql } from './database.ts'

export type LocationRow = {
  id: string
  document: string
  devices: string
  timeZone: string
  currency: string
  seq: number
}

/** `document` is the Location without `deviceList`; `devices` is that array. Both serialised, as bytes. */
export async function findLocationBytes(
  sql: Sql,
  id: string,
): Promise<{ document: Buffer; devices: Buffer } | undefined> {
  const [row] = await sql`select document, devices from locations where id = ${id}`.raw()
  return row && { document: row[0] as Buffer, devices: row[1] as Buffer }
}

export async function findLocation(sql: Sql, id: string): Promise<LocationRow | undefined> {
  const [row] = await sql<LocationRow[]>`
    select id, document, devices, time_zone as "timeZone", currency, seq from locations where id = ${id}`
  return row
}

/** All locations of the installation. On Citus this asks every shard: for the command line, never for a request. */
export async function listLocations(sql: Sql): Promise<LocationRow[]> {
  return sql<LocationRow[]>`
    select id, document, devices, time_zone as "timeZone", currency, seq from locations order by created_at, id`
}

/** Of a journal that begins: short, and never seen before for this location. */
const newEpoch = () => randomBytes(4).toString('hex')

/** Makes the location's row and its empty journal; false when it was there already. A backup gives back its `epoch`. */
export async function insertLocation(sql: Sql, row: LocationRow, at: Date, epoch = newEpoch()): Promise<boolean> {
  const created = await sql`
    insert into locations (id, document, devices, time_zone, currency, seq, created_at)
    values (${row.id}, ${row.document}, ${row.devices}, ${row.timeZone}, ${row.currency}, ${row.seq}, ${at})
    on conflict (id) do nothing returning 1`
  await sql`
    insert into location_seq (location_id, epoch, last_seq, last_hash) values (${row.id}, ${epoch}, 0, ${genesis})
    on conflict (location_id) do nothing`
  return created.length === 1
}

export async function updateLocation(
  sql: Sql,
  row: Pick<LocationRow, 'id' | 'document' | 'devices' | 'seq'>,
): Promise<void> {
  await sql`
    update locations set document = ${row.document}, devices = ${row.devices}, seq = ${row.seq} where id = ${row.id}`
}
