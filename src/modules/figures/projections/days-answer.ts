import { addDays, businessTime, daysBetween, type BusinessTime } from '../../../core/domain/days/business-time.ts'
import { clockAheadMs } from '../../../core/domain/days/till-clocks.ts'
import { dayFacts, gapsOf, nextDay, type TillGap } from '../domain/business-days.ts'
import { completenessOf } from '../domain/completeness.ts'
import type { DeviceDay } from '../domain/device-days.ts'
import type { DayRange } from '../../../core/domain/days/ranges.ts'
import { moneyOf } from '../../../core/contract/money/currency.ts'
import {
  aroundDays,
  factsByDay,
  findTills,
  idleAfterDays,
  tillsToFollow,
  type DeviceFacts,
  type Till,
} from '../domain/tills.ts'
import type { BusinessDay } from '../schemas/business-days.ts'
import type { Completeness } from '../schemas/completeness.ts'
import type { Device, Location } from '../../../core/contract/location/schema.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { findAnnouncedDays, type AnnouncedDay } from '../store/day-entries.ts'
import { listDevicePromises } from '../store/device-statuses.ts'
import { hasReportChecks } from '../store/report-checks.ts'
import { findLocation } from '../../../core/contract/location/rows.ts'
import { listChecks, listChecksAfter, listDevices, type LiveDays } from './days.ts'
import { inShortTurns } from './short-turns.ts'

export type Around = {
  tills: Till[]
  facts: DeviceFacts
  deviceDays: DeviceDay[]
  known: Device[]
  time: BusinessTime
  /** The decimals of the currency: 2, or 3 if it has thousandths. */
  decimals: number
  /** The time from which the earliest report that is dated in the future counts. */
  doubtedUntil: Date | undefined
}

/** Returns the time after which a report's date is not believed yet. */
const believedAt = (now: Date) => new Date(now.getTime() + clockAheadMs).toISOString()

/** Reads the data of tills on which some business days of a location depend, in the caller's snapshot. */
export async function readAround(
  sql: Sql,
  locationId: string,
  live: LiveDays,
  { requested, now }: { requested: DayRange; now: Date },
): Promise<Around> {
  const time = businessTime(live.clock)
  const range = { since: addDays(requested.since, -aroundDays), until: addDays(requested.until, aroundDays) }
  const [location, promises, checks, deviceDays] = await Promise.all([
    findLocation(sql, locationId),
    listDevicePromises(sql, locationId),
    listChecks(sql, locationId, live, range),
    listDevices(sql, locationId, live, { since: range.since, until: requested.until }),
  ])
  const known = location ? ((JSON.parse(location.document) as Location).deviceList ?? []) : []
  const believedUntil = believedAt(now)
  const believed = checks.filter(({ finalizedAt }) => finalizedAt <= believedUntil)
  const doubted = checks.filter(({ finalizedAt }) => finalizedAt > believedUntil)
  const first = doubted.map(({ finalizedAt }) => finalizedAt).toSorted()[0]
  const doubtedUntil = first === undefined ? undefined : new Date(Date.parse(first) - clockAheadMs)
  const retired = location?.retiredDevices ?? {}
  const { reportNumbers = 'consecutive', currency = 'EUR' } = location ?? {}
  const facts = { checks: believed, deviceDays, known, promises, retired, reportNumbers }
  return {
    tills: findTills(facts, time.dayOf),
    facts,
    deviceDays,
    known,
    time,
    decimals: moneyOf(currency).decimals,
    doubtedUntil,
  }
}

type AroundDays = Omit<Around, 'tills' | 'facts'> & { tillsOf: (day: string) => Till[] }

/**
 * Reads what business days need, with a function that returns the tills of a day. The tills of a day do not depend on
 * the other days that are read.
 */
async function readAroundDays(
  sql: Sql,
  locationId: string,
  live: LiveDays,
  { requested, now }: { requested: DayRange; now: Date },
): Promise<AroundDays> {
  const { facts, tills: _, ...around } = await readAround(sql, locationId, live, { requested, now })
  const follow = { tills: tillsToFollow(facts), day: addDays(requested.until, aroundDays) }
  const later = await listChecksAfter(sql, locationId, live, follow)
  const believedUntil = believedAt(now)
  const checks = [...facts.checks, ...later.filter(({ finalizedAt }) => finalizedAt <= believedUntil)]
  const factsOf = factsByDay({ ...facts, checks })
  return { ...around, tillsOf: (day) => findTills(factsOf(day), around.time.dayOf) }
}

export type ReadDay = { day: BusinessDay; announced: AnnouncedDay | undefined } & Pick<Around, 'doubtedUntil'>

/** Reads business days as of the head, each with its last entry in the journal: those of the range, or some of them. */
export async function readDays(
  sql: Sql,
  locationId: string,
  live: LiveDays,
  { range, dates = daysBetween(range.since, range.until), now }: { range: DayRange; dates?: string[]; now: Date },
): Promise<ReadDay[]> {
  const [around, announced] = await Promise.all([
    readAroundDays(sql, locationId, live, { requested: range, now }),
    findAnnouncedDays(sql, locationId, dates),
  ])
  const { doubtedUntil } = around
  const days: ReadDay[] = []
  await inShortTurns(dates, (date) => {
    const facts = dayFacts(date, { ...around, tills: around.tillsOf(date), now: now.getTime() })
    const last = announced.get(date)
    days.push({ day: nextDay(facts, last?.day, now.getTime()), announced: last, doubtedUntil })
  })
  return days
}

/** The longest range of which all days are read, in days. */
const longestRange = 366

/**
 * Lists the days of a range on which something may be missing: all of them, or in a long range the last one and those
 * near days with data. The clock of a till may have been centuries off.
 */
export async function listDoubtfulDays(
  sql: Sql,
  locationId: string,
  live: LiveDays,
  { since, until }: DayRange,
): Promise<string[]> {
  if (addDays(since, longestRange) >= until) return daysBetween(since, until)
  const wide = { since: addDays(since, -aroundDays), until: addDays(until, aroundDays) }
  const [checks, devices] = await Promise.all([
    listChecks(sql, locationId, live, wide),
    listDevices(sql, locationId, live, wide),
  ])
  const seen = new Set([...checks.map(({ businessDay }) => businessDay), ...devices.map(({ day }) => day)])
  const near = [...seen].flatMap((day) => daysBetween(addDays(day, -aroundDays), addDays(day, aroundDays)))
  return [...new Set([...near, until])].filter((day) => since <= day && day <= until).toSorted()
}

/** Reads the missing numbers of Z reports of business days, as in `readDays`, with the reports before and after them. */
export async function readGaps(
  sql: Sql,
  locationId: string,
  live: LiveDays,
  { range, now }: { range: DayRange; now: Date },
): Promise<TillGap[]> {
  const { tillsOf, time } = await readAroundDays(sql, locationId, live, { requested: range, now })
  return gapsOf(daysBetween(range.since, range.until), tillsOf, time)
}

/** Returns whether a location ever had a Z report or a till's promise. */
export async function closesDays(sql: Sql, locationId: string, { generation, pending }: LiveDays): Promise<boolean> {
  if (pending.checked.length > 0) return true
  if (await hasReportChecks(sql, { locationId, generation: generation.generation })) return true
  return (await listDevicePromises(sql, locationId)).length > 0
}

/** Reads the time until which everything of a location has arrived, by device. */
export async function readCompleteness(sql: Sql, locationId: string, live: LiveDays, now: Date): Promise<Completeness> {
  const today = businessTime(live.clock).dayOf(now.getTime())
  const requested = { since: addDays(today, -idleAfterDays), until: today }
  const { tills, known } = await readAround(sql, locationId, live, { requested, now })
  return { ...completenessOf(tills, known, today), sequence: live.reached }
}
