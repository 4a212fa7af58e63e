import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { checkSettings } from '../../../../core/contract/location/settings.ts'
import { validator } from '../../../../core/domain/documents/validation.ts'
import { moneyOf } from '../../../../core/contract/money/currency.ts'
import { defaultLocationSettings } from '../../../../core/ingest/write/locations.ts'
import { CliError } from '../../../../core/server/errors.ts'
import { isForeign, Profile, Unreadable, type Adapter } from '../../adapters/adapter.ts'
import { listAdapters, listMapAdapters, listSourceNames } from '../../adapters/all.ts'
import { CsvMap } from '../../adapters/csv-map/schema.ts'
import { runSource, type SourceRun } from '../../adapters/run.ts'
import { Scratch } from '../../adapters/scratch.ts'
import { findLocation } from '../../../../core/contract/location/rows.ts'
import { withDatabase } from '../../../../core/cli/database.ts'
import { note, printJson } from '../../../../core/cli/terminal/output.ts'
import { readUuid } from '../../../../core/cli/terminal/options.ts'
import { openSourceFiles, readJson } from './files.ts'
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
  const byMap = listMapAdapters().get(from)
  if (!byMap) {
    if (map !== undefined)
      throw new CliError('usage', `--map applies only to --from ${[...listMapAdapters().keys()].join(' and ')}`)
    const adapter = listAdapters().get(from)
    if (!adapter)
      throw new CliError('usage', `--from must be one of ${listSourceNames().join(', ')}, not ${JSON.stringify(from)}`)
    return adapter
  }
  if (map === undefined)
    throw new CliError('usage', `--from ${from} requires --map: tillgate map suggest creates a first one from a CSV`)
  const given = await readJson(map, 'the map')
  const [fault] = mapFaults(given)
  if (fault)
    throw new CliError('usage', `the map ${map}: ${fault.detail}${fault.pointer ? ` (at ${fault.pointer})` : ''}`)
  return byMap(given as CsvMap)
}

type Settled = Profile & { dayStartsAt: string }

/** Reads the profile; absent members come from the location or the defaults. */
async function readProfile(flags: SourceFlags, locationId: string): Promise<Settled> {
  const given = (flags.profile === undefined ? {} : await readJson(flags.profile, 'the profile')) as Partial<Profile>
  const isComplete = given.timeZone !== undefined && given.currency !== undefined
  const own =
    isComplete && flags.dryRun ? undefined : await withDatabase(flags, ({ pool }) => findLocation(pool, locationId))
  if (!isComplete && !own) {
    const detail = 'the profile lacks timeZone or currency: create the location, or add them to the profile'
    throw new CliError('location_not_found', `location ${locationId} does not exist, and ${detail}`)
  }
  const { timeZone, currency, dayStartsAt } = { ...defaultLocationSettings, ...own, ...given }
  const profile = { ...given, account: given.account ?? locationId, timeZone, currency, dayStartsAt }
  const [fault] = profileFaults(profile)
  if (fault) throw new CliError('usage', `the profile: ${fault.detail}${fault.pointer ? ` (at ${fault.pointer})` : ''}`)
  const settings = checkSettings({ ...defaultLocationSettings, timeZone, currency, dayStartsAt })
  if ('expected' in settings) throw new CliError('usage', `the profile: ${settings.name} must be ${settings.expected}`)
  return profile
}

type Converting = { locationId: string; profile: Settled; scratch: Scratch }

async function convert(path: string, adapter: Adapter, { scratch, ...settings }: Converting): Promise<SourceRun> {
  const { files, close } = await openSourceFiles(path)
  try {
    return await runSource(adapter, files, settings, scratch)
  } catch (error) {
    if (error instanceof Unreadable) throw new CliError('file_unreadable', error.message, { cause: error })
    throw error
  } finally {
    await close()
  }
}

async function writeRecords(path: string, run: SourceRun): Promise<void> {
  await pipeline(Readable.from(run.lines()), createWriteStream(path)).catch((error: Error) => {
    throw new CliError('output_failed', `${path} cannot be written: ${error.message}`, { cause: error })
  })
}

function printRun(run: SourceRun, flags: SourceFlags, profile: Settled): void {
  if (!flags.json) {
    report(run, moneyOf(profile.currency).decimals)
    return
  }
  const { orders, reports, left, refused, notes, unmapped, days } = run
  printJson({
    orders,
    reports,
    left: left.first,
    leftCount: left.count,
    refused: refused.first,
    refusedCount: refused.count,
    notes,
    unmapped,
    days,
  })
}

/** Whether the files had no document of the source, only documents of others, which were skipped. */
function isNothing({ orders, reports, refused, left }: SourceRun, { expects }: Adapter): boolean {
  const isAllForeign = [...left.byReason.keys()].every(isForeign)
  return expects !== null && orders + reports + refused.count === 0 && isAllForeign
}

/**
 * Prints the state from which a tap continues, as the last line. After a failure it is not printed, so that the tap
 * reads refused documents again.
 */
function printState(state: unknown): void {
  if (process.exitCode === undefined || process.exitCode === 0) process.stdout.write(`${JSON.stringify(state)}\n`)
  else note('The state of the tap is not returned, because refused records must be read again.')
}

/**
 * Reads the documents of another system, reports the result, and passes the records to `store`, unless it is a dry run.
 * Records that wait are on disk, not in memory.
 */
export async function readSource(
  path: string,
  flags: SourceFlags,
  store: (run: SourceRun, locationId: string) => Promise<void>,
): Promise<void> {
  if (flags.location === undefined) throw new CliError('usage', '--from requires --location')
  const locationId = readUuid('--location', flags.location)
  const adapter = await readAdapter(flags)
  const profile = await readProfile(flags, locationId)
  const scratch = new Scratch()
  try {
    const run = await convert(path, adapter, { locationId, profile, scratch })
    if (flags.records !== undefined) await writeRecords(flags.records, run)
    printRun(run, flags, profile)
    if (run.refused.count > 0) process.exitCode = 1
    if (isNothing(run, adapter)) {
      process.exitCode = 1
      note(`Nothing was found in ${path}. --from ${flags.from} expects ${adapter.expects}.`)
    }
    if (!flags.dryRun && run.orders + run.reports > 0) await store(run, locationId)
    if (!flags.dryRun && run.state !== undefined) printState(run.state)
  } finally {
    scratch.close()
  }
}
