import { writeFile } from 'node:fs/promises'
import { checkSettings } from '../../domain/documents/location-settings.ts'
import { validator } from '../../domain/documents/validation.ts'
import { moneyOf } from '../../domain/money/currency.ts'
import { defaultLocationSettings } from '../../ingest/write/locations.ts'
import { CliError } from '../../server/errors.ts'
import { Profile, Unreadable, type Adapter, type SourceFile } from '../../sources/adapter.ts'
import { adapters, sourceNames } from '../../sources/all.ts'
import { csvAdapter } from '../../sources/csv-map/map.ts'
import { CsvMap } from '../../sources/csv-map/schema.ts'
import { runSource, type SourceRun } from '../../sources/run.ts'
import { findLocation } from '../../store/documents/locations.ts'
import { withDatabase } from '../database.ts'
import { printJson } from '../terminal/output.ts'
import { readUuid } from '../terminal/options.ts'
import { readJson, readSourceFiles } from './files.ts'
import { report } from './report.ts'

export type SourceFlags = {
  from: string
  location?: string
  map?: string
  profile?: string
  records?: string
  dryRun?: true
  json?: true
}

const profileFaults = validator(Profile, 'body', 'the profile')
const mapFaults = validator(CsvMap, 'body', 'the map')

async function readAdapter({ from, map }: SourceFlags): Promise<Adapter> {
  if (from !== 'csv') {
    if (map !== undefined) throw new CliError('usage', '--map is for --from csv')
    const adapter = adapters.get(from)
    if (!adapter)
      throw new CliError('usage', `--from must be one of ${sourceNames.join(', ')}, not ${JSON.stringify(from)}`)
    return adapter
  }
  if (map === undefined)
    throw new CliError('usage', '--from csv needs --map: tillgate map suggest makes one to begin with')
  const given = await readJson(map, 'the map')
  const [fault] = mapFaults(given)
  if (fault)
    throw new CliError('usage', `the map ${map}: ${fault.detail}${fault.pointer ? ` (at ${fault.pointer})` : ''}`)
  return csvAdapter(given as CsvMap)
}

type Settled = Profile & { dayStartsAt: string }

/** What a person says of the shop; what is not said is the location's own. */
async function readProfile(flags: SourceFlags, locationId: string): Promise<Settled> {
  const given = (flags.profile === undefined ? {} : await readJson(flags.profile, 'the profile')) as Partial<Profile>
  const isWhole = given.timeZone !== undefined && given.currency !== undefined
  const own =
    isWhole && flags.dryRun ? undefined : await withDatabase(flags, ({ pool }) => findLocation(pool, locationId))
  if (!isWhole && !own) {
    const detail = 'time zone and currency are in neither the profile nor a location'
    throw new CliError('location_not_found', `there is no location ${locationId}, and ${detail}`)
  }
  const { timeZone, currency, dayStartsAt } = { ...defaultLocationSettings, ...own, ...given }
  const profile = { ...given, account: given.account ?? locationId, timeZone, currency, dayStartsAt }
  const [fault] = profileFaults(profile)
  if (fault) throw new CliError('usage', `the profile: ${fault.detail}${fault.pointer ? ` (at ${fault.pointer})` : ''}`)
  const settings = checkSettings({ ...defaultLocationSettings, timeZone, currency, dayStartsAt })
  if ('expected' in settings) throw new CliError('usage', `the profile: ${settings.name} must be ${settings.expected}`)
  return profile
}

function convert(adapter: Adapter, files: SourceFile[], locationId: string, profile: Settled): SourceRun {
  try {
    return runSource(adapter, files, { locationId, profile })
  } catch (error) {
    if (error instanceof Unreadable) throw new CliError('file_unreadable', error.message, { cause: error })
    throw error
  }
}

/** Reads the documents of another system, tells what they become, and returns the records as NDJSON to be stored. */
export async function readSource(
  path: string,
  flags: SourceFlags,
): Promise<{ run: SourceRun; locationId: string; ndjson: Buffer }> {
  if (flags.location === undefined) throw new CliError('usage', '--from needs --location: where the records belong')
  const locationId = readUuid('--location', flags.location)
  const adapter = await readAdapter(flags)
  const profile = await readProfile(flags, locationId)
  const run = convert(adapter, await readSourceFiles(path), locationId, profile)
  const ndjson = Buffer.from(run.records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  if (flags.records !== undefined) {
    await writeFile(flags.records, ndjson).catch((error: Error) => {
      throw new CliError('output_failed', `${flags.records} cannot be written: ${error.message}`, { cause: error })
    })
  }
  if (flags.json) {
    const { records, ...told } = run
    printJson({
      orders: records.filter(({ type }) => type === 'order').length,
      reports: records.filter(({ type }) => type === 'report').length,
      ...told,
    })
  } else report(run, moneyOf(profile.currency).decimals)
  if (run.refused.length > 0) process.exitCode = 1
  return { run, locationId, ndjson }
}
