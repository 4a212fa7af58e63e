import type { Order } from '../src/core/contract/orders/schema.ts'
import type { Report } from '../src/core/contract/reports/schema.ts'
import { businessDay, type BusinessDay, type CivilDate } from './calendar.ts'
import { closeDay } from './closing.ts'
import { planBar, planTakeaway, planTraining, planWaste } from './counter-service.ts'
import { visitsOf, type Visit, type VisitKind } from './demand.ts'
import { toOrder, type Draft } from './drafts.ts'
import { createFloor } from './floor.ts'
import { arrange, type Life, type Scene } from './lives.ts'
import { moveDish } from './mishaps.ts'
import { planMarketplace, planPhone, planWebsite } from './online-service.ts'
import { randomOf } from './random.ts'
import { reportIdOf, type Restaurant } from './restaurant.ts'
import { closeOf, plannedClose, rushVisitsOf, type Rush } from './rushes.ts'
import { operatorFor, rotaOf, type Shift } from './staff.ts'
import { planTable } from './table-service.ts'
import { minuteMs } from '../src/core/domain/days/time-units.ts'

/** A version of an order, or the report, at the moment the till makes it. */
export type DayEvent = { at: number } & ({ type: 'order'; data: Order } | { type: 'report'; data: Report })

const planners: Record<VisitKind, (scene: Scene, visit: Visit) => Life | undefined> = {
  table: planTable,
  bar: planBar,
  takeaway: planTakeaway,
  phone: planPhone,
  website: planWebsite,
  marketplace: planMarketplace,
  training: planTraining,
}

const plan = (scene: Scene, visit: Visit): Life[] => {
  const life = planners[visit.kind](scene, visit)
  return life ? [life] : []
}

/** Creates the staff for peak hours: three shifts of eight hours, each present from the first order in those hours. */
function extraTeam(restaurant: Restaurant, day: BusinessDay): Pick<Scene, 'operatorFor'> & { shifts: Shift[] } {
  const shifts: Shift[] = []
  const operatorFor: Scene['operatorFor'] = (_random, from, until) => {
    const operator =
      restaurant.operators.extra[Math.max(0, Math.min(2, Math.floor((from - day.startsAt) / (480 * minuteMs))))]
    const known = shifts.find((shift) => shift.operator === operator)
    if (known) {
      known.from = Math.min(known.from, from - minuteMs)
      known.until = Math.max(known.until, until + minuteMs)
    } else if (operator) shifts.push({ operator, from: from - minuteMs, until: until + minuteMs, toClose: false })
    return operator as Shift['operator']
  }
  return { shifts, operatorFor }
}

function moveDishes(restaurant: Restaurant, date: CivilDate, lives: readonly Life[]): void {
  const random = randomOf(restaurant.seed, 'moves', date)
  const seated = lives.filter((life) => life.movable)
  for (const [index, life] of seated.entries()) {
    const other = seated[index + random.int(1, 3)]
    if (random.chance(0.03) && other) moveDish(random, life, other)
  }
}

/**
 * Numbers the orders of a day. Sales are numbered within the day without gaps; training orders are numbered separately.
 */
function number(date: CivilDate, lives: readonly Life[]): void {
  const prefix = date.slice(2).replaceAll('-', '')
  let [sales, trainings] = [0, 0]
  for (const { draft } of lives.toSorted((one, other) => one.draft.openedAt - other.draft.openedAt)) {
    draft.orderNumber = draft.isTraining
      ? `${prefix}-F${(trainings += 1)}`
      : `${prefix}-${String((sales += 1)).padStart(3, '0')}`
  }
}

type Plan = { day: BusinessDay; lives: Life[]; shifts: Shift[]; closesAt: number }

function planDay(restaurant: Restaurant, date: CivilDate, rushes: readonly Rush[]): Plan {
  const day = businessDay(restaurant.timeZone, date)
  const closesAt = plannedClose(restaurant, day)
  const shifts = rotaOf(randomOf(restaurant.seed, 'rota', date), restaurant.operators, day, closesAt)
  const extra = extraTeam(restaurant, day)
  const scene: Scene = {
    restaurant,
    day,
    floor: createFloor(restaurant.ordersPerDay),
    lastCall: closesAt - 12 * minuteMs,
    operatorFor: (random, from, until) => operatorFor(random, shifts, from, until),
  }
  const lives = visitsOf(restaurant.seed, day, restaurant.ordersPerDay).flatMap((visit) => plan(scene, visit))
  moveDishes(restaurant, date, lives)
  if (randomOf(restaurant.seed, 'waste', date).chance(0.3)) {
    const at = closesAt - 8 * minuteMs
    lives.push(planWaste(scene, { key: `${date}.waste`, kind: 'bar', at, guests: 0, isRush: false }))
  }
  const rushVisits = rushVisitsOf(restaurant, day, rushes)
  const rushScene = { ...scene, operatorFor: extra.operatorFor }
  for (const visit of rushVisits) lives.push(...plan(rushScene, visit))
  for (const life of lives) arrange(life)
  number(date, lives)
  return { day, lives, shifts: [...shifts, ...extra.shifts], closesAt: closeOf(restaurant, day, rushes) }
}

export type DaySpan = {
  /** Versions before this moment are simulated but not yielded; milliseconds since 1970. */
  from: number
  /** Yields only the last version of each order. */
  finalOnly: boolean
}

/**
 * Yields all records of a business day in the order of time, generated lazily from the seed and the date only. The
 * report comes last; it may come after the next day has begun.
 */
export function* liveDay(
  restaurant: Restaurant,
  date: CivilDate,
  rushes: readonly Rush[],
  span: DaySpan,
): Generator<DayEvent> {
  const { lives, shifts, closesAt } = planDay(restaurant, date, rushes)
  const reportId = reportIdOf(restaurant, date)
  const closed: Draft[] = []
  const steps = lives.flatMap((life, place) => life.steps.map((step, index) => ({ step, life, place, index })))
  steps.sort((one, other) => one.step.at - other.step.at || one.place - other.place)
  for (const { step, life, index } of steps) {
    const { draft } = life
    draft.updatedAt = step.at
    step.run(draft)
    const isFinal = index === life.steps.length - 1
    if (isFinal) closed.push(draft)
    if (step.at < span.from || (span.finalOnly && !isFinal)) continue
    yield { at: step.at, type: 'order', data: toOrder(draft, restaurant.location.id, reportId) }
  }
  if (closesAt < span.from) return
  const began = [...shifts.map((shift) => shift.from), ...lives.map((life) => life.draft.openedAt)]
  const startedAt = began.reduce((first, at) => Math.min(first, at))
  const closedBy = (shifts.find((shift) => shift.toClose) as Shift).operator
  const book = { date, startedAt, finalizedAt: closesAt, shifts, closedBy, drafts: closed }
  yield { at: closesAt, type: 'report', data: closeDay(restaurant, book) }
}
