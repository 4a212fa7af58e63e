import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { databaseSettings, readConfig } from '../../../core/config.ts'
import { formatDuration } from '../../../core/domain/days/durations.ts'
import { breakerThreshold } from '../../../core/domain/journal/retry-schedule.ts'
import type { Database } from '../../../core/server/database.ts'
import { readDiskTrend } from '../../../core/server/disk-samples.ts'
import { readVersion } from '../../../core/server/version.ts'
import { summariseWebhooks } from '../../../core/store/db/observation.ts'
import { findInstallation, readServerState } from '../../../core/store/db/server.ts'
import { listSilent } from '../store/silence.ts'
import { summariseStatus } from '../store/status.ts'
import { summariseLosses } from '../../../core/store/journal/losses.ts'
import { schemaVersion } from '../../../core/store/db/migrations.ts'
import { summariseUpkeep } from '../../../core/store/db/upkeep.ts'
import { withDatabase } from '../../../core/cli/database.ts'
import { formatSize, describeTrend } from './disk-words.ts'
import { askServer, operationsAddressOf } from '../../../core/cli/running-server.ts'
import { addSettings, finish, readNumber } from '../../../core/cli/terminal/options.ts'
import { count, print, printJson, some } from '../../../core/cli/terminal/output.ts'
import { dayMs } from '../../../core/domain/days/time-units.ts'
import { dataParts } from '../../../core/modules.ts'
import type { Pool } from '../../../core/store/db/database.ts'

declare module '../../../core/modules.ts' {
  interface ModuleData {
    /** The module's part of `status`: a member of the JSON output, and a line of the text output. */
    status?(pool: Pool, now: Date): Promise<{ name: string; json: unknown; line: string }>
  }
}

const settings = [...databaseSettings, 'diskReserve'] as const

type StatusFlags = { watch?: string | true; json?: true }

/** Gathers everything to print; times are in ISO 8601, null if absent. */
async function examine({ pool, place, directory }: Database, reserveBytes: number) {
  const now = new Date()
  const [answered, installation, state, summary, webhooks, upkeep, silent, disk, lost, moduleLines] = await Promise.all(
    [
      askServer(operationsAddressOf()),
      findInstallation(pool),
      readServerState(pool),
      summariseStatus(pool, now, new Date(now.getTime() - dayMs)),
      summariseWebhooks(pool, now, breakerThreshold),
      summariseUpkeep(pool),
      // Reads orders, which may be unreadable.
      listSilent(pool, now).catch(() => null),
      directory === null ? null : readDiskTrend(directory, reserveBytes, now),
      summariseLosses(pool),
      Promise.all(dataParts().map(async (part) => part.status?.(pool, now))),
    ],
  )
  const { dueSince, ...states } = webhooks
  const isOther = answered !== null && answered.installation !== installation
  const { bytes, locations, inactive, keys, entries, behind, rejected } = summary
  const of = (at: Date | null, missing: number) => ({
    oldest: at?.toISOString() ?? null,
    missing,
  })
  return {
    at: now.toISOString(),
    version: readVersion(),
    server: isOther ? null : answered,
    otherServer: isOther ? answered.address : null,
    database: { place, installation, version: state.version, bytes },
    locations: { all: locations, inactive },
    keys,
    entries,
    webhooks: { ...states, behind, oldestDue: dueSince?.toISOString() ?? null },
    silent: silent && silent.map(({ id, since }) => ({ id, lastOrderAt: since.toISOString() })),
    lost,
    rejectedOfLastDay: rejected,
    backup: of(upkeep.backup, upkeep.withoutBackup),
    verify: { ...of(upkeep.verify, upkeep.withoutVerify), broken: upkeep.broken },
    diskFreeBytes: disk && disk.now.freeBytes,
    diskTrend: disk && disk.trend,
    moduleLines: moduleLines.flatMap((of) => of ?? []),
  }
}

type Status = Awaited<ReturnType<typeof examine>>

/** Names at most three silent locations; all of them are in `--json` and in the console. */
function silentOf({ silent }: Status): string {
  if (silent === null) return 'unknown, because the orders cannot be read'
  if (silent.length === 0) return 'no location'
  const named = silent.slice(0, 3).map(({ id, lastOrderAt }) => `${id} since ${lastOrderAt}`)
  return `${some(silent.length, 'location')} for longer than usual: ${named.join(', ')}${silent.length > 3 ? ', …' : ''}`
}

function lines(status: Status): string[] {
  const { server, database, locations, webhooks, backup, verify, diskFreeBytes, diskTrend, moduleLines } = status
  const now = Date.parse(status.at)
  const ago = (at: string | null) =>
    at === null ? 'never' : `${formatDuration(Math.max(now - Date.parse(at), 0))} ago`
  const without = (missing: number) => (missing === 0 ? '' : `, ${some(missing, 'location')} never`)
  const inactive = locations.inactive === 0 ? '' : `, ${count(locations.inactive)} of them inactive`
  const rows: [string, string][] = [
    ['version', status.version],
    [
      'server',
      server === null
        ? status.otherServer === null
          ? `not reachable at ${operationsAddressOf() ?? 'the operations address, which is off'} (TILLGATE_OPERATIONS_ADDRESS)`
          : `not found: ${status.otherServer} serves another database (TILLGATE_OPERATIONS_ADDRESS)`
        : `${server.ready ? 'ready' : 'NOT READY'}, role ${server.role}, version ${server.version}, ${server.url ?? 'no API'}, at ${server.address}`,
    ],
    ['database', `PostgreSQL ${database.version}, ${formatSize(database.bytes)}, ${database.place}`],
    ['installation', database.installation ?? 'unknown'],
    [
      'locations',
      `${count(locations.all)}${inactive}, ${some(status.keys, 'key')}, ${some(status.entries, 'entry', 'entries')}`,
    ],
    ['webhooks', `${webhooks.healthy} healthy, ${webhooks.probing} probing, ${webhooks.disabled} disabled`],
    ['lag', `${some(webhooks.behind, 'entry', 'entries')} at most`],
    ['oldest due', webhooks.oldestDue === null ? 'nothing is due' : `due ${ago(webhooks.oldestDue)}`],
    ['silent', silentOf(status)],
    [
      'lost',
      status.lost.entries === 0
        ? 'no acknowledged entries'
        : `AT LEAST ${some(status.lost.entries, 'entry', 'entries').toUpperCase()} LOST at ${some(status.lost.locations, 'location')}: tillgate loss list`,
    ],
    ['rejected', `${some(status.rejectedOfLastDay, 'record')} in 24 hours`],
    ['last backup', ago(backup.oldest) + without(backup.missing)],
    [
      'last verify',
      `${ago(verify.oldest)}${without(verify.missing)}${verify.broken > 0 ? `, ${verify.broken} BROKEN` : ''}`,
    ],
    ...moduleLines.map(({ name, line }): [string, string] => [name, line]),
    [
      'disk',
      diskFreeBytes === null ? 'of another server' : `${formatSize(diskFreeBytes)} free, ${describeTrend(diskTrend)}`,
    ],
  ]
  return rows.map(([name, value]) => `${name.padEnd(12)} ${value}`)
}

async function run(flags: StatusFlags): Promise<void> {
  const seconds =
    flags.watch === undefined ? 0 : readNumber('--watch', flags.watch === true ? '2' : flags.watch, 1, 3_600)
  const { diskReserve } = readConfig(settings, flags, process.env)
  await withDatabase(
    flags,
    async (database, signal) => {
      // Throws if this program cannot use the schema of the database, as in every command.
      await schemaVersion(database.pool)
      for (;;) {
        const status = await examine(database, diskReserve * 2 ** 20)
        const { moduleLines, ...own } = status
        if (flags.json) printJson({ ...own, ...Object.fromEntries(moduleLines.map(({ name, json }) => [name, json])) })
        else {
          // Moves the cursor to the top left and clears the screen, so that each status replaces the previous one.
          if (seconds > 0 && process.stdout.isTTY) process.stdout.write('\u001b[H\u001b[2J')
          print(lines(status).join('\n'))
        }
        if (seconds === 0) return
        await delay(seconds * 1_000, undefined, { signal })
      }
    },
    { migrates: false },
  )
}

export function define(command: Command): void {
  command
    .description(
      'Show the state of the installation: version, server, database, webhooks and their lag, rejected records, ' +
        'the last backup and verification, and the disk with its trend. Changes nothing.',
    )
    .option('--watch [seconds]', 'repeat at this interval in seconds (2), until interrupted')
  addSettings(command, settings).action(run)
  finish(command, ['status', 'status --watch 5', 'status --json'])
}
