import { addClosings, closingSums, type ClosedReport } from '../domain/books/closing-sums.ts'
import { monthEnd, yearEnd } from '../domain/books/closing-dates.ts'
import { addDays, businessTime, type BusinessClock } from '../domain/days/business-time.ts'
import { allDays } from '../domain/days/day-ranges.ts'
import { hourMs } from '../domain/days/time-units.ts'
import { startFold, type Cell } from '../domain/figures/sales.ts'
import { acceptanceTime } from '../domain/journal/chain.ts'
import { entryId } from '../domain/journal/entry-ids.ts'
import { moneyOf } from '../domain/money/currency.ts'
import { AppError } from '../errors.ts'
import type { BusinessDay } from '../schemas/business-days.ts'
import type { Closing, ClosingPeriod } from '../schemas/closings.ts'
import { transact, type Pool, type Sql, type Transaction } from '../store/db/database.ts'
import {
  countBetween,
  findLastClosing,
  listDayClosings,
  listReportVersions,
  putClosing,
  readClosings,
  type ClosingRow,
} from '../store/books/closings.ts'
import { findLocation, type LocationRow } from '../store/documents/locations.ts'
import { readStoredReport } from '../domain/documents/stored-documents.ts'
import { walkReports } from '../store/documents/reports.ts'
import { readOrderChanges } from '../store/figures/projections.ts'
import { listStoredCells } from '../store/figures/sales.ts'
import { appendChanges, findHead } from '../store/journal/journal.ts'
import { takeHead } from '../store/journal/resumption.ts'
import { daysProjection, readPendingDays } from './days.ts'
import { readCompleteness, readDays } from './days-answer.ts'
import { readExactly } from './exact.ts'
import { findIncomplete, isQuiet } from './require-complete.ts'
import { foldedOnRead } from './sales-answer.ts'
import { readPendingSales, salesProjection } from './sales.ts'
import { inShortTurns } from './short-turns.ts'
import { toChange } from './stretches.ts'

/** So much of the journal is read at once. */
const stretch = { entries: 1_000, bytes: 16 * 1024 ** 2 }

/** How long after its end a day is left open for tills that are late. */
const longestWaitMs = 36 * hourMs

/** So many days before the last one are asked whether something is missing of them. */
const askedDays = 366

/** The most tills that a closing names. */
const mostDevices = 100

type Interval = { after: number; upTo: number }

/** What a closing adds up: the sums of orders by their cells, the Z reports as they stood last, whether there were any, and up to which number. */
type Added = { cells: Cell[]; reports: ClosedReport[]; isEmpty: boolean; upTo: number }

const toClosedReport = ({ id, document }: { id: string; document: string }): ClosedReport => {
  const { reportNumber, deviceName, totalSales } = readStoredReport(document)
  return { id, number: reportNumber, deviceName, totalSales }
}

/** Folds the orders of a stretch of the journal, and reads the Z reports in it as they stood last. */
export async function foldInterval(
  sql: Sql,
  locationId: string,
  clock: BusinessClock,
  { after, upTo }: Interval,
): Promise<Added> {
  const fold = startFold(clock)
  const reports = new Map<string, ClosedReport>()
  let isEmpty = true
  for (let from = after; from < upTo;) {
    const size = { ...stretch, entries: Math.min(stretch.entries, upTo - from) }
    const { changes, reached } = await readOrderChanges(sql, locationId, from, size)
    if (reached === from) break
    const within = changes.filter(({ seq }) => seq <= upTo)
    await inShortTurns(within, (change) => fold.add(toChange(change)))
    if (within.length > 0) isEmpty = false
    for (const version of await listReportVersions(sql, locationId, from, Math.min(reached, upTo))) {
      // The version that came last stands where it came.
      reports.delete(version.id)
      reports.set(version.id, toClosedReport(version))
    }
    from = reached
  }
  return { cells: fold.changed(), reports: [...reports.values()], isEmpty: isEmpty && reports.size === 0, upTo }
}

const noPerpetual = { orders: 0, salesInclTax: 0, tax: 0 }

/** What every closing has from the location as it is set now. */
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

/** The kinds of cells that a closing is made of (`closingSums`). */
const closedKinds = ['total', 'tax', 'payment'] as const

/**
 * Adds up the whole journal, for the first closing, from the sums that are kept for `GET /v1/sales/`: to fold the orders of years takes
 * minutes, in which connections are closed. Throws `FiguresBuilding`.
 */
async function addUpAll(pool: Pool, location: LocationRow): Promise<Added> {
  return readExactly(pool, location.id, salesProjection, async (tx) => {
    const live = await readPendingSales(tx, location.id, foldedOnRead)
    const isOfClock = live?.clock.timeZone === location.timeZone && live.clock.dayStartsAt === location.dayStartsAt
    if (!live || !isOfClock) return undefined
    const place = { locationId: location.id, generation: live.generation.generation }
    const cells: Cell[] = [...live.pending]
    for (const kind of closedKinds) cells.push(...(await listStoredCells(tx, place, { kind, ...allDays })))
    const reports: ClosedReport[] = []
    for await (const batch of walkReports(tx, location.id)) reports.push(...batch.map(toClosedReport))
    return { cells, reports, isEmpty: cells.length === 0 && reports.length === 0, upTo: live.reached }
  })
}

/** Makes a closing of what was added up after the last one. Undefined where no order and no Z came. */
async function planDay(
  sql: Sql,
  location: LocationRow,
  last: Closing | undefined,
  { date, added, waiting }: { date: string; added: Added; waiting: Waiting },
): Promise<Planned | undefined> {
  const { cells, reports, isEmpty, upTo } = added
  const after = last?.toSequence ?? 0
  if (isEmpty) return undefined
  const { totals, ...sums } = closingSums(cells, reports, moneyOf(location.currency).decimals)
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
    previous,
  }
}

/** Adds up closings of days to a month or year. They follow each other. */
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
    previous,
  }
}

/** `next` is the day that is closed now, null where none is; `upTo` the last day that was closed by somebody who may go on. */
type EndOfPeriods = { next: string | null; upTo?: string; now: Date }

/** Plans the month and the year that have ended: with the first day after them, or as soon as nobody is waited for any more. */
async function planPeriods(sql: Sql, location: LocationRow, { next, upTo, now }: EndOfPeriods): Promise<Planned[]> {
  const { startOf } = businessTime(location)
  const planned: Planned[] = []
  for (const period of ['month', 'year'] as const) {
    const before = await findLastClosing(sql, location.id, period)
    const rows = await listDayClosings(sql, location.id, before?.toSeq ?? 0)
    const last = rows.at(-1)
    if (!last) continue
    const end = period === 'month' ? monthEnd(last.date) : yearEnd(last.date, location.fiscalYearStarts)
    // A day that came late for a month that is closed is in the next one.
    if (before && end <= before.date) continue
    if (upTo !== undefined && end > upTo) continue
    const isOver = next === null ? startOf(addDays(end, 1)) + longestWaitMs <= now.getTime() : next > end
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
  throw new AppError('closing_exists', `the last closing of a day is ${number}, and not ${after}`, {
    members: { number },
  })
}

async function waitingOf(
  pool: Pool,
  locationId: string,
  range: { since: string; until: string },
  now: Date,
): Promise<Waiting> {
  const missing = await findIncomplete(pool, locationId, range, now)
  const { completeUntil } = await readExactly(pool, locationId, daysProjection, async (tx) => {
    const live = await readPendingDays(tx, locationId)
    if (!live) return undefined
    // As it stood when nobody was waited for any more: a day that is closed later has tills that are idle by now.
    const waitedUntil = businessTime(live.clock).startOf(addDays(range.until, 1)) + longestWaitMs
    return readCompleteness(tx, locationId, live, new Date(Math.min(now.getTime(), waitedUntil)))
  })
  const devices = missing?.devices ?? []
  return {
    complete: missing === undefined,
    waitingFor: devices.slice(0, mostDevices).map(({ deviceId, deviceName }) => ({ deviceId, deviceName })),
    completeUntil,
  }
}

type Asked = { until: string; after: number; now: Date; seen: number }

/**
 * Closes the business days up to one: adds up what came into the journal since the closing before, and closes the month and the
 * year that ended before that day. It is added up freely; the journal's head is locked only to append. Empty where nothing
 * came, or the day is closed. Throws `closing_exists`, `FiguresBuilding`, `JournalRewound`.
 */
export async function closeUpTo(pool: Pool, locationId: string, asked: Asked): Promise<MadeClosing[]> {
  const { until, after, now, seen } = asked
  const row = await findLastClosing(pool, locationId, 'day')
  checkAfter(after, row)
  const location = await findLocation(pool, locationId)
  if (!location || (row && until <= row.date)) return []
  const since = row ? addDays(row.date, 1) : addDays(until, -askedDays)
  // Before the head is read: what is said to have arrived is in what is added up.
  const waiting = await waitingOf(pool, locationId, { since, until }, now)
  const head = await findHead(pool, locationId)
  if (!head) return []
  const [last] = row ? await readClosings(pool, locationId, [row]) : []
  const added = last
    ? await foldInterval(pool, locationId, location, { after: last.toSequence, upTo: head.seq })
    : await addUpAll(pool, location)
  const day = await planDay(pool, location, last, { date: until, added, waiting })
  if (!day) return []
  return transact(pool, async (tx) => {
    const taken = await takeHead(tx, locationId, { now, seen })
    if (!taken) return []
    checkAfter(after, await findLastClosing(tx, locationId, 'day'))
    const periods = await planPeriods(tx, location, { next: until, now })
    return append(tx, locationId, taken, { planned: [...periods, day], now })
  })
}

const hadSales = ({ reports, sales, orders }: BusinessDay) => reports.length + sales.orders + orders.unreported > 0

/** The last business day that can be closed after one: all up to it are over, and complete or waited for long enough. */
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

/** Closes the month and the year that are over though no day came after them. */
export async function closePeriods(
  pool: Pool,
  location: LocationRow,
  asked: Omit<EndOfPeriods, 'next'>,
): Promise<MadeClosing[]> {
  const end = { next: null, ...asked }
  if ((await planPeriods(pool, location, end)).length === 0) return []
  return transact(pool, async (tx) => {
    const head = await takeHead(tx, location.id, { now: asked.now })
    const planned = head ? await planPeriods(tx, location, end) : []
    return head && planned.length > 0 ? append(tx, location.id, head, { planned, now: asked.now }) : []
  })
}

/**
 * Closes what is due of a location whose closings have begun: the first is made by hand. Resolves to what was closed. What another
 * process closed meanwhile is not closed twice.
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
