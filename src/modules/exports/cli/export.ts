import { once } from 'node:events'
import { join } from 'node:path'
import { PassThrough, type Writable } from 'node:stream'
import type { Command } from 'commander'
import { databaseSettings } from '../../../core/config.ts'
import { settingsLine } from '../../../core/ingest/write/locations.ts'
import { snapshot, type Pool, type Sql } from '../../../core/store/db/database.ts'
import { listDayCounts } from '../../../core/contract/paging/day-counts.ts'
import { findLocation, listLocations, type LocationRow } from '../../../core/contract/location/rows.ts'
import { listResources } from '../../../core/contract/all-resources.ts'
import { byHand } from '../../../core/cli/acts.ts'
import { monthForm } from '../domain/columns.ts'
import { exportFormats, exportTables, readTables, type ExportFormat } from './export-tables.ts'
import { withDatabase } from '../../../core/cli/database.ts'
import { CliError } from '../../../core/server/errors.ts'
import { addSettings, finish, readUuid } from '../../../core/cli/terminal/options.ts'
import { note, printJson, some } from '../../../core/cli/terminal/output.ts'
import { showProgress } from '../../../core/cli/terminal/progress.ts'
import { toOutputError, writeRecords } from '../../../core/cli/record-output.ts'

/** Resources that are only valid at one moment are not exported. */
const journaledResources = () => listResources().filter(({ journaled }) => journaled !== false)

/** How many documents were written, by the plural of their resource. */
type Counts = Record<string, number>

const end = Buffer.from('}\n')

/** Writes documents as record lines, with their stored bytes. */
function toLines(type: string, documents: readonly (Buffer | string)[]): Buffer {
  const start = Buffer.from(`{"type":"${type}","data":`)
  return Buffer.concat(documents.flatMap((document) => [start, Buffer.from(document as string), end]))
}

/** Yields the records of a location at one moment: settings, profile, catalog, orders and reports by creation. */
async function* exportLocation(sql: Sql, location: LocationRow, counts: Counts): AsyncGenerator<Buffer> {
  yield settingsLine(location.id, location)
  for (const { type, plural, walk } of journaledResources()) {
    for await (const documents of walk(sql, location.id)) {
      counts[plural] = (counts[plural] ?? 0) + documents.length
      yield toLines(type, documents)
    }
  }
}

/**
 * Writes all locations, or one, as record lines, each location at one moment. Waits for a slow target and uses constant
 * memory. Does not end the target.
 */
export async function exportRecords(pool: Pool, locationId: string | undefined, target: Writable): Promise<Counts> {
  const counts: Counts = Object.fromEntries(journaledResources().map(({ plural }) => [plural, 0]))
  const locations = await findLocations(pool, locationId)
  let total = 0
  for (const { id } of locations) for (const { n } of await listDayCounts(pool, id)) total += n
  const progress = showProgress(total)
  try {
    for (const { id } of locations) {
      await snapshot(pool, async (tx) => {
        const location = await findLocation(tx, id)
        if (!location) return
        for await (const lines of exportLocation(tx, location, counts)) {
          // A destroyed stream emits nothing more: waiting for it would never end.
          if (target.destroyed) throw target.errored ?? new Error('the output was closed')
          if (!target.write(lines)) await once(target, 'drain')
          const done = Object.values(counts).reduce((sum, n) => sum + n, 0)
          progress.update(done, done)
        }
      })
    }
    return counts
  } finally {
    progress.stop()
  }
}

async function findLocations(sql: Sql, locationId: string | undefined): Promise<LocationRow[]> {
  if (locationId === undefined) return listLocations(sql)
  const location = await findLocation(sql, locationId)
  if (location) return [location]
  throw new CliError('location_not_found', `location ${locationId} does not exist: see tillgate location list`)
}

type ExportFlags = {
  location?: string
  out?: string
  format?: string
  tables?: string
  since?: string
  until?: string
  includeOpen?: true
  json?: true
}

function readMonth(name: string, text: string | undefined): string | null {
  if (text === undefined || new RegExp(monthForm).test(text)) return text ?? null
  throw new CliError('usage', `${name} must be a month such as 2026-03, not ${JSON.stringify(text)}`)
}

/** Writes tables: those of a single location into the folder itself; for all locations, into a subfolder for each. */
async function runTables(flags: ExportFlags, format: ExportFormat): Promise<void> {
  const { out } = flags
  if (out === undefined) throw new CliError('usage', '--out is required: the directory for the tables')
  const locationId = flags.location === undefined ? undefined : readUuid('--location', flags.location)
  const [since, until] = [readMonth('--since', flags.since), readMonth('--until', flags.until)]
  const tables = readTables(flags.tables)
  const done = await withDatabase(flags, async ({ pool }) => {
    const all: { location: string; out: string; files: number; written: string[]; sequence: number }[] = []
    for (const { id } of await findLocations(pool, locationId)) {
      const folder = locationId === undefined ? join(out, id) : out
      const withOpen = flags.includeOpen === true
      const request = { locationId: id, out: folder, format, tables, since, until, withOpen, now: new Date() }
      const { manifest, written } = await exportTables(pool, request).catch((error: unknown) => {
        throw toOutputError(error, folder)
      })
      await byHand(pool, id, { act: 'data.exported', subject: null })
      all.push({ location: id, out: folder, files: manifest.files.length, written, sequence: manifest.sequence })
    }
    return all
  })
  if (flags.json) return printJson({ locations: done })
  for (const { location, files, written, sequence } of done)
    note(
      `${location}: ${some(files, 'file', 'files')} up to journal number ${sequence}, ${written.length} of them new or changed`,
    )
}

/** Records are always exported completely, so a filter is refused rather than ignored. */
function refuseOfTables({ tables, since, until, includeOpen }: ExportFlags): void {
  const given = Object.entries({ tables, since, until, 'include-open': includeOpen }).find(
    ([, one]) => one !== undefined,
  )
  if (given === undefined) return
  throw new CliError(
    'usage',
    `--${given[0]} applies to tables only: add --format ${exportFormats.join(', ')}, or remove it`,
  )
}

async function run(flags: ExportFlags): Promise<void> {
  const { format } = flags
  const tables = exportFormats.find((one) => one === format)
  if (tables !== undefined) return runTables(flags, tables)
  if (format !== undefined && format !== 'ndjson')
    throw new CliError(
      'usage',
      `--format must be one of ndjson, ${exportFormats.join(', ')}, not ${JSON.stringify(format)}`,
    )
  refuseOfTables(flags)
  const locationId = flags.location === undefined ? undefined : readUuid('--location', flags.location)
  const { out } = flags
  const counts = await withDatabase(flags, async ({ pool }) => {
    const lines = new PassThrough({ highWaterMark: 1024 * 1024 })
    // Reader and writer each report an error by their own promise.
    lines.on('error', () => {})
    const breakOff = (error: unknown) => {
      lines.destroy(error as Error)
      throw error
    }
    const writing = writeRecords(lines, out).catch(breakOff)
    const producing = exportRecords(pool, locationId, lines).then((counts) => {
      lines.end()
      return counts
    }, breakOff)
    // A failure of one side ends the other; the first failure is reported.
    const [counts] = await Promise.all([producing, writing]).catch(async (error: unknown) => {
      await Promise.allSettled([producing, writing])
      throw toOutputError(error, out)
    })
    for (const { id } of await findLocations(pool, locationId))
      await byHand(pool, id, { act: 'data.exported', subject: null })
    return counts
  })
  if (flags.json && out !== undefined) return printJson(counts)
  if (flags.json) return note(JSON.stringify(counts))
  note(
    Object.entries(counts)
      .map(([plural, n]) => {
        const many = plural.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
        return some(n, many.slice(0, -1), many)
      })
      .join(', '),
  )
}

export function define(command: Command): void {
  command
    .description(
      'Write record lines (NDJSON), which import reads: each location with its settings, devices ' +
        'and catalog, then its orders and reports by creation date, byte for byte as the API returns them. Keys, ' +
        'webhooks, statuses of tills, accounts, batches, closings and the journal are not exported.',
    )
    .option('--location <id>', 'only this location')
    .option(
      '--out <file>',
      'output file (default: standard output), compressed if it ends with .gz; for tables, the directory',
    )
    .option(
      '--format <name>',
      'ndjson, or tables of closed orders with one file per month: parquet, csv, excel-fr (semicolons, decimal comma). See docs/modules/tables.md',
      'ndjson',
    )
    .option('--tables <names>', 'tables: only these, separated by commas')
    .option('--since <month>', 'tables: first month, such as 2026-03')
    .option('--until <month>', 'tables: last month')
    .option('--include-open', 'tables: include open orders, on the business day on which they were opened')
  addSettings(command, databaseSettings).action(run)
  finish(command, [
    'export --out backup.ndjson.gz',
    'export --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6 | gzip > pizzeria.ndjson.gz',
    'export --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --format parquet --out tables',
  ])
}
