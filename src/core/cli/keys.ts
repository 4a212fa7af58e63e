import type { Command } from 'commander'
import { databaseSettings } from '../config.ts'
import { installationId, keyState } from '../domain/accounts/keys.ts'
import { locationScopes, scopes, type Scope } from '../schemas/scopes.ts'
import { isDatetime } from '../contract/scalars.ts'
import { createKey, revokeKey, rotateKey, type RevokedKey } from '../acts/keys.ts'
import { listApiKeys } from '../store/accounts/api-keys.ts'
import { atTerminal } from './acts.ts'
import type { Pool } from '../store/db/database.ts'
import { findLocation } from '../contract/location/rows.ts'
import { withDatabase } from './database.ts'
import { offSentence } from '../modules.ts'
import { CliError } from '../server/errors.ts'
import { addSettings, finish, readUuid } from './terminal/options.ts'
import { note, print, printJson, table } from './terminal/output.ts'
import { minuteMs, hourMs, dayMs } from '../domain/days/time-units.ts'

type CreateFlags = {
  location?: string
  scope: string
  recipient?: string
  expires?: string
  name: string
  test?: true
  json?: true
}

export function readScopes(text: string): Scope[] {
  const given = new Set(text.split(/[,\s]+/).filter((scope) => scope !== ''))
  const unknown = [...given].filter((scope) => !scopes.some((known) => known === scope))
  if (given.size === 0 || unknown.length > 0) {
    throw new CliError('usage', `--scope must be one or more of ${scopes.join(',')}, not ${JSON.stringify(text)}`)
  }
  for (const scope of given) {
    const off = offSentence(scope)
    if (off !== undefined) throw new CliError('module_off', `--scope: ${off}`)
  }
  if (given.has('admin') && given.size > 1) {
    throw new CliError('usage', '--scope admin cannot be combined: create another key for the data of a location')
  }
  return scopes.filter((scope) => given.has(scope))
}

/** Returns the location of a key, or the id of the installation for scope `admin`. */
function readPlace(location: string | undefined, granted: readonly Scope[]): string {
  const isAdmin = granted.includes('admin')
  if (isAdmin && location === undefined) return installationId
  if (!isAdmin && location !== undefined) return readUuid('--location', location)
  throw new CliError(
    'usage',
    isAdmin
      ? 'a key with scope admin belongs to the installation: remove --location'
      : '--location is missing: see tillgate location list',
  )
}

const unitMs: Record<string, number> = { m: minuteMs, h: hourMs, d: dayMs, w: 7 * dayMs, y: 365 * dayMs }

/** Returns the milliseconds of `90d` or `12h`; undefined if the text is not a duration. */
export function readDuration(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d{1,6})([mhdwy])$/.exec(text) ?? []
  return amount === undefined ? undefined : Number(amount) * (unitMs[unit] as number)
}

/** Reads a duration from now (`90d`), a UTC moment, or a date, which is the key's last valid day (UTC). */
function readExpiry(text: string, now: Date): Date {
  const moment = text.length === 10 ? `${text}T23:59:59.999Z` : text
  const duration = readDuration(text)
  const at = duration === undefined ? Date.parse(moment) : now.getTime() + duration
  const known = duration !== undefined || isDatetime(moment)
  if (!known || Number.isNaN(new Date(at).getTime())) {
    const forms = 'a duration (90d, 12h, 1y), a date (2027-12-31) or a UTC time (2027-12-31T12:00:00.000Z)'
    throw new CliError('usage', `--expires must be ${forms}, not ${JSON.stringify(text)}`)
  }
  if (at <= now.getTime()) throw new CliError('usage', `--expires must be in the future, not ${JSON.stringify(text)}`)
  return new Date(at)
}

async function create(flags: CreateFlags): Promise<void> {
  const now = new Date()
  const granted = readScopes(flags.scope)
  const grant = {
    locationId: readPlace(flags.location, granted),
    recipientId: flags.recipient === undefined ? null : readUuid('--recipient', flags.recipient),
    scopes: granted,
    expiresAt: flags.expires === undefined ? null : readExpiry(flags.expires, now),
    name: flags.name,
  }
  const mode = flags.test ? 'test' : 'live'
  const { id, key } = await withDatabase(flags, ({ pool }) => createKey(atTerminal(pool, now), mode, grant))
  if (flags.json) return printJson({ id, key })
  print(key)
  note(`Created the key ${id} with ${grant.scopes.join(', ')}. It is shown only once: store it now.`)
}

async function list(flags: { location?: string; json?: true }): Promise<void> {
  const locationId = flags.location === undefined ? undefined : readUuid('--location', flags.location)
  const keys = await withDatabase(flags, async ({ pool }) => {
    const found = await listApiKeys(pool, locationId)
    if (found.length > 0 || locationId === undefined || (await findLocation(pool, locationId))) return found
    throw new CliError('location_not_found', `location ${locationId} does not exist: see tillgate location list`)
  })
  // Undefined is omitted from the JSON, so the hash is not printed.
  if (flags.json) return printJson(keys.map((key) => ({ ...key, hash: undefined, state: keyState(key, new Date()) })))
  if (keys.length === 0) return note('There are no keys: see tillgate key create --help')
  const day = (at: Date | null) => at?.toISOString().slice(0, 10) ?? '-'
  const rows = keys.map((key) => [
    key.id,
    `${key.hint}…`,
    key.name || '-',
    key.locationId === installationId ? 'all' : key.locationId,
    key.scopes.join(','),
    keyState(key, new Date()),
    day(key.expiresAt),
    day(key.lastUsedAt),
  ])
  print(table(['ID', 'KEY', 'NAME', 'LOCATION', 'SCOPES', 'STATE', 'EXPIRES', 'LAST USED'], rows))
}

type RevokeFlags = { name?: string; withWebhooks?: true; json?: true }

/** Finds the ids of the valid keys with this name. */
async function findNamed(pool: Pool, name: string): Promise<string[]> {
  const ids = (await listApiKeys(pool)).filter((key) => key.name === name && key.revokedAt === null).map(({ id }) => id)
  if (ids.length > 0) return ids
  throw new CliError('key_not_found', `there is no valid key named ${JSON.stringify(name)}: see tillgate key list`)
}

async function revoke(given: string | undefined, flags: RevokeFlags): Promise<void> {
  if ((given === undefined) === (flags.name === undefined)) {
    throw new CliError('usage', 'give either the id of a key or --name')
  }
  const revoked = await withDatabase(flags, async ({ pool }) => {
    const ids = given === undefined ? await findNamed(pool, flags.name ?? '') : [readUuid('the id', given)]
    const all: RevokedKey[] = []
    for (const id of ids) all.push(await revokeKey(atTerminal(pool), id, flags))
    return all
  })
  if (flags.json) {
    const results = revoked.map(({ key: { id, revokedAt }, webhooks }) => {
      const ids = webhooks.map((webhook) => webhook.id)
      const [webhooksDisabled, webhooksRemaining] = flags.withWebhooks ? [ids, []] : [[], ids]
      return { id, revokedAt, webhooksDisabled, webhooksRemaining }
    })
    return printJson(given === undefined ? results : results[0])
  }
  for (const one of revoked) printRevoked(one, flags)
}

function printRevoked({ key, webhooks, isNew }: RevokedKey, { withWebhooks }: RevokeFlags): void {
  const { id } = key
  const ids = webhooks.map((webhook) => webhook.id)
  const [disabled, remaining] = withWebhooks ? [ids, []] : [[], ids]
  print(isNew ? `revoked ${id}` : `${id} was already revoked at ${key.revokedAt?.toISOString()}`)
  for (const webhook of disabled) print(`disabled webhook ${webhook}`)
  if (remaining.length === 0) return
  const whose = key.recipientId === null ? `location ${key.locationId}` : `recipient ${key.recipientId}`
  note(`Still active for ${whose}: ${webhooks.map((one) => `${one.id} (${one.endpointUrl})`).join(', ')}`)
  note('To stop them: tillgate key revoke --with-webhooks, or tillgate webhook disable <id>')
}

async function rotate(given: string, flags: { overlap: string; json?: true }): Promise<void> {
  const id = readUuid('the id', given)
  const overlap = readDuration(flags.overlap)
  if (overlap === undefined) {
    throw new CliError('usage', `--overlap must be a duration (24h, 7d), not ${JSON.stringify(flags.overlap)}`)
  }
  const made = await withDatabase(flags, ({ pool }) => rotateKey(atTerminal(pool), id, overlap))
  if (flags.json) return printJson({ id: made.id, key: made.key, former: id, formerUntil: made.formerUntil })
  print(made.key)
  note(`Created the key ${made.id}. It is shown only once: store it now.`)
  note(`The old key ${id} stays valid until ${made.formerUntil.toISOString()}.`)
}

const someId = '7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11'

export function define(command: Command): void {
  const creating = command
    .command('create')
    .summary('Create a key')
    .description('Create a key for a location, or for the installation. It is printed once and stored as a hash.')
    .option('--location <id>', 'location that the key belongs to; not with scope admin')
    .requiredOption('--scope <list>', `scopes of the key: ${locationScopes.join(',')}; or admin, for /v1/admin/ only`)
    .option('--recipient <uuid>', 'the key sees and changes only the webhooks of this recipient')
    .option('--expires <when>', 'duration (90d, 12h, 1y), last day (2027-12-31) or UTC time (default: never)')
    .option('--name <text>', 'name of the key', '')
    .option('--test', 'create a test key, which begins with tg_test_')
  addSettings(creating, databaseSettings).action(create)
  finish(creating, [
    'key create --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --scope read --name accountant',
    'key create --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --scope read,webhooks,ingest --expires 90d --json',
    'key create --scope admin --name "operations desk"',
  ])

  const listing = command
    .command('list')
    .summary('List keys')
    .description('List keys with their first characters; whole keys are not stored.')
    .option('--location <id>', 'only keys of this location')
  addSettings(listing, databaseSettings).action(list)
  finish(listing, ['key list', 'key list --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --json'])

  const revoking = command
    .command('revoke')
    .summary('Revoke a key')
    .description(
      'Revoke a key, or all keys of a name. Running servers refuse it within 5 seconds, including requests in progress. Its webhooks ' +
        'are listed and continue, unless you disable them with --with-webhooks.',
    )
    .argument('[id]', 'id of the key, as key list shows it')
    .option('--name <text>', 'all keys of this name')
    .option('--with-webhooks', 'also disable the webhooks of the key’s recipient, or of its location if it has none')
  addSettings(revoking, databaseSettings).action(revoke)
  finish(revoking, [`key revoke ${someId}`, `key revoke ${someId} --with-webhooks`, 'key revoke --name "Mme Dupont"'])

  const rotating = command
    .command('rotate')
    .summary('Replace a key')
    .description('Create a key with the same rights to replace a key. The old key stays valid during --overlap.')
    .argument('<id>', 'id of the key, as key list shows it')
    .option('--overlap <duration>', 'how long the old key stays valid (24h, 7d)', '24h')
  addSettings(rotating, databaseSettings).action(rotate)
  finish(rotating, [`key rotate ${someId}`, `key rotate ${someId} --overlap 7d --json`])
}
