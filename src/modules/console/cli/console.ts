import type { Command } from 'commander'
import { databaseSettings, readConfig } from '../../../core/config.ts'
import { installationId } from '../../../core/domain/accounts/keys.ts'
import { dayMs } from '../../../core/domain/days/time-units.ts'
import { longestRenewS, roles, roleScopes, sessionTimes, type Role, type SessionScope } from '../schemas/console.ts'
import { CliError } from '../../../core/server/errors.ts'
import {
  endConsoleSession,
  listConsoleSessions,
  type ConsoleSessionRow,
  type LinkGrant,
} from '../store/console-sessions.ts'
import { endPasskey, listPasskeys } from '../store/passkeys.ts'
import type { Pool } from '../../../core/store/db/database.ts'
import { findInstallation } from '../../../core/store/db/server.ts'
import { findLocation } from '../../../core/contract/location/rows.ts'
import { byHand } from '../../../core/cli/acts.ts'
import { openBrowser } from './console/browser.ts'
import { createLink } from './console/link.ts'
import { withDatabase } from '../../../core/cli/database.ts'
import { askServer, operationsAddressOf } from '../../../core/cli/running-server.ts'
import { readDuration } from '../../../core/cli/keys.ts'
import { addSettings, finish, readUuid } from '../../../core/cli/terminal/options.ts'
import { note, print, printJson, table } from '../../../core/cli/terminal/output.ts'

const linkSettings = [...databaseSettings, 'publicUrl', 'host', 'port'] as const

type LinkFlags = { location?: string | string[]; role: string; url?: string; name?: string; json?: true }

/**
 * Returns the server's address for a browser of this machine: from the flags, else from the server that runs on this
 * database, else from the settings, with a note.
 */
async function findBase(pool: Pool, flags: LinkFlags): Promise<string> {
  if (flags.url !== undefined) {
    if (/^https?:\/\/[^\s?#]+$/.test(flags.url)) return flags.url.replace(/\/+$/, '')
    throw new CliError('usage', `--url must be the address of the server, not ${JSON.stringify(flags.url)}`)
  }
  const { publicUrl, host, port } = readConfig(['publicUrl', 'host', 'port'], flags, process.env)
  if (publicUrl !== null) return publicUrl
  const address = operationsAddressOf()
  const [server, installation] = await Promise.all([askServer(address), findInstallation(pool)])
  if (server !== null && server.url !== null && server.installation === installation) return server.url
  note(
    `No server of this database responds at ${address ?? 'the operations address, which is off'}: the link is based on the settings; if the server has another address, give it with --url`,
  )
  const isEvery = host === '0.0.0.0' || host === '::'
  return `http://${isEvery ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`
}

function readRole(text: string): Role {
  if (Object.hasOwn(roleScopes, text)) return text as Role
  throw new CliError('usage', `--role must be one of ${roles.join(', ')}, not ${JSON.stringify(text)}`)
}

function scopesOf(role: Role, locationIds: readonly string[] | null): SessionScope[] {
  if (role === 'operator' && locationIds === null) return [...roleScopes.operator, 'admin']
  return [...roleScopes[role]]
}

type Times = Pick<LinkGrant, 'codeS' | 'lastsS' | 'idleS' | 'renewS'>

/** Makes the link that the flags request, and its description. The locations must exist. */
async function makeLink(pool: Pool, flags: LinkFlags, kind: 'operator' | 'link', times: Times) {
  const role = readRole(flags.role)
  const given = [flags.location ?? []].flat().map((text) => readUuid('--location', text))
  const locationIds = given.length === 0 ? null : [...new Set(given)]
  if (locationIds === null && role !== 'operator') {
    throw new CliError('usage', `--location is required with --role ${role}`)
  }
  for (const id of locationIds ?? []) {
    if (await findLocation(pool, id)) continue
    throw new CliError('location_not_found', `location ${id} does not exist: see tillgate location list`)
  }
  const scopes = scopesOf(role, locationIds)
  const locationId = locationIds?.length === 1 ? (locationIds[0] as string) : null
  const granted = { kind, role, name: flags.name ?? role, scopes, locationIds, ...times }
  return { ...(await createLink(pool, await findBase(pool, flags), granted)), role, scopes, locationId, locationIds }
}

async function open(flags: LinkFlags & { open: boolean }): Promise<void> {
  const made = await withDatabase(flags, ({ pool }) => makeLink(pool, flags, 'operator', sessionTimes.operator))
  if (flags.json) return printJson(made)
  print(made.url)
  note('It works once, within 10 minutes, while tillgate serve is running.')
  if (flags.open && process.stdout.isTTY) await openBrowser(made.url)
}

/** Reads the time, in seconds, in which a person may sign in again after the use of a link; `never` is 0. */
function readRenewal(text: string): number {
  if (text === 'never') return 0
  const ms = readDuration(text)
  if (ms !== undefined && ms >= dayMs && ms <= longestRenewS * 1_000) return ms / 1_000
  throw new CliError('usage', `--renew must be "never" or a duration from 1d to 365d, not ${JSON.stringify(text)}`)
}

async function link(flags: LinkFlags & { location: string[]; expires: string; renew: string }): Promise<void> {
  const codeMs = readDuration(flags.expires)
  if (codeMs === undefined || codeMs < 60_000 || codeMs > sessionTimes.owner.codeS * 1_000) {
    throw new CliError('usage', `--expires must be a duration from 1m to 7d, not ${JSON.stringify(flags.expires)}`)
  }
  const renewS = readRenewal(flags.renew)
  const times = { ...sessionTimes.owner, codeS: codeMs / 1_000, renewS }
  const made = await withDatabase(flags, ({ pool }) => makeLink(pool, flags, 'link', times))
  if (flags.json) return printJson(made)
  print(made.url)
  note(
    `It works once, until ${made.expiresAt.toISOString()}, and signs in for 30 days${renewS === 0 ? '' : `, which can be renewed, or resumed with a passkey, for ${renewS / 86_400} days`}. Anyone who has it can sign in: send it only to ${made.role === 'operator' ? 'the operator' : `the ${made.role}`}.`,
  )
}

function stateOf({ endedAt, endsAt, redeemedAt }: ConsoleSessionRow): string {
  if (endedAt) return 'ended'
  if (endsAt <= new Date()) return 'expired'
  return redeemedAt ? 'signed in' : 'not used yet'
}

async function list(flags: { json?: true }): Promise<void> {
  const filter = { of: null, state: 'live' as const, after: null, now: new Date(), limit: 1_000 }
  const rows = await withDatabase(flags, ({ pool }) => listConsoleSessions(pool, filter))
  if (flags.json) return printJson(rows)
  if (rows.length === 0) return note('There are no sessions and no unused links.')
  const minute = (at: Date | null) => at?.toISOString().slice(0, 16).replace('T', ' ') ?? '-'
  const lines = rows.map((row) => [
    row.id,
    row.name || '-',
    row.scopes.join(','),
    row.locationIds?.join(',') ?? 'all',
    stateOf(row),
    row.address ?? '-',
    minute(row.lastSeenAt),
    minute(row.endsAt),
  ])
  print(table(['ID', 'NAME', 'SCOPES', 'LOCATION', 'STATE', 'OPENED FROM', 'LAST SEEN (UTC)', 'ENDS (UTC)'], lines))
}

async function listKeys(flags: { name?: string; json?: true }): Promise<void> {
  const filter = { owner: null, name: flags.name, after: null, now: new Date(), limit: null }
  const rows = await withDatabase(flags, ({ pool }) => listPasskeys(pool, filter))
  if (flags.json) return printJson(rows)
  if (rows.length === 0) return note('There are no passkeys.')
  const day = (at: Date | null) => at?.toISOString().slice(0, 10) ?? '-'
  const lines = rows.map((row) => [
    row.id,
    row.name || '-',
    row.label,
    row.scopes.join(','),
    row.locationIds.join(','),
    row.origin,
    day(row.createdAt),
    day(row.lastUsedAt),
    day(row.endsAt),
  ])
  print(table(['ID', 'NAME', 'DEVICE', 'SCOPES', 'LOCATION', 'ADDRESS', 'ADDED', 'LAST USED', 'ENDS'], lines))
}

/** Returns the ids of the live sessions and unused links with this name. */
async function findNamed(pool: Pool, name: string, now: Date): Promise<string[]> {
  const ids: string[] = []
  for (let after: { at: Date; id: string } | null = null; ;) {
    const filter = { of: null, state: 'live' as const, after, now, limit: 1_000 }
    const rows: ConsoleSessionRow[] = await listConsoleSessions(pool, filter)
    ids.push(...rows.filter((row) => row.name === name).map(({ id }) => id))
    const last = rows.at(-1)
    if (!last) return ids
    after = { at: last.createdAt, id: last.id }
  }
}

/** Ends a session, a link or a passkey; false if the id is unknown. */
async function endOne(pool: Pool, id: string, now: Date): Promise<boolean> {
  const session = await endConsoleSession(pool, id, null, now)
  const passkey = session ? undefined : await endPasskey(pool, id, null, now)
  const ended = session ?? passkey
  if (!ended) return false
  const act = session ? 'session.ended' : 'passkey.removed'
  await byHand(pool, ended.locationIds?.[0] ?? installationId, { act, subject: id }, now)
  return true
}

async function end(given: string | undefined, flags: { name?: string; json?: true }): Promise<void> {
  if ((given === undefined) === (flags.name === undefined)) {
    throw new CliError('usage', 'give either the id of a session or a passkey, or --name')
  }
  const now = new Date()
  const ids = await withDatabase(flags, async ({ pool }) => {
    if (given !== undefined) {
      const id = readUuid('the id', given)
      if (await endOne(pool, id, now)) return [id]
      const where = 'see tillgate console sessions and tillgate console passkeys'
      throw new CliError('session_not_found', `no session or passkey has the id ${id}: ${where}`)
    }
    const sessions = await findNamed(pool, flags.name ?? '', now)
    const passkeys = await listPasskeys(pool, { owner: null, name: flags.name ?? '', after: null, now, limit: null })
    const chosen = [...sessions, ...passkeys.map(({ id }) => id)]
    for (const id of chosen) await endOne(pool, id, now)
    return chosen
  })
  if (ids.length === 0) {
    const name = JSON.stringify(flags.name)
    throw new CliError(
      'session_not_found',
      `no session, link or passkey has the name ${name}: see tillgate console sessions and tillgate console passkeys`,
    )
  }
  if (flags.json) return printJson(given === undefined ? { ids, endedAt: now } : { id: ids[0], endedAt: now })
  for (const id of ids) print(`ended ${id}`)
}

export function define(command: Command): void {
  const opening = command
    .command('open', { isDefault: true })
    .summary('Print a link that signs in to the console, and open it')
    .description(
      'Print a link that signs in to the console once, within 10 minutes; on a terminal, also open the browser. ' +
        'Without --location it is for the operator, who sees all locations.',
    )
    .option('--location <id>', 'only this location')
    .option('--role <role>', `role of the session: ${roles.join(', ')}`, 'operator')
    .option('--url <url>', 'URL of the server (default: from its settings)')
    .option('--no-open', 'do not open the browser')
  addSettings(opening, linkSettings).action(open)
  finish(opening, [
    'console open',
    'console open --no-open',
    'console open --role integrator --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6',
  ])

  const linking = command
    .command('link')
    .summary('Print a sign-in link for another person')
    .description(
      'Print a link for an owner or an accountant. It works once, for the given locations, and the session lasts 30 ' +
        'days. For the time of --renew the person can renew the session, and add passkeys to sign in again.',
    )
    .requiredOption('--location <id...>', 'one or more locations that the person can see')
    .option('--role <role>', `role of the person: ${roles.join(', ')}`, 'owner')
    .option('--expires <duration>', 'how long the link is valid (15m, 24h, 7d)', '7d')
    .option('--renew <duration>', 'time for renewals and passkeys (30d, 365d, never)', '365d')
    .option('--name <text>', 'name of the person, shown in lists')
    .option('--url <url>', 'URL of the server (default: from its settings)')
  addSettings(linking, linkSettings).action(link)
  finish(linking, [
    'console link --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --role owner --expires 7d --name "Mme Dupont"',
  ])

  const listing = command
    .command('sessions')
    .summary('List sessions and unused links')
    .description('List sessions and unused links.')
  addSettings(listing, databaseSettings).action(list)
  finish(listing, ['console sessions', 'console sessions --json'])

  const keys = command
    .command('passkeys')
    .summary('List passkeys')
    .description('List the passkeys that people use to sign in again. console end removes one.')
    .option('--name <text>', 'only passkeys of this name')
  addSettings(keys, databaseSettings).action(listKeys)
  finish(keys, ['console passkeys', 'console passkeys --name "Mme Dupont" --json'])

  const ending = command
    .command('end')
    .summary('End a session, a link or a passkey')
    .description(
      'End a session, an unused link, or a passkey with its sessions, or all of a name. Servers refuse them within 5 seconds.',
    )
    .argument('[id]', 'id of the session or passkey, as console sessions and console passkeys show it')
    .option('--name <text>', 'all sessions, links and passkeys of this name')
  addSettings(ending, databaseSettings).action(end)
  finish(ending, ['console end 7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11', 'console end --name "Mme Dupont"'])
}
