import { randomUUID } from 'node:crypto'
import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import type { Command } from 'commander'
import { parse } from 'csv-parse/sync'
import { databaseSettings } from '../../../core/config.ts'
import { toCsv } from '../../../core/domain/documents/csv.ts'
import { createKey } from '../../../core/acts/keys.ts'
import { addLocation, checkFields, locationFields, type LocationFields } from '../../../core/acts/locations.ts'
import { AppError } from '../../../core/contract/errors/errors.ts'
import { defaultLocationSettings } from '../../../core/ingest/write/locations.ts'
import type { LocationSettings } from '../../../core/contract/location/schema.ts'
import { CliError } from '../../../core/server/errors.ts'
import { atTerminal } from '../../../core/cli/acts.ts'
import { refuseDeleted } from '../../../core/cli/deleted-journal.ts'
import { withDatabase } from '../../../core/cli/database.ts'
import { readScopes } from '../../../core/cli/keys.ts'
import { readLocationSettings } from '../../../core/cli/location-settings.ts'
import { addSettings, finish, readUuid } from '../../../core/cli/terminal/options.ts'
import { note, print, printJson } from '../../../core/cli/terminal/output.ts'

const settingNames = ['timeZone', 'currency', 'dayStartsAt', 'fiscalYearStarts'] as const

const columns: readonly string[] = ['id', ...locationFields, ...settingNames]

type Row = { id: string; fields: LocationFields & { name: string }; settings: LocationSettings }

type Made = { id: string; name: string; status: 'created' | 'exists'; key: string | null }

function parseRows(path: string, text: string): { line: number; record: Record<string, string> }[] {
  try {
    const options = { columns: true, bom: true, skip_empty_lines: true, trim: true, info: true } as const
    const found = parse(text, options) as unknown as { info: { lines: number }; record: Record<string, string> }[]
    return found.map(({ info, record }) => ({ line: info.lines, record }))
  } catch (error) {
    throw new CliError('usage', `${path} is not a CSV file: ${(error as Error).message}`, { cause: error })
  }
}

function toRow(given: Record<string, string>): Row {
  const unknown = Object.keys(given).filter((column) => !columns.includes(column))
  if (unknown.length > 0) throw new CliError('usage', `unknown column ${unknown.join(', ')}: use ${columns.join(', ')}`)
  const name = given['name'] ?? ''
  if (name === '') throw new CliError('usage', 'name must not be empty')
  const id = given['id'] ? readUuid('id', given['id']) : randomUUID()
  const named = settingNames.flatMap((key) => (given[key] ? [[key, given[key]]] : []))
  const set: LocationSettings = { ...defaultLocationSettings, ...Object.fromEntries(named) }
  const filled = locationFields.flatMap((field) => (given[field] ? [[field, given[field]]] : []))
  const fields = { ...(Object.fromEntries(filled) as LocationFields), name }
  checkFields(id, fields)
  return { id, fields, settings: readLocationSettings(set) }
}

/** Reads and checks every row. Throws `CliError` with the first 20 faults, by line. */
export function readLocations(path: string, text: string): Row[] {
  const faults: string[] = []
  const seen = new Set<string>()
  const rows = parseRows(path, text).flatMap(({ line, record }) => {
    try {
      const row = toRow(record)
      if (seen.has(row.id))
        throw new CliError('usage', `id ${row.id} is already in an earlier line: give each location a different id`)
      seen.add(row.id)
      return [row]
    } catch (error) {
      if (!(error instanceof CliError || error instanceof AppError)) throw error
      faults.push(`line ${line}: ${error.message}`)
      return []
    }
  })
  if (rows.length === 0 && faults.length === 0) faults.push('it contains no locations')
  if (faults.length > 0) {
    const lines = [`${path}: nothing was stored.`, ...faults.slice(0, 20)]
    throw new CliError('usage', lines.join('\n'), { faults: lines })
  }
  return rows
}

async function run(path: string, flags: { key?: string; json?: true }): Promise<void> {
  const scopes = flags.key === undefined ? null : readScopes(flags.key)
  if (scopes?.includes('admin'))
    throw new CliError('usage', '--key must not have scope admin, which does not belong to a location')
  const bytes = await (path === '-' ? buffer(process.stdin) : readFile(path)).catch((error: Error) => {
    throw new CliError('file_unreadable', `${path} cannot be read: ${error.message}`, { cause: error })
  })
  if (!isUtf8(bytes)) {
    throw new CliError('usage', `${path} is not UTF-8: save it as “CSV UTF-8”`)
  }
  const rows = readLocations(path, bytes.toString('utf8'))
  const made = await withDatabase(
    flags,
    async ({ pool }) => {
      for (const { id } of rows) await refuseDeleted(pool, id)
      const done: Made[] = []
      const owner = { recipientId: null, scopes: scopes ?? [], expiresAt: null, name: 'import' }
      for (const { id, fields, settings } of rows) {
        const acting = atTerminal(pool)
        const isNew = await addLocation(acting, id, { fields, settings })
        const makesKey = isNew && scopes !== null
        const key = makesKey ? (await createKey(acting, 'live', { ...owner, locationId: id })).key : null
        done.push({ id, name: fields.name, status: isNew ? 'created' : 'exists', key })
      }
      return done
    },
    { creates: true },
  )
  if (flags.json) return printJson(made)
  print(toCsv(['id', 'name', 'status', 'key'], made).replaceAll('\r\n', '\n').trimEnd())
  const created = made.filter(({ status }) => status === 'created').length
  note(`${created} created, ${made.length - created} already existed.`)
}

export function defineLocationImport(command: Command): void {
  const importing = command
    .command('import')
    .summary('Create locations from a CSV file')
    .description(
      `Create the locations of a CSV file, whose first line names the columns: name, and any of ${columns.filter((name) => name !== 'name').join(', ')}. ` +
        'All lines are checked before anything is stored. Existing locations are not changed, so ' +
        'a file with ids can be imported again. The result is printed as CSV.',
    )
    .argument('<file>', 'the CSV file, in UTF-8; - for standard input')
    .option('--key <scopes>', 'create a key with these scopes for each new location, and print it')
  addSettings(importing, databaseSettings).action(run)
  finish(importing, ['location import restaurants.csv', 'location import restaurants.csv --key read,ingest > keys.csv'])
}
