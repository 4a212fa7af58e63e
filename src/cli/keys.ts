import type { Command } from 'commander'
import { databaseSettings } from '../config.ts'
import { scopes, type Scope } from '../domain/keys.ts'
import { isDatetime } from '../schemas/scalars.ts'
import { createApiKey, listApiKeys, revokeApiKey, type ApiKey } from '../store/api-keys.ts'
import { findLocation } from '../store/locations.ts'
import { withDatabase } from './database.ts'
import { CliError } from '../server/errors.ts'
import { addSettings, finish, readUuid } from './terminal/options.ts'
import { note, print, printJson, table } from './terminal/output.ts'

type CreateFlags = {
  location: string
  scope: string
  recipient?: string
  expires?: string
  name: string
  test?: true
  json?: true
}

function readScopes(text: string): Scope[] {
  const given = new Set(text.split(/[,\s]+/).filter((scope) => scope !== ''))
  const unknown = [...given].filter((scope) => !scopes.some((known) => known === scope))
  if (given.size === 0 || unknown.length > 0) {
    throw new CliError('usage', `--scope must be one or more of ${scopes.join(',')}, not ${JSON.stringify(text)}`)
  }
  return scopes.filter((scope) => given.has(scope))
}

const unitMs: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 31_536_000_000 }

/** A duration from now (`90d`), a UTC moment, or a date, which is the last day that the key works (UTC). */
function readExpiry(text: string, now: Date): Date {
  const [, amount = '', unit = ''] = /^(\d{1,6})([mhdwy])$/.exec(text) ?? []
  const moment = text.length === 10 ? `${text}T23:59:59.999Z` : text
  const at = amount ? now.getTime() + Number(amount) * (unitMs[unit] as number) : Date.parse(moment)
  const known = amount !== '' || isDatetime(moment)
  if (!known || Number.isNaN(new Date(at).getTime())) {
    const forms = 'a duration (90d, 12h, 1y), a date (2027-12-31) or a UTC time (2027-12-31T12:00:00.000Z)'
    throw new CliError('usage', `--expires must be ${forms}, not ${JSON.stringify(text)}`)
  }
  if (at <= now.getTime()) throw new CliError('usage', `--expires must be in the future, not ${JSON.stringify(text)}`)
  return new Date(at)
}

async function create(flags: CreateFlags): Promise<void> {
  const now = new Date()
  const grant = {
    locationId: readUuid('--location', flags.location),
    recipientId: flags.recipient === undefined ? null : readUuid('--recipient', flags.recipient),
    scopes: readScopes(flags.scope),
    expiresAt: flags.expires === undefined ? null : readExpiry(flags.expires, now),
    name: flags.name,
  }
  const mode = flags.test ? 'test' : 'live'
  const { id, key } = await withDatabase(flags, async ({ pool }) => {
    if (await findLocation(pool, grant.locationId)) return createApiKey(pool, mode, grant, now)
    throw new CliError('location_not_found', `there is no location ${grant.locationId}: see tillgate location list`)
  })
  if (flags.json) return printJson({ id, key })
  print(key)
  note(`Created the key ${id} with ${grant.scopes.join(', ')}. It is not shown again: keep it now.`)
}

function stateOf({ revokedAt, expiresAt }: ApiKey): 'active' | 'expired' | 'revoked' {
  if (revokedAt) return 'revoked'
  return expiresAt && expiresAt <= new Date() ? 'expired' : 'active'
}

async function list(flags: { location?: string; json?: true }): Promise<void> {
  const locationId = flags.location === undefined ? undefined : readUuid('--location', flags.location)
  const keys = await withDatabase(flags, ({ pool }) => listApiKeys(pool, locationId))
  // Undefined is left out: a hash is nobody's business.
  if (flags.json) return printJson(keys.map((key) => ({ ...key, hash: undefined, state: stateOf(key) })))
  if (keys.length === 0) return note('There are no keys: see tillgate key create --help')
  const day = (at: Date | null) => at?.toISOString().slice(0, 10) ?? '-'
  const rows = keys.map((key) => [
    key.id,
    `${key.hint}…`,
    key.name || '-',
    key.locationId,
    key.scopes.join(','),
    stateOf(key),
    day(key.expiresAt),
    day(key.lastUsedAt),
  ])
  print(table(['ID', 'KEY', 'NAME', 'LOCATION', 'SCOPES', 'STATE', 'EXPIRES', 'LAST USED'], rows))
}

async function revoke(given: string, flags: { json?: true }): Promise<void> {
  const id = readUuid('the id', given)
  const key = await withDatabase(flags, ({ pool }) => revokeApiKey(pool, id, new Date()))
  if (!key) throw new CliError('key_not_found', `there is no key ${id}: see tillgate key list`)
  if (flags.json) return printJson({ id, revokedAt: key.revokedAt })
  print(`revoked ${id}`)
}

export function define(command: Command): void {
  const creating = command
    .command('create')
    .summary('Create a key')
    .description('Create a key of a location. It is printed once and stored hashed.')
    .requiredOption('--location <id>', 'location whose data the key opens')
    .requiredOption('--scope <list>', `what it may do: ${scopes.join(',')}`)
    .option('--recipient <uuid>', 'see and write only the webhooks of this recipient')
    .option('--expires <when>', 'duration (90d, 12h, 1y), last day (2027-12-31) or UTC time (default: never)')
    .option('--name <text>', 'a name to recognise it by', '')
    .option('--test', 'make a key that begins with tg_test_')
  addSettings(creating, databaseSettings).action(create)
  finish(creating, [
    'key create --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --scope read --name accountant',
    'key create --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --scope read,webhooks,ingest --expires 90d --json',
  ])

  const listing = command
    .command('list')
    .summary('List keys')
    .description('List keys with their first characters; whole keys are not kept.')
    .option('--location <id>', 'only keys of this location')
  addSettings(listing, databaseSettings).action(list)
  finish(listing, ['key list', 'key list --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --json'])

  const revoking = command
    .command('revoke')
    .summary('Revoke a key')
    .description('Revoke a key. Running servers refuse it within 5 seconds.')
    .argument('<id>', 'id of the key, as key list shows it')
  addSettings(revoking, databaseSettings).action(revoke)
  finish(revoking, ['key revoke 7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11'])
}
