import type { IdRange } from '../domain/search.ts'
import { rowsOfIds } from '../../../core/store/db/by-id.ts'
import type { Sql } from '../../../core/store/db/database.ts'

/** A matching document; `at` is its creation. */
export type Found = { id: string; at: Date; document: string }

/** The last Unicode character: a prefix followed by it sorts after every text that has the prefix. */
const last = String.fromCodePoint(0x10ffff)

/**
 * Finds orders whose number equals the text, then orders whose number begins with it, the newest first in each group.
 * Index: orders_number. All matches of a prefix are sorted: a few milliseconds for ten thousand.
 */
export async function searchOrderNumbers(sql: Sql, locationId: string, text: string, limit: number): Promise<Found[]> {
  const exact = await sql<Found[]>`
    select id, created_at as at, document from orders where location_id = ${locationId} and number = ${text}
    order by created_at desc, id desc limit ${limit}`
  if (exact.length === limit) return exact
  const ids = await sql<{ id: string }[]>`
    select id from orders
    where location_id = ${locationId} and number > ${text} and number < ${text + last}
    order by created_at desc, id desc limit ${limit - exact.length}`
  const found = ids.map(({ id }) => id)
  if (found.length === 0) return exact
  const longer = await sql<Found[]>`
    select id, created_at as at, document from ${rowsOfIds(sql, 'orders', locationId, found)}
    order by created_at desc, id desc`
  return [...exact, ...longer]
}

/** How many of the newest orders are searched for the end of a number. */
const lookedThrough = 20_000

/**
 * Finds orders whose number ends with a text, among the newest `lookedThrough` orders, the newest first. Index:
 * orders_created.
 */
export async function searchNumberEnds(sql: Sql, locationId: string, text: string, limit: number): Promise<Found[]> {
  const ids = await sql<{ id: string }[]>`
    select id from (
      select id, created_at, number from orders where location_id = ${locationId}
      order by created_at desc, id desc limit ${lookedThrough}
    ) newest
    where right(number, length(${text})) = ${text} order by created_at desc, id desc limit ${limit}`
  if (ids.length === 0) return []
  const found = ids.map(({ id }) => id)
  return sql<Found[]>`
    select id, created_at as at, document from ${rowsOfIds(sql, 'orders', locationId, found)}
    order by created_at desc, id desc`
}

/** Finds orders whose id is in a range. Index: the primary key. */
export async function searchOrderIds(sql: Sql, locationId: string, range: IdRange, limit: number): Promise<Found[]> {
  return sql<Found[]>`
    select id, created_at as at, document from orders
    where location_id = ${locationId} and id >= ${range.first} and id <= ${range.last} order by id limit ${limit}`
}

/** Finds reports whose id is in a range. Index: the primary key. */
export async function searchReportIds(sql: Sql, locationId: string, range: IdRange, limit: number): Promise<Found[]> {
  return sql<Found[]>`
    select id, created_at as at, document from reports
    where location_id = ${locationId} and id >= ${range.first} and id <= ${range.last} order by id limit ${limit}`
}

/** Finds reports of a number, the newest first. Index: reports_number. */
export async function searchReportNumbers(
  sql: Sql,
  locationId: string,
  number: number,
  limit: number,
): Promise<Found[]> {
  return sql<Found[]>`
    select id, created_at as at, document from reports
    where location_id = ${locationId} and number = ${number} order by created_at desc, id desc limit ${limit}`
}
