import type { Generation } from '../../figures/store/projections.ts'
import { addDays, businessTime, daysBetween } from '../../../core/domain/days/business-time.ts'
import type { Circumstances } from '../domain/judgement.ts'
import { daySums } from '../domain/sources.ts'
import type { BookSums } from '../domain/sums.ts'
import type { DayRange } from '../../../core/domain/days/ranges.ts'
import { idleAfterDays } from '../../figures/domain/tills.ts'
import { standingOf } from '../../../core/contract/money/counted.ts'
import type { MoneyRules } from '../../../core/contract/money/paid.ts'
import { isDate, isUuid } from '../../../core/contract/scalars.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import {
  findBookDay,
  listBookSums,
  listClaims,
  listDoubled,
  listUnbookedOrders,
  type UnbookedOrder,
} from '../store/sums.ts'
import type { CountedDay } from '../../figures/store/device-days.ts'
import { findOrders, reportBytes } from '../../../core/contract/orders/rows.ts'
import type { LocationRow } from '../../../core/contract/location/rows.ts'
import { readMoneyRules } from '../../../core/contract/location/money-rules.ts'
import { readDays } from '../../figures/projections/days-answer.ts'
import { listCounted, type LiveDays } from '../../figures/projections/days.ts'
import { readOrders } from '../../figures/projections/stored-orders.ts'

type BookSourcesQuery = { range: DayRange; now: Date; location: LocationRow; isLookedAt: (day: string) => boolean }

/** The sources of a range. `circumstancesOf` returns the facts about a source that are not in its sums. */
export type ReadSources = {
  sources: BookSums[]
  rules: MoneyRules
  circumstancesOf(sums: BookSums): Pick<Circumstances, 'isDayComplete' | 'doubled' | 'drawerBefore'>
}

const isWithin = (day: string, { since, until }: DayRange) => day >= since && day <= until

/** Reads the sums at the head, for more days than requested: reports of other days may contain orders of these days. */
async function readSums(sql: Sql, place: Generation, { pending }: LiveDays, range: DayRange): Promise<BookSums[]> {
  const wide = { since: addDays(range.since, -idleAfterDays), until: addDays(range.until, idleAfterDays) }
  const stored = await listBookSums(sql, place, wide)
  const rechecked = new Set(pending.checked.map(({ check }) => check.reportId))
  // The projection does not know the type of `sums`, but this module made them.
  const made = pending.checked.flatMap(({ sums }) => (sums ? [sums as BookSums] : []))
  const fresh = made.filter(({ day }) => isWithin(day, wide))
  return [...stored.filter(({ source }) => !rechecked.has(source.id)), ...fresh]
}

/** Finds the days of the range with more counted orders than their Z reports have, and how many more. */
function findUnbookedDays(
  counted: readonly CountedDay[],
  sums: readonly BookSums[],
  range: DayRange,
): Map<string, number> {
  const left = new Map<string, number>()
  const add = (day: string, n: number) => left.set(day, (left.get(day) ?? 0) + n)
  for (const { day, counted: orders } of counted) add(day, orders)
  for (const { attached } of sums) for (const { day, orders } of attached) add(day, 0 - orders)
  return new Map([...left].filter(([day, n]) => n > 0 && isWithin(day, range)))
}

/** Returns the ids of the orders that Z reports after the cursor wait for. These waits are not in the tables yet. */
const claimedAgain = ({ pending }: LiveDays): Set<string> => new Set(pending.checked.flatMap(({ waits }) => waits))

async function readUnbooked(
  sql: Sql,
  place: Generation,
  live: LiveDays,
  days: ReadonlyMap<string, number>,
): Promise<Map<string, UnbookedOrder[]>> {
  const time = businessTime(live.clock)
  const sorted = [...days.keys()].toSorted()
  const [first, last] = [sorted[0], sorted.at(-1)]
  if (first === undefined || last === undefined) return new Map()
  const from = new Date(time.startOf(first))
  const to = new Date(time.endOf(last) - 1)
  const claimed = claimedAgain(live)
  const orders = await listUnbookedOrders(sql, place, { from, to })
  const byDay = Map.groupBy(
    orders.filter(({ id }) => !claimed.has(id)),
    ({ closedAt }) => time.dayOf(closedAt.getTime()),
  )
  return new Map([...byDay].filter(([day]) => days.has(day)))
}

async function readDaySums(
  sql: Sql,
  locationId: string,
  [day, orders]: readonly [string, readonly UnbookedOrder[]],
  rules: MoneyRules,
): Promise<BookSums> {
  let bytes = 0
  const taken = orders.filter((order) => (bytes += order.bytes) <= reportBytes)
  const rows = await findOrders(
    sql,
    locationId,
    taken.map(({ id }) => id),
  )
  const documents = taken.flatMap(({ id }) => rows.get(id)?.document ?? [])
  const sequence = Math.max(...orders.map(({ seq }) => seq))
  // The database query cannot exclude orders whose sale was moved to another order.
  const counted = (await readOrders(documents)).filter((order) => standingOf(order) === 'counted')
  return daySums({ day, orders: counted, sequence, isComplete: taken.length === orders.length }, rules)
}

/** Finds, by report, the orders of these reports that another Z also names. */
async function readDoubled(
  sql: Sql,
  place: Generation,
  live: LiveDays,
  ids: readonly string[],
): Promise<Map<string, Set<string>>> {
  const doubled = new Map<string, Set<string>>()
  const note = (reportId: string, orderId: string) => {
    const known = doubled.get(reportId) ?? new Set()
    doubled.set(reportId, known.add(orderId))
  }
  if (ids.length > 0) {
    for (const [reportId, orders] of await listDoubled(sql, place, ids)) for (const id of orders) note(reportId, id)
  }
  const pendingClaims = live.pending.checked.flatMap(({ check, waits }) =>
    waits.map((orderId) => ({ orderId, reportId: check.reportId })),
  )
  if (pendingClaims.length === 0) return doubled
  const claims = await listClaims(sql, place, [...new Set(pendingClaims.map(({ orderId }) => orderId))])
  for (const [orderId, of] of Map.groupBy([...claims, ...pendingClaims], (claim) => claim.orderId)) {
    const reports = new Set(of.map(({ reportId }) => reportId))
    if (reports.size > 1) for (const reportId of reports) note(reportId, orderId)
  }
  return doubled
}

/** Returns, by report, the cash that the till's previous Z left in the drawer, if it is at most two weeks older. */
function drawersBefore(sums: readonly BookSums[]): Map<string, number> {
  const before = new Map<string, number>()
  for (const ofTill of Map.groupBy(sums, ({ till }) => till).values()) {
    const sorted = ofTill.toSorted((a, b) => ((a.finalizedAt ?? '') < (b.finalizedAt ?? '') ? -1 : 1))
    for (const [i, one] of sorted.entries()) {
      const last = sorted[i - 1]
      if (last && last.day >= addDays(one.day, -idleAfterDays)) before.set(one.source.id, last.stated.final)
    }
  }
  return before
}

/** Reads the sources of some business days: every Z, and each day with counted orders that no Z names. */
export async function readBookSources(
  sql: Sql,
  locationId: string,
  live: LiveDays,
  { range, now, location, isLookedAt }: BookSourcesQuery,
): Promise<ReadSources> {
  const place = { locationId, generation: live.generation.generation }
  const [sums, rules, counted] = await Promise.all([
    readSums(sql, place, live, range),
    readMoneyRules(sql, locationId, location),
    listCounted(sql, locationId, live, range),
  ])
  const reports = sums.filter(({ day }) => isWithin(day, range) && isLookedAt(day))
  const found = findUnbookedDays(counted, sums, range)
  const unbooked = await readUnbooked(sql, place, live, new Map([...found].filter(([day]) => isLookedAt(day))))
  const days: BookSums[] = []
  for (const one of unbooked) days.push(await readDaySums(sql, locationId, one, rules))
  const complete = days.length === 0 ? new Set<string>() : await readComplete(sql, locationId, live, { days, now })
  const ids = reports.map(({ source }) => source.id)
  const doubled = await readDoubled(sql, place, live, ids)
  const drawers = drawersBefore(sums)
  return {
    sources: [...reports, ...days],
    rules,
    circumstancesOf: ({ source }) => ({
      isDayComplete: complete.has(source.id),
      doubled: [...(doubled.get(source.id) ?? [])],
      drawerBefore: drawers.get(source.id),
    }),
  }
}

async function readComplete(
  sql: Sql,
  locationId: string,
  live: LiveDays,
  { days, now }: { days: readonly BookSums[]; now: Date },
): Promise<Set<string>> {
  const dates = days.map(({ day }) => day).toSorted()
  const range = { since: dates[0] as string, until: dates.at(-1) as string }
  const read = await readDays(sql, locationId, live, { range, dates, now })
  return new Set(read.filter(({ day }) => day.isComplete).map(({ day }) => day.date))
}

export const datesOf = ({ since, until }: DayRange): string[] => daysBetween(since, until)

const pendingDay = ({ pending }: LiveDays, id: string) =>
  pending.checked.find(({ check }) => check.reportId === id)?.check.businessDay

/** Finds the business day of a source by the id of its report, or its date; undefined if no report has that id. */
export async function findSourceDay(
  sql: Sql,
  locationId: string,
  live: LiveDays,
  id: string,
): Promise<string | undefined> {
  if (isDate(id)) return id
  if (!isUuid(id)) return undefined
  return pendingDay(live, id) ?? findBookDay(sql, { locationId, generation: live.generation.generation }, id)
}
