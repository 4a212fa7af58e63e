import type { BusinessDay } from '../schemas/business-days.ts'
import { addDays, type BusinessTime } from '../../../core/domain/days/business-time.ts'
import { allTime } from '../../../core/domain/days/day-ranges.ts'
import { toMinor } from '../../../core/contract/money/decimal.ts'
import type { DeviceDay } from './device-days.ts'
import type { ReportCheck } from './report-checks.ts'
import { gapsBefore, idleAfterDays, isExpected, isRetired, type Gap, type Till } from './tills.ts'

/** A business day of an answer, without `status` and `revision`, which depend on earlier announcements. */
export type DayFacts = Omit<BusinessDay, 'status' | 'revision'>

/** How a till closed a day: whether it did, by which reports, and which report numbers are missing before them. */
type Closing = { isClosed: boolean; reports: ReportCheck[]; gaps: Gap[] }

/**
 * Returns the highest number of Z reports that a till made on one of the preceding days, at least 1: a till that
 * usually makes two reports a day has not closed the day with the first.
 */
function usualReports({ days }: Till, day: string): number {
  let usual = 1
  for (let back = 1; back < idleAfterDays; back++) usual = Math.max(usual, days.get(addDays(day, -back))?.reports ?? 0)
  return usual
}

/**
 * Returns whether a till has closed a day, and by which reports: by the reports of the day, if they are as many as
 * usual and every counted order of the day is in a report; otherwise by its next report, or by its promise that
 * everything has been pushed.
 */
function closingOf(till: Till, day: string, time: BusinessTime): Closing {
  const [start, end] = [time.startOf(day), time.endOf(day)]
  const { reports: all, reportMs } = till
  const within = all.filter((_, i) => (reportMs[i] as number) >= start && (reportMs[i] as number) < end)
  const next = all[reportMs.findIndex((at) => at >= end)]
  const unreported = till.days.get(day)?.unreported ?? 0
  const isDone = within.length >= usualReports(till, day) && unreported <= 0
  const reports = isDone || !next ? within : [...within, next]
  const promised = till.promises.some((one) => one.missing <= 0 && Date.parse(one.completeUntil) >= end)
  return { isClosed: isDone || next !== undefined || promised, reports, gaps: gapsBefore(till, reports, day) }
}

/** A gap, and the till that left it. */
export type TillGap = Gap & { deviceName: string }

/**
 * Lists the gaps to which the `missingReports` of these business days belong, each once, sorted by the close of the
 * report after the gap.
 */
export function gapsOf(
  days: readonly string[],
  tillsOf: (day: string) => readonly Till[],
  time: BusinessTime,
): TillGap[] {
  const found = days.flatMap((day) =>
    tillsOf(day)
      .filter((till) => isExpected(till, day))
      .flatMap((till) => closingOf(till, day, time).gaps.map((gap) => ({ ...gap, deviceName: till.deviceName ?? '' }))),
  )
  const keyOf = ({ after }: TillGap) => `${after.finalizedAt} ${after.reportId}`
  return [...new Map(found.map((gap) => [gap.after.reportId, gap])).values()].toSorted((a, b) =>
    keyOf(a) < keyOf(b) ? -1 : 1,
  )
}

const iso = (ms: number) => new Date(Math.min(ms, allTime.last)).toISOString()

/** Returns a business day: the figures of its Z reports and orders, and the tills that have not closed it. */
export function dayFacts(
  day: string,
  {
    tills,
    deviceDays,
    time,
    now,
    decimals,
  }: { tills: readonly Till[]; deviceDays: readonly DeviceDay[]; time: BusinessTime; now: number; decimals: number },
): DayFacts {
  const endMs = time.endOf(day)
  const expected = tills.filter((till) => isExpected(till, day))
  const closings = expected.map((till) => ({ till, ...closingOf(till, day, time) }))
  const ofDay = tills.flatMap(({ reports }) => reports).filter(({ businessDay }) => businessDay === day)
  const looked = [
    ...new Map([...ofDay, ...closings.flatMap(({ reports }) => reports)].map((one) => [one.reportId, one])).values(),
  ]
  const ids = (kind: 'missing' | 'open' | 'extra') => [...new Set(looked.flatMap((check) => check[kind]))].toSorted()
  const unreported = tills
    .filter(({ reports }) => reports.length > 0)
    .reduce((sum, { days }) => sum + Math.max(days.get(day)?.unreported ?? 0, 0), 0)
  const orders = { missing: ids('missing'), open: ids('open'), extra: ids('extra'), unreported }
  const missingReports = closings.flatMap(({ till, gaps }) =>
    gaps.flatMap(({ numbers }) => numbers).map((reportNumber) => ({ deviceName: till.deviceName ?? '', reportNumber })),
  )
  const waitingFor = closings
    .filter(({ isClosed, till }) => !isClosed && !isRetired(till, day))
    .map(({ till: { deviceId, deviceName } }) => ({ deviceId, deviceName }))
  const hasNoGaps =
    orders.missing.length + orders.open.length + orders.extra.length + unreported + missingReports.length === 0
  const sold = deviceDays.filter((one) => one.day === day)
  const sum = (of: (one: DeviceDay) => number) => sold.reduce((all, one) => all + of(one), 0)
  const minor = (name: 'sales' | 'tax') =>
    toMinor(
      sum((one) => one[name]),
      sum((one) => one[`${name}Rest`]),
      decimals,
    )
  const [sales, tax] = [minor('sales'), minor('tax')]
  const reports = ofDay.toSorted((a, b) => (a.finalizedAt + a.reportId < b.finalizedAt + b.reportId ? -1 : 1))
  return {
    date: day,
    isComplete: now >= endMs && expected.length > 0 && waitingFor.length === 0 && hasNoGaps,
    startsAt: iso(time.startOf(day)),
    endsAt: iso(endMs),
    balanced: reports.length === 0 ? null : reports.every(({ verdict }) => verdict === 'balanced'),
    sales: { orders: sum((one) => one.counted), salesInclTax: sales, tax, salesExclTax: sales - tax },
    reports: reports.map(({ reportId, reportNumber, deviceName, finalizedAt, verdict }) => ({
      reportId,
      reportNumber,
      deviceName,
      finalizedAt,
      verdict,
    })),
    missingReports,
    orders,
    waitingFor,
  }
}

/** Orders the members of a day as in its schema, so that equal days have equal bytes. */
function toBusinessDay(facts: DayFacts, status: BusinessDay['status'], revision: number): BusinessDay {
  const { date, ...rest } = facts
  return { date, status, revision, ...rest }
}

/**
 * Returns whether the facts equal the announced ones. Facts that an earlier version of Tillgate did not announce are
 * ignored.
 */
function isSame(facts: DayFacts, announced: BusinessDay): boolean {
  const now: Record<string, unknown> = { ...facts, status: announced.status, revision: announced.revision }
  return Object.entries(announced).every(([name, value]) => JSON.stringify(now[name]) === JSON.stringify(value))
}

/**
 * Returns the state of a day, given its last announcement. A day is `open` while it is not over or a device has not
 * closed it, then `closed`, then `complete`; any later change makes it `revised`.
 */
export function nextDay(facts: DayFacts, announced: BusinessDay | undefined, now: number): BusinessDay {
  if (announced) {
    if (isSame(facts, announced)) return announced
    return toBusinessDay(facts, 'revised', announced.revision + 1)
  }
  if (facts.isComplete) return toBusinessDay(facts, 'complete', 0)
  const isOpen = facts.waitingFor.length > 0 || now < Date.parse(facts.endsAt)
  return toBusinessDay(facts, isOpen ? 'open' : 'closed', 0)
}
