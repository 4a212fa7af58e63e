import { addDays } from '../src/core/domain/days/business-time.ts'
import { businessDay, type BusinessDay } from './calendar.ts'
import { partyOf, type Visit } from './demand.ts'
import { randomOf } from './random.ts'
import type { Restaurant } from './restaurant.ts'
import { minuteMs } from '../src/core/domain/days/time-units.ts'

/**
 * Brings additional customers at any hour, for a demonstration or a load test; the rushes of a restaurant do not
 * overlap.
 */
export type Rush = {
  from: Date
  /** Excluded; without it the rush never ends. */
  to?: Date
  /** Mean number of visits; above 0, at most 60. */
  perMinute: number
}

const kinds = ['bar', 'takeaway', 'marketplace', 'website'] as const
const weights = { bar: 45, takeaway: 25, marketplace: 17, website: 13 }

/** Time from the end of a rush to the close of the day: the last order of a rush is closed within 20 minutes of its end. */
const clearingMs = 35 * minuteMs

const endOf = (rush: Rush): number => rush.to?.getTime() ?? Infinity

/**
 * Returns the time of the close unless a rush delays it: about 01:00 local time, and about 03:25 after Friday and
 * Saturday nights.
 */
export function plannedClose(restaurant: Restaurant, day: BusinessDay): number {
  const isLate = day.weekday === 4 || day.weekday === 5
  return day.at((isLate ? 1635 : 1500) + randomOf(restaurant.seed, 'close', day.date).between(0, 25))
}

/** Returns the close of the day: a rush that has begun by then delays it until the rush, or the day, is over. */
export function closeOf(restaurant: Restaurant, day: BusinessDay, rushes: readonly Rush[]): number {
  let closesAt = plannedClose(restaurant, day)
  for (const rush of rushes.toSorted((one, other) => one.from.getTime() - other.from.getTime())) {
    if (rush.from.getTime() >= closesAt) break
    closesAt = Math.max(closesAt, Math.min(endOf(rush), day.endsAt) + clearingMs)
  }
  return closesAt
}

function minuteOf(seed: string, rush: Rush, minute: number): Visit[] {
  const random = randomOf(seed, 'rush', minute)
  return Array.from({ length: random.poisson(rush.perMinute) }, (_, number): Visit => {
    const at = minute * minuteMs + random.int(0, minuteMs - 1)
    const kind = random.weighted(kinds, (kind) => weights[kind])
    return { key: `rush.${minute}.${number}`, kind, at, guests: partyOf(random, kind), isRush: true }
  })
}

function visitsWithin(seed: string, day: BusinessDay, rushes: readonly Rush[]): Visit[] {
  const visits: Visit[] = []
  for (const rush of rushes) {
    const from = Math.max(day.startsAt, rush.from.getTime())
    const to = Math.min(day.endsAt, endOf(rush))
    for (let minute = Math.floor(from / minuteMs); minute * minuteMs < to; minute += 1) {
      visits.push(...minuteOf(seed, rush, minute).filter((visit) => visit.at >= from && visit.at < to))
    }
  }
  return visits
}

/**
 * Returns the visits that rushes add to a day. A rush that begins after the previous day's close opens this day early.
 * Each minute is drawn separately, so the end of a rush may be set later without changing what came before the end.
 */
export function rushVisitsOf(restaurant: Restaurant, day: BusinessDay, rushes: readonly Rush[]): Visit[] {
  if (rushes.length === 0) return []
  const before = businessDay(restaurant.timeZone, addDays(day.date, -1))
  const [closesBefore, closesAt] = [before, day].map((day) => closeOf(restaurant, day, rushes)) as [number, number]
  const early = rushes.filter((rush) => rush.from.getTime() >= closesBefore)
  const usual = rushes.filter((rush) => rush.from.getTime() < closesAt)
  const visits = [...visitsWithin(restaurant.seed, before, early), ...visitsWithin(restaurant.seed, day, usual)]
  return visits.toSorted((one, other) => one.at - other.at)
}
