import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { databaseSettings, settings, type Config } from '../config.ts'
import {
  DatabaseWentBack,
  isRefused,
  isUnavailable,
  openPool,
  timelines,
  type Connection,
  type Pool,
} from '../store/db/database.ts'
import { DatabaseOfAnotherLineage } from '../store/db/migration-lineage.ts'
import { DatabaseHidesRows, DatabaseIsWorker, DatabaseOfOthers, DatabaseTooNew } from '../store/db/migrations.ts'
import { within } from '../store/db/patience.ts'
import { sqlState } from '../store/db/sql-state.ts'
import { DatabaseUrlRefused } from '../store/db/driver/database-url.ts'
import {
  findInstallation,
  mayMakeTables,
  readServerState,
  supportedVersions,
  type ServerState,
} from '../store/db/server.ts'
import { findConnection, hidePassword, migrateDirectly } from './database-connection.ts'
import { loadTimelines, type Kept } from './acknowledged.ts'
import { CliError } from './errors.ts'
import { findUnit } from './unit.ts'

export type DatabaseConfig = Pick<Config, (typeof databaseSettings)[number]>

export type Database = {
  pool: Pool
  connection: Connection
  /** Where the data is, as shown in messages: a directory, or a URL without its password. */
  place: string
  /** Directory of the embedded server's files; null for an external database. */
  directory: string | null
  /** Where the verified heads of journals are stored, and by default the acknowledged ones; null if not configured. */
  heads: string | null
  /** Where the acknowledged heads of journals are stored; null if the server does not identify its database. */
  kept: Kept | null
  /** Whether it is the embedded server of the data directory. */
  embedded: boolean
  /** Whether this process started the embedded server; if it was already running, its notices have been shown. */
  started: boolean
  /** Notices for the operator from the start of the embedded server. */
  notices: string[]
  /** Migrations that were applied when it was opened. */
  applied: string[]
  /** Restarts the embedded server if it has ended; resolves to whether it did. */
  revive(): Promise<boolean>
  /** Ends the pool, and the embedded server unless another process still uses it. */
  close(): Promise<void>
}

export type OpenOptions = {
  signal?: AbortSignal
  /** False leaves the tables unchanged; by default they are migrated. */
  migrates?: boolean
  /** False refuses a data directory without a database; by default one is created there. */
  creates?: boolean
  /** True bypasses a pooler if a direct URL is set: for long transactions, and work that only a coordinator does. */
  direct?: boolean
  /** True creates an embedded database where an earlier one is missing. */
  replacesLost?: boolean
  /** True also opens a server on an older timeline, after the decision to continue with it. */
  acceptsOlder?: boolean
  /** Called while the embedded server starts, for other work: once, several times, or not at all. */
  meanwhile?: () => void
  /** How long to wait for a database that is unavailable or recovering; by default not at all. */
  waitMs?: number
  /** Called once when the wait begins, with the reason. */
  onWait?: (error: Error) => void
  /** Once the database is open, every query of the pool is answered or rejected within this time; by default there is no limit. */
  deadlineMs?: number
}

/** Milliseconds between two attempts to reach an unavailable database. */
const attemptEveryMs = 250

/** Milliseconds after which a database that accepts a connection but does not answer counts as unavailable. */
const silenceMs = 5_000

type Server = Pick<Database, 'connection' | 'place' | 'directory' | 'embedded' | 'started' | 'notices' | 'revive'> & {
  release(): Promise<unknown>
}

async function findServer(config: DatabaseConfig, open: OpenOptions): Promise<Server> {
  const { dataDir, pgBin, databaseUrl, databaseDirectUrl: directUrl } = config
  if (databaseUrl !== null) {
    const own = {
      directory: null,
      embedded: false,
      started: false,
      notices: [],
      revive: async () => false,
      release: async () => {},
    }
    const past = directUrl === null ? {} : { direct: { url: directUrl } }
    const url = open.direct === true ? (directUrl ?? databaseUrl) : databaseUrl
    return { ...own, connection: { url, ...past }, place: hidePassword(url) }
  }
  // Loaded only here, because it is not needed with an external database.
  const { hasEmbeddedDatabase, openEmbeddedDatabase } = await import('../embedded/database.ts')
  if (open.creates === false && !(await hasEmbeddedDatabase(dataDir))) {
    throw new CliError(
      'database_missing',
      `there is no database in ${resolve(dataDir)}: set --data-dir or DATABASE_URL; ` +
        'serve, demo, import, restore, location create and location import create one',
    )
  }
  const unit = findUnit()
  // No directory was named, so the directory of the service is meant, not a new one in the current directory.
  if (unit !== undefined && dataDir === settings.dataDir.default && !(await hasEmbeddedDatabase(dataDir))) {
    throw new CliError(
      'service_elsewhere',
      `Tillgate runs as a service on this machine (${unit}), and this command would create a second, empty database in ${resolve(dataDir)}: ` +
        'set the --data-dir or DATABASE_URL of the service, or another --data-dir for a second database',
    )
  }
  const { signal, meanwhile } = open
  const options = { ...(signal && { signal }), pgBin, meanwhile, replacesLost: open.replacesLost === true }
  let server = await openEmbeddedDatabase(dataDir, options)
  return {
    connection: server.connection,
    place: resolve(dataDir),
    directory: server.directory,
    embedded: true,
    started: server.started,
    notices: server.notices,
    revive: async () => {
      if (await server.isRunning()) return false
      const former = server
      server = await openEmbeddedDatabase(dataDir, options)
      // Releases this process's claim on the server that died; the new server is already claimed.
      await former.release()
      return true
    },
    release: () => server.release(),
  }
}

/** SQLSTATEs of an account without access: refused, or without a schema that it may use. */
const closedStates = new Set<unknown>(['42501', '3F000'])

/** Returns the rights that an account without permission to create tables must request; undefined for another error. */
async function adviseOnRights(pool: Pool, error: unknown): Promise<string | undefined> {
  if (!closedStates.has(sqlState(error)) || (await mayMakeTables(pool).catch(() => true))) return undefined
  return 'the owner must run: grant usage, create on schema public to <account>'
}

function toCliError(error: unknown, place: string, advice: string | undefined): unknown {
  if (error instanceof CliError || !(error instanceof Error)) return error
  if (error instanceof DatabaseWentBack) return new CliError('database_went_back', error.message, { cause: error })
  if (error instanceof DatabaseUrlRefused) return new CliError('config_invalid', error.message, { cause: error })
  if (
    [DatabaseTooNew, DatabaseIsWorker, DatabaseOfOthers, DatabaseHidesRows, DatabaseOfAnotherLineage].some(
      (known) => error instanceof known,
    )
  )
    return error
  const said = error.message || String((error as NodeJS.ErrnoException).code)
  const reason = advice === undefined ? said : `${said}: ${advice}`
  const [code, words] =
    isUnavailable(error) && !isRefused(error)
      ? (['database_unavailable', 'cannot be reached'] as const)
      : (['database_error', 'cannot be used'] as const)
  return new CliError(code, `the database ${place} ${words}: ${reason}`, { cause: error })
}

/** Explains an error of a command's database, which is still open. */
export async function explain(pool: Pool, error: unknown, place: string): Promise<unknown> {
  return toCliError(error, place, await adviseOnRights(pool, error))
}

/** Returns where programs of this account store state (XDG Base Directory Specification); null without a home. */
function stateDirectory(): string | null {
  try {
    return join(process.env['XDG_STATE_HOME'] || join(homedir(), '.local/state'), 'tillgate')
  } catch {
    return null
  }
}

/** Finds where heads are stored, by default in a directory of the installation: an account may use many databases. */
async function findKept(pool: Pool, below: string | null, heads: string | null): Promise<Kept | null> {
  if (heads !== null) return { heads, timelines: heads }
  if (below === null) return null
  const installation = await findInstallation(pool)
  return installation === null ? null : { heads: join(below, 'databases', installation), timelines: below }
}

/** Resolves to what the server reports about itself once it answers. */
async function firstAnswer(pool: Pool, { waitMs = 0, onWait, signal }: OpenOptions): Promise<ServerState> {
  const deadline = performance.now() + waitMs
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await within(silenceMs, readServerState(pool))
    } catch (error) {
      if (
        !isUnavailable(error) ||
        isRefused(error) ||
        error instanceof DatabaseWentBack ||
        performance.now() >= deadline
      )
        throw error
      if (isFirst) onWait?.(error as Error)
      await delay(attemptEveryMs)
      signal?.throwIfAborted()
    }
  }
}

/**
 * Opens the database that DATABASE_URL names, otherwise the embedded one of the data directory, and migrates its
 * tables. Throws errors that `reportError` can explain; after an error nothing stays open.
 */
export async function openDatabase(config: DatabaseConfig, options: OpenOptions = {}): Promise<Database> {
  const given = config.headsDir ?? stateDirectory()
  const keptBelow = given === null ? null : resolve(given)
  if (options.acceptsOlder === true) timelines.acceptAll()
  else if (config.databaseUrl !== null && keptBelow !== null) await loadTimelines(keptBelow)
  const server = await findServer(config, options)
  const { place, directory, embedded, started, notices } = server
  let { connection } = server
  const open = (limit: { deadlineMs?: number } = {}) =>
    openPool(connection, { connections: config.dbConnections, pipelining: config.dbPipelining, ...limit })
  let pool = open()
  const close = async () => {
    await pool.end({ timeout: 2 }).catch(() => {})
    await server.release()
  }
  try {
    const { version, major, encoding } = await firstAnswer(pool, options)
    if (major < supportedVersions.from) {
      const { from, to } = supportedVersions
      throw new CliError('database_too_old', `PostgreSQL ${from} to ${to} is required; ${place} has ${version}`)
    }
    if (encoding !== 'UTF8') {
      const advice = "create one with: create database tillgate encoding 'UTF8' template template0"
      throw new CliError('database_error', `the database ${place} has the encoding ${encoding}, not UTF8: ${advice}`)
    }
    if (!embedded) connection = await findConnection(pool, config)
    if (connection !== server.connection) {
      await pool.end({ timeout: 2 })
      pool = open()
    }
    const applied = options.migrates === false ? [] : await migrateDirectly(pool)
    if (options.deadlineMs !== undefined) {
      // A migration may take any time; later queries have a deadline.
      await pool.end({ timeout: 2 })
      pool = open({ deadlineMs: options.deadlineMs })
    }
    const heads = directory ?? config.headsDir
    return {
      pool,
      connection,
      place,
      directory,
      heads,
      kept: await findKept(pool, keptBelow, heads),
      embedded,
      started,
      notices,
      applied,
      revive: () => server.revive(),
      close,
    }
  } catch (error) {
    const explained = await explain(pool, error, place)
    await close().catch(() => {})
    options.signal?.throwIfAborted()
    throw explained
  }
}
