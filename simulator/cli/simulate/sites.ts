import { withFaults, type Faults } from '../../faults.ts'
import { createRestaurant, type Restaurant, type RestaurantKind } from '../../restaurant.ts'
import { setupRecords, simulate, type Occurrence, type TillRecord } from '../../simulation.ts'

/** What all locations of a run have in common. */
export type Scenario = {
  seed: string
  from: Date
  /** Excluded. */
  to: Date
  ordersPerDay: number
  kind: RestaurantKind
  /** Of each order only the last version. */
  finalOnly: boolean
  faults: Omit<Faults, 'seed'>
}

/** The restaurant of a run by its number, from 1; `locationId` is that of a key, else it follows from the seed. */
export function restaurantOf({ seed, ordersPerDay, kind }: Scenario, number: number, locationId?: string): Restaurant {
  const place = locationId === undefined ? {} : { locationId }
  return createRestaurant({ seed: `${seed}/${number}`, ordersPerDay, kind, ...place })
}

/** A location that a run pushes to. */
export type Site = {
  locationId: string
  /** With the scopes `read` and `ingest`. */
  key: string
  /** Made when its turn comes: a catalog has a tenth of a megabyte. */
  restaurant: () => Restaurant
  /** Made by this run: nothing else is in it. */
  isNew: boolean
  /** Journal head when the run began. */
  headBefore: number
  expected: Expectation
  accepted: number
  /** Records that went out again since no answer came: their first sending may have been stored. */
  uncertain: number
}

/**
 * Counts what a location must return once everything that was sent has arrived; it does so while sending, in constant
 * memory.
 */
export class Expectation {
  orders = 0
  closed = 0
  reports = 0
  /** The reports of days that had begun before the run: they name orders from before it. */
  readonly partial = new Set<string>()
  readonly #open = new Set<string>()
  readonly #from: string

  constructor(from: Date) {
    this.#from = from.toISOString()
  }

  see({ type, data }: TillRecord): void {
    if (type === 'report') {
      this.reports += 1
      if (data.startedAt < this.#from) this.partial.add(data.id)
    } else if (type === 'order') {
      if (!this.#open.delete(data.id)) this.orders += 1
      if (data.closedAt === null) this.#open.add(data.id)
      else this.closed += 1
    }
  }
}

function* watched(stream: Iterable<Occurrence>, expectation: Expectation): Generator<Occurrence> {
  for (const occurrence of stream) {
    expectation.see(occurrence.record)
    yield occurrence
  }
}

/**
 * Everything a location's tills send, in the order of time. What the location is and its catalog come first and whole,
 * whatever the faults: without them nothing can be stored.
 */
export function* recordsOf(restaurant: Restaurant, scenario: Scenario, expected: Expectation): Generator<Occurrence> {
  const { from, to, finalOnly, faults } = scenario
  for (const record of setupRecords(restaurant)) yield { at: from, record }
  const sales = watched(simulate(restaurant, { from, to, finalOnly, setup: false }), expected)
  const isFaulty = Object.keys(faults).length > 0
  yield* isFaulty ? withFaults(sales, { ...faults, seed: restaurant.seed }) : sales
}
