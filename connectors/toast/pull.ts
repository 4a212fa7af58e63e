import { minorReader } from '../../src/modules/sources/adapters/adapter.ts'
import type { Json } from '../../src/modules/sources/adapters/json-documents.ts'
import {
  findOne,
  PullFailed,
  readAllPages,
  type Ask,
  type Pull,
  type PulledDocument,
  type Said,
} from '../../src/modules/sources/adapters/pull.ts'
import { timePieces } from '../../src/modules/sources/adapters/time-pieces.ts'
import { counts, mapToast } from './map.ts'
import { minuteMs, hourMs, dayMs } from '../../src/core/domain/days/time-units.ts'

// Toast: ordersBulk by the time of change. Its pages are numbered, so a span of time is read in pieces that each fit
// into one page. The secret is `clientId:clientSecret`, which is exchanged for a token.

const pageSize = 100

/** Formats a time as Toast does, with an offset without a colon. */
const toTime = (ms: number) => new Date(ms).toISOString().replace('Z', '+0000')

function ordersIn(answer: Json): Json[] {
  if (Array.isArray(answer) && answer.every((one) => typeof one?.guid === 'string')) return answer
  throw new PullFailed('again', 'the response is not a list of orders')
}

const readPage = async (fromMs: number, untilMs: number, page: number, ask: Ask): Promise<Json[]> =>
  ordersIn(
    await ask({
      method: 'GET',
      path: '/orders/v2/ordersBulk',
      query: {
        startDate: toTime(fromMs),
        endDate: toTime(untilMs),
        page: String(page),
        pageSize: String(pageSize),
      },
    }),
  )

const readAll = (fromMs: number, untilMs: number, ask: Ask): Promise<Json[]> =>
  readAllPages<number>('/orders/v2/ordersBulk', async (page = 1) => {
    const found = await readPage(fromMs, untilMs, page, ask)
    return { found, next: found.length < pageSize ? undefined : page + 1 }
  })

async function readOne(fromMs: number, untilMs: number, ask: Ask): Promise<Json[] | undefined> {
  try {
    const orders = await readPage(fromMs, untilMs, 1, ask)
    return orders.length < pageSize ? orders : undefined
  } catch (error) {
    if (error instanceof PullFailed && error.kind === 'too_large') return undefined
    throw error
  }
}

const toDocuments = (orders: readonly Json[]): PulledDocument[] =>
  orders.map((document) => ({ key: document.guid as string, document }))

/** Returns the business dates that a span of time touches, as Toast writes them: 20260314. */
function datesOf({ from, until }: { from: Date; until: Date }): string[] {
  const dates: string[] = []
  for (let ms = from.getTime() - dayMs; ms <= until.getTime(); ms += dayMs) {
    dates.push(new Date(ms).toISOString().slice(0, 10).replaceAll('-', ''))
  }
  return dates
}

async function paymentsOf(span: { from: Date; until: Date }, ask: Ask): Promise<Json[]> {
  const guids = new Set<string>()
  for (const date of datesOf(span)) {
    for (const by of ['paidBusinessDate', 'refundBusinessDate']) {
      const list: unknown = await ask({ method: 'GET', path: '/orders/v2/payments', query: { [by]: date } })
      if (!Array.isArray(list)) throw new PullFailed('again', 'the response is not a list of payments')
      for (const guid of list) guids.add(String(guid))
    }
  }
  const payments: Json[] = []
  for (const guid of guids) {
    const payment = await findOne(`/orders/v2/payments/${encodeURIComponent(guid)}`, ask)
    if (payment !== undefined) payments.push(payment)
  }
  return payments
}

function saidOf(payment: Json, minor: ReturnType<typeof minorReader>): Said[] {
  if (!counts(payment)) return []
  const { checkGuid, orderGuid, refund } = payment
  const paid = {
    key: String(checkGuid),
    document: String(orderGuid),
    at: payment.paidDate,
    amount: minor(payment.amount) + minor(payment.tipAmount),
  }
  if (!refund || payment.refundStatus === 'NONE') return [paid]
  const back = -(minor(refund.refundAmount) + minor(refund.tipRefundAmount))
  return [paid, { ...paid, key: `refund:${payment.guid}`, at: refund.refundDate, amount: back }]
}

export const toastPull: Pull = {
  baseUrl: 'https://ws-api.toasttab.com',
  budget: { requests: 10, perMs: 1_000 },
  latenessMs: 6 * hourMs,
  standsAlone: true,
  states: 'paid',
  overlapMs: { usual: 5 * minuteMs, daily: 3 * dayMs },
  async headers(secret, account, login) {
    const at = secret.indexOf(':')
    if (at < 1) throw new PullFailed('stop', 'the secret of Toast must have the form clientId:clientSecret')
    const answer = await login({
      method: 'POST',
      path: '/authentication/v1/authentication/login',
      body: {
        clientId: secret.slice(0, at),
        clientSecret: secret.slice(at + 1),
        userAccessType: 'TOAST_MACHINE_CLIENT',
      },
    })
    const token: unknown = answer?.token?.accessToken
    if (typeof token !== 'string') throw new PullFailed('again', 'the login of Toast did not return a token')
    return { authorization: `Bearer ${token}`, 'toast-restaurant-external-id': account }
  },
  async *pages({ from, until }, _account, ask) {
    const span = { fromMs: from.getTime(), untilMs: until.getTime() }
    const reads = {
      readOne: (fromMs: number, untilMs: number) => readOne(fromMs, untilMs, ask),
      readAll: (fromMs: number, untilMs: number) => readAll(fromMs, untilMs, ask),
    }
    for await (const { documents, untilMs } of timePieces(span, reads)) {
      yield { documents: toDocuments(documents), cursor: new Date(untilMs).toISOString() }
    }
  },
  async fetch(keys, _at, ask) {
    const found: Json[] = []
    for (const key of keys) {
      const order = await findOne(`/orders/v2/orders/${encodeURIComponent(key)}`, ask)
      if (order !== undefined) found.push(order)
    }
    return { documents: toDocuments(ordersIn(found)), cursor: null }
  },
  map: mapToast,
  // Resolves to the payments by the business date on which they were made or refunded; orders are read by their time of
  // change.
  async totals(span, { currency }, ask) {
    const minor = minorReader(currency)
    return (await paymentsOf(span, ask)).flatMap((payment) => saidOf(payment, minor))
  },
}
