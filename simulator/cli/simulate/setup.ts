import {
  createLocation,
  defaultLocationSettings,
  isLocationRecord,
  type LocationRecord,
} from '../../../src/core/ingest/write/locations.ts'
import { isRejection, readRecord } from '../../../src/core/ingest/records.ts'
import type { Restaurant } from '../../restaurant.ts'
import type { Pool } from '../../../src/core/store/db/database.ts'
import { findHead } from '../../../src/core/store/journal/journal.ts'
import { createApiKey } from '../../../src/core/store/accounts/api-keys.ts'
import { headOf } from './check.ts'
import { Expectation, restaurantOf, type Scenario, type Site } from './sites.ts'
import type { TillClient } from './till-client.ts'
import { dayMs } from '../../../src/core/domain/days/time-units.ts'

/** Number of locations that are made at once. */
const together = 8

/** Lifetime of a run's keys, which are useless later. */
const keyDays = 30

function locationRecordOf({ location }: Restaurant): LocationRecord {
  const value = { type: 'location', data: location }
  const circumstances = { line: 1, locationId: location.id }
  const record = readRecord(Buffer.from(JSON.stringify(value)), circumstances)
  if (isRejection(record) || !isLocationRecord(record)) throw new Error('a simulated location is not valid')
  return record
}

/**
 * Makes the location of a simulated restaurant. Resolves to its journal head; undefined if the location exists already.
 */
export async function createSimulatedLocation(
  pool: Pool,
  restaurant: Restaurant,
  now: Date,
): Promise<number | undefined> {
  const settings = { ...defaultLocationSettings, timeZone: restaurant.timeZone }
  const outcome = await createLocation(pool, locationRecordOf(restaurant), settings, now)
  return outcome && (outcome.sequence ?? 0)
}

async function createSite(pool: Pool, scenario: Scenario, number: number): Promise<Site> {
  const restaurant = restaurantOf(scenario, number)
  const { id: locationId } = restaurant.location
  const now = new Date()
  const created = await createSimulatedLocation(pool, restaurant, now)
  const headBefore = created ?? (await findHead(pool, locationId))?.seq ?? 0
  const expiresAt = new Date(now.getTime() + keyDays * dayMs)
  const grant = { locationId, recipientId: null, scopes: ['read' as const, 'ingest' as const], expiresAt }
  const { key } = await createApiKey(pool, 'test', { ...grant, name: 'simulate' }, now)
  const fresh = { expected: new Expectation(scenario.from), accepted: 0, uncertain: 0 }
  return {
    locationId,
    key,
    restaurant: () => restaurantOf(scenario, number),
    isNew: created !== undefined,
    headBefore,
    ...fresh,
  }
}

/** Makes the missing locations of a run, and a key for each. */
export async function createSites(
  pool: Pool,
  scenario: Scenario,
  locations: number,
  signal: AbortSignal,
): Promise<Site[]> {
  const sites: Site[] = []
  let next = 1
  const maker = async () => {
    while (next <= locations) {
      signal.throwIfAborted()
      const number = next++
      sites[number - 1] = await createSite(pool, scenario, number)
    }
  }
  await Promise.all(Array.from({ length: together }, maker))
  return sites
}

/** Returns the location of the caller's key; the restaurant takes its id. */
export async function siteOfKey(
  scenario: Scenario,
  key: string,
  client: TillClient,
  signal: AbortSignal,
): Promise<Site> {
  const { id: locationId } = await client.ask(key, (tillgate) => tillgate.location({ signal }))
  const headBefore = await client.ask(key, (tillgate) => headOf(tillgate, signal))
  const fresh = { expected: new Expectation(scenario.from), accepted: 0, uncertain: 0 }
  return {
    locationId,
    key,
    restaurant: () => restaurantOf(scenario, 1, locationId),
    isNew: false,
    headBefore,
    ...fresh,
  }
}
