import { minorReader } from '../../src/modules/sources/adapters/adapter.ts'
import type { Json } from '../../src/modules/sources/adapters/json-documents.ts'
import {
  findOne,
  listIn,
  PullFailed,
  readAllPages,
  type Ask,
  type Pull,
  type PulledDocument,
  type PulledPage,
} from '../../src/modules/sources/adapters/pull.ts'
import { timePieces } from '../../src/modules/sources/adapters/time-pieces.ts'
import { isIn, mapLoyverse } from './map.ts'
import { minuteMs, dayMs } from '../../src/core/domain/days/time-units.ts'

// Loyverse: receipts by the time of change, in pieces that each fit into one page. A closing lists its receipts, so a
// shift is always read with all of its receipts: when it closes, and when one of them changes.

/** Number of receipts, or of shifts, per page. */
const pageSize = 250

/** The longest time that a shift can be open. */
const longestShiftMs = 3 * dayMs

const iso = (ms: number) => new Date(ms).toISOString()

const toDocument = (document: Json): PulledDocument => ({
  key: String(document.receipt_number ?? document.id),
  document,
})

type List = { path: string; name: 'receipts' | 'shifts'; key: string }

const receipts: List = { path: '/v1.0/receipts', name: 'receipts', key: 'receipt_number' }
const shifts: List = { path: '/v1.0/shifts', name: 'shifts', key: 'id' }

const readPage = ({ path, name, key }: List, query: Record<string, string>, ask: Ask) =>
  ask({ method: 'GET', path, query: { ...query, limit: String(pageSize) } }).then((answer: Json) => ({
    found: listIn(answer, name, key),
    cursor: (answer.cursor ?? undefined) as string | undefined,
  }))

/** Reads every page of a list that does not change while it is read, or that is needed completely. */
const readAll = (list: List, query: Record<string, string>, ask: Ask): Promise<Json[]> =>
  readAllPages<string>(list.path, async (at) => {
    const { found, cursor } = await readPage(list, { ...query, ...(at === undefined ? {} : { cursor: at }) }, ask)
    return { found, next: cursor }
  })

/** Resolves to the closed shifts that may reach into an interval: opened in it, or up to `longestShiftMs` before it. */
async function shiftsOf(fromMs: number, untilMs: number, account: string, ask: Ask): Promise<Json[]> {
  const span = { created_at_min: iso(fromMs - longestShiftMs), created_at_max: iso(untilMs) }
  const found = await readAll(shifts, span, ask)
  return found.filter((one) => one.closed_at && (one.store_id ?? account) === account)
}

const msOf = (text: unknown) => Date.parse(String(text))

/**
 * Reads a page: the changed receipts, every shift that contains one of them or was closed in the interval, and all
 * receipts of these shifts.
 */
async function pageOf(
  changed: readonly Json[],
  { fromMs, untilMs }: { fromMs: number; untilMs: number },
  account: string,
  ask: Ask,
): Promise<Json[]> {
  const dates = changed.map(({ receipt_date }) => msOf(receipt_date))
  const [first, last] = [Math.min(fromMs, ...dates), Math.max(untilMs, ...dates)]
  const all = await shiftsOf(first, last, account, ask)
  const touched = all.filter(
    (shift) =>
      (msOf(shift.closed_at) >= fromMs && msOf(shift.closed_at) <= untilMs) ||
      changed.some((receipt) => isIn(receipt, shift)),
  )
  const byNumber = new Map(changed.map((one) => [String(one.receipt_number), one]))
  for (const shift of touched) {
    const span = { created_at_min: iso(msOf(shift.opened_at)), created_at_max: iso(msOf(shift.closed_at)) }
    for (const one of await readAll(receipts, { ...span, store_id: account }, ask))
      byNumber.set(one.receipt_number, one)
  }
  return [...byNumber.values(), ...touched]
}

/** Resolves to the receipts that changed in an interval; undefined if a page cannot hold them. */
async function readOne(fromMs: number, untilMs: number, account: string, ask: Ask): Promise<Json[] | undefined> {
  const query = { updated_at_min: iso(fromMs), updated_at_max: iso(untilMs), store_id: account }
  try {
    const { found, cursor } = await readPage(receipts, query, ask)
    return cursor === undefined ? found : undefined
  } catch (error) {
    if (error instanceof PullFailed && error.kind === 'too_large') return undefined
    throw error
  }
}

async function fetchAll(keys: readonly string[], account: string, ask: Ask): Promise<PulledPage> {
  const found: Json[] = []
  for (const key of keys) {
    const one =
      (await findOne(`${receipts.path}/${encodeURIComponent(key)}`, ask)) ??
      (await findOne(`${shifts.path}/${encodeURIComponent(key)}`, ask))
    if (one !== undefined) found.push(one)
  }
  const changed = found.filter(({ receipt_number }) => receipt_number !== undefined)
  const named = found.filter((one) => one.receipt_number === undefined && one.closed_at)
  const times = named.map(({ closed_at }) => msOf(closed_at))
  const span =
    times.length === 0 ? { fromMs: 0, untilMs: -1 } : { fromMs: Math.min(...times), untilMs: Math.max(...times) }
  if (changed.length === 0 && named.length === 0) return { documents: found.map(toDocument), cursor: null }
  const page = await pageOf(changed, times.length === 0 ? spanOf(changed) : span, account, ask)
  return { documents: page.map(toDocument), cursor: null }
}

/** Returns an empty interval, so that only the shifts of these receipts are read. */
function spanOf(changed: readonly Json[]): { fromMs: number; untilMs: number } {
  const first = Math.min(...changed.map(({ receipt_date }) => msOf(receipt_date)))
  return { fromMs: first, untilMs: first }
}

export const loyversePull: Pull = {
  baseUrl: 'https://api.loyverse.com',
  budget: { requests: 60, perMs: minuteMs },
  latenessMs: null,
  standsAlone: false,
  states: 'paid',
  // A receipt may be backdated, or arrive late after an outage: the time of change is then the time of arrival.
  overlapMs: { usual: 5 * minuteMs, daily: 3 * dayMs },
  oauth: { path: '/oauth/token', style: 'form', renewBeforeMs: 5 * minuteMs },
  headers: async (secret) => ({ authorization: `Bearer ${secret}` }),
  async *pages({ from, until }, account, ask) {
    const span = { fromMs: from.getTime(), untilMs: until.getTime() }
    const reads = {
      readOne: (fromMs: number, untilMs: number) => readOne(fromMs, untilMs, account, ask),
      readAll: (fromMs: number, untilMs: number) =>
        readAll(receipts, { updated_at_min: iso(fromMs), updated_at_max: iso(untilMs), store_id: account }, ask),
    }
    let fromMs = span.fromMs
    for await (const { documents, untilMs } of timePieces(span, reads)) {
      const page = await pageOf(documents, { fromMs, untilMs }, account, ask)
      yield { documents: page.map(toDocument), cursor: iso(untilMs) }
      fromMs = untilMs
    }
  },
  fetch: (keys, { account }, ask) => fetchAll(keys, account, ask),
  map(documents, profile) {
    const isReceipt = (one: Json) => one.receipt_number !== undefined
    const lists = [{ receipts: documents.filter(isReceipt) }, { shifts: documents.filter((one) => !isReceipt(one)) }]
    const mapped = mapLoyverse(lists, profile)
    // Loyverse does not number shifts. The shifts of a file are numbered from its first, but here earlier shifts are
    // unknown.
    return { ...mapped, closings: mapped.closings.map(({ number: _number, ...closing }) => closing), gone: [] }
  },
  // Resolves to the stated totals of receipts, by creation time, not by the time of change.
  async totals({ from, until }, { account, currency }, ask) {
    const minor = minorReader(currency)
    const span = { created_at_min: from.toISOString(), created_at_max: until.toISOString(), store_id: account }
    const found = await readAll(receipts, span, ask)
    return found
      .filter(({ cancelled_at }) => !cancelled_at)
      .map((one) => ({
        key: one.receipt_number as string,
        document: one.receipt_number as string,
        at: one.receipt_date as string,
        amount: (one.receipt_type === 'REFUND' ? -1 : 1) * minor(one.total_money),
      }))
  },
}
