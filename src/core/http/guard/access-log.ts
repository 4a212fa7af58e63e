import type { Act, Acting } from '../../acts/acting.ts'
import type { FastifyRequest } from 'fastify'
import { installationId } from '../../domain/accounts/keys.ts'
import type { ActChange, ActName } from '../../schemas/access.ts'
import type { ApiKey } from '../../store/accounts/api-keys.ts'
import { appendAccess, recordAct, recordActIn, type AccessRecord } from '../../store/accounts/access.ts'
import { WrittenRanges } from './written-ranges.ts'
import type { Pool, Transaction } from '../../store/db/database.ts'
import { minuteMs, dayMs } from '../../domain/days/time-units.ts'

/** What an answer handed out: `from` and `to` are the sequences of its first and last document, if it has any. */
export type HandedOut = {
  documents: number
  from?: number
  to?: number
  /** The locations read by an operation on several; otherwise the location is that of the key. */
  locationIds?: readonly string[]
}

/** A session or a passkey, and the locations that it gives access to; null for all. */
type Rights = { id: string; locationIds: readonly string[] | null }

/** The number of requests of one key to one operation within one minute, and the range of times that they requested. */
type Tally = {
  operation: string
  requests: number
  refused: number
  rateLimited: number
  failed: number
  documents: number
  from: number | null
  to: number | null
  written: WrittenRanges | null
}

const noCounts = { requests: 0, refused: 0, rateLimited: 0, failed: 0, documents: 0 }
const noRange = { from: null, to: null, written: null }

/** The reads of one minute, by key, location and route. */
type Minute = Map<string, Map<string, Map<FastifyRequest['route'], Tally>>>

/** Maximum number of entries that wait for the database. While it is unavailable the oldest are dropped, and `onGivenUp` is called. */
const pendingAtMost = 10_000

/** Returns the smaller of two moments; a missing one leaves the other as it is. */
const lower = (a: number | null, b: number | undefined) => (b === undefined ? a : a === null ? b : Math.min(a, b))
/** Returns the greater of two moments; a missing one leaves the other as it is. */
const higher = (a: number | null, b: number | undefined) => (b === undefined ? a : a === null ? b : Math.max(a, b))

/** For a request that names no time. */
const noDates: { from?: number; to?: number } = {}

/** Reads the times in `since` and `until`; undefined if absent or invalid. */
function datesOf({ query }: FastifyRequest): { from?: number; to?: number } {
  const { since, until } = (query ?? {}) as Record<string, unknown>
  if (since === undefined && until === undefined) return noDates
  const read = (text: unknown) => (typeof text === 'string' ? Date.parse(text) : Number.NaN)
  const [from, to] = [read(since), read(until)]
  return { ...(Number.isNaN(from) ? {} : { from }), ...(Number.isNaN(to) ? {} : { to }) }
}

function recordOf(tally: Tally, of: { keyId: string; minute: string }): AccessRecord {
  const { operation, from, to, written: ranges, ...counts } = tally
  const isDated = !operation.includes('/v1/events/')
  const written = (bound: number | null) => (bound === null || !isDated ? bound : new Date(bound).toISOString())
  const all = ranges?.all ?? []
  const range =
    all.length > 0
      ? { from: all[0]?.[0] ?? null, to: Math.max(...all.map(([, last]) => last)), written: [...all] }
      : { from: written(from), to: written(to) }
  return { kind: 'reads', ...of, operation, ...counts, ...range }
}

/**
 * Counts in memory who read what, by key, operation and minute: a request costs three map look-ups. `flush` writes
 * completed minutes; if the process is killed, the counts since the last flush are lost (docs/inside/11-access.md).
 */
export class AccessLog {
  readonly #pool: Pool
  readonly #clock: () => Date
  readonly #keptDays: number
  readonly #onGivenUp: (minutes: number) => void
  #minute: Minute = new Map()
  #beganAt = 0
  #pending: { locationId: string; record: AccessRecord }[] = []

  /** `keptDays` 0 keeps entries forever. `onGivenUp` receives the number of entries dropped each time. */
  constructor(pool: Pool, clock: () => Date, keptDays: number, onGivenUp: (minutes: number) => void = () => {}) {
    this.#pool = pool
    this.#clock = clock
    this.#keptDays = keptDays
    this.#onGivenUp = onGivenUp
  }

  /** Finds the counter of a key and an operation at a location for this minute. */
  #tallyOf({ key, route, method }: FastifyRequest, locationId: string): Tally {
    const began = this.#clock().getTime()
    if (began - (began % minuteMs) !== this.#beganAt) this.#turn(began - (began % minuteMs))
    let locations = this.#minute.get(key.id)
    if (!locations) this.#minute.set(key.id, (locations = new Map()))
    let operations = locations.get(locationId)
    if (!operations) locations.set(locationId, (operations = new Map()))
    let tally = operations.get(route)
    if (!tally) operations.set(route, (tally = { operation: `${method} ${route.url}`, ...noCounts, ...noRange }))
    return tally
  }

  /** Counts documents in the minute in which they are sent: an answer may last for months, or be cut off. */
  handOut(request: FastifyRequest, { documents, from, to }: HandedOut): void {
    const tally = this.#tallyOf(request, request.key.locationId)
    tally.documents += documents
    tally.from = lower(tally.from, from)
    tally.to = higher(tally.to, to)
  }

  /** Counts an answered request at each location that it concerned. */
  count(request: FastifyRequest, status: number): void {
    const { handedOut, written } = request
    const range = handedOut?.from === undefined ? datesOf(request) : handedOut
    for (const locationId of handedOut?.locationIds ?? [request.key.locationId]) {
      const tally = this.#tallyOf(request, locationId)
      if (written) (tally.written ??= new WrittenRanges()).addAll(written)
      tally.requests += 1
      if (status >= 400) tally.refused += 1
      if (status === 429) tally.rateLimited += 1
      if (status >= 500) tally.failed += 1
      tally.documents += handedOut?.documents ?? 0
      tally.from = lower(tally.from, range.from)
      tally.to = higher(tally.to, range.to)
    }
  }

  async act(key: ApiKey, act: ActName, subject: string, changes: ActChange[] = []): Promise<void> {
    await recordAct(this.#pool, key.locationId, { act, by: key.id, subject, changes }, this.#clock())
  }

  /** Writes an act at the key's location as part of a transaction. */
  async actIn(tx: Transaction, key: ApiKey, act: ActName, subject: string): Promise<void> {
    await recordActIn(tx, key.locationId, { act, by: key.id, subject }, this.#clock())
  }

  /**
   * Returns the context with which an operator's request acts. Acts are written to the log of the installation and to
   * the log of the location concerned, so the owner of the data sees them too.
   */
  acting({ key, ip }: FastifyRequest): Acting {
    const [pool, now] = [this.#pool, this.#clock()]
    const note = async (locationId: string, act: Act) => {
      const done = { ...act, by: key.id }
      const whence = locationId === installationId ? { from: ip } : { locationId, from: ip }
      await recordAct(pool, installationId, { ...done, ...whence }, now)
      if (locationId !== installationId) await recordAct(pool, locationId, done, now)
    }
    return { pool, now, note }
  }

  /** Writes an act on a session or a passkey: at its one location, or for the installation. */
  async sessionAct({ id, locationIds }: Rights, act: ActName, by: string): Promise<void> {
    const [only, ...others] = locationIds ?? []
    const locationId = only === undefined || others.length > 0 ? installationId : only
    await recordAct(this.#pool, locationId, { act, by, subject: id }, this.#clock())
  }

  /** Writes the completed minutes, with `isEnd` also the current one. Rejects with the database's error, and then loses nothing. */
  async flush(isEnd = false): Promise<void> {
    const now = this.#clock()
    const began = now.getTime() - (now.getTime() % minuteMs)
    if (isEnd || began !== this.#beganAt) this.#turn(began)
    const keepFrom = this.#keptDays === 0 ? {} : { keepFrom: new Date(now.getTime() - this.#keptDays * dayMs) }
    const pending = this.#pending
    this.#pending = []
    const byLocation = Map.groupBy(pending, ({ locationId }) => locationId)
    for (const [locationId, entries] of byLocation) {
      const records = entries.map(({ record }) => record)
      try {
        await appendAccess(this.#pool, locationId, records, { now, ...keepFrom })
        byLocation.delete(locationId)
      } catch (error) {
        this.#pending = [...[...byLocation.values()].flat(), ...this.#pending]
        this.#giveUpOldest()
        throw error
      }
    }
  }

  /** Drops the oldest entries that could not be written, so that memory stays bounded, and reports their number. */
  #giveUpOldest(): void {
    const many = this.#pending.length - pendingAtMost
    if (many <= 0) return
    this.#pending = this.#pending.slice(many)
    this.#onGivenUp(many)
  }

  /** Begins a new minute and prepares the one before for the next flush. */
  #turn(began: number): void {
    const minute = new Date(this.#beganAt).toISOString()
    for (const [keyId, locations] of this.#minute) {
      for (const [locationId, operations] of locations) {
        for (const tally of operations.values())
          this.#pending.push({ locationId, record: recordOf(tally, { keyId, minute }) })
      }
    }
    this.#giveUpOldest()
    this.#minute = new Map()
    this.#beganAt = began
  }
}
