import { monthOf, type BusinessDay } from './calendar.ts'
import { randomOf, type Random } from './random.ts'

export type VisitKind = 'table' | 'bar' | 'takeaway' | 'phone' | 'website' | 'marketplace' | 'training'

/** One occasion on which guests come, call or order online. */
export type Visit = {
  /** Unique within the restaurant; the random draws of the visit depend on it. */
  key: string
  kind: VisitKind
  at: number
  /** 0 for visits without seats. */
  guests: number
  /** Whether a rush added the visit; such visits are short and at the counter. */
  isRush: boolean
}

type Service = {
  kind: VisitKind
  /** Number of visits on a mean day of a restaurant with 120 orders a day. */
  mean: number
  /** Minutes after local midnight: the peak, its spread, and the first and last visit. */
  peak: number
  spread: number
  from: number
  until: number
  /** Weights of the weekdays, Monday to Sunday. */
  week: readonly number[]
}

const even = [1, 1, 1, 1, 1, 1, 1]

const services: readonly Service[] = [
  { kind: 'training', mean: 0.3, peak: 650, spread: 20, from: 610, until: 690, week: even },
  { kind: 'bar', mean: 12, peak: 545, spread: 50, from: 465, until: 660, week: [1, 1, 1, 1, 1, 1.1, 0.9] },
  { kind: 'table', mean: 14, peak: 725, spread: 40, from: 650, until: 840, week: [0, 0, 0, 0, 0, 0, 1] },
  { kind: 'table', mean: 26, peak: 770, spread: 32, from: 690, until: 865, week: [0.85, 1, 1, 1.1, 1.2, 1.15, 0.6] },
  { kind: 'takeaway', mean: 9, peak: 750, spread: 30, from: 680, until: 850, week: [1.1, 1.1, 1.1, 1.1, 1, 0.6, 0.3] },
  { kind: 'website', mean: 4, peak: 735, spread: 30, from: 680, until: 820, week: [1.1, 1.1, 1.1, 1.1, 1, 0.8, 0.6] },
  { kind: 'marketplace', mean: 6, peak: 755, spread: 30, from: 690, until: 870, week: [1, 1, 1, 1, 1, 1.1, 1.3] },
  { kind: 'bar', mean: 8, peak: 930, spread: 50, from: 870, until: 1020, week: [0.8, 0.8, 1, 0.9, 1, 1.5, 1.3] },
  { kind: 'bar', mean: 14, peak: 1095, spread: 40, from: 1020, until: 1150, week: [0.7, 0.8, 0.9, 1.1, 1.5, 1.4, 0.7] },
  {
    kind: 'phone',
    mean: 4,
    peak: 1165,
    spread: 35,
    from: 1100,
    until: 1300,
    week: [0.8, 0.8, 0.9, 0.9, 1.3, 1.3, 1.1],
  },
  { kind: 'website', mean: 4, peak: 1180, spread: 35, from: 1110, until: 1300, week: [0.9, 0.9, 0.9, 1, 1.2, 1.2, 1] },
  {
    kind: 'marketplace',
    mean: 11,
    peak: 1215,
    spread: 40,
    from: 1120,
    until: 1330,
    week: [0.8, 0.8, 0.9, 1, 1.3, 1.2, 1.3],
  },
  {
    kind: 'table',
    mean: 25,
    peak: 1215,
    spread: 45,
    from: 1125,
    until: 1345,
    week: [0.7, 0.75, 0.85, 1, 1.35, 1.5, 0.8],
  },
  { kind: 'bar', mean: 10, peak: 1420, spread: 45, from: 1350, until: 1545, week: [0, 0, 0, 0, 1, 1.3, 0] },
]

/** Weights of the months: people leave the cities in August and eat out in June and December. */
const season = [0.92, 0.95, 1, 1.03, 1.08, 1.1, 1, 0.8, 1.05, 1.02, 0.98, 1.12]

/** Weights holidays and feasts, by month and day. */
const feasts: Record<string, number> = {
  '01-01': 0.6,
  '02-14': 1.25,
  '05-01': 0.8,
  '06-21': 1.4,
  '07-14': 1.1,
  '12-24': 0.6,
  '12-25': 0.5,
  '12-31': 1.5,
}

const partySizes: Partial<Record<VisitKind, readonly number[]>> = {
  table: [6, 42, 14, 22, 6, 6, 2, 2],
  bar: [45, 35, 13, 7],
  training: [1],
}

/** Draws the number of seated guests; 0 for visits without seats. */
export function partyOf(random: Random, kind: VisitKind): number {
  const weights = partySizes[kind]
  return weights ? random.weighted([...weights.keys()], (index) => weights[index] ?? 0) + 1 : 0
}

function minuteOf(random: Random, service: Service): number {
  const minute = random.normal(service.peak, service.spread)
  const { from, until } = service
  return minute >= from && minute < until ? minute : random.between(from, until)
}

/** Returns the visits of a day, in order, by weekday, season, holidays and weather. */
export function visitsOf(seed: string, day: BusinessDay, ordersPerDay: number): Visit[] {
  const random = randomOf(seed, 'demand', day.date)
  const isRaining = random.chance(0.3)
  const mood = Math.min(1.25, Math.max(0.8, random.normal(1, 0.07)))
  const level = (ordersPerDay / 120) * mood * (season[monthOf(day.date)] ?? 1) * (feasts[day.date.slice(5)] ?? 1)
  const weather = (kind: VisitKind) => {
    if (!isRaining) return 1
    return kind === 'marketplace' ? 1.35 : 0.93
  }
  const visits = services.flatMap((service, index) => {
    const { kind } = service
    const count = random.poisson(service.mean * level * weather(kind) * (service.week[day.weekday] ?? 1))
    return Array.from({ length: count }, (_, number): Visit => {
      const at = day.at(minuteOf(random, service))
      return { key: `${day.date}.${index}.${number}`, kind, at, guests: partyOf(random, kind), isRush: false }
    })
  })
  return visits.toSorted((one, other) => one.at - other.at)
}
