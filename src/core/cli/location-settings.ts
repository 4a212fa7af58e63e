import { Option, type Command } from 'commander'
import { defaultLocationSettings } from '../ingest/write/locations.ts'
import { checkSettings } from '../contract/location/settings.ts'
import { eReportingCategories } from '../contract/location/schema.ts'
import type { LocationSettings } from '../contract/location/schema.ts'
import { paymentKinds } from '../contract/money/payment-kinds-schema.ts'
import { CliError } from '../server/errors.ts'

type Pairs<Value extends string> = { option: string; example: string; values: readonly Value[]; longest: number }

/** Makes a parser for `takeaway=TPS1,other=TLB1`; an empty text has no pairs. The parser throws `CliError`. */
const pairsOf =
  <Value extends string>({ option, example, values, longest }: Pairs<Value>) =>
  (text: string): Record<string, Value> => {
    const pairs = text.split(',').filter((pair) => pair.trim() !== '')
    return Object.fromEntries(
      pairs.map((pair) => {
        const at = pair.lastIndexOf('=')
        const [name, code] = [pair.slice(0, Math.max(at, 0)).trim(), pair.slice(at + 1).trim()]
        const value = values.find((known) => known === code)
        if (value && name !== '' && name.length <= longest) return [name, value]
        const expected = `pairs such as ${example} with one of ${values.join(', ')}`
        throw new CliError('usage', `${option} must be ${expected}, not ${JSON.stringify(pair)}`)
      }),
    )
  }

const readCategories = pairsOf({
  option: '--e-reporting-categories',
  example: 'takeaway=TLB1',
  values: eReportingCategories,
  longest: 100,
})

const readKinds = pairsOf({
  option: '--payment-kinds',
  example: '"Liquide bar=cash"',
  values: paymentKinds,
  longest: 200,
})

/** Adds the options of a location's settings; a new location uses the defaults for missing options. */
export function addLocationSettings(
  command: Command,
  defaults: Partial<LocationSettings> = defaultLocationSettings,
): Command {
  const { timeZone, currency, dayStartsAt, fiscalYearStarts } = defaults
  return command
    .option('--time-zone <name>', 'IANA time zone of the location', timeZone)
    .option('--currency <code>', 'ISO 4217 code of its currency', currency)
    .option('--day-starts-at <HH:MM>', 'local time at which a business day begins', dayStartsAt)
    .option('--fiscal-year-starts <MM-DD>', 'first day of the fiscal year', fiscalYearStarts)
    .option(
      '--e-reporting-categories <list>',
      'French e-reporting: serviceType=category where it differs from the default, such as takeaway=TPS1,other=TLB1',
      readCategories,
      defaults.eReportingCategories,
    )
    .option(
      '--payment-kinds <list>',
      `kinds of payments, as name=kind with ${paymentKinds.join(', ')}, such as "Liquide bar=cash"`,
      readKinds,
      defaults.paymentKinds,
    )
    .addOption(
      new Option(
        '--report-numbers <how>',
        'consecutive: a gap in the numbers of Z reports is a missing report; any: gaps are ignored',
      )
        .choices(['consecutive', 'any'])
        .default(defaults.reportNumbers),
    )
}

/** Returns the settings with defaults for missing settings. Throws `CliError` naming what is wrong. */
export function readLocationSettings(flags: Partial<LocationSettings>): LocationSettings {
  const read = checkSettings({ ...defaultLocationSettings, ...flags })
  if (!('expected' in read)) return read
  const option = `--${read.name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  throw new CliError('usage', `${option} must be ${read.expected}, not ${JSON.stringify(read.given)}`)
}
