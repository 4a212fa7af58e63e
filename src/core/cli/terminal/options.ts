import { isDatetime } from '../../contract/scalars.ts'
import type { Command } from 'commander'
import { settingHelp, settings, type SettingName } from '../../config.ts'
import { readRange } from '../../domain/days/day-ranges.ts'
import { isUuid } from '../../contract/scalars.ts'
import { CliError } from '../../server/errors.ts'

/** Adds the options of these settings. Their values stay text: `readConfig` reads flags and variables alike. */
export function addSettings(command: Command, names: readonly SettingName[]): Command {
  for (const name of names) {
    const [flag = '', value] = settings[name].flag.split(' ')
    command.option(value === undefined ? flag : `${flag} ${value}`, settingHelp(name))
  }
  return command
}

/** Adds `--json` and examples, which every command has. The examples are arguments after the name of the program. */
export function finish(command: Command, examples: readonly string[], program = 'tillgate'): Command {
  const lines = examples.map((line) => `  ${program} ${line}`).join('\n')
  return command
    .option('--json', 'print JSON for scripts; errors too, on stderr')
    .addHelpText('after', `\nExamples:\n${lines}\n`)
}

/** Returns the id in lower case, as it is stored. `name` is its option or argument. */
export function readUuid(name: string, text: string): string {
  if (!isUuid(text)) throw new CliError('usage', `${name} must be a UUID, not ${JSON.stringify(text)}`)
  return text.toLowerCase()
}

/** Reads the value of `--since`: a date, or a moment. Throws `CliError` for anything else. */
export function readSince(text: string): Date {
  const range = readRange(text, undefined)
  if (Array.isArray(range)) throw new CliError('usage', `--${range[0]?.detail}`)
  return new Date(range.first)
}

/** Reads an integer from `minimum` to `maximum`. Throws `CliError` for anything else. */
export function readInteger(name: string, text: string, minimum: number, maximum: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (value >= minimum && value <= maximum) return value
  throw new CliError(
    'usage',
    `${name} must be a whole number from ${minimum} to ${maximum}, not ${JSON.stringify(text)}`,
  )
}

/** Reads a decimal number from `minimum` to `maximum`. Throws `CliError` for anything else. */
export function readNumber(name: string, text: string, minimum: number, maximum: number): number {
  const value = /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN
  if (value >= minimum && value <= maximum) return value
  const range = `a number from ${minimum} to ${maximum}`
  throw new CliError('usage', `${name} must be ${range}, not ${JSON.stringify(text)}`)
}

/** Returns a date that exists in the calendar. Throws `CliError` for anything else. */
export function readDate(name: string, text: string): string {
  if (isDatetime(`${text}T00:00:00.000Z`)) return text
  const isWritten = /^\d{4}-\d{2}-\d{2}$/.test(text)
  const detail = isWritten ? `the date ${text} of ${name} does not exist` : `${name} must be a date such as 2026-03-31`
  throw new CliError('usage', isWritten ? detail : `${detail}, not ${JSON.stringify(text)}`)
}
