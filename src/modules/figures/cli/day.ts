import type { Command } from 'commander'
import { databaseSettings } from '../../../core/config.ts'
import { addDays, businessTime } from '../../../core/domain/days/business-time.ts'
import { readDayMessage } from '../projections/day-message.ts'
import { daysProjection } from '../projections/days.ts'
import { stepProjection } from '../projections/projection.ts'
import { salesProjection } from '../projections/sales.ts'
import { messageForms, messageLanguages, type MessageLanguage } from '../schemas/day-message.ts'
import { CliError } from '../../../core/server/errors.ts'
import { findLocation } from '../../../core/contract/location/rows.ts'
import { readDate } from '../../../core/cli/terminal/options.ts'
import { withDatabase } from '../../../core/cli/database.ts'
import { addSettings, finish, readUuid } from '../../../core/cli/terminal/options.ts'
import { print, printJson } from '../../../core/cli/terminal/output.ts'

const id = '272461e9-4fd9-5db0-b95b-cc91735b6bf6'

type DayFlags = { location: string; date?: string; language: string; format: string; json?: true }

function oneOf<T extends string>(name: string, text: string, values: readonly T[]): T {
  const value = values.find((one) => one === text)
  if (value !== undefined) return value
  throw new CliError('usage', `${name} must be one of ${values.join(', ')}, not ${JSON.stringify(text)}`)
}

async function printMessage(flags: DayFlags): Promise<void> {
  const locationId = readUuid('--location', flags.location)
  const language: MessageLanguage = oneOf('--language', flags.language, messageLanguages)
  const format = flags.json ? 'json' : oneOf('--format', flags.format, messageForms)
  const requested = flags.date === undefined ? undefined : readDate('--date', flags.date)
  const message = await withDatabase(flags, async ({ pool }) => {
    const location = await findLocation(pool, locationId)
    if (!location)
      throw new CliError('location_not_found', `location ${locationId} does not exist: see tillgate location list`)
    const now = new Date()
    for (const projection of [salesProjection, daysProjection])
      while ((await stepProjection(pool, projection, locationId)) === 'behind');
    const date = requested ?? addDays(businessTime(location).dayOf(now.getTime()), -1)
    return readDayMessage(pool, locationId, { date, language }, now)
  })
  if (format === 'json') return printJson(message)
  print((format === 'html' ? message.html : message.text).trimEnd())
}

export function define(command: Command): void {
  command
    .description(
      'Print a business day as a message: sales compared with earlier days, payments, VAT, deductions, and how the ' +
        'tills closed it. To send it by mail, see docs/modules/figures.md.',
    )
    .requiredOption('--location <id>', 'location of the day')
    .option('--date <date>', 'business day (default: yesterday)')
    .option('--language <name>', `language of the message: ${messageLanguages.join(' or ')}`, 'en')
    .option('--format <name>', `form of the message: ${messageForms.join(', ')}`, 'text')
  addSettings(command, databaseSettings).action(printMessage)
  finish(command, [`day --location ${id}`, `day --location ${id} --date 2026-03-14 --language fr --format html`])
}
