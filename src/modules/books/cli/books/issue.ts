import type { Command } from 'commander'
import { localDateOf } from '../../../../core/domain/days/local-date.ts'
import { addDays } from '../../../../core/domain/days/business-time.ts'
import { moneyOf } from '../../../../core/contract/money/currency.ts'
import { AppError } from '../../../../core/contract/errors/errors.ts'
import { toBookFile } from '../../http/book-files.ts'
import { issueBatch } from '../../projections/book-issue.ts'
import type { BookBatch, BookBatchInput, BookRefused, BookUnmapped } from '../../schemas/books.ts'
import { CliError } from '../../../../core/server/errors.ts'
import { findBatch, findLastBatch, listBatches } from '../../store/batches.ts'
import { listBookDocuments } from '../../store/documents.ts'
import { byHand } from '../../../../core/cli/acts.ts'
import { finish, readInteger } from '../../../../core/cli/terminal/options.ts'
import { note, oneLine, print, printJson, some, table } from '../../../../core/cli/terminal/output.ts'
import {
  addFile,
  addLocation,
  dayAt,
  readSourceId,
  readFileFlags,
  reasonText,
  withBooks,
  writeBookFile,
  type BookFlags,
} from './shared.ts'
import { readDate } from '../../../../core/cli/terminal/options.ts'

const id = '272461e9-4fd9-5db0-b95b-cc91735b6bf6'

type IssueFlags = BookFlags & {
  after?: string
  accept?: string[]
  suspense?: true
  skip?: true
  reissue?: string[]
}

/** Reads `ID=TEXT`. Throws `CliError`. */
function readAcceptance(text: string): { reportId: string; reason: string } {
  const at = text.indexOf('=')
  const reason = text.slice(at + 1).trim()
  if (at < 0 || reason === '')
    throw new CliError(
      'usage',
      `--accept must be <id>=<reason>, with the id of a Z report or the date of a day without one, not ${JSON.stringify(text)}`,
    )
  return { reportId: readSourceId('--accept', text.slice(0, at)), reason }
}

/** Prints what blocks a batch, one line for each. */
function printMissing(error: AppError): void {
  const {
    days = [],
    refused = [],
    names = [],
  } = error.members as {
    days?: string[]
    refused?: BookRefused[]
    names?: BookUnmapped[]
  }
  for (const day of days) note(`${day} is not complete`)
  for (const { date, pieceRef, id: source, state, reasons } of refused)
    note(oneLine(`${date} ${pieceRef} (${source}) is ${state}: ${reasons.map(reasonText).join('; ')}`))
  for (const { what, name, rate, entryType } of names)
    note(oneLine(`${what} ${name ?? entryType ?? rate} has no account`))
}

async function issue(flags: IssueFlags): Promise<void> {
  const issued = await withBooks(flags, async ({ pool, locationId, location, now }) => {
    const last = await findLastBatch(pool, locationId)
    const input: BookBatchInput = {
      until: flags.until === undefined ? addDays(dayAt(location, now), -1) : readDate('--until', flags.until),
      after: flags.after === undefined ? (last?.number ?? 0) : readInteger('--after', flags.after, 0, 999_999_999),
      accept: (flags.accept ?? []).map(readAcceptance),
      unmapped: flags.suspense ? 'suspense' : 'refuse',
      skip: flags.skip ?? false,
      reissue: flags.reissue ?? [],
    }
    const found = await issueBatch(pool, locationId, { input, now, seen: 0 }).catch((error: unknown) => {
      if (error instanceof AppError) {
        printMissing(error)
        if (error.code === 'books_incomplete' || error.code === 'accounts_unmapped') return error
      }
      throw error
    })
    if (found && !(found instanceof AppError))
      await byHand(pool, locationId, { act: 'batch.issued', subject: String(found.batch.number) }, now)
    return found
  })
  if (issued instanceof AppError) {
    process.exitCode = 1
    if (flags.json) return printJson({ batch: null, code: issued.code, ...issued.members })
    return note(issued.message)
  }
  if (flags.json) return printJson(issued ? issued.batch : { batch: null })
  if (!issued) return note('Nothing is due.')
  const { batch } = issued
  note(
    `Batch ${batch.number} was issued: ${some(batch.entries.length, 'entry', 'entries')} up to ${batch.until}.` +
      (batch.hasMore ? ' More entries are due: issue the next batch.' : ''),
  )
}

async function batch(number: string | undefined, flags: BookFlags): Promise<void> {
  const fileOptions = readFileFlags(flags)
  const wanted = number === undefined ? undefined : readInteger('the number of the batch', number, 1, 999_999_999)
  const found = await withBooks(flags, async ({ pool, locationId }) => {
    if (wanted === undefined) return { list: (await listBatches(pool, locationId, { offset: 0, limit: 1_000 })).rows }
    const row = await findBatch(pool, locationId, wanted)
    const document = row && (await listBookDocuments(pool, locationId, 'batch', [row.seq])).get(row.seq)
    if (document === undefined)
      throw new CliError('batch_not_found', `batch ${wanted} does not exist: see tillgate books batch`)
    if (fileOptions.format === 'json')
      return { file: { bytes: Buffer.from(`${document}\n`), name: `batch-${wanted}.json` } }
    const { entries, createdAt, currency, timeZone, siren, until } = JSON.parse(document) as BookBatch
    const validDate = localDateOf(Date.parse(createdAt), timeZone)
    const rendered = { entries, validDate, decimals: moneyOf(currency).decimals, currency }
    const of = `batch-${String(wanted).padStart(4, '0')}`
    return { file: toBookFile(fileOptions, rendered, { siren, until, isPreview: false, of }) }
  })
  if (found.file) return writeBookFile(found.file, flags.out)
  const { list } = found
  if (flags.json) return printJson(list)
  if (list.length === 0) return note('No batch has been issued: see tillgate books issue.')
  const rows = list.map(({ number: of, createdAt, until, entries }) => [
    String(of),
    createdAt.toISOString(),
    until,
    String(entries),
  ])
  print(table(['BATCH', 'ISSUED', 'UNTIL', 'ENTRIES'], rows))
}

const collect = (one: string, others: string[] = []): string[] => [...others, one]

export function defineIssues(command: Command): void {
  const issuing = command
    .command('issue')
    .summary('Issue a batch of booking entries')
    .description(
      'Number and store the booking entries of every Z report that was not issued, and reverse and replace those that changed since. ' +
        'Issued entries never change. Exits with 1 if something cannot be booked; then nothing is issued.',
    )
    .option('--until <date>', 'last business day (default: yesterday)')
    .option('--after <number>', 'number of the last batch, so that repeating the command issues nothing twice')
    .option(
      '--accept <id=text>',
      'book this Z report, or day without one, from its own figures, with a reason (repeatable)',
      collect,
    )
    .option('--suspense', 'book names without an account to the suspense account')
    .option('--skip', 'skip entries that cannot be booked, for a later batch')
    .option('--reissue <id>', 'reverse this Z report and reissue it with the current accounts (repeatable)', collect)
  addLocation(issuing).action(issue)
  finish(issuing, [
    `books issue --location ${id} --until 2026-03-31 --after 2`,
    `books issue --location ${id} --until 2026-03-31 --accept 7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11="ticket lost"`,
  ])

  const reading = addFile(
    command
      .command('batch [number]')
      .summary('List batches, or write one to a file')
      .description('List issued batches, or write one to a file, which always has the same bytes.'),
  )
  addLocation(reading).action(batch)
  finish(reading, [`books batch --location ${id}`, `books batch 1 --location ${id} --format fec --out march.txt`])
}
