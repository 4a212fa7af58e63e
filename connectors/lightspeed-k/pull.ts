import { minorReader } from '../../src/modules/sources/adapters/adapter.ts'
import type { Json } from '../../src/modules/sources/adapters/json-documents.ts'
import {
  listIn,
  readAllPages,
  type Ask,
  type Pull,
  type PulledDocument,
} from '../../src/modules/sources/adapters/pull.ts'
import { mapSales } from './map.ts'
import { minuteMs, dayMs } from '../../src/core/domain/days/time-units.ts'

// Lightspeed K-Series: sales by their closing time. Lightspeed does not mark changed sales, so the last days are read
// repeatedly. A page may be short or empty although another one follows.

/** Number of sales per page. */
const pageSize = 100

/** How far back documents are read again. */
const lookBackMs = 7 * dayMs

const toDocuments = (sales: readonly Json[]): PulledDocument[] =>
  sales.map((document) => ({ key: document.accountFiscId as string, document }))

const readPages = (path: string, query: Record<string, string>, ask: Ask): Promise<Json[]> =>
  readAllPages<string>(path, async (token) => {
    const answer = await ask({ method: 'GET', path, query: { ...query, ...(token ? { nextPageToken: token } : {}) } })
    return { found: listIn(answer, 'sales', 'accountFiscId'), next: answer.nextPageToken ?? undefined }
  })

const placeOf = (account: string) => `/f/v2/business-location/${encodeURIComponent(account)}`

const readSales = (fromMs: number, untilMs: number, account: string, ask: Ask): Promise<Json[]> => {
  const span = { from: new Date(fromMs).toISOString(), to: new Date(untilMs).toISOString() }
  const include = 'payments,staff,table,consumer,revenue_center,accounting_group'
  return readPages(`${placeOf(account)}/sales`, { ...span, include, pageSize: String(pageSize) }, ask)
}

/** Returns the dates that an interval touches, and the date before, whose business day may reach into it. */
function datesOf({ from, until }: { from: Date; until: Date }): string[] {
  const dates: string[] = []
  for (let ms = from.getTime() - dayMs; ms <= until.getTime(); ms += dayMs) {
    dates.push(new Date(ms).toISOString().slice(0, 10))
  }
  return dates
}

export const lightspeedKPull: Pull = {
  baseUrl: 'https://api.lsk.lightspeed.app',
  budget: { requests: 5, perMs: 1_000 },
  latenessMs: dayMs,
  standsAlone: true,
  states: 'paid',
  // Two days have a few hundred sales; reading them at each poll would be the largest cost.
  overlapMs: { usual: 30 * minuteMs, hourly: 2 * dayMs, daily: lookBackMs },
  oauth: { path: '/oauth/token', style: 'form', renewBeforeMs: 5 * minuteMs },
  headers: async (secret) => ({ authorization: `Bearer ${secret}` }),
  async *pages({ from, until }, account, ask) {
    for (let fromMs = from.getTime(); fromMs < until.getTime(); fromMs += dayMs) {
      const untilMs = Math.min(fromMs + dayMs, until.getTime())
      const sales = await readSales(fromMs, untilMs, account, ask)
      yield { documents: toDocuments(sales), cursor: new Date(untilMs).toISOString() }
    }
  },
  // The API cannot read one sale by its key.
  async fetch(keys, { account, now }, ask) {
    const sales = await readSales(now.getTime() - lookBackMs, now.getTime(), account, ask)
    return { documents: toDocuments(sales).filter(({ key }) => keys.includes(key)), cursor: null }
  },
  map: (documents, profile) => ({ ...mapSales([{ sales: [...documents] }], profile), gone: [] }),
  // Resolves to the stated payments of business days, selected by business date, not by closing time.
  async totals(span, { account, currency }, ask) {
    const minor = minorReader(currency)
    const found = new Map<string, Json>()
    for (const date of datesOf(span)) {
      const sales = await readPages(`${placeOf(account)}/sales-daily`, { date, include: 'payments' }, ask)
      for (const sale of sales) found.set(sale.accountFiscId, sale)
    }
    return [...found.values()]
      .filter(({ cancelled }) => !cancelled)
      .map((sale) => ({
        key: sale.accountFiscId as string,
        document: sale.accountFiscId as string,
        at: (sale.timeClosed ?? sale.timeOfOpening) as string,
        amount: (sale.payments ?? []).reduce(
          (sum: number, payment: Json) => sum + minor(payment.netAmountWithTax) + minor(payment.tip),
          0,
        ),
      }))
  },
}
