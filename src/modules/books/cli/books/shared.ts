import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { databaseSettings } from '../../../../core/config.ts'
import { businessTime } from '../../../../core/domain/days/business-time.ts'
import type { DayRange } from '../../../../core/domain/days/ranges.ts'
import { AppError } from '../../../../core/contract/errors/errors.ts'
import { bookFormats, type BookFile } from '../../http/book-files.ts'
import { daysOf } from '../../../../core/contract/paging/day-range.ts'
import { readBookRange, type ReadRange } from '../../projections/book-answers.ts'
import { daysProjection } from '../../../figures/projections/days.ts'
import { stepProjection } from '../../../figures/projections/projection.ts'
import { isDate, isUuid } from '../../../../core/contract/scalars.ts'
import type { BookReason } from '../../schemas/books.ts'
import { CliError } from '../../../../core/server/errors.ts'
import type { Pool } from '../../../../core/store/db/database.ts'
import { findLocation, type LocationRow } from '../../../../core/contract/location/rows.ts'
import { withDatabase } from '../../../../core/cli/database.ts'
import { addSettings, readDate, readUuid } from '../../../../core/cli/terminal/options.ts'
import { note } from '../../../../core/cli/terminal/output.ts'

export type BookFlags = {
  location: string
  since?: string
  until?: string
  format?: string
  dialect?: string
  encoding?: string
  out?: string
  json?: true
}

export function addLocation(command: Command): Command {
  return addSettings(command.requiredOption('--location <id>', 'location of the books'), databaseSettings)
}

export function addRange(command: Command): Command {
  return command
    .option('--since <date>', 'first business day (default: 30 days before the last one)')
    .option('--until <date>', 'last business day (default: today)')
}

export function addFile(command: Command): Command {
  return command
    .option(
      '--format <name>',
      'json, fec (journal in FEC format), csv (spreadsheet) or hledger (plain-text accounting)',
    )
    .option('--dialect <name>', 'dialect of csv: excel-fr (semicolons, decimal comma) or rfc4180', 'excel-fr')
    .option('--encoding <name>', 'encoding of fec: iso-8859-15 or utf-8', 'iso-8859-15')
    .option('--out <file>', 'output file (default: standard output)')
}

/**
 * Reads the id of a source of entries: the id of a Z report, returned in lower case, or the date of a day without a Z.
 * Throws `CliError`.
 */
export function readSourceId(name: string, text: string): string {
  if (isUuid(text)) return text.toLowerCase()
  if (isDate(text)) return text
  throw new CliError(
    'usage',
    `${name} must be the id of a Z report or a date such as 2026-03-31, not ${JSON.stringify(text)}`,
  )
}

function oneOf<T extends string>(name: string, text: string, values: readonly T[]): T {
  const value = values.find((one) => one === text)
  if (value !== undefined) return value
  throw new CliError('usage', `${name} must be one of ${values.join(', ')}, not ${JSON.stringify(text)}`)
}

/** Reads the requested form of a file. Throws `CliError`. */
export function readFileFlags({ format = 'json', dialect = 'excel-fr', encoding = 'iso-8859-15' }: BookFlags) {
  return {
    format: oneOf('--format', format, bookFormats),
    dialect: oneOf('--dialect', dialect, ['excel-fr', 'rfc4180'] as const),
    encoding: oneOf('--encoding', encoding, ['iso-8859-15', 'utf-8'] as const),
  }
}

/** Converts errors of the books to errors of the command line. */
async function asCliError<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof AppError ? new CliError(error.code, error.message, { cause: error }) : error
  })
}

type BooksContext = { pool: Pool; locationId: string; location: LocationRow; now: Date }

/** Brings the figures of a location up to date, then calls `work`. */
export async function withBooks<T>(flags: BookFlags, work: (place: BooksContext) => Promise<T>): Promise<T> {
  const locationId = readUuid('--location', flags.location)
  return withDatabase(flags, async ({ pool }) => {
    const location = await findLocation(pool, locationId)
    if (!location)
      throw new CliError('location_not_found', `location ${locationId} does not exist: see tillgate location list`)
    while ((await stepProjection(pool, daysProjection, locationId)) === 'behind');
    return asCliError(work({ pool, locationId, location, now: new Date() }))
  })
}

/** Reads the books of the days that the flags name. */
export function readRange(
  { pool, locationId, now }: BooksContext,
  { since, until }: BookFlags,
  accept: ReadonlySet<string> = new Set(),
): Promise<ReadRange> {
  const range = {
    since: since === undefined ? undefined : readDate('--since', since),
    until: until === undefined ? undefined : readDate('--until', until),
  }
  return readBookRange(pool, locationId, { now, accept, daysOf: (clock): DayRange => daysOf(range, clock, now) })
}

/** Returns the business day of a moment at a location. */
export const dayAt = ({ timeZone, dayStartsAt }: LocationRow, at: Date): string =>
  businessTime({ timeZone, dayStartsAt }).dayOf(at.getTime())

export async function writeBookFile(
  { bytes, name }: Pick<BookFile, 'bytes' | 'name'>,
  out: string | undefined,
): Promise<void> {
  if (out === undefined) {
    process.stdout.write(bytes)
    return
  }
  await writeFile(out, bytes)
  note(`Wrote ${bytes.length} bytes to ${out} (${name}).`)
}

/** Returns a reason in a few words, with the amounts. */
export function reasonText({ code, key, reported, computed }: BookReason): string {
  const of = key === null ? '' : ` (${key})`
  return reported === null || computed === null
    ? `${code}${of}`
    : `${code}${of}: the Z report has ${reported}, its orders ${computed}`
}
