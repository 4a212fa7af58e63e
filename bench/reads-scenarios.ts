import { deepStrictEqual } from 'node:assert'
import { Type, type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { CatalogProduct } from '../src/schemas/catalog.ts'
import { Order } from '../src/schemas/orders.ts'
import { PageOf } from '../src/schemas/pages.ts'
import { toAnswer, type Ask, type Dialect } from './peers/dialect.ts'
import type { Recording } from './support/replayer.ts'

export type Scenario = {
  name: string
  ask: Ask
  /** How we, and whoever has our routes, are asked for it. */
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

type PageAsk = Extract<Ask, { of: 'page' }>

/** In our words, where `since` and `until` are days. */
function queryOf({ size, index, since, until }: Partial<PageAsk>): string {
  const words = { since: since?.slice(0, 10), until: until?.slice(0, 10), size, index }
  const given = Object.entries(words).filter(([, value]) => value !== undefined)
  return given.map(([name, value]) => `${name}=${value}`).join('&')
}

/** The reads of an integrator, and what each asks of the database. */
export function scenarios({ locationId, orders, perDay, from, orderId }: Data): Scenario[] {
  const day = (n: number) => new Date(Date.parse(from) + n * dayMs).toISOString()
  const pageSql = (first: string, limit: number, offset: number) =>
    `select document from orders where location_id = '${locationId}' and created_at >= '${first}'
     and created_at <= '9999-12-31T00:00:00Z' and closed order by created_at, id limit ${limit} offset ${offset}`
  const page = (name: string, ask: { size: number } & Partial<PageAsk>, sql: string): Scenario => ({
    name,
    ask: { of: 'page', index: 0, ...ask },
    path: `/v1/orders/?${queryOf(ask)}`,
    schema: OrderPage,
    same: ({ data, meta }) => ({ data, meta }),
    sql,
  })
  const deep = Math.floor((orders / 100) * 0.95)
  const deepDay = Math.floor((deep * 100) / perDay)
  const monthDay = Math.min(30, Math.floor(orders / perDay / 2))
  const month = { size: 100, since: day(monthDay), until: day(monthDay + 30).replace('T00:00:00.000', 'T23:59:59.999') }
  return [
    {
      name: 'one order',
      ask: { of: 'order', id: orderId },
      path: `/v1/orders/${orderId}`,
      schema: Order,
      same: (order) => order,
      sql: `select document from orders where location_id = '${locationId}' and id = '${orderId}'`,
    },
    page('page of 10', { size: 10 }, pageSql(day(0), 10, 0)),
    page('page of 100', { size: 100 }, pageSql(day(0), 100, 0)),
    page('page of 100 at 95 %', { size: 100, index: deep }, pageSql(day(deepDay), 100, deep * 100 - deepDay * perDay)),
    page('page of 100 of a month', month, pageSql(day(monthDay), 100, 0)),
    {
      name: 'catalog',
      ask: { of: 'catalog' },
      path: '/v1/catalog/',
      schema: Type.Array(CatalogProduct),
      same: (products) => products,
    },
  ]
}

/** Who has no dialect has our routes. */
export type Contestant = { name: string; url: string; dialect?: Dialect }

export type Caller = { key: string; locationId: string }

/** The request that a contestant is asked with. */
export function requestOf({ url, dialect }: Contestant, { ask, path }: Scenario, { key, locationId }: Caller) {
  if (!dialect) return { url: url + path, headers: { 'x-api-key': key } }
  return { url: url + dialect.path(ask, locationId), headers: dialect.headers(ask, key) }
}

async function fetchOnce(contestant: Contestant, scenario: Scenario, caller: Caller) {
  const { url, headers } = requestOf(contestant, scenario, caller)
  const response = await fetch(url, { headers })
  const bytes = Buffer.from(await response.arrayBuffer())
  if (!response.ok) throw new Error(`${contestant.name} answered ${url} with ${response.status}: ${bytes.toString()}`)
  return { bytes, headers: response.headers }
}

/**
 * Nobody wins by sending less: every answer says the same as the first contestant's, field by field, and passes the
 * schema where it claims to. Returns the first one's bytes, and throws with the name and the field of whoever differs.
 */
export async function checkAnswers(list: readonly Scenario[], contestants: readonly Contestant[], caller: Caller) {
  const recording: Recording = {}
  for (const scenario of list) {
    const { name, ask, path, schema, same } = scenario
    const validator = Compile(schema)
    let wanted: unknown
    for (const contestant of contestants) {
      const { bytes, headers } = await fetchOnce(contestant, scenario, caller)
      const body: unknown = JSON.parse(bytes.toString())
      const { dialect } = contestant
      const [fault] = dialect ? [] : validator.Errors(body)
      if (fault) throw new Error(`${contestant.name}, ${name}: ${fault.instancePath} ${fault.message}`)
      const said = same(dialect ? toAnswer(ask, dialect.read(body, headers)) : body)
      wanted ??= said
      try {
        deepStrictEqual(said, wanted)
      } catch (error) {
        throw new Error(`${contestant.name} answers ${name} differently`, { cause: error })
      }
      recording[path] ??= { contentType: headers.get('content-type') ?? '', base64: bytes.toString('base64') }
    }
  }
  return recording
}
