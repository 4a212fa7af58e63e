import { access, constants, readFile, stat, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, resolve } from 'node:path'
import { readDiskTrend } from '../../../core/server/disk-samples.ts'
import { dayMs } from '../../../core/domain/days/time-units.ts'
import { findBinaries } from '../../../core/embedded/binaries.ts'
import { bundledRelease, oldAfterDays } from '../../../core/embedded/bundled-release.ts'
import { poolerOf, type Pool } from '../../../core/store/db/database.ts'
import { DatabaseOfAnotherLineage } from '../../../core/store/db/migration-lineage.ts'
import { schemaVersion } from '../../../core/store/db/migrations.ts'
import { readServerRole } from '../../../core/store/db/replica-state.ts'
import {
  readCollation,
  readServerState,
  supportedVersions,
  type Collation,
  type ServerState,
} from '../../../core/store/db/server.ts'
import { describeTrend } from './disk-words.ts'

/** `advice` is what to do, if anything. */
export type Check = { name: string; status: 'ok' | 'warn' | 'fail'; detail: string; advice?: string }

export type Finding = Omit<Check, 'name'>

export const ok = (detail: string): Finding => ({ status: 'ok', detail })
export const warn = (detail: string, advice: string): Finding => ({ status: 'warn', detail, advice })
export const fail = (detail: string, advice: string): Finding => ({ status: 'fail', detail, advice })

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

export function checkNode(version = process.versions.node): Finding {
  const major = Number.parseInt(version, 10)
  return major >= 24 ? ok(version) : fail(version, 'install Node 24 or later')
}

/** Checks the programs of PostgreSQL: those in the directory `pgBin`, or, if it is null, those that npm installed. */
export async function checkBinaries(pgBin: string | null, now = new Date()): Promise<Finding> {
  try {
    const { version, root } = await findBinaries(pgBin)
    if (pgBin !== null) return ok(`PostgreSQL ${version} in ${root}`)
    // The version of the package without its suffix: `-beta` is not part of PostgreSQL's version.
    const released = version.split('.', 2).join('.')
    const { releasedOn } = bundledRelease
    const days = Math.floor((now.getTime() - Date.parse(releasedOn)) / dayMs)
    const detail = `PostgreSQL ${released} of ${releasedOn} for ${process.platform}-${process.arch}, from the npm package ${version}`
    if (days <= oldAfterDays) return ok(detail)
    return warn(
      `${detail}: it is ${days} days old and may lack fixes`,
      'install the newest Tillgate, or set --pg-bin to a newer PostgreSQL on this machine',
    )
  } catch (error) {
    return fail(messageOf(error), 'install them, set --pg-bin to PostgreSQL on this machine, or set DATABASE_URL')
  }
}

/** Returns the directory itself, or its nearest existing parent. */
async function nearest(path: string): Promise<string> {
  for (let at = resolve(path); ; at = dirname(at)) {
    if (await stat(at).catch(() => undefined)) return at
    if (at === dirname(at)) return at
  }
}

export async function checkDataDir(dataDir: string): Promise<Finding> {
  const path = resolve(dataDir)
  const at = await nearest(path)
  const { uid } = await stat(at)
  try {
    await access(at, constants.W_OK | constants.X_OK)
  } catch {
    return fail(`${at} is not writable by this user`, 'choose another --data-dir, or run as its owner')
  }
  if (at !== path) return ok(`${path} does not exist yet: the first start creates it`)
  if (!(await stat(path)).isDirectory()) return fail(`${path} is a file`, 'remove it, or choose another --data-dir')
  const { mode } = await stat(path)
  if ((mode & 0o022) !== 0) {
    const octal = (mode & 0o777).toString(8)
    return warn(`${path} has mode ${octal}: other users can write to it`, `chmod go-w ${path}`)
  }
  const self = process.getuid?.() ?? uid
  if (self === 0 || uid === self) return ok(path)
  return warn(`${path} belongs to user ${uid}, but this is user ${self}`, 'run Tillgate always as the same user')
}

/**
 * Smallest sufficient limit of open files: each connection needs one file, in addition to the files of PostgreSQL and
 * of this process.
 */
const descriptorsNeeded = 1_024

/**
 * Reports how many files this process may open. A service manager may set a different limit from that of this shell.
 */
export async function checkDescriptors(): Promise<Finding> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const [, text] = /^Max open files +(\d+|unlimited)/m.exec(limits) ?? []
  if (text === undefined) return ok('the limit is not known on this system')
  const most = text === 'unlimited' ? Infinity : Number(text)
  if (most >= descriptorsNeeded) return ok(`up to ${text}`)
  return warn(
    `up to ${text}: connections fail beyond that`,
    `raise it to ${descriptorsNeeded} or more (ulimit -n, LimitNOFILE)`,
  )
}

const gib = 1024 ** 3

/** Checks the free disk space: with less than `reserveBytes`, a server refuses pushes. */
export async function checkDisk(dataDir: string, reserveBytes = 0): Promise<Finding> {
  const { bavail, bsize } = await statfs(await nearest(dataDir))
  const free = bavail * bsize
  const detail = `${(free / gib).toFixed(1)} GiB free`
  if (free < reserveBytes) {
    const reserve = `the reserve is ${(reserveBytes / gib).toFixed(1)} GiB (TILLGATE_DISK_RESERVE)`
    return fail(`${detail}: pushes are refused, because ${reserve}`, 'free some space, or lower the reserve')
  }
  if (free < gib / 5) return fail(detail, 'free some space: the database stops when the disk is full')
  return free < gib ? warn(detail, 'free some space soon') : ok(detail)
}

/** Warns this many days before pushes are refused for lack of disk space. */
const diskDays = 14

/** Reports how fast the disk fills, from the measurements of `serve` in the directory. */
export async function checkDiskTrend(directory: string, reserveBytes: number, now = new Date()): Promise<Finding> {
  const { trend } = await readDiskTrend(directory, reserveBytes, now)
  const isNear = trend !== null && trend.daysLeft !== null && trend.daysLeft < diskDays
  return isNear ? warn(describeTrend(trend), 'free some space, or enlarge the disk') : ok(describeTrend(trend))
}

export function checkVersion({ version, major }: ServerState): Finding {
  const { from, to } = supportedVersions
  const supported = `PostgreSQL ${from} to ${to} are supported`
  if (major < from) return fail(`PostgreSQL ${version}`, supported)
  return major > to ? warn(`PostgreSQL ${version}`, supported) : ok(`PostgreSQL ${version}`)
}

export function checkDurability({ fsync, synchronousCommit, fullPageWrites }: ServerState): Finding {
  const detail = `fsync ${fsync}, synchronous_commit ${synchronousCommit}, full_page_writes ${fullPageWrites}`
  const off = Object.entries({ fsync, synchronous_commit: synchronousCommit }).filter(([, value]) => value === 'off')
  const names = off.map(([name]) => name).join(' and ')
  if (names) return fail(detail, `turn ${names} on: acknowledged orders can be lost in a power cut`)
  return fullPageWrites === 'off'
    ? warn(detail, 'turn full_page_writes on, unless the file system never tears a page')
    : ok(detail)
}

/** Compares the clocks; `between` are the times of this process before and after the query. */
export function checkClock({ now }: ServerState, between: readonly [Date, Date]): Finding {
  const middle = (between[0].getTime() + between[1].getTime()) / 2
  const seconds = Math.abs(now.getTime() - middle) / 1000
  const detail = `the clocks of database and process differ by ${seconds.toFixed(1)} s`
  const advice = 'synchronize both machines with NTP; 2 s are allowed'
  if (seconds > 60) return fail(detail, advice)
  return seconds > 2 ? warn(detail, advice) : ok(detail)
}

export async function checkSchema(pool: Pool): Promise<Finding> {
  try {
    const { current, newest } = await schemaVersion(pool)
    if (current === newest) return ok(`version ${current}`)
    return warn(`version ${current}; this Tillgate has ${newest}`, 'run tillgate migrate, or start serve')
  } catch (error) {
    const isOther = error instanceof DatabaseOfAnotherLineage
    return fail(
      messageOf(error),
      isOther ? 'back it up with the version of Tillgate that created it' : 'start the newer version of Tillgate again',
    )
  }
}

/**
 * Checks the collation version. An index of text is sorted by the version that built it: under another version, rows
 * may not be found.
 */
export function checkCollation(collation: Collation | null): Finding {
  if (collation === null) return ok('its collation has no version')
  const { name, stored, actual } = collation
  if (stored === actual) return ok(`${name}, version ${actual}`)
  return warn(
    `the collation ${name} had version ${stored} when the database was created, but has ${actual} on this machine: text indexes may miss rows`,
    'stop Tillgate and run: reindex database <name>; then alter database <name> refresh collation version',
  )
}

/** Checks for a pooler between this process and the database or its replica, and its settings. */
export function checkPooler(pool: Pool, { isReplica = false }: { isReplica?: boolean } = {}): Finding {
  const pooler = poolerOf(pool)
  const hasDirect = pool.from.direct !== undefined
  if (pooler === 'none') return ok(hasDirect ? 'none; notifications and migrations use a separate URL' : 'none')
  const names =
    pooler === 'prepared' ? 'supports prepared statements' : 'does not support prepared statements, so none are used'
  const advice = [
    ...(pooler === 'plain' ? ['for faster statements, use PgBouncer 1.21 or later with max_prepared_statements'] : []),
    ...(hasDirect || isReplica
      ? []
      : ['for immediate notifications between processes, set TILLGATE_DATABASE_DIRECT_URL']),
  ].join('; ')
  const detail = `a transaction pooler that ${names}`
  return advice === '' ? ok(detail) : warn(detail, advice)
}

async function checkWrites(pool: Pool, place: string): Promise<Finding> {
  const { isReplica } = await readServerRole(pool)
  if (!isReplica) return ok(`${place} answers`)
  return fail(
    `${place} is a replica, which does not accept writes`,
    'set DATABASE_URL to its primary, and DATABASE_READ_URL to this replica',
  )
}

/** Resolves to the checks of a reachable database. */
export async function checkDatabase(pool: Pool, place: string): Promise<Check[]> {
  const before = new Date()
  const state = await readServerState(pool)
  const between = [before, new Date()] as const
  return [
    { name: 'database', ...(await checkWrites(pool, place)) },
    { name: 'version', ...checkVersion(state) },
    { name: 'pooler', ...checkPooler(pool) },
    { name: 'durability', ...checkDurability(state) },
    { name: 'clock', ...checkClock(state, between) },
    { name: 'schema', ...(await checkSchema(pool)) },
    { name: 'collation', ...checkCollation(await readCollation(pool)) },
  ]
}

async function listenOnce(host: string, port: number): Promise<string | undefined> {
  const server = createServer()
  return new Promise((done) => {
    server.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message))
    server.listen(port, host, () => server.close(() => done(undefined)))
  })
}

export async function checkPort(host: string, port: number): Promise<Finding> {
  if (port === 0) return ok('a free port is chosen')
  const place = `${host} port ${port}`
  const code = await listenOnce(host, port)
  if (code === undefined) return ok(`${place} is free`)
  if (code !== 'EADDRINUSE') return fail(`${place}: ${code}`, 'choose another --host or --port')
  const local = ['0.0.0.0', '::'].includes(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host
  const signal = AbortSignal.timeout(2_000)
  const answer = await fetch(`http://${local}:${port}/livez`, { signal }).catch(() => undefined)
  const isOurs = answer?.headers.has('x-request-id') === true
  return isOurs
    ? ok(`${place} is in use by Tillgate`)
    : warn(`${place} is in use by another program`, 'choose another --port')
}
