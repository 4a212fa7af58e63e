import type { Json } from '../../src/modules/sources/adapters/json-documents.ts'
import {
  listIn,
  mostPages,
  PullFailed,
  readAllPages,
  type Ask,
  type Pull,
  type PulledDocument,
  type PulledPage,
  type Said,
} from '../../src/modules/sources/adapters/pull.ts'
import { mapOrders, minorOf } from './map.ts'
import { minuteMs, dayMs } from '../../src/core/domain/days/time-units.ts'

// Square: SearchOrders by the time of change, ascending. The next page begins at the time at which the last one ended.
// Square's cursor expires after five minutes, so it is only used if a complete page changed at the same moment.

const version = '2025-10-16'

/** Maximum orders per page; fewer if orders are large. */
const pageSize = 100

const toDocuments = (orders: readonly Json[]): PulledDocument[] =>
  orders.map((document) => ({ key: document.id as string, document }))

type Search = { account: string; start: string; end: string; limit: number; cursor?: string | undefined }

const search = async ({ account, start, end, limit, cursor }: Search, ask: Ask): Promise<Json> =>
  ask({
    method: 'POST',
    path: '/v2/orders/search',
    body: {
      location_ids: [account],
      limit,
      query: {
        filter: { date_time_filter: { updated_at: { start_at: start, end_at: end } } },
        sort: { sort_field: 'UPDATED_AT', sort_order: 'ASC' },
      },
      ...(cursor === undefined ? {} : { cursor }),
    },
  })

/** Requests fewer and fewer orders until one response can contain all of them. */
async function searchSome(wanted: Search, ask: Ask): Promise<{ answer: Json; limit: number }> {
  for (let { limit } = wanted; ; limit = Math.max(1, Math.floor(limit / 4))) {
    try {
      return { answer: await search({ ...wanted, limit }, ask), limit }
    } catch (error) {
      const isTooLarge = error instanceof PullFailed && error.kind === 'too_large' && limit > 1
      if (!isTooLarge) throw error
    }
  }
}

/** Resolves to the refunded sales that are not in the page. */
async function contextOf(orders: readonly Json[], account: string, ask: Ask): Promise<PulledDocument[]> {
  const tenders = new Set(orders.flatMap(({ tenders = [] }) => (tenders ?? []).map(({ id }: Json) => id as string)))
  const without = orders.filter(({ refunds }) => (refunds ?? []).some((one: Json) => !tenders.has(one?.tender_id)))
  const sources = without.flatMap(({ returns }) =>
    (returns ?? []).flatMap((one: Json): string[] => one?.source_order_id ?? []),
  )
  return sources.length === 0 ? [] : toDocuments(await retrieve([...new Set(sources)], account, ask))
}

async function retrieve(keys: readonly string[], account: string, ask: Ask): Promise<Json[]> {
  const found: Json[] = []
  for (let at = 0; at < keys.length; at += pageSize) {
    const body = { location_id: account, order_ids: keys.slice(at, at + pageSize) }
    found.push(...listIn(await ask({ method: 'POST', path: '/v2/orders/batch-retrieve', body }), 'orders', 'id'))
  }
  return found
}

async function toPage(orders: readonly Json[], cursor: string | null, account: string, ask: Ask): Promise<PulledPage> {
  return { documents: toDocuments(orders), context: await contextOf(orders, account, ask), cursor }
}

/** Returns whether Square refused the request with a 400, as it does if its cursor has expired. */
const isExpired = (error: unknown) => error instanceof PullFailed && error.status === 400

/** How often a moment with more orders than a page is read again because its cursor expired. */
const mostRestarts = 5

async function* pages(from: string, end: string, account: string, ask: Ask): AsyncGenerator<PulledPage> {
  let start = from
  let limit = pageSize
  let cursor: string | undefined
  let restarts = 0
  const known = new Set<string>()
  for (;;) {
    let found: { answer: Json; limit: number }
    try {
      found = await searchSome({ account, start, end, limit, cursor }, ask)
    } catch (error) {
      if (cursor === undefined || !isExpired(error) || (restarts += 1) > mostRestarts) throw error
      // Reads the moment again from its beginning.
      known.clear()
      cursor = undefined
      continue
    }
    const { answer } = found
    ;({ limit } = found)
    const orders = listIn(answer, 'orders', 'id')
    const last: string | undefined = orders.at(-1)?.updated_at
    if (orders.length > 0) yield await toPage(orders, last ?? null, account, ask)
    const next: string | undefined = answer.cursor ?? undefined
    if (next === undefined) return
    const isFurther = last !== undefined && Date.parse(last) > Date.parse(start)
    if (isFurther) known.clear()
    else if (known.has(next) || known.size >= mostPages)
      throw new PullFailed('again', 'the pages of /v2/orders/search do not end')
    else known.add(next)
    cursor = isFurther ? undefined : next
    if (isFurther) start = last
    else limit = found.limit
  }
}

/** Reads every page of a list. */
const list = (path: string, name: string, query: Record<string, string>, ask: Ask): Promise<Json[]> =>
  readAllPages<string>(path, async (cursor) => {
    const answer = await ask({ method: 'GET', path, query: { ...query, ...(cursor ? { cursor } : {}) } })
    return { found: listIn(answer, name, 'id'), next: answer.cursor ?? undefined }
  })

const toSaid = (one: Json, amount: number): Said => ({
  key: one.order_id ?? '',
  document: one.order_id ?? '',
  at: one.created_at,
  amount,
})

export const squarePull: Pull = {
  baseUrl: 'https://connect.squareup.com',
  budget: { requests: 10, perMs: 1_000 },
  latenessMs: 3 * dayMs,
  standsAlone: false,
  states: 'paid',
  // Orders that a till took without a network arrive up to 72 hours late, with their original times.
  overlapMs: { usual: 5 * minuteMs, daily: 3 * dayMs },
  // Square advises renewing a token, which is valid for thirty days, every seven days.
  oauth: { path: '/oauth2/token', style: 'json', renewBeforeMs: 23 * dayMs },
  headers: async (secret) => ({ authorization: `Bearer ${secret}`, 'square-version': version }),
  pages: ({ from, until }, account, ask) => pages(from.toISOString(), until.toISOString(), account, ask),
  async fetch(keys, { account }, ask) {
    return toPage(await retrieve(keys, account, ask), null, account, ask)
  },
  map: (documents, profile) => ({ ...mapOrders([...documents], profile), gone: [] }),
  // Payments and refunds are separate documents: they contain what an order lacks.
  async totals({ from, until }, { account, currency }, ask) {
    const minor = minorOf(currency)
    const query = { begin_time: from.toISOString(), end_time: until.toISOString(), location_id: account }
    const payments = await list('/v2/payments', 'payments', { ...query, sort_order: 'ASC', limit: '100' }, ask)
    const refunds = await list('/v2/refunds', 'refunds', { ...query, sort_order: 'ASC', limit: '100' }, ask)
    return [
      ...payments
        .filter(({ status }) => status === 'COMPLETED')
        .map((one) => toSaid(one, minor(one.amount_money) + minor(one.tip_money))),
      ...refunds
        .filter(({ status }) => status !== 'REJECTED' && status !== 'FAILED')
        .map((one) => toSaid(one, -minor(one.amount_money))),
    ]
  },
}
