import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { databaseSettings, readConfig } from '../../../core/config.ts'
import { checkEndpointUrl } from '../../../core/contract/webhooks/endpoint-url.ts'
import { changesBetween } from '../../../core/domain/accounts/act-changes.ts'
import { validator } from '../../../core/domain/documents/validation.ts'
import { liveSources } from '../schemas/sources.ts'
import { CliError } from '../../../core/server/errors.ts'
import { signatureHeader } from '../polling/bell.ts'
import { allowedUrl, referenceFault, secretFault } from '../polling/limits.ts'
import { findPull } from '../adapters/all.ts'
import { SourceNames } from '../adapters/adapter.ts'
import type { Pool } from '../../../core/store/db/database.ts'
import { findLocation } from '../../../core/contract/location/rows.ts'
import {
  deleteSource,
  findSourceAnywhere,
  insertSource,
  type NewSource,
  listAllSources,
  listSources,
  pauseSource,
  resumeSource,
  type SourceRow,
} from '../store/sources.ts'
import { countNotices } from '../store/notices.ts'
import { byHand } from '../../../core/cli/acts.ts'
import { withDatabase } from '../../../core/cli/database.ts'
import { readJson } from './sources/files.ts'
import { askSettings, check, run } from './sources/runs.ts'
import { addSettings, finish, readSince, readUuid, readInteger } from '../../../core/cli/terminal/options.ts'
import { count, note, print, printJson, table } from '../../../core/cli/terminal/output.ts'
import { dayMs } from '../../../core/domain/days/time-units.ts'

type Json = { json?: true }

const namesFaults = validator(SourceNames, 'body', 'the profile')

/** Finds the named source. Throws `CliError`. */
export async function getNamed(pool: Pool, given: string): Promise<SourceRow> {
  const id = readUuid('the id', given)
  const source = await findSourceAnywhere(pool, id)
  if (!source) throw new CliError('source_not_found', `source ${id} does not exist: see tillgate source list`)
  return source
}

type AddFlags = Json & {
  location: string
  account: string
  token: string
  bell?: string
  since?: string
  every: string
  profile?: string
  baseUrl?: string
  start?: true
}

const sourceSettings = ['sourceSecretsDir', 'sourceUrls'] as const

function readReference(name: string, reference: string): string {
  const fault = referenceFault(reference)
  if (fault !== undefined) throw new CliError('usage', `${name}: ${fault}`)
  return reference
}

/**
 * Prints what a process with these settings would not read or request. The process that reads sources may have other
 * settings.
 */
function noteLimits({ secret, bellSecret, baseUrl, adapter }: NewSource, flags: Json): void {
  const { sourceSecretsDir: secretsDir, sourceUrls: urls } = readConfig(sourceSettings, flags, process.env)
  const faults = [secret, bellSecret].map((one) => (one === null ? undefined : secretFault(one, { secretsDir })))
  try {
    allowedUrl(baseUrl, findPull(adapter)?.baseUrl ?? '', { urls })
  } catch (error) {
    faults.push((error as Error).message)
  }
  for (const fault of faults)
    if (fault !== undefined) note(`With the settings of this process, the source cannot be read: ${fault}`)
}

/** Returns the time from which sales are read: by default the last month, because older sales need an import. */
const readsFromOf = (since: string | undefined, now: Date): Date =>
  since === undefined ? new Date(now.getTime() - 31 * dayMs) : readSince(since)

async function readNames(path: string | undefined): Promise<Record<string, unknown>> {
  if (path === undefined) return {}
  const given = await readJson(path, 'the profile')
  const [fault] = namesFaults(given)
  if (fault)
    throw new CliError('usage', `the profile ${path}: ${fault.detail}${fault.pointer ? ` (at ${fault.pointer})` : ''}`)
  return given as Record<string, unknown>
}

/** Returns the given base URL of the system, or null. It is checked here, and again at each connection. */
function readBaseUrl(url: string | undefined): string | null {
  if (url === undefined) return null
  // Whether http and the address may be called is a setting of the process that delivers.
  const refusal = checkEndpointUrl(url, { allowHttp: true, allowAddresses: [], isSource: true })
  if (refusal && refusal.code !== 'endpoint_url_address') throw new CliError('usage', `--base-url: ${refusal.detail}`)
  return url
}

async function add(adapter: string, flags: AddFlags): Promise<void> {
  if (!liveSources.some((name) => name === adapter)) {
    throw new CliError('usage', `the source must be one of ${liveSources.join(', ')}, not ${JSON.stringify(adapter)}`)
  }
  if (flags.bell !== undefined && signatureHeader(adapter) === undefined)
    throw new CliError('usage', `${adapter} does not support --bell: remove it`)
  const locationId = readUuid('--location', flags.location)
  const now = new Date()
  const source = {
    locationId,
    id: randomUUID(),
    adapter,
    account: flags.account,
    secret: readReference('--token', flags.token),
    bellSecret: flags.bell === undefined ? null : readReference('--bell', flags.bell),
    baseUrl: readBaseUrl(flags.baseUrl),
    profile: await readNames(flags.profile),
    everySeconds: readInteger('--every', flags.every, 1, 1_440) * 60,
    createdAt: now,
    readsFrom: readsFromOf(flags.since, now),
  }
  await withDatabase(flags, async ({ pool }) => {
    if (!(await findLocation(pool, locationId))) {
      throw new CliError('location_not_found', `location ${locationId} does not exist: see tillgate location list`)
    }
    const { id, account } = source
    const changes = changesBetween(null, { source: adapter, account })
    await byHand(pool, locationId, { act: 'source.added', subject: id, changes })
    await insertSource(pool, source)
    if (flags.start) await resumeSource(pool, locationId, id, now)
  })
  noteLimits(source, flags)
  const state = flags.start ? 'active' : 'paused'
  if (flags.json) return printJson({ id: source.id, state })
  print(`added ${source.id}`)
  if (!flags.start) {
    note(`Nothing is stored yet: run tillgate source check ${source.id}, then tillgate source resume ${source.id}`)
  }
}

const toShown = (source: SourceRow) => {
  const { id, locationId, adapter, account, state, cursor, failures, lastError, accepted, everySeconds } = source
  const at = (time: Date | null) => time?.toISOString() ?? null
  return {
    id,
    locationId,
    source: adapter,
    account,
    state: state === 'active' && failures > 0 ? 'failing' : state,
    cursor,
    lastSuccessAt: at(source.succeededAt),
    nextRunAt: at(source.dueAt),
    failures,
    failingSince: at(source.failingSince),
    lastError,
    accepted,
    everySeconds,
    comparedAt: at(source.comparedAt),
  }
}

async function list(flags: Json & { location?: string }): Promise<void> {
  const locationId = flags.location === undefined ? undefined : readUuid('--location', flags.location)
  const rows = await withDatabase(flags, async ({ pool }) => {
    const sources = await (locationId === undefined ? listAllSources(pool) : listSources(pool, locationId))
    return Promise.all(
      sources.map(async (source) => {
        const notices = await countNotices(pool, source)
        const of = (kind: 'left' | 'refused') =>
          Object.fromEntries(notices.filter((one) => one.kind === kind).map(({ reason, n }) => [reason, n]))
        return { ...toShown(source), left: of('left'), refused: of('refused') }
      }),
    )
  })
  if (flags.json) return printJson(rows)
  if (rows.length === 0) return note('There are no sources: tillgate source add --help')
  print(
    table(
      ['ID', 'LOCATION', 'SOURCE', 'ACCOUNT', 'STATE', 'READ UNTIL', 'LAST SUCCESS', 'STORED', 'REFUSED', 'LAST ERROR'],
      rows.map((row) => [
        row.id,
        row.locationId,
        row.source,
        row.account,
        row.state,
        row.cursor ?? '–',
        row.lastSuccessAt ?? '–',
        count(row.accepted),
        count(Object.values(row.refused).reduce((sum, n) => sum + n, 0)),
        row.lastError ?? '',
      ]),
    ),
  )
}

async function pause(given: string, flags: Json): Promise<void> {
  const { id } = await withDatabase(flags, async ({ pool }) => {
    const source = await getNamed(pool, given)
    const changes = changesBetween({ state: source.state }, { state: 'paused' })
    await byHand(pool, source.locationId, { act: 'source.paused', subject: source.id, changes })
    await pauseSource(pool, source.locationId, source.id)
    return source
  })
  if (flags.json) printJson({ id, state: 'paused' })
  else print(`paused ${id}; source resume continues where it stopped`)
}

async function resume(given: string, flags: Json): Promise<void> {
  const { id } = await withDatabase(flags, async ({ pool }) => {
    const source = await getNamed(pool, given)
    const changes = changesBetween({ state: source.state }, { state: 'active' })
    await byHand(pool, source.locationId, { act: 'source.resumed', subject: source.id, changes })
    await resumeSource(pool, source.locationId, source.id, new Date())
    return source
  })
  if (flags.json) printJson({ id, state: 'active' })
  else print(`resumed ${id}: the next run is due now`)
}

async function remove(given: string, flags: Json): Promise<void> {
  const { id } = await withDatabase(flags, async ({ pool }) => {
    const source = await getNamed(pool, given)
    const changes = changesBetween({ source: source.adapter, account: source.account }, null)
    await byHand(pool, source.locationId, { act: 'source.deleted', subject: source.id, changes })
    await deleteSource(pool, source.locationId, source.id)
    return source
  })
  if (flags.json) printJson({ id })
  else print(`deleted ${id}; its stored records remain`)
}

const someId = '7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11'
const someLocation = '272461e9-4fd9-5db0-b95b-cc91735b6bf6'

function defineAdd(command: Command): void {
  const adding = command
    .command('add')
    .summary('Add a system to read sales from')
    .description(
      `Add a system to read sales from continuously: ${liveSources.join(', ')}. Nothing is stored before source resume. Only a reference to the secret is ` +
        'stored; the secret is read on each run by the process that runs deliveries.',
    )
    .argument('<source>', liveSources.join(', '))
    .requiredOption('--location <id>', 'location of its sales')
    .requiredOption('--account <id>', 'id of the shop in the point-of-sale system')
    .requiredOption(
      '--token <reference>',
      'where the secret is: env:SOURCE_NAME, or file:/path in the directory of --source-secrets-dir',
    )
    .option('--bell <reference>', 'reference to the key that signs the webhooks of the point-of-sale system')
    .option('--since <when>', 'read sales changed since this date or ISO 8601 datetime (default: 31 days ago)')
    .option('--every <minutes>', 'minutes between two runs', '5')
    .option(
      '--profile <file>',
      'JSON file with names of devices, payments and service types by the ids of the point-of-sale system',
    )
    .option(
      '--base-url <url>',
      'another URL of the point-of-sale system, such as its sandbox, which TILLGATE_SOURCE_URLS of the delivery process must allow',
    )
    .option('--start', 'start storing now, without source check and source resume')
  addSettings(adding, [...databaseSettings, ...sourceSettings]).action(add)
  finish(adding, [
    `source add square --location ${someLocation} --account L123 --token file:/run/secrets/tillgate/square`,
    `source add square --location ${someLocation} --account L123 --token env:SOURCE_SQUARE --since 2026-01-01 --start`,
  ])
}

export function define(command: Command): void {
  defineAdd(command)
  const listing = command
    .command('list')
    .summary('List sources')
    .description('List sources with their progress and the result of the last run.')
    .option('--location <id>', 'only sources of this location')
  addSettings(listing, databaseSettings).action(list)
  finish(listing, ['source list', 'source list --json'])

  const on = (name: string, summary: string, description: string) =>
    command
      .command(name)
      .summary(summary)
      .description(description)
      .argument('<id>', 'id of the source, as source list shows it')

  const checking = on(
    'check',
    'Show what a source would store',
    'Read the sales since yesterday and compare them with the totals of the point-of-sale system for yesterday. Stores nothing. Exits with 1 if they ' +
      'differ or a document is refused.',
  )
  addSettings(checking, [...databaseSettings, ...askSettings]).action((id: string, flags: Json) =>
    check(id, flags, getNamed),
  )
  finish(checking, [`source check ${someId}`])

  const running = on(
    'run',
    'Read a source now',
    'Read a source in this process now, including refused documents. Exits with 1 if the run fails.',
  )
  addSettings(running, [...databaseSettings, ...askSettings]).action((id: string, flags: Json) =>
    run(id, flags, getNamed),
  )
  finish(running, [`source run ${someId}`])

  const pausing = on('pause', 'Stop reading a source', 'Stop reading a source until source resume.')
  addSettings(pausing, databaseSettings).action(pause)
  finish(pausing, [`source pause ${someId}`])

  const resuming = on(
    'resume',
    'Read a source again',
    'Continue to read a paused or stopped source. The first time, its sales are stored from then on.',
  )
  addSettings(resuming, databaseSettings).action(resume)
  finish(resuming, [`source resume ${someId}`])

  const deleting = on('delete', 'Delete a source', 'Delete a source. Its stored records remain.')
  addSettings(deleting, databaseSettings).action(remove)
  finish(deleting, [`source delete ${someId}`])
}
