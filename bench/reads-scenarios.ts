import { deepStrictEqual } from 'node:assert'
import { Type, type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { CatalogProduct } from '../src/core/contract/catalog/schema.ts'
import { Order } from '../src/core/contract/orders/schema.ts'
import { PageOf } from '../src/core/contract/paging/schema.ts'
import { toAnswer, type Ask, type Dialect } from './peers/dialect.ts'
import type { Load } from './support/load.ts'
import { orderIdOf } from './support/orders.ts'
import type { Recording } from './support/replayer.ts'

export type Scenario = {
  name: string
  /** Requested in turn, so that concurrent requests are different; a location has only one catalog. */
  asks: readonly [Ask, ...Ask[]]
  schema: TSchema
  /** The part of the response that must be equal for all. */
  same: (answer: any) => unknown
  /** The minimum work of the database for the request; the catalog is left out because it is one row, like an order. */
  sql?: string
}

export type Data = { locationId: string; orders: number; perDay: number; from: string }

const dayMs = 86_400_000

const OrderPage = PageOf(Order, 'OrderPage')

type PageAsk = Extract<Ask, { of: 'page' }>

/** Returns the path of a request to Tillgate, and to contestants with the same routes. */
function pathOf(ask: Ask): string {
  if (ask.of === 'order') return `/v1/orders/${ask.id}`
  if (ask.of === 'catalog') return '/v1/catalog/'
  const { since, until, size, index } = ask
  const words = { since: since?.slice(0, 10), until: until?.slice(0, 10), size, index }
  const given = Object.entries(words).filter(([, value]) => value !== undefined)
  return `/v1/orders/?${given.map(([name, value]) => `${name}=${value}`).join('&')}`
}

/** Number of pages requested in turn: few enough that the last one begins in the same part of the list as the first. */
const pages = 24

const askedOrders = 480

const times = <T>(count: number, make: (n: number) => T) =>
  Array.from({ length: count }, (_, n) => make(n)) as [T, ...T[]]

/** Returns the reads of an integrator, and the queries that each needs. */
export function scenarios({ locationId, orders, perDay, from }: Data): Scenario[] {
  const day = (n: number) => new Date(Date.parse(from) + n * dayMs).toISOString()
  const pageSql = (first: string, limit: number, offset: number) =>
    `select document from orders where location_id = '${locationId}' and created_at >= '${first}'
     and created_at <= '9999-12-31T00:00:00Z' and closed order by created_at, id limit ${limit} offset ${offset}`
  const page = (name: string, askOf: (n: number) => Omit<PageAsk, 'of'>, sql: string): Scenario => ({
    name,
    asks: times(pages, (n) => ({ of: 'page', ...askOf(n) })),
    schema: OrderPage,
    same: ({ data, meta }) => ({ data, meta }),
    sql,
  })
  const deep = Math.floor((orders / 100) * 0.95)
  const deepDay = Math.floor((deep * 100) / perDay)
  const monthDay = Math.min(30, Math.floor(orders / perDay / 2))
  const monthFrom = (n: number) => ({
    since: day(n),
    until: day(n + 30).replace('T00:00:00.000', 'T23:59:59.999'),
  })
  return [
    {
      name: 'one order',
      asks: times(askedOrders, (n) => ({ of: 'order', id: orderIdOf(Math.floor((n * orders) / askedOrders)) })),
      schema: Order,
      same: (order) => order,
      sql: `select document from orders where location_id = '${locationId}' and id = '${orderIdOf(orders >> 1)}'`,
    },
    page('page of 10', (index) => ({ size: 10, index }), pageSql(day(0), 10, 0)),
    page('page of 100', (n) => ({ size: 100, index: n % Math.floor(orders / 100) }), pageSql(day(0), 100, 0)),
    page(
      'page of 100 at 95 %',
      (n) => ({ size: 100, index: Math.max(deep - n, 0) }),
      pageSql(day(deepDay), 100, deep * 100 - deepDay * perDay),
    ),
    page(
      'page of 100 of a month',
      (n) => ({ size: 100, index: 0, ...monthFrom(monthDay + n) }),
      pageSql(day(monthDay), 100, 0),
    ),
    {
      name: 'catalog',
      asks: [{ of: 'catalog' }],
      schema: Type.Array(CatalogProduct),
      same: (products) => products,
    },
  ]
}

/** A contestant without a dialect has the routes of Tillgate. */
export type Contestant = { name: string; url: string; dialect?: Dialect }

export type Caller = { key: string; locationId: string }

/** Returns the requests to a contestant. */
export function requestsOf({ url, dialect }: Contestant, asks: Scenario['asks'], { key, locationId }: Caller) {
  const paths = asks.map((ask) => (dialect ? dialect.path(ask, locationId) : pathOf(ask)))
  return { url, paths, headers: dialect ? dialect.headers(asks[0], key) : { 'x-api-key': key } } satisfies Partial<Load>
}

async function fetchOnce(contestant: Contestant, ask: Ask, caller: Caller) {
  const { url, paths, headers } = requestsOf(contestant, [ask], caller)
  const response = await fetch(url + paths[0], { headers })
  const bytes = Buffer.from(await response.arrayBuffer())
  if (!response.ok)
    throw new Error(`${contestant.name} answered ${paths[0]} with ${response.status}: ${bytes.toString()}`)
  return { bytes, headers: response.headers }
}

/** The number of responses compared for requests in turn: the slowest contestant needs seconds for one. */
const compared = 3

/**
 * Ensures that no contestant is faster by sending less: some responses of each scenario must have the same content as
 * those of the first contestant, and must match the schema if the contestant has the routes of Tillgate. Returns the
 * responses of the first contestant. Throws with the name of a contestant that differs.
 */
export async function checkAnswers(list: readonly Scenario[], contestants: readonly Contestant[], caller: Caller) {
  const recording: Recording = {}
  for (const { name, asks, schema, same } of list) {
    const validator = Compile(schema)
    const everyNth = Math.ceil(asks.length / compared)
    for (const [n, ask] of asks.entries()) {
      let wanted: unknown
      for (const contestant of n % everyNth === 0 ? contestants : contestants.slice(0, 1)) {
        const { bytes, headers } = await fetchOnce(contestant, ask, caller)
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
        recording[pathOf(ask)] ??= {
          contentType: headers.get('content-type') ?? '',
          base64: bytes.toString('base64'),
        }
      }
    }
  }
  return recording
}
