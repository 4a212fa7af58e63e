import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { effectiveAccounts } from '../../domain/accounts.ts'
import { withPreviewNumbers } from '../../domain/rendered.ts'
import { readJson } from '../../../../core/domain/documents/json-text.ts'
import { validator } from '../../../../core/domain/documents/validation.ts'
import { moneyOf } from '../../../../core/contract/money/currency.ts'
import { decimalText } from '../../domain/texts.ts'
import { toBookFile } from '../../http/book-files.ts'
import { accountFaults } from '../../domain/account-faults.ts'
import { sirenOfLocation, toBookDays } from '../../projections/book-answers.ts'
import { hindrancesOf, isRefused, refusedOf, tillsOf, unmappedOf, vatOf } from '../../projections/book-lists.ts'
import type { BookHindrance } from '../../schemas/books.ts'
import { BookAccountsOwn } from '../../schemas/books-accounts.ts'
import { CliError } from '../../../../core/server/errors.ts'
import { setBookAccounts } from '../../store/accounts.ts'
import { getBookAccounts } from '../../store/book-accounts.ts'
import { byHand } from '../../../../core/cli/acts.ts'
import { finish } from '../../../../core/cli/terminal/options.ts'
import { note, oneLine, print, printJson, some, table } from '../../../../core/cli/terminal/output.ts'
import {
  addFile,
  addLocation,
  addRange,
  readFileFlags,
  readRange,
  readSourceId,
  reasonText,
  withBooks,
  writeBookFile,
  type BookFlags,
} from './shared.ts'

const id = '272461e9-4fd9-5db0-b95b-cc91735b6bf6'

async function status(flags: BookFlags): Promise<void> {
  const { days, decimals } = await withBooks(flags, async (place) => ({
    days: toBookDays(await readRange(place, flags)),
    decimals: moneyOf(place.location.currency).decimals,
  }))
  const sources = days.flatMap(({ date, sources: of }) => of.map((source) => ({ date, ...source })))
  if (sources.some(({ state }) => state === 'refused')) process.exitCode = 1
  if (flags.json) return printJson(days)
  if (sources.length === 0) return note('These days have nothing to book.')
  const rows = sources.map(({ date, pieceRef, deviceName, state, salesInclTax, reasons, numbers }) => [
    date,
    pieceRef,
    deviceName ?? '',
    state,
    decimalText(salesInclTax, decimals),
    numbers.join(' ') || reasons.map(reasonText).join('; '),
  ])
  print(table(['DATE', 'PIECE', 'TILL', 'STATE', 'SALES', 'NUMBER OR REASON'], rows))
}

async function entries(flags: BookFlags & { accept?: string[]; skip?: true }): Promise<void> {
  const fileOptions = readFileFlags(flags)
  const accept = new Set((flags.accept ?? []).map((id) => readSourceId('--accept', id)))
  const { file, refused } = await withBooks(flags, async (place) => {
    const found = await readRange(place, flags, accept)
    const { books, location, range } = found
    const left = refusedOf(books.sources.filter(isRefused), tillsOf(books))
    if (left.length > 0 && flags.skip !== true) return { file: undefined, refused: left }
    const { currency } = location
    const made = books.sources.flatMap((source) => source.entries)
    const name = {
      siren: sirenOfLocation(location),
      until: range.until,
      isPreview: true,
      of: `entries-${range.since}-${range.until}`,
    }
    if (fileOptions.format === 'json') {
      const text = JSON.stringify({ data: made, vat: vatOf(books.sources), unmapped: unmappedOf(books.sources) })
      return { file: { bytes: Buffer.from(`${text}\n`), name: `${name.of}.json` }, refused: left }
    }
    const rendered = {
      entries: withPreviewNumbers(made, location.fiscalYearStarts),
      validDate: null,
      decimals: moneyOf(currency).decimals,
      currency,
    }
    return { file: toBookFile(fileOptions, rendered, name), refused: left }
  })
  for (const { date, pieceRef, reasons } of refused)
    note(oneLine(`${date} ${pieceRef} cannot be booked: ${reasons.map(reasonText).join('; ')}`))
  if (file) return writeBookFile(file, flags.out)
  throw new CliError(
    'books_incomplete',
    `${some(refused.length, 'Z report or day', 'Z reports and days')} cannot be booked: correct what is wrong, or use --skip`,
  )
}

const isSource = ({ what }: BookHindrance): boolean => what === 'source'

async function unmapped(flags: BookFlags): Promise<void> {
  const { hindrances, decimals } = await withBooks(flags, async (place) => ({
    hindrances: hindrancesOf((await readRange(place, flags)).books),
    decimals: moneyOf(place.location.currency).decimals,
  }))
  const [refused, names] = [hindrances.filter(isSource), hindrances.filter((one) => !isSource(one))]
  if (hindrances.length > 0) process.exitCode = 1
  for (const { date, pieceRef, reasons = [] } of refused)
    note(oneLine(`${date} ${pieceRef} cannot be booked: ${reasons.map(reasonText).join('; ')}`))
  if (flags.json) return printJson(hindrances)
  if (names.length === 0) return note(`Every name has an account${refused.length > 0 ? ' in what can be booked' : ''}.`)
  const rows = names.map(({ what, name, rate, category, entryType, amount, sources }) => [
    what,
    name ?? entryType ?? [rate, category].filter((part) => part !== undefined).join(' '),
    decimalText(amount, decimals),
    String(sources),
  ])
  print(table(['WHAT', 'NAME', 'AMOUNT', 'Z'], rows))
}

/** Reads a file of account settings. Throws `CliError`. */
async function readAccounts(path: string): Promise<BookAccountsOwn> {
  const bytes = await readFile(path).catch((error: Error) => {
    throw new CliError('file_unreadable', `${path} cannot be read: ${error.message}`, { cause: error })
  })
  const read = readJson(bytes)
  if (!read.ok) throw new CliError('usage', `${path}: ${read.detail}`)
  const faults = validator(BookAccountsOwn, 'body', 'the file')(read.value)
  const own = read.value as BookAccountsOwn
  const details =
    faults.length > 0 ? faults.map(({ detail }) => detail) : accountFaults(own).map(({ detail }) => detail)
  if (details.length === 0) return own
  throw new CliError('usage', `${path}: ${details[0]}`, { faults: details.map((detail) => `${path}: ${detail}`) })
}

async function accounts(flags: BookFlags & { set?: string }): Promise<void> {
  const own = flags.set === undefined ? undefined : await readAccounts(flags.set)
  const row = await withBooks(flags, async ({ pool, locationId, now }) => {
    if (own === undefined) return getBookAccounts(pool, locationId)
    const done = await setBookAccounts(pool, locationId, own, { now, seen: 0, holds: () => true })
    if (!done || 'current' in done)
      throw new CliError('location_not_found', `location ${locationId} does not exist: see tillgate location list`)
    await byHand(pool, locationId, { act: 'accounts.changed', subject: String(done.set.version) }, now)
    return done.set
  })
  if (own !== undefined && !flags.json) return note(`The accounts are at version ${row.version}.`)
  const answer = { version: row.version, sequence: row.seq, own: row.own, effective: effectiveAccounts(row.own) }
  if (flags.json) return printJson(answer)
  print(JSON.stringify(answer, null, 2))
}

/** Adds the commands that issue nothing: states, previews, what prevents a batch, and the accounts. */
export function defineLooks(command: Command): void {
  const stands = addRange(command.command('status').summary('Show which days can be booked')).description(
    'Show for each Z report of the days whether it can be booked, was issued, or why it is refused. Exits with 1 if one is refused.',
  )
  addLocation(stands).action(status)
  finish(stands, [`books status --location ${id} --since 2026-03-01 --until 2026-03-31`])

  const preview = addFile(addRange(command.command('entries').summary('Preview booking entries'))).description(
    'Write the booking entries of the days as they would be issued now, without issuing them.',
  )
  preview.option(
    '--accept <id...>',
    'Z reports, or days without a Z report, to book from their own figures in the preview',
  )
  addLocation(preview.option('--skip', 'skip entries that cannot be booked')).action(entries)
  finish(preview, [
    `books entries --location ${id} --since 2026-03-01 --until 2026-03-31 --format csv --out march.csv`,
    `books entries --location ${id} --since 2026-03-01 --until 2026-03-31 --format hledger --skip`,
  ])

  const names = addRange(
    command.command('unmapped').summary('List what prevents a batch of booking entries'),
  ).description(
    'List payments, tax rates and cash movements that would be booked to the suspense account, and Z reports and days that cannot be booked. Exits with 1 if there are any.',
  )
  addLocation(names).action(unmapped)
  finish(names, [`books unmapped --location ${id} --since 2026-03-01 --until 2026-03-31`])

  const mapping = command
    .command('accounts')
    .summary('Show or set the accounts')
    .description('Show the accounts, or set them from a file; French defaults apply to accounts that the file omits.')
    .option('--set <file>', 'JSON file with the accounts; replaces all earlier settings')
  addLocation(mapping).action(accounts)
  finish(mapping, [`books accounts --location ${id}`, `books accounts --location ${id} --set accounts.json`])
}
