import type { Sql } from '../../../core/store/db/database.ts'

/** What an order shows about its till: its times by the till's clock, and when it was accepted. */
export type DeviceOrder = {
  deviceId: string
  id: string
  number: string
  createdAt: Date
  updatedAt: Date
  acceptedAt: Date
}

/** How far back the newest order of a device is searched for, from the time at which the device was last seen. */
const lookedBack = '7 days'

/**
 * Selects `updatedAt` of the latest version of `o` from its document: the column has the latest time of all versions.
 */
const updatedAt = (sql: Sql) => sql`substring(o.document from '"updatedAt":"([^"]+)"')::timestamptz as "updatedAt"`

/** Selects when `o` was accepted. A join that was planned in a new database would search the whole journal. */
const acceptedAt = (sql: Sql, locationId: string) =>
  sql`(select accepted_at from journal where location_id = ${locationId} and seq = o.seq) as "acceptedAt"`

/** Lists the newest orders of a location since a moment, with the acceptance of their latest version; newest first. */
export async function listRecentOrders(
  sql: Sql,
  locationId: string,
  { since, limit }: { since: Date; limit: number },
): Promise<DeviceOrder[]> {
  return sql<DeviceOrder[]>`
    select o.device_id as "deviceId", o.id, o.number, o.created_at as "createdAt", ${updatedAt(sql)},
      ${acceptedAt(sql, locationId)}
    from (
      select device_id, id, number, created_at, document, seq from orders
      where location_id = ${locationId} and created_at >= ${since} order by created_at desc, id desc limit ${limit}
    ) o
    order by o.created_at desc, o.id desc`
}

/**
 * Lists the newest order of each device, near the time when the device was last seen: a closed order by its close, an
 * open one by its creation.
 */
export async function listLastOrders(
  sql: Sql,
  locationId: string,
  seen: readonly { deviceId: string; lastAt: string }[],
): Promise<DeviceOrder[]> {
  if (seen.length === 0) return []
  const [ids, moments] = [seen.map(({ deviceId }) => deviceId), seen.map(({ lastAt }) => lastAt)]
  return sql<DeviceOrder[]>`
    select d.device_id as "deviceId", o.id, o.number, o.created_at as "createdAt", ${updatedAt(sql)},
      ${acceptedAt(sql, locationId)}
    from unnest(${ids}::text[]::uuid[], ${moments}::text[]::timestamptz[]) as d(device_id, last_at)
    cross join lateral (
      select * from (
        (select id, number, created_at, closed_at as at, document, seq from orders
          where location_id = ${locationId} and device_id = d.device_id and closed
            and closed_at <= d.last_at + interval '1 day' and closed_at > d.last_at - ${lookedBack}::interval
          order by closed_at desc, id desc limit 1)
        union all
        (select id, number, created_at, created_at as at, document, seq from orders
          where location_id = ${locationId} and device_id = d.device_id and not closed
            and created_at <= d.last_at + interval '1 day' and created_at > d.last_at - ${lookedBack}::interval
          order by created_at desc, id desc limit 1)
      ) newest order by at desc, id desc limit 1
    ) o`
}

/** Counts the open orders of each device, by its id. */
export async function countOpenOrders(sql: Sql, locationId: string): Promise<Map<string, number>> {
  const rows = await sql<{ deviceId: string; n: number }[]>`
    select device_id as "deviceId", count(*) as n from orders
    where location_id = ${locationId} and not closed group by device_id`
  return new Map(rows.map(({ deviceId, n }) => [deviceId, n]))
}

/**
 * Counts, for each device, the newest rejected records since a moment that name it, by its id in lower case. The text
 * is searched near its beginning and not parsed: it may be invalid JSON.
 */
export async function countRejectedByDevice(
  sql: Sql,
  locationId: string,
  { since, limit }: { since: Date; limit: number },
): Promise<Map<string, number>> {
  const rows = await sql<{ deviceId: string; n: number }[]>`
    select device_id as "deviceId", count(*) as n from (
      select lower(substring(left(record, 4000) from '"deviceId"\\s*:\\s*"([0-9a-fA-F-]{36})"')) as device_id
      from rejected_records where location_id = ${locationId} and received_at >= ${since}
      order by received_at desc, id desc limit ${limit}
    ) newest where device_id is not null group by device_id`
  return new Map(rows.map(({ deviceId, n }) => [deviceId, n]))
}
