import { Unreadable } from '../../src/modules/sources/adapters/adapter.ts'
import type { Json } from '../../src/modules/sources/adapters/json-documents.ts'
import {
  listIn,
  PullFailed,
  type Ask,
  type Pull,
  type PulledDocument,
  type Said,
} from '../../src/modules/sources/adapters/pull.ts'
import { timePieces } from '../../src/modules/sources/adapters/time-pieces.ts'
import { mapSales, minorOf } from './map.ts'
import { minuteMs, hourMs, dayMs } from '../../src/core/domain/days/time-units.ts'

// SumUp: its lists are newest first, so their pages shift while they are read. Therefore only first pages are read: the
// first page of the list, for the latest changes, and the first page of a search for sales that started in an interval,
// if one page holds them all. The search returns rows; the sale of a new row is read by its id.

/** The longest time that a sale can be open; the API returns it only once it is paid. */
const longestOpenMs = 3 * dayMs

const pathOf = (account: string) => `/v1.0/merchants/${encodeURIComponent(account)}/sales`

const iso = (ms: number) => new Date(ms).toISOString()

/** Returns the fields of a search row that show whether a sale changed. */
const stampOf = (amount: unknown, { closed_at }: Json) => `${String(amount)} ${String(closed_at)}`

const toDocument = (sale: Json): PulledDocument => ({
  key: sale.id as string,
  document: sale,
  stamp: stampOf(sale.price?.gross_amount, sale),
})

/** Whether a value contains a text that is not empty, at any depth: such a text next to the list is the token of another page. */
function hasText(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(hasText)
  return typeof value === 'string' && value !== ''
}

/** Returns the list in a response, which is required. Throws `PullFailed`. */
function itemsOf(answer: Json): Json[] {
  if (!Array.isArray(answer?.items)) throw new PullFailed('again', 'the response has no `items`')
  return listIn(answer, 'items', 'id')
}

/** Resolves to the rows of sales that started in an interval; undefined if one page cannot hold them. */
async function readOne(fromMs: number, untilMs: number, account: string, ask: Ask): Promise<Json[] | undefined> {
  const body = { start_date: iso(fromMs), end_date: iso(untilMs) }
  const answer = await ask({ method: 'POST', path: `${pathOf(account)}/search`, body })
  const rows = itemsOf(answer)
  const { items: _items, ...others } = answer
  return rows.length > 0 && hasText(others) ? undefined : rows
}

const readRows = (span: { fromMs: number; untilMs: number }, account: string, ask: Ask) =>
  timePieces(span, {
    readOne: (fromMs, untilMs) => readOne(fromMs, untilMs, account, ask),
    readAll: (atMs) =>
      Promise.reject(
        new PullFailed('again', `more sales than fit on a page started at ${iso(atMs)}: they cannot be read`),
      ),
  })

/** Reads a sale by its key; undefined if it does not exist. */
async function find(key: string, account: string, ask: Ask): Promise<PulledDocument | undefined> {
  try {
    const sale = await ask({ method: 'GET', path: `${pathOf(account)}/${encodeURIComponent(key)}` })
    if (sale?.id !== key) throw new PullFailed('again', `the response is not the sale ${key}`)
    return toDocument(sale)
  } catch (error) {
    if (error instanceof PullFailed && error.kind === 'missing') return undefined
    throw error
  }
}

async function findAll(keys: readonly string[], account: string, ask: Ask): Promise<PulledDocument[]> {
  const found: PulledDocument[] = []
  for (const key of keys) {
    const one = await find(key, account, ask)
    if (one) found.push(one)
  }
  return found
}

/** Returns the amount of a row in the location's minor unit; a row that cannot be read makes the page incomplete. */
function amountOf(row: Json, account: string, currency: string): number {
  try {
    return minorOf(row, { account, currency, timeZone: 'UTC' })(row.total_amount)
  } catch (error) {
    if (!(error instanceof Unreadable || error instanceof TypeError)) throw error
    throw new PullFailed('again', `the row of the sale ${row.id} cannot be read: ${error.message}`)
  }
}

export const sumupPull: Pull = {
  baseUrl: 'https://api.sumup.com',
  // SumUp documents no rate limit.
  budget: { requests: 10, perMs: 1_000 },
  // SumUp does not document how long a till may be without a network.
  latenessMs: 3 * dayMs,
  standsAlone: true,
  states: 'sales',
  // The search finds a sale by its start. A sale that was open for longer than `usual` is found on the first page of
  // the list when it is paid, unless more sales than fit on the page are paid at once.
  overlapMs: { usual: 30 * minuteMs, hourly: 4 * hourMs, daily: longestOpenMs },
  oauth: { path: '/token', style: 'form', renewBeforeMs: 5 * minuteMs },
  headers: async (secret) => ({ authorization: `Bearer ${secret}` }),
  async *pages({ from, until, isStored }, account, ask) {
    const newest = itemsOf(await ask({ method: 'GET', path: pathOf(account) }))
    const happened = newest.filter(({ closed_at }) => Date.parse(closed_at) >= from.getTime())
    if (happened.length > 0) yield { documents: happened.map(toDocument), cursor: null }
    const read = new Set(happened.map(({ id }) => id as string))
    const span = { fromMs: from.getTime(), untilMs: until.getTime() }
    for await (const { documents: rows, untilMs } of readRows(span, account, ask)) {
      const isNew = (row: Json) => !read.has(row.id) && !isStored(row.id, stampOf(row.total_amount, row))
      const keys = rows.filter(isNew).map(({ id }) => id as string)
      yield { documents: await findAll(keys, account, ask), cursor: iso(untilMs) }
      for (const key of keys) read.add(key)
    }
  },
  async fetch(keys, { account }, ask) {
    return { documents: await findAll(keys, account, ask), cursor: null }
  },
  map: (documents, profile) => ({ ...mapSales(documents, profile), gone: [] }),
  // Resolves to the rows of the search, which state sales without tips.
  async totals({ from, until }, { account, currency }, ask) {
    const said: Said[] = []
    const span = { fromMs: from.getTime() - longestOpenMs, untilMs: until.getTime() }
    const seen = new Set<string>()
    for await (const { documents: rows } of readRows(span, account, ask)) {
      for (const row of rows) {
        const at = String(row.closed_at)
        const isIn = Date.parse(at) >= from.getTime() && Date.parse(at) <= until.getTime()
        if (!isIn || seen.has(row.id)) continue
        seen.add(row.id)
        said.push({ key: row.id as string, document: row.id as string, at, amount: amountOf(row, account, currency) })
      }
    }
    return said
  },
}
