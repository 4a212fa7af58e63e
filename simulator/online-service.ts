import { platforms, reasons, type Platform } from './card/card-options.ts'
import { fillBag } from './counter-service.ts'
import type { Visit } from './demand.ts'
import { dueOf, type Draft } from './drafts.ts'
import { cancel, close, lifeRandom, openDraft, type Life, type Scene, type Step } from './lives.ts'
import { pay, paymentSteps } from './payments.ts'
import { idOf, type Random } from './random.ts'
import { minuteMs } from '../src/core/domain/days/time-units.ts'

type Wait = { random: Random; until: number; draft: Draft }

function begin(scene: Scene, visit: Visit, minutes: readonly [number, number], opening: Partial<Draft>): Wait {
  const { restaurant } = scene
  const random = lifeRandom(restaurant, visit)
  const wait = random.between(...minutes) * (visit.isRush ? 0.5 : 1)
  const until = visit.at + wait * minuteMs
  const draft = openDraft(restaurant, visit, {
    deviceId: restaurant.devices.online.id,
    place: 'À emporter',
    operator: scene.operatorFor(random, visit.at, until),
    channel: 'pos',
    serviceType: 'takeaway',
    ...opening,
  })
  return { random, until, draft }
}

/** Plans an order by telephone, paid when it is picked up; a few are never picked up. */
export function planPhone(scene: Scene, visit: Visit): Life {
  const { catalog, devices } = scene.restaurant
  const { random, until, draft } = begin(scene, visit, [20, 40], { channel: 'phone', deviceId: devices.main.id })
  const lunch = scene.day.minutesAt(visit.at) < 960
  const steps: Step[] = [{ at: visit.at, run: () => fillBag(draft, random, scene, 'À emporter') }]
  if (random.chance(0.04)) steps.push({ at: until, run: (draft) => cancel(draft, 'Commande non retirée') })
  else steps.push(...paymentSteps(random, catalog, { from: until, until, payers: 1, lunch }))
  return { draft, steps, movable: null }
}

/** Plans an order that is placed and paid on the restaurant's own site, and closed when it is picked up. */
export function planWebsite(scene: Scene, visit: Visit): Life {
  const { catalog, seed } = scene.restaurant
  const opening = { channel: 'website', source: 'web-shop' }
  const { random, until, draft } = begin(scene, visit, [12, 35], opening)
  draft.customerId = `W${random.int(10_000, 99_999)}`
  draft.externalOrderId = `WEB-${idOf(seed, 'web order', visit.key).slice(0, 8).toUpperCase()}`
  const order = () => {
    fillBag(draft, random, scene, 'À emporter')
    pay(draft, catalog, 'online', dueOf(draft))
  }
  return {
    draft,
    steps: [
      { at: visit.at, run: order },
      { at: until, run: close },
    ],
    movable: null,
  }
}

function choosePlatform(random: Random): Platform {
  return random.weighted(platforms, (platform) => platform.share)
}

/** Plans an order from a delivery platform: the platform pays it when its courier has it, or cancels it. */
export function planMarketplace(scene: Scene, visit: Visit): Life {
  const { catalog, seed } = scene.restaurant
  const opening = { channel: 'marketplace', serviceType: 'delivery', place: 'Livraison' }
  const { random, until, draft } = begin(scene, visit, [12, 30], opening)
  const platform = choosePlatform(random)
  draft.source = platform.source
  draft.externalLocationId = `${platform.prefix}-${idOf(seed, platform.source).slice(0, 6)}`
  draft.externalOrderId = `${platform.prefix}${idOf(seed, 'platform order', visit.key).slice(0, 8).toUpperCase()}`
  const steps: Step[] = [{ at: visit.at, run: () => fillBag(draft, random, scene, 'Livraison') }]
  if (random.chance(0.035)) {
    const reason = random.pick(reasons.platformCancel)
    steps.push({ at: visit.at + (until - visit.at) * 0.4, run: (draft) => cancel(draft, reason) })
  } else {
    const run = (draft: Draft) => {
      pay(draft, catalog, platform.payment, dueOf(draft))
      close(draft)
    }
    steps.push({ at: until, run })
  }
  return { draft, steps, movable: null }
}
