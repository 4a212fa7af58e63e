import type { Location } from '../src/core/contract/location/schema.ts'
import { offsetAt, type CivilDate } from './calendar.ts'
import { buildCatalog, type Catalog } from './card/catalog.ts'
import { toHostile } from './hostile.ts'
import { devicesOf, locationOf, type Devices } from './identity.ts'
import { idOf } from './random.ts'
import { operatorsOf, type Operators } from './staff.ts'

export type RestaurantOptions = {
  /** Determines everything: the same seed and options make the same restaurant. */
  seed: string | number
  name?: string
  locationId?: string
  /** IANA name; default Europe/Paris. */
  timeZone?: string
  /** Mean over the year, all channels; default 120. */
  ordersPerDay?: number
  /** Business day of report number 1; no data before it. Default 2015-01-01. */
  openedOn?: CivilDate
  /** Default `ordinary`. */
  kind?: RestaurantKind
}

/**
 * The kinds of restaurants. In a `hostile` restaurant, every text that a till sends is an attack on the software that
 * displays it.
 */
export const restaurantKinds = ['ordinary', 'hostile'] as const

export type RestaurantKind = (typeof restaurantKinds)[number]

/** What stays the same from day to day. */
export type Restaurant = {
  seed: string
  timeZone: string
  ordersPerDay: number
  openedOn: CivilDate
  kind: RestaurantKind
  /** With `deviceList`. */
  location: Location
  devices: Devices
  catalog: Catalog
  operators: Operators
  /** Cents in the drawer at each opening: the excess goes to the bank at the close. */
  floatCents: number
}

/**
 * Makes a restaurant. Throws a RangeError for an unknown time zone, or a number of orders that is not above 0 and at
 * most 5,000.
 */
export function createRestaurant(options: RestaurantOptions): Restaurant {
  const { timeZone = 'Europe/Paris', ordersPerDay = 120, openedOn = '2015-01-01', kind = 'ordinary' } = options
  if (!(ordersPerDay > 0 && ordersPerDay <= 5000)) throw new RangeError('ordersPerDay must be above 0, at most 5000')
  offsetAt(timeZone, 0)
  const seed = String(options.seed)
  const location = locationOf(seed, options.locationId, options.name)
  return {
    seed,
    timeZone,
    ordersPerDay,
    openedOn,
    kind,
    location: kind === 'hostile' ? toHostile(location) : location,
    devices: devicesOf(seed),
    catalog: buildCatalog(seed),
    operators: operatorsOf(seed),
    floatCents: 20_000,
  }
}

/**
 * Returns the id of the Z report of a business day, which is known when the day begins: orders refer to it once they
 * are closed.
 */
export const reportIdOf = (restaurant: Restaurant, date: CivilDate): string => idOf(restaurant.seed, 'report', date)
