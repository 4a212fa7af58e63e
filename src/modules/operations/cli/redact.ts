import type { Command } from 'commander'
import { databaseSettings } from '../../../core/config.ts'
import { seek } from '../../../core/domain/redaction/redacted-texts.ts'
import {
  findRedactable,
  namesIn,
  personDigest,
  redact,
  redactable,
  type Rule,
} from '../../../core/domain/redaction/redaction.ts'
import { daysProjection } from '../../figures/projections/days.ts'
import { catchUpProjection } from '../../figures/projections/projection.ts'
import { salesProjection } from '../../figures/projections/sales.ts'
import { CliError } from '../../../core/server/errors.ts'
import type { Pool } from '../../../core/store/db/database.ts'
import { findLocation, listLocations } from '../../../core/contract/location/rows.ts'
import { assertNotArchived } from '../../../core/store/journal/asides.ts'
import { redactAttempts, redactRejectedRecords, redactWarnings } from '../../../core/store/repair/redacted-copies.ts'
import {
  addRule,
  findEntries,
  redactedAtOnce,
  redactEntries,
  type Blanked,
  type Search,
} from '../../../core/store/repair/redactions.ts'
import { byHand } from '../../../core/cli/acts.ts'
import { withDatabase } from '../../../core/cli/database.ts'
import { addSettings, finish, readUuid } from '../../../core/cli/terminal/options.ts'
import { note, print, printJson, some } from '../../../core/cli/terminal/output.ts'

type RedactFlags = {
  operator?: string
  customer?: string
  order?: string
  report?: string
  field: string[]
  location?: string
  reason?: string
  yes?: true
  json?: true
}

const options = ['operator', 'customer', 'order', 'report'] as const

type Subject = { option: (typeof options)[number] | 'location'; value: string; fields: string[] }

/** The kinds of documents that may have a subject's fields. */
const kindsOf: Record<Subject['option'], (keyof typeof redactable)[]> = {
  operator: ['order', 'report'],
  customer: ['order'],
  order: ['order'],
  report: ['report'],
  location: ['location'],
}

/** Reads the subject that the flags name; throws `CliError` if the subject cannot be redacted. */
function readSubject(flags: RedactFlags): Subject {
  const named = options.filter((name) => flags[name] !== undefined)
  // With --location and --field but without a record, the record of the location itself is redacted.
  const isOwn = named.length === 0 && flags.location !== undefined && flags.field.length > 0
  const option = isOwn ? 'location' : named[0]
  if (option === undefined || named.length > 1) {
    throw new CliError(
      'usage',
      'give exactly one of --operator, --customer, --order and --report, or --location with --field',
    )
  }
  const text = flags[option] ?? ''
  const value = option === 'customer' ? text : readUuid(`--${option}`, text)
  // A blank value would match almost every text.
  if (value.trim() === '') throw new CliError('usage', '--customer must not be empty')
  const kinds = kindsOf[option]
  for (const field of flags.field) {
    if (!field.startsWith('/')) {
      throw new CliError('usage', `--field must be a JSON Pointer such as /operatorName, not ${JSON.stringify(field)}`)
    }
    if (kinds.some((kind) => findRedactable(kind, field) !== undefined)) continue
    const known = kinds.flatMap((kind) => Object.keys(redactable[kind]))
    throw new CliError('usage', `--field ${field} cannot be redacted; these can: ${known.join(', ')}`)
  }
  if (flags.field.length === 0 && (option === 'order' || option === 'report')) {
    throw new CliError('usage', `--${option} needs a --field, such as --field ${Object.keys(redactable[option])[1]}`)
  }
  return { option, value, fields: flags.field }
}

/** Finds the names that are stored with the id of an operator; empty for any other subject. */
async function findNames(
  pool: Pool,
  locationId: string,
  { option, value }: Subject,
  search: Search,
): Promise<string[]> {
  if (option !== 'operator') return []
  const names = new Set<string>()
  for await (const entries of findEntries(pool, locationId, search)) {
    for (const { document } of entries) for (const name of namesIn(document, value)) names.add(name)
  }
  return [...names]
}

function toRule(locationId: string, { option, value, fields }: Subject, names: readonly string[]): Rule {
  const digest = (text: string) => personDigest(locationId, text)
  if (option === 'operator') return { operator: digest(value), names: names.map(digest), fields }
  if (option === 'customer') return { customer: digest(value), fields }
  if (option === 'location') return { location: value, fields }
  return option === 'order' ? { order: value, fields } : { report: value, fields }
}

type Result = { location: string; entries: Blanked[]; rejected: number; warnings: number; deliveries: number }

function countCopies({ entries, rejected, warnings, deliveries }: Result): number {
  return entries.length + rejected + warnings + deliveries
}

async function redactLocation(
  pool: Pool,
  location: string,
  subject: Subject,
  { reason, isDry }: { reason: string; isDry: boolean },
): Promise<Result> {
  const now = new Date()
  // A name in an archived document would return when the document is restored.
  await assertNotArchived(pool, location)
  const { option, value } = subject
  const isResource = option !== 'operator' && option !== 'customer'
  const search: Search = isResource ? { id: value } : { texts: seek([value], []).patterns }
  const names = await findNames(pool, location, subject, search)
  const rule = toRule(location, subject, names)
  // The rule is added first, so that a till that sends the data again does not restore the text that is removed below.
  if (!isDry) await addRule(pool, location, rule, now)
  const meant: Blanked[] = []
  for await (const found of findEntries(pool, location, search)) {
    for (const entry of found) {
      const result = redact({ ...entry, locationId: location }, [rule])
      if (result) meant.push({ sequence: entry.seq, kind: entry.kind, id: entry.id, pointers: result.pointers })
    }
  }
  const sequences = meant.map(({ sequence }) => sequence)
  const sought = seek([value], names)
  const persons = isResource ? undefined : sought
  // Done before redacting the entries: they have the person's names, which a repeated run needs after an interruption.
  const rejected = await redactRejectedRecords(pool, location, { rule, sought, isDry })
  const warnings = persons ? await redactWarnings(pool, location, { sought: persons, isDry }) : 0
  let deliveries = await redactAttempts(pool, location, { sequences, sought: persons, isDry })
  const entries: Blanked[] = isDry ? meant : []
  for (let at = 0; at < sequences.length && !isDry; at += redactedAtOnce) {
    const seqs = sequences.slice(at, at + redactedAtOnce)
    entries.push(...(await redactEntries(pool, location, seqs, { rule, reason, now })))
  }
  // Webhook requests that were in progress may have been answered since.
  if (!isDry && sequences.length > 0) {
    deliveries += await redactAttempts(pool, location, { sequences, sought: persons, isDry })
  }
  if (!isDry) {
    for (const projection of [salesProjection, daysProjection]) await catchUpProjection(pool, projection, location)
    await byHand(pool, location, { act: 'data.redacted', subject: null }, now)
  }
  return { location, entries, rejected, warnings, deliveries }
}

async function run(flags: RedactFlags): Promise<void> {
  const subject = readSubject(flags)
  const isDry = flags.yes === undefined
  const { reason } = flags
  if (!isDry && (reason === undefined || reason.trim() === '')) {
    throw new CliError(
      'usage',
      '--reason is required: it stays in the journal permanently, so do not name a person in it',
    )
  }
  const requestedId = flags.location === undefined ? undefined : readUuid('--location', flags.location)
  const results = await withDatabase(flags, async ({ pool }) => {
    if (requestedId !== undefined && !(await findLocation(pool, requestedId))) {
      throw new CliError('location_not_found', `location ${requestedId} does not exist: see tillgate location list`)
    }
    const ids = requestedId === undefined ? (await listLocations(pool)).map(({ id }) => id) : [requestedId]
    const done: Result[] = []
    for (const id of ids) done.push(await redactLocation(pool, id, subject, { reason: reason ?? '', isDry }))
    return done
  })
  if (flags.json) return printJson({ dryRun: isDry, locations: results })
  for (const result of results) {
    const { location, entries, rejected, warnings, deliveries } = result
    if (countCopies(result) === 0) continue
    for (const { sequence, kind, id, pointers } of entries) {
      if (isDry) print(`${location}  ${sequence}  ${kind} ${id}  ${pointers.join(' ')}`)
    }
    const what =
      `${some(entries.length, 'journal entry', 'journal entries')}, ${some(rejected, 'rejected record')}, ${some(warnings, 'warning')}, ` +
      some(deliveries, 'log entry', 'log entries')
    print(`${isDry ? 'would blank' : 'blanked'}  ${location}  ${what}`)
  }
  if (results.every((result) => countCopies(result) === 0)) {
    note(`No stored data matches.${isDry ? '' : ' Matching data that a till sends later is blanked on arrival.'}`)
  }
  if (isDry)
    note(
      'Nothing was changed. To blank the data, run the command again with --yes and --reason. Blanking cannot be undone.',
    )
}

export function define(command: Command): void {
  command
    .description(
      'Blank personal data in every version and copy that Tillgate stores, without ' +
        'breaking the journal. An entry records what was blanked and why, and verify counts it. Amounts and times ' +
        'cannot be blanked. Without --yes it only shows what would be blanked. Copies elsewhere (partners, backups, ' +
        'exports) are not changed.',
    )
    .option(
      '--operator <id>',
      'id of an operator: blanks id and name in orders, tips, and shifts and clerks of reports',
    )
    .option('--customer <ref>', 'customer reference of the till')
    .option('--order <id>', 'id of an order; see --field')
    .option('--report <id>', 'id of a report; see --field')
    .option(
      '--field <pointer>',
      'JSON Pointer of a field to blank; * matches any element (repeatable)',
      (field: string, fields: string[]) => [...fields, field],
      [] as string[],
    )
    .option(
      '--location <id>',
      'only at this location (default: all); with --field alone, blank fields of the record of the location',
    )
    .option('--reason <text>', 'the reason, which is recorded in the journal')
    .option('--yes', 'blank the data')
  addSettings(command, databaseSettings).action(run)
  finish(command, [
    'redact --operator 5f0c9c3e-6a52-4a5e-8f4e-0d6f6b1f9d11',
    'redact --customer C-1017 --reason "request of 21 November" --yes',
    'redact --order 5f0c9c3e-6a52-4a5e-8f4e-0d6f6b1f9d11 --field /cancelReason --field "/items/*/lossReason"',
    'redact --location 5f0c9c3e-6a52-4a5e-8f4e-0d6f6b1f9d11 --field /phone --field "/deviceList/*/name"',
  ])
}
