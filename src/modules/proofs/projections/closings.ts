import { addClosings, closingSums, leftOf } from '../domain/closing-sums.ts'
import { monthEnd, yearEnd } from '../domain/closing-dates.ts'
import { addDays, businessTime } from '../../../core/domain/days/business-time.ts'
import { hourMs } from '../../../core/domain/days/time-units.ts'
import { acceptanceTime } from '../../../core/domain/journal/chain.ts'
import { entryId } from '../../../core/domain/journal/entry-ids.ts'
import { moneyOf } from '../../../core/contract/money/currency.ts'
import { AppError } from '../../../core/contract/errors/errors.ts'
import type { BusinessDay } from '../../figures/schemas/business-days.ts'
import type { Closing, ClosingPeriod } from '../schemas/closings.ts'
import { transact, type Pool, type Sql, type Transaction } from '../../../core/store/db/database.ts'
import {
  countBetween,
  findLastClosing,
  listDayClosings,
  putClosing,
  readClosings,
  type ClosingRow,
} from '../store/closings.ts'
import { findLocation, type LocationRow } from '../../../core/contract/location/rows.ts'
import { appendChanges } from '../../../core/store/journal/journal.ts'
import { takeHead } from '../../../core/store/journal/resumption.ts'
import { daysProjection, readPendingDays } from '../../figures/projections/days.ts'
import { readCompleteness, readDays } from '../../figures/projections/days-answer.ts'
import { addUpTo, daysToClose, type Added } from './closing-stretches.ts'
import { readExactly } from '../../figures/projections/exact.ts'
import { findIncomplete, isQuiet } from '../../figures/projections/require-complete.ts'

/** How long a business day waits for late tills after its end, in milliseconds. */
const longestWaitMs = 36 * hourMs

/** This many days before the last day are checked for missing data. */
const askedDays = 366

/** Maximum number of tills that a closing lists. */
const mostDevices = 100

const noPerpetual = { orders: 0, salesInclTax: 0, tax: 0 }

/** Returns the current settings of the location that every closing contains. */
const settingsOf = ({ currency, timeZone, dayStartsAt }: LocationRow) => ({ currency, timeZone, dayStartsAt })

type Waiting = Pick<Closing, 'complete' | 'waitingFor' | 'completeUntil'>

/** A closing before it is journaled. */
type Planned = Omit<Closing, 'createdAt'>

function idsOf(locationId: string, period: ClosingPeriod, before: number) {
  return {
    id: entryId(locationId, `closing ${period} ${before + 1}`),
    period,
    number: before + 1,
    previous: before === 0 ? null : entryId(locationId, `closing ${period} ${before}`),
  }
}

/** Plans a daily closing from what arrived after the last closing. Undefined if no order or Z report arrived for days up to `date`. */
async function planDay(
  sql: Sql,
  location: LocationRow,
  last: Closing | undefined,
  { date, added, waiting }: { date: string; added: Added; waiting: Waiting },
): Promise<Planned | undefined> {
  const { due, left, upTo } = added
  const after = last?.toSequence ?? 0
  if (due.cells.length + due.reports.length === 0) return undefined
  const { decimals } = moneyOf(location.currency)
  const { totals, ...sums } = closingSums(due, decimals)
  const before = last?.perpetual ?? noPerpetual
  const { previous, ...ids } = idsOf(location.id, 'day', last?.number ?? 0)
  return {
    ...ids,
    date,
    fromSequence: after + 1,
    toSequence: upTo,
    entries: await countBetween(sql, location.id, after, upTo),
    first: null,
    last: null,
    ...settingsOf(location),
    totals,
    ...sums,
    perpetual: {
      orders: before.orders + totals.orders,
      salesInclTax: before.salesInclTax + totals.salesInclTax,
      tax: before.tax + totals.tax,
    },
    ...waiting,
    left: leftOf(left, decimals),
    previous,
  }
}

/** Adds up successive daily closings into the closing of a month or year. */
export function addUp(
  locationId: string,
  period: ClosingPeriod,
  days: readonly Closing[],
  { before, date }: { before: number; date: string },
): Planned {
  const [first, last] = [days[0] as Closing, days.at(-1) as Closing]
  const { previous, ...ids } = idsOf(locationId, period, before)
  const { totals, ...sums } = addClosings(days)
  const waitingFor = new Map(days.flatMap((day) => day.waitingFor.map((one) => [JSON.stringify(one), one] as const)))
  return {
    ...ids,
    date,
    fromSequence: first.fromSequence,
    toSequence: last.toSequence,
    entries: days.reduce((sum, { entries }) => sum + entries, 0),
    first: first.number,
    last: last.number,
    currency: last.currency,
    timeZone: last.timeZone,
    dayStartsAt: last.dayStartsAt,
    totals,
    ...sums,
    perpetual: last.perpetual,
    complete: days.every(({ complete }) => complete),
    waitingFor: [...waitingFor.values()].slice(0, mostDevices),
    completeUntil: last.completeUntil,
    ...(last.left === undefined ? {} : { left: last.left }),
    previous,
  }
}

/**
 * `next` is the day that is closed now, or null. `upTo` is a day that has ended: periods up to it are closed without
 * waiting for late tills, and later ones are not closed.
 */
type EndOfPeriods = { next: string | null; upTo?: string; now: Date }

/**
 * Plans the closings of the month and the year that have ended: they are due with the first day after them, or once no
 * till is expected to send more.
 */
async function planPeriods(sql: Sql, location: LocationRow, { next, upTo, now }: EndOfPeriods): Promise<Planned[]> {
  const { endOf } = businessTime(location)
  const planned: Planned[] = []
  for (const period of ['month', 'year'] as const) {
    const before = await findLastClosing(sql, location.id, period)
    const rows = await listDayClosings(sql, location.id, before?.toSeq ?? 0)
    const last = rows.at(-1)
    if (!last) continue
    const end = period === 'month' ? monthEnd(last.date) : yearEnd(last.date, location.fiscalYearStarts)
    // A day that arrives after its month was closed is part of the next month's closing.
    if (before && end <= before.date) continue
    if (upTo !== undefined && end > upTo) continue
    const isAwaited = upTo === undefined && now.getTime() < endOf(end) + longestWaitMs
    const isOver = next === null ? !isAwaited : next > end
    if (!isOver) continue
    const days = await readClosings(sql, location.id, rows)
    planned.push(addUp(location.id, period, days, { before: before?.number ?? 0, date: end }))
  }
  return planned
}

export type MadeClosing = { closing: Closing; document: string; seq: number }

/** Journals closings in their order. The caller holds the head's lock. */
async function append(
  tx: Transaction,
  locationId: string,
  head: NonNullable<Awaited<ReturnType<typeof takeHead>>>,
  { planned, now }: { planned: readonly Planned[]; now: Date },
): Promise<MadeClosing[]> {
  const createdAt = acceptanceTime(head, now)
  const closings = planned.map(({ id, period, number, date, ...rest }): Closing => ({
    id,
    period,
    number,
    date,
    createdAt,
    ...rest,
  }))
  const changes = closings.map((closing) => ({
    kind: 'closing',
    id: closing.id,
    prevSeq: null,
    types: ['closing.created'],
    document: JSON.stringify(closing),
  }))
  const { seq: last } = await appendChanges(tx, { locationId, head }, changes, createdAt)
  const first = last - closings.length + 1
  for (const [i, { document }] of changes.entries()) await putClosing(tx, locationId, first + i, document)
  return closings.map((closing, i) => ({
    closing,
    document: (changes[i] as { document: string }).document,
    seq: first + i,
  }))
}

function checkAfter(after: number, last: ClosingRow | undefined): void {
  const number = last?.number ?? 0
  if (after === number) return
  throw new AppError(
    'closing_exists',
    `the last daily closing is ${number}, not ${after}: ${after < number ? `read the closings above ${after}; to make another one, ` : ''}set after to ${number}`,
    {
      members: { number },
    },
  )
}

async function waitingOf(
  pool: Pool,
  locationId: string,
  range: { since: string; until: string },
  now: Date,
): Promise<Waiting> {
  const missing = await findIncomplete(pool, locationId, range, now)
  const known = await readExactly(pool, locationId, daysProjection, async (tx) => {
    const live = await readPendingDays(tx, locationId)
    if (!live) return undefined
    // Completeness is read as of the end of the wait for late tills: if the closing is made later, more tills may be
    // idle and no longer count.
    const endMs = businessTime(live.clock).endOf(range.until)
    const at = new Date(Math.min(now.getTime(), endMs + longestWaitMs))
    const { completeUntil } = await readCompleteness(tx, locationId, live, at)
    // What tills closed after the end of the range is in the next closings.
    const end = new Date(endMs).toISOString()
    return { completeUntil: completeUntil !== null && completeUntil > end ? end : completeUntil }
  })
  const devices = missing?.devices ?? []
  return {
    complete: missing === undefined,
    waitingFor: devices.slice(0, mostDevices).map(({ deviceId, deviceName }) => ({ deviceId, deviceName })),
    ...known,
  }
}

type ClosingOptions = { until: string; after: number; now: Date; seen: number }

/** Closes the business days up to `until`, which are all in one month. Empty if there is nothing to close. */
async function closeOnce(pool: Pool, location: LocationRow, options: ClosingOptions): Promise<MadeClosing[]> {
  const { until, after, now, seen } = options
  const row = await findLastClosing(pool, location.id, 'day')
  checkAfter(after, row)
  const since = [addDays(row?.date ?? '0001-01-01', 1), addDays(until, -askedDays)].toSorted()[1] as string
  // This is read before the journal, so that everything that is reported as arrived is in the sums.
  const waiting = await waitingOf(pool, location.id, { since, until }, now)
  const [last] = row ? await readClosings(pool, location.id, [row]) : []
  const added = await addUpTo(pool, location, last, until)
  const day = await planDay(pool, location, last, { date: until, added, waiting })
  if (!day) return []
  return transact(pool, async (tx) => {
    const taken = await takeHead(tx, location.id, { now, seen })
    if (!taken) return []
    checkAfter(after, await findLastClosing(tx, location.id, 'day'))
    const periods = await planPeriods(tx, location, { next: until, now })
    return append(tx, location.id, taken, { planned: [...periods, day], now })
  })
}

/**
 * Lists the days up to which closings are made: the last day of the month or fiscal year of each day with data, and
 * finally `until`. The clock of a till may have been centuries off, so months without data are not visited.
 */
function endsOf(days: readonly string[], until: string, startsOn: string): string[] {
  const ends = days
    .filter((day) => day <= until)
    .map((day) => [monthEnd(day), yearEnd(day, startsOn), until].toSorted()[0] as string)
  return [...new Set([...ends, until])].toSorted()
}

/**
 * Closes the business days up to `until`: makes one closing of days for each month that they are in, and the closings
 * of the months and years that ended before that day. A closing has what arrived for its days since the previous
 * closing; later days are left for the next closing. Sums are added up without a lock; the journal's head is locked
 * only to append. Empty if nothing arrived, or the day is closed. Throws `closing_exists`, `FiguresBuilding`,
 * `JournalRewound`.
 */
export async function closeUpTo(pool: Pool, locationId: string, options: ClosingOptions): Promise<MadeClosing[]> {
  const { until, now } = options
  const row = await findLastClosing(pool, locationId, 'day')
  checkAfter(options.after, row)
  const location = await findLocation(pool, locationId)
  if (!location || (row && until <= row.date)) return []
  const endsFor = (days: readonly string[]) => endsOf(days, until, location.fiscalYearStarts)
  let ends = row ? endsFor([addDays(row.date, 1)]) : []
  if (ends.length !== 1) {
    const [last] = row ? await readClosings(pool, locationId, [row]) : []
    const days = await daysToClose(pool, location, last)
    if (days.length === 0) return []
    ends = endsFor(days)
  }
  const made: MadeClosing[] = []
  let { after, seen } = options
  for (const end of ends) {
    try {
      const closed = await closeOnce(pool, location, { until: end, after, now, seen })
      made.push(...closed)
      after = closed.at(-1)?.closing.number ?? after
      seen = Math.max(seen, closed.at(-1)?.seq ?? 0)
    } catch (error) {
      // Another process made the closing, and continues from there.
      if (made.length > 0 && error instanceof AppError && error.code === 'closing_exists') return made
      throw error
    }
  }
  return made
}

const hadSales = ({ reports, sales, orders }: BusinessDay) => reports.length + sales.orders + orders.unreported > 0

/**
 * Finds the last business day after `last` that can be closed: all days up to it are over, and are complete or past the
 * waiting time.
 */
async function findDueDay(pool: Pool, locationId: string, last: string, now: Date): Promise<string | undefined> {
  const { due } = await readExactly(pool, locationId, daysProjection, async (tx) => {
    const live = await readPendingDays(tx, locationId)
    if (!live) return undefined
    const until = addDays(businessTime(live.clock).dayOf(now.getTime()), -1)
    const since = [addDays(last, 1), addDays(until, -askedDays)].toSorted()[1] as string
    if (since > until) return { due: undefined }
    const days = await readDays(tx, locationId, live, { range: { since, until }, now })
    let found: string | undefined
    for (const { day } of days) {
      const isSettled = day.isComplete || isQuiet(day) || Date.parse(day.endsAt) + longestWaitMs <= now.getTime()
      if (!isSettled) break
      if (hadSales(day)) found = day.date
    }
    return { due: found }
  })
  return due
}

/** Closes the month and the year that have ended, even if no later day was closed. */
export async function closePeriods(
  pool: Pool,
  location: LocationRow,
  options: Omit<EndOfPeriods, 'next'>,
): Promise<MadeClosing[]> {
  const end = { next: null, ...options }
  if ((await planPeriods(pool, location, end)).length === 0) return []
  return transact(pool, async (tx) => {
    const head = await takeHead(tx, location.id, { now: options.now })
    const planned = head ? await planPeriods(tx, location, end) : []
    return head && planned.length > 0 ? append(tx, location.id, head, { planned, now: options.now }) : []
  })
}

/**
 * Closes the due days of a location whose closings have begun (the first is made by hand). Resolves to the new
 * closings. Days that another process has closed in the meantime are not closed twice.
 */
export async function closeDue(pool: Pool, locationId: string, now: Date): Promise<MadeClosing[]> {
  const [last, location] = await Promise.all([findLastClosing(pool, locationId, 'day'), findLocation(pool, locationId)])
  if (!last || !location) return []
  const due = await findDueDay(pool, locationId, last.date, now)
  try {
    const made =
      due === undefined ? [] : await closeUpTo(pool, locationId, { until: due, after: last.number, now, seen: 0 })
    return [...made, ...(await closePeriods(pool, location, { now }))]
  } catch (error) {
    if (error instanceof AppError && error.code === 'closing_exists') return []
    throw error
  }
}
