import { reasons } from './card/card-options.ts'
import type { Tier } from './card/catalog.ts'
import { addDish, addFormule, addLoss } from './choices.ts'
import type { Visit } from './demand.ts'
import { netOf, type Draft } from './drafts.ts'
import { cancel, close, lifeRandom, openDraft, type Life, type Scene, type Step } from './lives.ts'
import type { Role } from './card/menu-card.ts'
import { discountBill, loseOne, voidOne } from './mishaps.ts'
import { pay, paymentSteps } from './payments.ts'
import type { Random } from './random.ts'
import { minuteMs } from '../src/core/domain/days/time-units.ts'

type Choice = { draft: Draft; random: Random; scene: Scene }

/** Serves a dish of one of these roles, at the first of the tiers for which the dish has a price. */
function serve({ draft, random, scene }: Choice, tiers: readonly Tier[], ...roles: Role[]): void {
  const { catalog } = scene.restaurant
  const dishes = tiers.flatMap((tier) => catalog.sold(tier, ...roles).map((dish) => ({ dish, tier })))
  const seen = new Map(dishes.toReversed().map((choice) => [choice.dish, choice]))
  const { dish, tier } = random.weighted([...seen.values()], ({ dish }) => dish.popularity)
  addDish(draft, random, dish, tier)
}

/** Returns the tiers at the bar in the order of preference; the happy hour is from 17:00 to 19:00. */
function barTiers(scene: Scene, at: number): Tier[] {
  const minutes = scene.day.minutesAt(at)
  return minutes >= 1020 && minutes < 1140 ? ['Happy hour', 'Sur place'] : ['Sur place']
}

function round(choice: Choice): void {
  const { draft, random, scene } = choice
  const minutes = scene.day.minutesAt(draft.updatedAt)
  const tiers = barTiers(scene, draft.updatedAt)
  for (let guest = 0; guest < draft.guests; guest += 1) {
    if (minutes < 690) {
      serve(choice, tiers, 'coffee')
      if (random.chance(0.5)) serve(choice, tiers, 'pastry', 'breakfast')
    } else if (minutes < 1020) serve(choice, tiers, 'coffee', 'soft', 'bottled')
    else serve(choice, tiers, 'beer', 'beer', 'glass', 'cocktail', 'spirit', 'soft')
  }
  if (minutes > 1020 && random.chance(0.2)) serve(choice, ['Sur place'], 'starter')
}

/** Plans a visit at the bar: one to three rounds, paid at its end. */
export function planBar(scene: Scene, visit: Visit): Life {
  const { restaurant } = scene
  const random = lifeRandom(restaurant, visit)
  const stay = visit.isRush ? random.between(2, 20) : random.between(8, 55)
  const until = visit.isRush ? visit.at + stay * minuteMs : Math.min(visit.at + stay * minuteMs, scene.lastCall)
  const draft = openDraft(restaurant, visit, {
    deviceId: restaurant.devices.bar.id,
    place: visit.isRush ? `Comptoir ${random.int(1, 6)}` : `Bar ${random.int(1, 10)}`,
    operator: scene.operatorFor(random, visit.at, until),
    customerId: random.chance(0.06) ? `C${random.int(100_000, 999_999)}` : '',
    channel: 'pos',
    serviceType: 'eat_in',
  })
  const choice: Choice = { draft, random, scene }
  const moment = (part: number) => visit.at + (until - visit.at) * part
  const steps: Step[] = [{ at: visit.at, run: () => round(choice) }]
  const maybe = (probability: number, part: number, run: (draft: Draft) => void) => {
    if (random.chance(probability)) steps.push({ at: moment(part), run })
  }
  maybe(stay > 12 ? 0.45 : 0.2, 0.4, () => round(choice))
  maybe(stay > 30 ? 0.35 : 0, 0.7, () => round(choice))
  maybe(0.02, 0.1, (draft) => voidOne(draft, random))
  maybe(0.015, 0.2, (draft) => loseOne(draft, random))
  maybe(0.05, 0.9, (draft) => discountBill(draft, random, restaurant.catalog))
  if (random.chance(0.01)) {
    const reason = random.pick(reasons.cancel)
    steps.push({ at: until, run: (draft) => cancel(draft, reason) })
    return { draft, steps, movable: null }
  }
  const payers = visit.guests > 1 && random.chance(0.15) ? 2 : 1
  const bill = { from: moment(0.95), until, payers, lunch: false }
  steps.push(...paymentSteps(random, restaurant.catalog, bill))
  return { draft, steps, movable: null }
}

/** Fills a bag: formules, dishes and closed drinks under one price type. */
export function fillBag(draft: Draft, random: Random, scene: Scene, tier: 'À emporter' | 'Livraison'): void {
  const { formules } = scene.restaurant.catalog
  const choice: Choice = { draft, random, scene }
  const formule = tier === 'Livraison' ? formules.delivery : formules.togo
  const isMorning = scene.day.minutesAt(draft.openedAt) < 660
  const portions = random.weighted([1, 2, 3, 4], (portions) => 5 - portions)
  for (let portion = 0; portion < portions; portion += 1) {
    if (isMorning && tier === 'À emporter') serve(choice, [tier], 'coffee', 'pastry')
    else if (random.chance(0.4)) addFormule(draft, random, formule)
    else {
      serve(choice, [tier], 'main', 'main', 'kids')
      if (random.chance(0.35)) serve(choice, [tier], 'bottled')
      if (random.chance(0.3)) serve(choice, [tier], 'dessert', 'togo')
    }
  }
}

/** Plans a sale at the counter, paid in a few minutes; occasionally it is refunded the same way after a complaint. */
export function planTakeaway(scene: Scene, visit: Visit): Life {
  const { restaurant } = scene
  const { catalog } = restaurant
  const random = lifeRandom(restaurant, visit)
  const until = visit.at + random.between(1, 7) * minuteMs
  const draft = openDraft(restaurant, visit, {
    deviceId: restaurant.devices.main.id,
    place: 'À emporter',
    operator: scene.operatorFor(random, visit.at, until),
    channel: 'pos',
    serviceType: 'takeaway',
  })
  const steps: Step[] = [{ at: visit.at, run: () => fillBag(draft, random, scene, 'À emporter') }]
  if (random.chance(0.01)) {
    const run = (draft: Draft) => {
      const cents = draft.lines.reduce((sum, line) => sum + netOf(line), 0)
      pay(draft, catalog, 'card', cents)
      draft.payments.push({ method: catalog.payments.card, cents: -cents })
      cancel(draft, random.pick(reasons.refund))
    }
    steps.push({ at: until, run })
  } else {
    const lunch = scene.day.minutesAt(visit.at) < 960
    steps.push(...paymentSteps(random, catalog, { from: until, until, payers: 1, lunch }))
  }
  return { draft, steps, movable: null }
}

/** Plans a training order before the service: it is closed and paid like any other, but not counted. */
export function planTraining(scene: Scene, visit: Visit): Life {
  const { restaurant } = scene
  const random = lifeRandom(restaurant, visit)
  const until = visit.at + random.between(2, 9) * minuteMs
  const draft = openDraft(restaurant, visit, {
    deviceId: restaurant.devices.room.id,
    place: 'Formation',
    operator: restaurant.operators.trainee,
    channel: 'pos',
    serviceType: 'eat_in',
    isTraining: true,
  })
  const choice: Choice = { draft, random, scene }
  const steps: Step[] = [{ at: visit.at, run: () => serve(choice, ['Sur place'], 'main', 'dessert', 'coffee') }]
  steps.push(...paymentSteps(random, restaurant.catalog, { from: until, until, payers: 1, lunch: true }))
  return { draft, steps, movable: null }
}

/** Plans a write-off of unsold dishes at the end of the day: an order of losses only, with a total of 0. */
export function planWaste(scene: Scene, visit: Visit): Life {
  const { restaurant } = scene
  const random = lifeRandom(restaurant, visit)
  const draft = openDraft(restaurant, visit, {
    deviceId: restaurant.devices.main.id,
    place: 'Pertes',
    operator: scene.operatorFor(random, visit.at, visit.at + minuteMs),
    channel: 'pos',
    serviceType: 'other',
  })
  const run = (draft: Draft) => {
    const dishes = restaurant.catalog.sold('Sur place', 'dessert', 'pastry', 'starter')
    const count = random.int(1, 4)
    for (let lost = 0; lost < count; lost += 1) {
      addLoss(draft, random.pick(dishes), 'Sur place', random.pick(reasons.waste))
    }
    close(draft)
  }
  return { draft, steps: [{ at: visit.at, run }], movable: null }
}
