import { setImmediate as turn } from 'node:timers/promises'
import { businessTime, type BusinessClock, type BusinessTime } from '../../../core/domain/days/business-time.ts'
import { foldDeviceDays, type DeviceDay } from '../domain/device-days.ts'
import { checkReport, waitsOf, type ReportCheck } from '../domain/report-checks.ts'
import type { OrderChange } from '../domain/sales.ts'
import { readStoredReport } from '../../../core/domain/documents/stored-documents.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import {
  addDeviceDays,
  deleteOtherDays,
  listCountedDays,
  listDeviceDays,
  type CountedDay,
} from '../store/device-days.ts'
import { putDueDays, type DueDay } from '../store/due-days.ts'
import { listOrdersOfReport } from '../../../core/contract/orders/rows.ts'
import type { Generation, ProjectionRow, StretchSize } from '../store/projections.ts'
import {
  listDaysBefore,
  listNextChecks,
  listReportChecks,
  listWaitingReports,
  putReportChecks,
  type CheckedReport,
} from '../store/report-checks.ts'
import { findLocation } from '../../../core/contract/location/rows.ts'
import {
  readMoneyRules,
  readMoneyVersion,
  readPaymentNamesVersion,
} from '../../../core/contract/location/money-rules.ts'
import { reportRows } from '../../../core/contract/reports/rows.ts'
import type { DayRange } from '../../../core/domain/days/ranges.ts'
import { idleAfterDays } from '../domain/tills.ts'
import { readPending } from './pending.ts'
import { clockOf, type Projection } from './projection.ts'
import type { Stretch } from './stretches.ts'
import { readVersions, reconcileInTurns, type ReadVersions } from './stored-orders.ts'
import { sumsOfReports, type ReportSums } from './report-sums.ts'

const name = 'days'

/** Version of the rules. Increment it when a change of the rules changes the stored rows. */
const daysVersion = 7

/** Maximum part of the journal that a request folds itself: each entry may be a report, whose orders must be read. */
const foldedOnRead: StretchSize = { entries: 500, bytes: 8 * 1024 ** 2 }

/** Documents of this many reports are read at once. */
const reportsAtOnce = 20

/**
 * Finds the reports that a part of the journal affects: the reports in it, the reports of its orders, and the reports
 * that wait for its orders.
 */
async function concernedReports(
  sql: Sql,
  place: Generation,
  changes: readonly OrderChange[],
  reports: readonly string[],
): Promise<string[]> {
  const ofOrders = changes.flatMap(({ before, after }) => [before?.reportId ?? [], after.reportId ?? []].flat())
  const ids = [...new Set(changes.map(({ after }) => after.id))]
  return [...new Set([...reports, ...ofOrders, ...(await listWaitingReports(sql, place, ids))])]
}

/**
 * Checks reports against their stored orders; `known` are orders that were read already. A report that has not arrived
 * has no check.
 */
export async function checkReports(
  sql: Sql,
  locationId: string,
  ids: readonly string[],
  { time, known }: { time: BusinessTime; known: ReadVersions },
): Promise<CheckedReport[]> {
  const checked: CheckedReport[] = []
  if (ids.length === 0) return checked
  const location = await findLocation(sql, locationId)
  if (!location) return checked
  const rules = await readMoneyRules(sql, locationId, location)
  for (let at = 0; at < ids.length; at += reportsAtOnce) {
    for (const { id, seq, document } of (
      await reportRows.find(sql, locationId, ids.slice(at, at + reportsAtOnce))
    ).values()) {
      const report = readStoredReport(document)
      const { versions, isComplete } = await listOrdersOfReport(sql, locationId, id, report.orders)
      const orders = await readVersions(sql, locationId, versions, known)
      // A report may name thousands of orders, so this yields to others.
      const reconciliation = await reconcileInTurns(report, orders, { rules })
      await turn()
      const found = checkReport(report, orders, { time, reconciliation })
      // A report with more orders than may be read is never reported as balanced.
      const check: ReportCheck = isComplete ? found : { ...found, verdict: 'waiting' }
      const read = { report, sequence: seq, isComplete }
      const sums = sumsOfReports()?.of(read, orders, { reconciliation, check }, { time, rules })
      checked.push({ check, waits: waitsOf(report, orders), sums })
    }
  }
  return checked
}

/** `left` has the business days of the orders of earlier versions of these reports. */
type Folded = { checked: CheckedReport[]; days: DeviceDay[]; left: string[] }

/** Finds the business days of the orders in the stored versions of reports: a new version may no longer have them. */
async function formerDays(sql: Sql, place: Generation, ids: readonly string[]): Promise<string[]> {
  const stored = (await sumsOfReports()?.find(sql, place, ids)) ?? new Map<string, string>()
  const days = [...stored.values()].flatMap((document) =>
    (JSON.parse(document) as ReportSums).attached.map(({ day }) => day),
  )
  return [...new Set(days)]
}

async function foldStretch(
  sql: Sql,
  place: Generation,
  clock: BusinessClock,
  { changes, reports, versions: known }: Stretch,
): Promise<Folded> {
  const time = businessTime(clock)
  const ids = await concernedReports(sql, place, changes, reports)
  return {
    checked: await checkReports(sql, place.locationId, ids, { time, known }),
    days: foldDeviceDays(time, changes),
    left: ids.length === 0 ? [] : await formerDays(sql, place, ids),
  }
}

/** Returns the business days that a stretch affects. */
function touchedDays({ dayOf }: BusinessTime, { checked, days }: Folded, reached: number): DueDay[] {
  const ofReports = checked.flatMap(({ check }) => [check.businessDay, dayOf(Date.parse(check.finalizedAt))])
  return [...new Set([...ofReports, ...days.map(({ day }) => day)])].map((day) => ({ day, seq: reached }))
}

/** Returns the business days whose set of orders without a Z may have changed. */
export const bookDaysOf = ({ checked, days, left }: Folded): string[] => [
  ...new Set([
    ...days.map(({ day }) => day),
    ...checked.flatMap(({ sums }) => sums?.attached.map(({ day }) => day) ?? []),
    ...left,
  ]),
]

/**
 * Stores for each Z report whether it agrees with its orders, and for each device its activity on a business day.
 * Reports are checked against the stored state at the time of folding, which may be newer than the cursor: later
 * changes are folded again.
 */
export const daysProjection: Projection = {
  name,
  rules: daysVersion,
  async madeBy(sql, location) {
    const money = await readMoneyVersion(sql, location.id, location)
    const names = await readPaymentNamesVersion(sql, location.id)
    // The version depends on whether sums of reports are made, so that switching on the module that stores them
    // rebuilds the rows.
    return sumsOfReports() ? `${money} ${names}` : `${money} ${names} alone`
  },
  async fold(sql, { locationId, generation, version }, stretch) {
    const place = { locationId, generation }
    const clock = clockOf(version)
    const folded = await foldStretch(sql, place, clock, stretch)
    return {
      rows: folded.checked.length + folded.days.length,
      async write(tx) {
        await putReportChecks(tx, place, folded.checked)
        const kept = sumsOfReports()
        const sums = folded.checked.flatMap((one) => one.sums ?? [])
        await kept?.put(tx, place, sums, stretch.reached)
        await kept?.putDays(tx, place, bookDaysOf(folded), stretch.reached)
        await addDeviceDays(tx, place, folded.days)
        await putDueDays(tx, locationId, touchedDays(businessTime(clock), folded, stretch.reached))
        // A report after a pause closes the days since the previous report.
        const reportIds = folded.checked.map(({ check }) => check.reportId)
        const paused = await listDaysBefore(tx, place, { reportIds, days: idleAfterDays })
        await putDueDays(
          tx,
          locationId,
          paused.map((day) => ({ day, seq: stretch.reached })),
        )
      },
    }
  },
  deleteOthers: deleteOtherDays,
}

export type LiveDays = {
  generation: ProjectionRow
  clock: BusinessClock
  /** The entries after the cursor of the projection, folded in memory. */
  pending: Folded
  reached: number
}

/**
 * Folds the entries after the cursor of the live generation, in the caller's snapshot. Undefined if `readPending` is.
 */
export async function readPendingDays(
  sql: Sql,
  locationId: string,
  size = foldedOnRead,
): Promise<LiveDays | undefined> {
  const read = await readPending(sql, locationId, name, size)
  if (!read) return undefined
  const { generation, stretch, reached } = read
  const clock = clockOf(generation.version)
  const place = { locationId, generation: generation.generation }
  return { generation, clock, pending: await foldStretch(sql, place, clock, stretch), reached }
}

const isWithin = (day: string, { since, until }: DayRange) => day >= since && day <= until

/** Lists the checks of the reports of some business days at the head of the journal, by the close of the reports. */
export async function listChecks(
  sql: Sql,
  locationId: string,
  { generation, pending }: LiveDays,
  range: DayRange,
): Promise<ReportCheck[]> {
  const stored = await listReportChecks(sql, { locationId, generation: generation.generation }, range)
  const rechecked = new Set(pending.checked.map(({ check }) => check.reportId))
  const fresh = pending.checked.map(({ check }) => check).filter(({ businessDay }) => isWithin(businessDay, range))
  const keyOf = ({ finalizedAt, reportId }: ReportCheck) => `${finalizedAt} ${reportId}`
  return [...stored.filter(({ reportId }) => !rechecked.has(reportId)), ...fresh].toSorted((a, b) =>
    keyOf(a) < keyOf(b) ? -1 : 1,
  )
}

/**
 * Lists, for each given till, the check of its first report of a business day after `day`, and the checks of its later
 * unfolded reports.
 */
export async function listChecksAfter(
  sql: Sql,
  locationId: string,
  { generation, pending }: LiveDays,
  { tills, day }: { tills: readonly string[]; day: string },
): Promise<ReportCheck[]> {
  const fresh = pending.checked.map(({ check }) => check)
  const except = fresh.map(({ reportId }) => reportId)
  const place = { locationId, generation: generation.generation }
  const stored = await listNextChecks(sql, place, { tills, day, except })
  return [...stored, ...fresh.filter(({ till, businessDay }) => businessDay > day && tills.includes(till))]
}

/**
 * Lists the activity of each device on some business days at the head of the journal; a device may have two entries of
 * one day.
 */
export async function listDevices(
  sql: Sql,
  locationId: string,
  { generation, pending }: LiveDays,
  range: DayRange,
): Promise<DeviceDay[]> {
  const stored = await listDeviceDays(sql, { locationId, generation: generation.generation }, range)
  return [...stored, ...pending.days.filter(({ day }) => isWithin(day, range))]
}

/**
 * Lists the numbers of counted orders on some business days at the head of the journal; a day may have several entries.
 */
export async function listCounted(
  sql: Sql,
  locationId: string,
  { generation, pending }: LiveDays,
  range: DayRange,
): Promise<CountedDay[]> {
  const stored = await listCountedDays(sql, { locationId, generation: generation.generation }, range)
  return [...stored, ...pending.days.filter(({ day }) => isWithin(day, range))]
}
