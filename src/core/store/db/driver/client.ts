import type { Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { Client } from 'pg'
import { sqlState } from '../sql-state.ts'
import { readDatabaseUrl, type Host, type Target } from './database-url.ts'
import { findPassword } from './passfile.ts'
import { DatabaseWentBack, timelines } from './timelines.ts'
import { types } from './values.ts'

/**
 * The pooler in front of the database. `none`: not detected. Others give each transaction any server connection: with
 * `prepared`, named statements work on all of them; with `plain`, statements must have no names.
 */
export type Pooler = 'none' | 'prepared' | 'plain'

/** How to reach a database: by a `postgres://` URL, or by the parts of a local server. */
export type Connection = (
  | { url: string }
  | { host: string; port: number; user: string; password: string; database: string }
) & {
  /** The default is `none`. */
  pooler?: Pooler
  /** The same database without the pooler, or the coordinator of a cluster: for what needs a session, and for migrations. */
  direct?: Connection
  /** A read-only copy. Its timeline is not recorded, because it does not show which server is current. */
  isCopy?: true
}

/** Reads the connection parameters. Environment variables complete a URL, but not the parts of a local server. */
function targetOf(connection: Connection): Target {
  if ('url' in connection) return readDatabaseUrl(connection.url)
  const { host, port, user, password, database } = connection
  return {
    hosts: [{ host, port }],
    user,
    password,
    database,
    tls: [false],
    isDirectTls: false,
    attributes: 'any',
    connectTimeoutMs: 10_000,
    startup: { application_name: 'tillgate' },
  }
}

/** Settings for the format of answers; a pooler passes both on. */
const forms = { DateStyle: 'ISO', TimeZone: 'UTC' }

export type Opening = {
  /** Milliseconds to wait for the connection, at most the timeout of the target. */
  timeoutMs?: number
  /** Sent at the beginning of the session, in addition to those of the target. */
  startup?: Readonly<Record<string, string>>
  /**
   * Set by a statement after the session has begun. Behind a pooler, such settings stay on the server connection and reach its next
   * user.
   */
  settings?: Readonly<Record<string, string>>
  /** Makes the socket, if something other than `pg` reads what arrives. */
  socket?: (isTls: boolean) => Socket | undefined
  /** The server is a copy, which does not show which server is current. */
  isCopy?: boolean
}

/** Returns the password; called for each connection, so that a changed password in a file is used. */
function passwordOf({ password, passfile, database, user }: Target, host: Host): string {
  return password !== '' || passfile === undefined ? password : findPassword(passfile, host, { database, user })
}

/** A client that sets every option, so that `pg` reads no environment variables. */
class OwnClient extends Client {
  readonly #startup: Readonly<Record<string, string>>

  constructor(target: Target, host: Host, tls: ConnectionOptions | false, opening: Opening) {
    const socket = opening.socket?.(tls !== false)
    super({
      ...host,
      user: target.user,
      database: target.database,
      // A function, because for an empty password `pg` would look elsewhere.
      password: () => passwordOf(target, host),
      ssl: tls,
      sslnegotiation: tls !== false && target.isDirectTls ? 'direct' : 'postgres',
      connectionTimeoutMillis: Math.min(target.connectTimeoutMs, opening.timeoutMs ?? Infinity),
      keepAlive: true,
      keepAliveInitialDelayMillis: 60_000,
      pipeline: true,
      types,
      ...(socket ? { stream: () => socket } : {}),
    })
    this.#startup = { user: target.user, database: target.database, ...target.startup, ...forms, ...opening.startup }
  }

  getStartupConf(): Readonly<Record<string, string>> {
    return this.#startup
  }
}

/** The server is not of the required kind. */
class OtherServer extends Error {
  readonly code = 'CONNECTION_REFUSED'

  constructor({ host, port }: Host, attributes: string) {
    super(`${host}:${port} does not match target_session_attrs=${attributes}`)
  }
}

/**
 * Adds a code to errors for which `pg` has only a message: a connection ended, was not accepted in time, or could not
 * be authenticated. Every error without a code counts as one of these.
 */
function asConnectionError(error: unknown): unknown {
  if (!(error instanceof Error) || 'code' in error) return error
  const code = error.message.startsWith('SASL') ? '28P01' : 'CONNECTION_CLOSED'
  if (error.message === 'timeout expired') error.message = 'the database did not accept the connection in time'
  return Object.assign(error, { code })
}

async function suits(client: Client, attributes: Target['attributes']): Promise<boolean> {
  if (attributes === 'any') return true
  const { rows } = await client.query<{ standby: boolean; readonly: boolean }>(
    `select pg_is_in_recovery() as standby, current_setting('transaction_read_only')::boolean as readonly`,
  )
  const [{ standby, readonly }] = rows as [{ standby: boolean; readonly: boolean }]
  if (attributes === 'read-write') return !readonly
  if (attributes === 'read-only') return readonly
  return attributes === 'primary' ? !standby : standby
}

/** For a statement with more than one look-up in one table, Citus plans for the values and refuses generic plans. */
const unlessCitus = `where not exists (select from pg_extension where extname = 'citus')`

const settingText = (name: string) =>
  `select set_config('${name}', $1, false) ${name === 'plan_cache_mode' ? unlessCitus : ''}`

async function openAt(target: Target, host: Host, tls: ConnectionOptions | false, opening: Opening): Promise<Client> {
  const client = new OwnClient(target, host, tls, opening)
  client.on('error', () => {})
  try {
    await client.connect()
    if (!(await suits(client, target.attributes))) throw new OtherServer(host, target.attributes)
    if (!opening.isCopy) await timelines.admit(client, isOfFileSystem(host) ? host.host : `${host.host}:${host.port}`)
    const settings = Object.entries(opening.settings ?? {})
    await Promise.all(settings.map(([name, value]) => client.query(settingText(name), [value])))
    return client
  } catch (error) {
    // Not awaited: an unresponsive peer would not confirm the end.
    client.end().catch(() => {})
    destroy(client)
    throw asConnectionError(error)
  }
}

/** Ends a connection at once, without notice. Its work in progress is rejected. */
export function destroy(client: Client, reason?: Error): void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  stream.destroy(reason)
}

/** Returns whether the login was refused: a wrong password is wrong everywhere; libpq tries no other server either. */
const isRefusedEverywhere = (error: unknown) => String(sqlState(error)).startsWith('28')

const isOfFileSystem = ({ host }: Host) => host.startsWith('/')

async function openInOrder(
  target: Target,
  order: readonly Host[],
  opening: Opening,
): Promise<{ client: Client; at: Host }> {
  let fault: unknown
  for (const at of order) {
    for (const tls of isOfFileSystem(at) ? [false as const] : target.tls) {
      try {
        return { client: await openAt(target, at, tls, opening), at }
      } catch (error) {
        // If several hosts fail, `DatabaseWentBack` takes precedence, because the operator must know of it.
        fault = fault instanceof DatabaseWentBack ? fault : error
        if (isRefusedEverywhere(error)) throw error
      }
    }
  }
  throw fault
}

/** Opens connections to one database, which may have several hosts: the one that answered last is tried first. */
export class Opener {
  readonly #connection: Connection
  readonly #startup: Readonly<Record<string, string>>
  #target: Target | undefined
  #last: Host | undefined

  /** `startup` are parameters of every session, in addition to those of the connection. */
  constructor(connection: Connection, startup: Readonly<Record<string, string>> = {}) {
    this.#connection = connection
    this.#startup = startup
  }

  /** The target, read on first use. Throws `DatabaseUrlRefused`. */
  get target(): Target {
    if (this.#target) return this.#target
    const target = targetOf(this.#connection)
    return (this.#target = { ...target, startup: { ...target.startup, ...this.#startup } })
  }

  /**
   * Resolves to a ready session on the first server that answers and is of the required kind. Rejects with the error of
   * the network or of the last server.
   */
  async open(opening: Opening = {}): Promise<Client> {
    const { target } = this
    const last = this.#last
    const order = last ? [last, ...target.hosts.filter((host) => host !== last)] : target.hosts
    const ofThis = { ...opening, isCopy: this.#connection.isCopy === true }
    const [first, then] =
      target.attributes === 'prefer-standby' ? (['standby', 'any'] as const) : [target.attributes, undefined]
    const opened = await openInOrder({ ...target, attributes: first }, order, ofThis).catch((error: unknown) => {
      if (then === undefined) throw error
      return openInOrder({ ...target, attributes: then }, order, ofThis)
    })
    this.#last = opened.at
    return opened.client
  }
}
