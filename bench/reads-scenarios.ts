import { deepStrictEqual } from 'node:assert'
import { Type, type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { CatalogProduct } from '../src/schemas/catalog.ts'
import { Order } from '../src/schemas/orders.ts'
import { PageOf } from '../src/schemas/pages.ts'
import type { Recording } from './support/replayer.ts'

export type Scenario = {
  name: string
  path: string
  schema: TSchema
  /** What of the answer everyone must agree on. */
  same: (answer: any) => unknown
  /** What the database has to do for it at the least; the catalog is left out: one row, like an order. */
  sql?: string
}

export type Data = { locationId: string; orders: number; perDay: number; from: string; orderId: string }

const dayMs = 86_400_000

const OrderPage = PageOf(Order, 'OrderPage')

/** The reads of an integrator, and what each asks of the database. */
export function scenarios({ locationId, orders, perDay, from, orderId }: Data): Scenario[] {
  const day = (n: number) => new Date(Date.parse(from) + n * dayMs).toISOString()
  const pageSql = (first: string, limit: number, offset: number) =>
    `select document from orders where location_id = '${locationId}' and created_at >= '${first}'
     and created_at <= '9999-12-31T00:00:00Z' and closed order by created_at, id limit ${limit} offset ${offset}`
  const page = (name: string, query: string, sql: string): Scenario => ({
    name,
    path: `/v1/orders/?${query}`,
    schema: OrderPage,
    same: ({ data, meta }) => ({ data, meta }),
    sql,
  })
  const deep = Math.floor((orders / 100) * 0.95)
  const deepDay = Math.floor((deep * 100) / perDay)
  const monthDay = Math.min(30, Math.floor(orders / perDay / 2))
  const month = `since=${day(monthDay).slice(0, 10)}&until=${day(monthDay + 30).slice(0, 10)}&size=100`
  return [
    {
      name: 'one order',
      path: `/v1/orders/${orderId}`,
      schema: Order,
      same: (order) => order,
      sql: `select document from orders where location_id = '${locationId}' and id = '${orderId}'`,
    },
    page('page of 10', 'size=10', pageSql(day(0), 10, 0)),
    page('page of 100', 'size=100', pageSql(day(0), 100, 0)),
    page('page of 100 at 95 %', `size=100&index=${deep}`, pageSql(day(deepDay), 100, deep * 100 - deepDay * perDay)),
    page('page of 100 of a month', month, pageSql(day(monthDay), 100, 0)),
    { name: 'catalog', path: '/v1/catalog/', schema: Type.Array(CatalogProduct), same: (products) => products },
  ]
}

export type Contestant = { name: string; url: string }

async function fetchOnce({ name, url }: Contestant, path: string, key: string) {
  const response = await fetch(url + path, { headers: { 'x-api-key': key } })
  const bytes = Buffer.from(await response.arrayBuffer())
  if (response.status !== 200) throw new Error(`${name} answered ${path} with ${response.status}: ${bytes.toString()}`)
  return { bytes, contentType: response.headers.get('content-type') ?? '' }
}

/**
 * Nobody wins by sending less: every answer passes the schema and says the same as the first contestant's, field by
 * field. Returns the first one's bytes, and throws with the name and the field of whoever differs.
 */
export async function checkAnswers(list: readonly Scenario[], contestants: readonly Contestant[], key: string) {
  const recording: Recording = {}
  for (const { name, path, schema, same } of list) {
    const validator = Compile(schema)
    let wanted: unknown
    for (const contestant of contestants) {
      const { bytes, contentType } = await fetchOnce(contestant, path, key)
      const answer: unknown = JSON.parse(bytes.toString())
      const [fault] = validator.Errors(answer)
      if (fault) throw new Error(`${contestant.name}, ${name}: ${fault.instancePath} ${fault.message}`)
      wanted ??= same(answer)
      deepStrictEqual(same(answer), wanted, `${contestant.name} answers ${name} differently`)
      recording[path] ??= { contentType, base64: bytes.toString('base64') }
    }
  }
  return recording
}
