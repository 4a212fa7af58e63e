import { addUp } from './closings.ts'
import {
  datingAfter,
  foldInterval,
  foldLeft,
  isSameClock,
  join,
  nothingCame,
  partAt,
  type Came,
} from './closing-stretches.ts'
import { closingSums, leftOf } from '../domain/closing-sums.ts'
import { moneyOf } from '../../../core/contract/money/currency.ts'
import type { Closing, ClosingPeriod } from '../schemas/closings.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { listAsides, type AsideRow } from '../../../core/store/journal/asides.ts'
import { countBetween, listAllClosings, readClosings } from '../store/closings.ts'

/** What closings left for later days, if known: it is unknown for an archived year. */
type Carried = { left: Came; isKnown: boolean }

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/**
 * Compares the sums of a day's closing with those of the journal entries that it covers and of what the previous
 * closing left over. Returns how they differ; undefined if they agree.
 */
async function dayFault(
  sql: Sql,
  locationId: string,
  closing: Closing,
  { before, asides, carried }: { before: Closing | undefined; asides: readonly AsideRow[]; carried: Carried },
): Promise<string | undefined> {
  const after = before?.toSequence ?? 0
  if (closing.fromSequence !== after + 1)
    return `begins at ${closing.fromSequence} instead of ${after + 1}: the previous closing ends at ${after}`
  const interval = { after, upTo: closing.toSequence }
  // The orders of the closing are in the archive, which was compared with the journal; its entry is part of the chain.
  const isAside = asides.some(({ from, to }) => from <= closing.toSequence && to > after)
  if (isAside) {
    carried.left = nothingCame
    carried.isKnown = isNothingLeft(closing)
  }
  const fault = isAside ? undefined : await sumsFault(sql, locationId, closing, { before, interval, carried })
  if (fault !== undefined) return fault
  if ((await countBetween(sql, locationId, after, closing.toSequence)) !== closing.entries)
    return 'has a different number of entries than the journal'
  const sum = (name: keyof Closing['perpetual']) => (before?.perpetual[name] ?? 0) + closing.totals[name]
  const perpetual = { orders: sum('orders'), salesInclTax: sum('salesInclTax'), tax: sum('tax') }
  return same(closing.perpetual, perpetual)
    ? undefined
    : 'has wrong perpetual totals: expected the perpetual totals of the previous closing plus the totals of this closing'
}

const isNothingLeft = ({ left }: Closing): boolean =>
  left === undefined || Object.values(left).every((one) => one === 0)

async function sumsFault(
  sql: Sql,
  locationId: string,
  closing: Closing,
  {
    before,
    interval,
    carried,
  }: { before: Closing | undefined; interval: { after: number; upTo: number }; carried: Carried },
): Promise<string | undefined> {
  const { decimals } = moneyOf(closing.currency)
  const time = datingAfter(before, closing)
  if (before && carried.isKnown && !isNothingLeft(before) && !isSameClock(before, closing))
    carried.left = await foldLeft(sql, locationId, before, { time, upTo: interval.after })
  const came = await foldInterval(sql, locationId, time, interval)
  const joined = join(carried.left, came)
  // A closing of an earlier build has everything that arrived.
  const { due, left } = closing.left === undefined ? { due: joined, left: nothingCame } : partAt(closing.date, joined)
  carried.left = left
  if (!carried.isKnown) {
    carried.isKnown = isNothingLeft(closing)
    return undefined
  }
  if (closing.left !== undefined && !same(closing.left, leftOf(left, decimals)))
    return 'differs from the journal in left, the entries that belong to the next closings'
  const made = closingSums(due, decimals)
  for (const name of Object.keys(made) as (keyof typeof made)[]) {
    if (!same(closing[name], made[name])) return `differs from the journal in ${name}`
  }
  return undefined
}

/**
 * Returns why a month or year is not the sum of its days, or which days are missing after the previous period;
 * undefined if all is right.
 */
function periodFault(
  locationId: string,
  closing: Closing,
  { before, days }: { before: Closing | undefined; days: readonly Closing[] },
): string | undefined {
  const { first, last, period, date } = closing
  const end = before?.last ?? 0
  if (first !== end + 1)
    return `begins with day ${first} instead of ${end + 1}: the previous ${period} ends with day ${end}`
  const own = days.filter(({ number }) => number >= (first ?? 0) && number <= (last ?? 0))
  if (own.length === 0) return 'contains no day'
  const { createdAt: _, ...kept } = closing
  const made = addUp(locationId, period, own, { before: before?.number ?? 0, date })
  const wrong = (Object.keys(made) as (keyof typeof made)[]).find((name) => !same(kept[name], made[name]))
  return wrong && `differs from the sum of its days in ${wrong}`
}

/**
 * Describes the first closing whose sums are not those of the journal, that has a gap before it, or whose stored row
 * differs from the journal; undefined if all are valid. Folds the whole journal of the location.
 */
export async function findClosingsFault(sql: Sql, locationId: string): Promise<string | undefined> {
  const { rows, missing } = await listAllClosings(sql, locationId)
  if (missing !== undefined) return `the closing at journal entry ${missing} is not stored`
  const closings = await readClosings(sql, locationId, rows)
  const asides = await listAsides(sql, locationId)
  const latest = new Map<ClosingPeriod, Closing>()
  const days = closings.filter(({ period }) => period === 'day')
  const carried: Carried = { left: nothingCame, isKnown: true }
  for (const [i, closing] of closings.entries()) {
    const { period, number, date, fromSequence, toSequence } = closing
    const name = `the closing of ${period} ${number}`
    const { seq, ...row } = rows[i] as (typeof rows)[number]
    if (!same(row, { period, number, date, fromSeq: fromSequence, toSeq: toSequence }))
      return `${name} differs from entry ${seq}`
    const before = latest.get(period)
    if (number !== (before?.number ?? 0) + 1) return `${name} follows ${before?.number ?? 0}`
    const fault =
      period === 'day'
        ? await dayFault(sql, locationId, closing, { before, asides, carried })
        : periodFault(locationId, closing, { before, days })
    if (fault !== undefined) return `${name} ${fault}`
    latest.set(period, closing)
  }
  return undefined
}
