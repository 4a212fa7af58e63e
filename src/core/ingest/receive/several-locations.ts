import type { IngestAnswer } from '../../schemas/ingest.ts'
import type { LocationSettings } from '../../contract/location/schema.ts'
import { isUuid } from '../../contract/scalars.ts'
import type { Pool } from '../../store/db/database.ts'
import { findLocation, updateLocationSettings } from '../../contract/location/rows.ts'
import { readLine, takeLines } from './ingest.ts'
import { Intake, type IntakeOptions, type Stopped } from './intake.ts'
import type { Line } from './lines.ts'
import { createLocation, isLocationRecord, readSettingsLine } from '../write/locations.ts'
import { isRejection, type Incoming, type Circumstances, type Rejection } from '../records.ts'
import type { WriteQueue } from '../write/queue.ts'

export type ImportOptions = Pick<IntakeOptions, 'onProgress' | 'warner' | 'rejected' | 'dryRun' | 'isHistory'> & {
  pool: Pool
  clock: () => Date
  /** Called before a missing location is created; an error that it throws ends the import. */
  onNewLocation?: (locationId: string) => Promise<void>
  /** Called for each location in the file once it exists; never in a dry run. */
  onLocation?: (locationId: string) => Promise<void>
  /** Settings of a new location, if the file has none. */
  settings: LocationSettings
  /** All records belong to this location; without it each location record begins the records of its location. */
  locationId?: string | undefined
}

/** The location id before the first location record of a file with several locations: no record belongs to it. */
const nowhere = '00000000-0000-0000-0000-000000000000'

/** Returns the location of a location record, valid or not. */
function locationNamed({ type, id }: Incoming | Rejection): string | undefined {
  return type === 'location' && id !== undefined && isUuid(id) ? id.toLowerCase() : undefined
}

function withoutLocation(record: Incoming | Rejection): string {
  if (isRejection(record) && record.type === undefined) return `not a record: ${record.detail}`
  if (record.type !== 'location') {
    return 'no location record precedes this record: name the location with --location'
  }
  return `the location record is not valid, so its records cannot be stored: ${isRejection(record) ? record.detail : ''}`
}

/** Takes the lines of a file in order and tracks the location that they belong to. */
class Import {
  readonly #intake: Intake
  readonly #options: ImportOptions
  /** Settings by location id, from lines before the record of the location. */
  readonly #settings = new Map<string, LocationSettings>()
  #circumstances: Omit<Circumstances, 'line'>

  constructor(intake: Intake, circumstances: Omit<Circumstances, 'line'>, options: ImportOptions) {
    this.#intake = intake
    this.#circumstances = circumstances
    this.#options = options
  }

  /** Returns a promise if something must be awaited. The promise resolves to the reason to stop reading, if any. */
  take(next: Line): Promise<Stopped | undefined> | undefined {
    const { line } = next
    const given = readSettingsLine(next.bytes)
    if (given) return this.#takeSettings(line, given)
    const record = readLine(next, this.#circumstances)
    const named = this.#options.locationId === undefined ? locationNamed(record) : undefined
    if (named !== undefined && named !== this.#intake.locationId) return this.#enter(next, named)
    if (this.#intake.locationId !== nowhere) return this.#intake.take(record, next.bytes.length)
    return Promise.resolve({ line, code: 'location_missing', detail: withoutLocation(record) })
  }

  /** Assigns the following records to the location of this record, which is created if it does not exist. */
  async #enter(next: Line, locationId: string): Promise<Stopped | undefined> {
    await this.#intake.moveTo(locationId)
    // Without the check, which depends on settings that are not stored yet.
    const record = readLine(next, { ...this.#circumstances, locationId, warner: undefined })
    if (isRejection(record) || !isLocationRecord(record)) {
      return { line: next.line, code: 'location_invalid', detail: withoutLocation(record) }
    }
    const { pool, clock, settings, dryRun } = this.#options
    const isNew = (await findLocation(pool, locationId)) === undefined
    if (dryRun && isNew) {
      const detail = `location ${locationId} does not exist, and a dry run does not create it`
      return { line: next.line, code: 'location_not_found', detail }
    }
    if (isNew) await this.#options.onNewLocation?.(locationId)
    const given = this.#settings.get(locationId)
    const outcome = isNew ? await createLocation(pool, record, given ?? settings, clock()) : undefined
    if (!dryRun) await this.#options.onLocation?.(locationId)
    if (!dryRun && given && !outcome) await updateLocationSettings(pool, locationId, given)
    this.#circumstances = await this.#intake.circumstances()
    if (!outcome) return this.#intake.take(readLine(next, this.#circumstances), next.bytes.length)
    this.#intake.note(record, outcome)
    return undefined
  }

  async #takeSettings(
    line: number,
    { id, settings, fault }: NonNullable<ReturnType<typeof readSettingsLine>>,
  ): Promise<Stopped | undefined> {
    const { pool, locationId, dryRun } = this.#options
    if (fault !== undefined) {
      return { line, code: 'location_invalid', detail: `the settings of location ${id} are not valid: ${fault}` }
    }
    if (dryRun) return undefined
    if (locationId === undefined) this.#settings.set(id, settings)
    else if (locationId === id) {
      await this.#intake.moveTo(id)
      await updateLocationSettings(pool, id, settings)
      this.#circumstances = await this.#intake.circumstances()
    }
    return undefined
  }
}

/**
 * Stores a file of NDJSON records as `export` writes it, which may have several locations. Reads, checks, commits and
 * answers like `ingestLines`; lines with settings are applied and not counted.
 */
export async function ingestSeveralLocations(
  writer: WriteQueue,
  source: AsyncIterable<Buffer>,
  options: ImportOptions,
): Promise<IngestAnswer> {
  const pusher = { locationId: options.locationId ?? nowhere, keyId: null }
  const intake = new Intake(writer, pusher, options)
  const file = new Import(intake, await intake.circumstances(), options)
  return takeLines(intake, source, (line) => {
    // Yields, so that sending to the database continues: a socket takes less than a batch at once.
    const turn = intake.turns.spend(1, line.bytes.length)
    return turn ? turn.then(() => file.take(line)) : file.take(line)
  })
}
