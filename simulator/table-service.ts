import { reasons } from './card/card-options.ts'
import type { Catalog, Tier } from './card/catalog.ts'
import { addDish, addFormule } from './choices.ts'
import type { Visit } from './demand.ts'
import type { Draft } from './drafts.ts'
import type { Table } from './floor.ts'
import { cancel, lifeRandom, openDraft, type Life, type Scene, type Step } from './lives.ts'
import type { Role } from './card/menu-card.ts'
import { discountBill, loseOne, voidOne } from './mishaps.ts'
import { paymentSteps } from './payments.ts'
import type { Random } from './random.ts'
import { minuteMs } from '../src/core/domain/days/time-units.ts'

type Meal = 'brunch' | 'lunch' | 'dinner'

const tier: Tier = 'Sur place'
const clamp = (value: number, min: number, max: number) => Math.min(max, Math.max(min, value))

function mealAt(scene: Scene, at: number): Meal {
  const minutes = scene.day.minutesAt(at)
  if (minutes >= 960) return 'dinner'
  return scene.day.weekday === 6 && minutes < 840 ? 'brunch' : 'lunch'
}

type Waiter = { draft: Draft; random: Random; catalog: Catalog; scene: Scene; meal: Meal }

function serve(waiter: Waiter, ...roles: Role[]): void {
  const { draft, random, catalog } = waiter
  const dish = random.weighted(catalog.sold(tier, ...roles), (dish) => dish.popularity)
  addDish(draft, random, dish, tier)
}

/** Serves each guest a dish of one of these roles with this probability. */
function offer(waiter: Waiter, probability: number, ...roles: Role[]): void {
  for (let guest = 0; guest < waiter.draft.guests; guest += 1) {
    if (waiter.random.chance(probability)) serve(waiter, ...roles)
  }
}

function orderMeal(waiter: Waiter): void {
  const { draft, random, catalog, meal, scene } = waiter
  const isWeekday = scene.day.weekday < 5
  const formules = {
    brunch: [catalog.formules.brunch, 0.6],
    lunch: [random.chance(0.65) ? catalog.formules.lunch : catalog.formules.lunchFull, isWeekday ? 0.45 : 0.15],
    dinner: [catalog.formules.dinner, 0.15],
  } as const
  const [formule, share] = formules[meal]
  for (let guest = 0; guest < draft.guests; guest += 1) {
    if (guest > 1 && random.chance(0.15)) addFormule(draft, random, catalog.formules.kids)
    else if (random.chance(share)) addFormule(draft, random, formule)
    else {
      if (random.chance(meal === 'dinner' ? 0.4 : 0.2)) serve(waiter, 'starter')
      serve(waiter, ...(meal === 'brunch' ? (['brunch'] as const) : (['main', 'grill'] as const)))
    }
  }
  if (meal === 'dinner' && draft.guests > 1 && random.chance(0.4)) serve(waiter, 'bottle')
  else offer(waiter, meal === 'dinner' ? 0.45 : 0.18, 'glass', 'beer')
  offer(waiter, 0.4, 'bottled', 'soft')
}

function planTableMove(random: Random, scene: Scene, draft: Draft, until: number): Step[] {
  if (!random.chance(0.025)) return []
  const other = scene.floor.seat(random, draft.guests, draft.openedAt, until)
  if (!other) return []
  const run = (draft: Draft) => {
    draft.transferReason = `Changement de table : ${draft.place} → ${other.name}`
    draft.place = other.name
  }
  return [{ at: draft.openedAt + (until - draft.openedAt) * 0.15, run }]
}

function extraSteps(waiter: Waiter, moment: (part: number) => number): Step[] {
  const { random, catalog } = waiter
  const steps: Step[] = []
  const maybe = (probability: number, part: number, run: (draft: Draft) => void) => {
    if (random.chance(probability)) steps.push({ at: moment(part), run })
  }
  const isDinner = waiter.meal === 'dinner'
  maybe(0.3, 0.02, () => offer(waiter, 0.6, 'cocktail', 'spirit', 'beer', 'soft'))
  maybe(0.3, 0.4, () => offer(waiter, 0.4, 'glass', 'beer', 'bottled'))
  maybe(0.05, 0.24, (draft) => voidOne(draft, random))
  maybe(0.025, 0.33, (draft) => loseOne(draft, random))
  maybe(isDinner ? 0.5 : 0.3, 0.6, () => offer(waiter, 0.6, 'dessert', 'dessert', 'cheese'))
  maybe(0.6, 0.75, () => offer(waiter, isDinner ? 0.35 : 0.6, 'coffee'))
  maybe(0.13, 0.88, (draft) => discountBill(draft, random, catalog))
  return steps
}

function openAt(scene: Scene, visit: Visit, random: Random, { table, until }: { table: Table; until: number }): Draft {
  const { restaurant } = scene
  const { room, terrace } = restaurant.devices
  const byCode = random.chance(0.06)
  return openDraft(restaurant, visit, {
    deviceId: (table.isTerrace ? terrace : room).id,
    place: table.name,
    operator: scene.operatorFor(random, visit.at, until),
    customerId: random.chance(0.12) ? `C${random.int(100_000, 999_999)}` : '',
    channel: byCode ? 'qr_table' : 'pos',
    source: byCode ? 'qr-menu' : 'pos',
    serviceType: 'eat_in',
  })
}

/**
 * Plans a party at a table: its order is opened empty, grows by courses, and is paid by one or more guests. Undefined
 * if no table is free.
 */
export function planTable(scene: Scene, visit: Visit): Life | undefined {
  const { restaurant, floor } = scene
  const { catalog } = restaurant
  const random = lifeRandom(restaurant, visit)
  const meal = mealAt(scene, visit.at)
  const stay = meal === 'dinner' ? clamp(random.normal(92, 18), 50, 130) : clamp(random.normal(60, 13), 35, 95)
  const until = Math.min(visit.at + stay * minuteMs, scene.lastCall)
  const table = floor.seat(random, visit.guests, visit.at, until)
  if (!table) return undefined
  const draft = openAt(scene, visit, random, { table, until })
  const waiter: Waiter = { draft, random, catalog, scene, meal }
  const moment = (part: number) => visit.at + (until - visit.at) * (part + random.between(-0.01, 0.01))
  const steps: Step[] = [
    { at: visit.at, run: () => {} },
    { at: moment(0.1), run: () => orderMeal(waiter) },
  ]
  if (random.chance(0.012)) {
    const reason = random.pick(reasons.cancel)
    steps.push({ at: moment(0.16), run: (draft) => cancel(draft, reason) })
    return { draft, steps, movable: null }
  }
  const payers = visit.guests > 1 && random.chance(0.2) ? random.int(2, Math.min(visit.guests, 4)) : 1
  const bill = { from: moment(0.92), until, payers, lunch: meal !== 'dinner' }
  steps.push(...planTableMove(random, scene, draft, until), ...extraSteps(waiter, moment))
  steps.push(...paymentSteps(random, catalog, bill))
  return { draft, steps, movable: { from: moment(0.13), until: moment(0.85) } }
}
