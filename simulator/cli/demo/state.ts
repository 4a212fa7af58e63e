import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDirectory } from '../../../src/core/directories.ts'
import { createRestaurant, type Restaurant, type RestaurantKind } from '../../restaurant.ts'
import { writePrivateFile } from '../../../src/core/embedded/files.ts'
import { addDays } from '../../../src/core/domain/days/business-time.ts'
import { businessDateAt, businessDay } from '../../calendar.ts'
import type { Rush } from '../../rushes.ts'
import { dayMs } from '../../../src/core/domain/days/time-units.ts'

/** The state for the next run, so that the same restaurant continues and its reports add up. Times are ISO 8601. */
export type DemoState = {
  seed: string
  /** Absent in demos from before there were several kinds. */
  kind?: RestaurantKind
  locationId: string
  webhookId: string
  recipientId: string
  /** A key that reads and registers webhooks. */
  key: string
  /** A key that pushes records. */
  tillKey: string
  /** Start of the first business day. */
  from: string
  /** Everything before this moment is stored; a record of the moment itself may not be. */
  storedUntil: string
  /**
   * No record after this moment was ever sent. Stored before sending, so that it holds even if the process is killed.
   */
  sentUntil: string
  /** The intervals with additional guests; `to` is null while one lasts. */
  rushes: { from: string; to: string | null; perMinute: number }[]
}

const stateFile = (dataDir: string) => join(dataDir, 'demo.json')

/** Reads the state of the last run; undefined without a readable one. */
export async function findState(dataDir: string): Promise<DemoState | undefined> {
  try {
    return JSON.parse(await readFile(stateFile(dataDir), 'utf8')) as DemoState
  } catch {
    return undefined
  }
}

/** Stores the state in a file that only its owner may read, because it contains keys. */
export async function keepState(dataDir: string, state: DemoState): Promise<void> {
  const file = stateFile(dataDir)
  await makeDirectory(dataDir, 0o700)
  await writePrivateFile(file, `${JSON.stringify(state, null, 2)}\n`)
}

const seed = 'demo'

/** Makes a restaurant that opened this many business days ago and has no stored data; its keys do not exist yet. */
export function newState(days: number, kind: RestaurantKind, now: Date): DemoState {
  const { timeZone } = createRestaurant({ seed })
  const first = addDays(businessDateAt(timeZone, now.getTime()), -days)
  const from = new Date(businessDay(timeZone, first).startsAt).toISOString()
  const ids = { locationId: randomUUID(), webhookId: randomUUID(), recipientId: randomUUID() }
  return { seed, kind, ...ids, key: '', tillKey: '', from, storedUntil: from, sentUntil: from, rushes: [] }
}

export const restaurantOf = ({ seed, kind = 'ordinary', locationId }: DemoState): Restaurant =>
  createRestaurant({ seed, kind, locationId })

export const rushesOf = ({ rushes }: DemoState): Rush[] =>
  rushes.map(({ from, to, perMinute }) => {
    return { from: new Date(from), perMinute, ...(to === null ? {} : { to: new Date(to) }) }
  })

/** A rush that ended this long ago no longer affects today's sales. */
const rushesKeptMs = 4 * dayMs

const later = (...times: number[]) => new Date(Math.max(...times)).toISOString()

/** Ends the current rush, if any, with the last record that was sent, because the demo is not selling. */
export function closeRush(state: DemoState): void {
  const ended = later(Date.parse(state.sentUntil) + 1)
  for (const rush of state.rushes) rush.to ??= ended
}

/**
 * Sells from `now` on, with guests since `warmUpMs` before it, but not before records that were already sent. Ends the
 * previous rush. Returns the start of the new rush.
 */
export function beginRush(state: DemoState, perMinute: number, warmUpMs: number, now: Date): Date {
  const from = later(now.getTime() - warmUpMs, Date.parse(state.sentUntil) + 1)
  const forgotten = Date.parse(state.storedUntil) - rushesKeptMs
  state.rushes = state.rushes.filter(({ to }) => to === null || Date.parse(to) > forgotten)
  state.rushes.push({ from, to: null, perMinute })
  return new Date(from)
}
