import { withFaults, type Faults } from '../../faults.ts'
import { createRestaurant, type Restaurant, type RestaurantKind } from '../../restaurant.ts'
import { setupRecords, simulate, type Occurrence, type TillRecord } from '../../simulation.ts'

/** The common settings of all locations of a run. */
export type Scenario = {
  seed: string
  from: Date
  /** Excluded. */
  to: Date
  ordersPerDay: number
  kind: RestaurantKind
  /** Yields only the last version of each order. */
  finalOnly: boolean
  faults: Omit<Faults, 'seed'>
}

/**
 * Returns the restaurant of a run by its number, from 1. `locationId` is the location of a key; otherwise it follows
 * from the seed.
 */
export function restaurantOf({ seed, ordersPerDay, kind }: Scenario, number: number, locationId?: string): Restaurant {
  const place = locationId === undefined ? {} : { locationId }
  return createRestaurant({ seed: `${seed}/${number}`, ordersPerDay, kind, ...place })
}

/** A location that a run pushes to. */
export type Site = {
  locationId: string
  /** With the scopes `read` and `ingest`. */
  key: string
  /** Made on demand, because a catalog takes a tenth of a megabyte. */
  restaurant: () => Restaurant
  /** Created by this run, so it has no other data. */
  isNew: boolean
  /** Journal head when the run began. */
  headBefore: number
  expected: Expectation
  accepted: number
  /** Number of records that were sent again without a response: the first attempt may have been stored. */
  uncertain: number
}

/** Counts what a location must return once everything has arrived; in constant memory, while sending. */
export class Expectation {
  orders = 0
  closed = 0
  reports = 0
  /** The reports of days that had begun before the run: they list orders from before the run. */
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
 * Yields everything that a location's tills send, in the order of time. Its settings and catalog come first and
 * completely, regardless of the faults, because nothing can be stored without them.
 */
export function* recordsOf(restaurant: Restaurant, scenario: Scenario, expected: Expectation): Generator<Occurrence> {
  const { from, to, finalOnly, faults } = scenario
  for (const record of setupRecords(restaurant)) yield { at: from, record }
  const sales = watched(simulate(restaurant, { from, to, finalOnly, setup: false }), expected)
  const isFaulty = Object.keys(faults).length > 0
  yield* isFaulty ? withFaults(sales, { ...faults, seed: restaurant.seed }) : sales
}
