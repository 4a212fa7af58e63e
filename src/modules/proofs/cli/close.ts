import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { readConfig } from '../../../core/config.ts'
import { decimalText } from '../../books/domain/texts.ts'
import { addDays } from '../../../core/domain/days/business-time.ts'
import { moneyOf } from '../../../core/contract/money/currency.ts'
import { makeCheckpoint } from '../projections/checkpoints.ts'
import { closePeriods, closeUpTo } from '../projections/closings.ts'
import { stepProjection } from '../../figures/projections/projection.ts'
import { salesProjection } from '../../figures/projections/sales.ts'
import { closingPeriods, type Closing, type ClosingPeriod } from '../schemas/closings.ts'
import { CliError } from '../../../core/server/errors.ts'
import { keepLogName, openSigningKey } from '../server/signing-key.ts'
import { findClosing, findLastClosing, listClosings, readClosings } from '../store/closings.ts'
import { byHand } from '../../../core/cli/acts.ts'
import { finish, readInteger } from '../../../core/cli/terminal/options.ts'
import { note, print, printJson, table } from '../../../core/cli/terminal/output.ts'
import { addLocation, dayAt, withBooks, type BookFlags } from '../../books/cli/books/shared.ts'
import { readDate } from '../../../core/cli/terminal/options.ts'

const id = '272461e9-4fd9-5db0-b95b-cc91735b6bf6'

const head = ['CLOSING', 'DATE', 'ORDERS', 'SALES', 'TAX', 'ALL SALES', 'COMPLETE']

function toRow({ number, date, totals, perpetual, complete, currency }: Closing): string[] {
  const text = (amount: number) => decimalText(amount, moneyOf(currency).decimals)
  const { orders, salesInclTax, tax } = totals
  return [
    String(number),
    date,
    String(orders),
    text(salesInclTax),
    text(tax),
    text(perpetual.salesInclTax),
    complete ? 'yes' : 'no',
  ]
}

async function close(flags: BookFlags & { after?: string }): Promise<void> {
  const made = await withBooks(flags, async ({ pool, locationId, location, now }) => {
    const last = await findLastClosing(pool, locationId, 'day')
    const yesterday = addDays(dayAt(location, now), -1)
    const until = flags.until === undefined ? yesterday : readDate('--until', flags.until)
    if (until > yesterday)
      throw new CliError('usage', `--until must be a business day that has ended, ${yesterday} at the latest`)
    const after = flags.after === undefined ? (last?.number ?? 0) : readInteger('--after', flags.after, 0, 999_999_999)
    // Closings need these sums. Servers make them in the background, but none may be running.
    while ((await stepProjection(pool, salesProjection, locationId)) === 'behind');
    const closed = await closeUpTo(pool, locationId, { until, after, now, seen: 0 })
    const subject = closed.at(-1)?.closing.number
    if (subject !== undefined) await byHand(pool, locationId, { act: 'closing.made', subject: String(subject) }, now)
    // Servers close the periods that have ended, but none may be running.
    const all = [...closed, ...(await closePeriods(pool, location, { upTo: until, now }))]
    const { checkpointKey, publicUrl } = readConfig(['checkpointKey', 'publicUrl'] as const, flags, process.env)
    if (checkpointKey !== null && all.length > 0 && !existsSync(checkpointKey))
      note(`No checkpoint was created: the key file ${checkpointKey} does not exist.`)
    else if (checkpointKey !== null && all.length > 0) {
      const logName = keepLogName(checkpointKey, publicUrl)
      await makeCheckpoint(pool, locationId, { signer: openSigningKey(checkpointKey), logName, now })
    }
    return all
  })
  const closings = made.map(({ closing }) => closing)
  if (flags.json) return printJson({ data: closings })
  if (closings.length === 0) return note('Nothing arrived for these days, or they are closed already.')
  print(
    table(
      ['PERIOD', ...head],
      closings.map((closing) => [closing.period, ...toRow(closing)]),
    ),
  )
}

function readPeriod(text: string): ClosingPeriod {
  const period = closingPeriods.find((one) => one === text)
  if (period === undefined)
    throw new CliError('usage', `the period must be one of ${closingPeriods.join(', ')}, not ${JSON.stringify(text)}`)
  return period
}

async function closing(of: string | undefined, number: string | undefined, flags: BookFlags): Promise<void> {
  const period = readPeriod(of ?? 'day')
  const wanted = number === undefined ? undefined : readInteger('the number of the closing', number, 1, 999_999_999)
  const closings = await withBooks(flags, async ({ pool, locationId }) => {
    if (wanted === undefined) {
      const { rows } = await listClosings(pool, locationId, { period, offset: 0, limit: 100 })
      return readClosings(pool, locationId, rows)
    }
    const row = await findClosing(pool, locationId, { period, number: wanted })
    if (!row)
      throw new CliError('closing_not_found', `${period} closing ${wanted} does not exist: see tillgate books closing`)
    return readClosings(pool, locationId, [row])
  })
  if (wanted !== undefined) return printJson(closings[0])
  if (flags.json) return printJson({ data: closings })
  if (closings.length === 0) return note('There are no closings: see tillgate books close.')
  print(table(head, closings.map(toRow)))
}

export function defineClosings(command: Command): void {
  const closes = command
    .command('close')
    .summary('Close business days')
    .description(
      'Add up the entries since the previous closing, with totals over all time, and close months and fiscal years that ended. The ' +
        'first closing is made by hand; after that, the server closes each day.',
    )
    .option('--until <date>', 'last business day (default: yesterday)')
    .option('--after <number>', 'number of the last daily closing, so that repeating the command closes nothing twice')
  addLocation(closes).action(close)
  finish(closes, [`books close --location ${id} --until 2026-03-31`])

  const shows = command
    .command('closing [period] [number]')
    .summary('List closings, or print one')
    .description('List the last 100 closings of days, months or years (day, month, year), or print one as JSON.')
  addLocation(shows).action(closing)
  finish(shows, [`books closing month --location ${id}`, `books closing day 1 --location ${id}`])
}
