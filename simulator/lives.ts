import type { BusinessDay } from './calendar.ts'
import type { Visit } from './demand.ts'
import type { Draft } from './drafts.ts'
import type { Floor } from './floor.ts'
import { idOf, randomOf, type Random } from './random.ts'
import type { Restaurant } from './restaurant.ts'
import type { Operator } from './staff.ts'

/** An event of an order at a planned moment, which makes a new version of the order. */
export type Step = { at: number; run: (draft: Draft) => void }

/**
 * An order from its opening to its closing. The plan (times, table, operator) is made when the visit begins; choices
 * and payments are drawn from the order's own random stream at their step. The last step closes the order.
 */
export type Life = {
  draft: Draft
  steps: Step[]
  /** When dishes can be moved to another table: after the first are ordered, before the bill. Null: never. */
  movable: { from: number; until: number } | null
}

/** The context of a day that planning a visit needs. */
export type Scene = {
  restaurant: Restaurant
  day: BusinessDay
  floor: Floor
  /** The time by which all guests have left. */
  lastCall: number
  operatorFor(random: Random, from: number, until: number): Operator
}

type Opening = Pick<Draft, 'deviceId' | 'place' | 'operator' | 'channel' | 'serviceType'> & Partial<Draft>

export const lifeRandom = (restaurant: Restaurant, visit: Visit): Random => randomOf(restaurant.seed, 'life', visit.key)

/** Opens an empty order; it gets its number when all orders of the day are known. */
export function openDraft(restaurant: Restaurant, visit: Visit, opening: Opening): Draft {
  return {
    id: idOf(restaurant.seed, 'order', visit.key),
    orderNumber: '',
    openedAt: visit.at,
    updatedAt: visit.at,
    closedAt: null,
    guests: visit.guests,
    customerId: '',
    lines: [],
    menus: [],
    payments: [],
    tips: [],
    cancelReason: null,
    transferReason: null,
    isTraining: false,
    source: 'pos',
    externalLocationId: null,
    externalOrderId: null,
    ...opening,
  }
}

export function close(draft: Draft): void {
  draft.closedAt = draft.updatedAt
}

/** Cancels the order with all its lines: its total is zero from then on. */
export function cancel(draft: Draft, reason: string): void {
  draft.cancelReason = reason
  for (const line of draft.lines) line.cancelReason ??= reason
  close(draft)
}

/**
 * Sorts the steps. Two steps of an order are never in the same millisecond, so that each step makes a newer version.
 */
export function arrange(life: Life): void {
  life.steps.sort((one, other) => one.at - other.at)
  let last = -Infinity
  for (const step of life.steps) {
    step.at = Math.max(Math.round(step.at), last + 1)
    last = step.at
  }
}
