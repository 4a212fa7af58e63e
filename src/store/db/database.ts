import postgres from 'postgres'
import { mendDriver } from './driver-mending.ts'
import { types, type Types } from './driver-types.ts'
import { Endings, openSocket, Places, type SocketOptions } from './driver-sockets.ts'
import { limitOf } from './patience.ts'
import { sqlState } from './sql-state.ts'
import { sendInTurn, Turns } from './turns.ts'
import { traced } from '../../tracing.ts'

/** Is a pool, or a transaction of it. Store functions take it first and run on either. */
export type Sql = postgres.ISql<Types>

/**
 * `from` says how it reaches the database, and `ssl` whether it asks for TLS, in the driver's words. Where nothing may be
 * pipelined, queries and transactions take `turns`.
 */
export type Pool = postgres.Sql<Types> & {
  readonly from: Connection
  readonly ssl: SocketOptions['ssl']
  readonly turns?: Turns
}

export type Transaction = postgres.TransactionSql<Types>

/**
 * Says what stands between us and the database: nothing that we could detect, or a pooler that gives each transaction a
 * server connection of its choice. `prepared` knows named statements on all of them; with `plain` statements have no
 * names.
 */
export type Pooler = 'none' | 'prepared' | 'plain'

/** Says how to reach a database: by a `postgres://` URL, or by the parts of a local server. */
export type Connection = (
  | { url: string }
  | { host: string; port: number; user: string; password: string; database: string }
) & {
  /** When omitted, there is none. */
  pooler?: Pooler
  /** The same database past the pooler, or the coordinator of a cluster: for what needs a session, and for migrations. */
  direct?: Connection
}

/**
 * Returns the pooler of a pool's connections. A pooler hands session settings on to other clients, and forgets ours.
 */
export const poolerOf = ({ from }: Pool): Pooler => from.pooler ?? 'none'

export type DatabaseOptions = {
  connections: number
  /** Off for poolers that cannot pipeline: each connection then carries one query at a time. */
  pipelining: boolean
  /** Settings of the server, which no pooler would keep. */
  session?: Readonly<Record<string, string>>
}

const placeOf = ({ host, port, user, password, database }: Exclude<Connection, { url: string }>) => {
  return { host, port, user, password, database }
}

/** Opens a pool; connects on first use. `await pool.end()` closes it. */
export function openPool(connection: Connection, { connections, pipelining, session }: DatabaseOptions): Pool {
  // Such a pooler lets go of the server at the answer before, and what was sent behind it up to a Flush, as the driver
  // sends what it has to describe first, is answered to nobody: the query hangs (decision 0040).
  const isPlain = connection.pooler === 'plain'
  const options: postgres.Options<{ [Name in keyof Types]: postgres.PostgresType<Types[Name]> }> & {
    max_pipeline: number
  } = {
    max: connections,
    prepare: !isPlain,
    connect_timeout: 10,
    // In seconds. The driver's default backs off to 20 s, so queries would keep waiting after the database is back.
    backoff: (retries) => Math.min(2 ** retries / 100, 0.5),
    idle_timeout: 0,
    // A `begin` that is the last of so many is sent, and the driver then forgets whose the connection is: the transaction fails
    // and stays open, with the queries of others in it (decision 0090).
    max_pipeline: Infinity,
    max_lifetime: null,
    onnotice: () => {},
    connection: { application_name: 'tillgate', TimeZone: 'UTC', ...session },
    types,
    // Else the driver asks for the array types on connecting, and a connection that ends meanwhile ends the process.
    fetch_types: false,
  }
  const open = (more: object) =>
    'url' in connection
      ? postgres(connection.url, { ...options, ...more })
      : postgres({ ...options, ...placeOf(connection), ...more })
  // Opened for what it reads from the URL and the environment; it connects on first use.
  const read = open({}).options as unknown as SocketOptions
  const endings = new Endings()
  const places = new Places()
  // The driver's own TLS would be added to ours.
  const sockets = { ssl: false, socket: () => openSocket(read, endings, places) }
  const opened = Object.assign(open(sockets), { from: connection, ssl: read.ssl })
  if (pipelining && !isPlain) return mendDriver(opened, endings)
  // With as many turns as connections nothing is sent behind anything: the driver takes a connection that is free. Within
  // a transaction the server is ours to its end.
  const turns = new Turns(connections)
  const pool = mendDriver(Object.assign(opened, { turns }), endings)
  return sendInTurn(pool, turns, pipelining ? undefined : () => new Turns(1))
}

/** Is told of transactions, for the metrics. */
export type PoolWatcher = {
  /** From asking for a transaction to its begin, in milliseconds. */
  waited(ms: number): void
  retried(sqlState: string): void
}

const watchers = new WeakMap<Pool, PoolWatcher>()

/** From now on the watcher is called for each transaction of this pool; it must be quick and not throw. */
export function watchPool(pool: Pool, watcher: PoolWatcher): void {
  watchers.set(pool, watcher)
}

/**
 * The database is away, full of connections, or gave no answer in time, whatever we asked: the caller may try again
 * later. 57014 is a statement that its operator, or a time limit of the server, has ended.
 */
export function isUnavailable(error: unknown): boolean {
  const code = sqlState(error)
  if (typeof code !== 'string') return false
  return /^(08...|57P0[1-5]|57014|53300|25006|COMMIT_REFUSED|DEADLINE_PASSED)$/.test(code) || driverCodes.test(code)
}

/** The database answers, and has no disk or memory left for what we asked, or a disk that fails. */
export function isFull(error: unknown): boolean {
  const code = sqlState(error)
  return typeof code === 'string' && /^(53[012]00|58030)$/.test(code)
}

const driverCodes =
  /^(CONNECTION_(CLOSED|ENDED|DESTROYED)|CONNECT_TIMEOUT|ECONN(REFUSED|RESET)|ENOENT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ETIMEDOUT)$/

/**
 * Returns whether a query failed because the connection is gone, or about to be: the server ends it after 57P01 and
 * 57P02. Only errors of queries carry `query`; the same codes can come from a file or a pipe that the work writes to.
 */
function isConnectionLost(error: unknown): boolean {
  const code = sqlState(error)
  const isOfQuery = typeof error === 'object' && error !== null && 'query' in error
  return isOfQuery && typeof code === 'string' && (/^57P0[12]$/.test(code) || driverCodes.test(code))
}

/**
 * The database did not say that it committed: what the transaction wrote is not stored, or nobody can tell. It counts as
 * unavailable, so the caller sends again.
 */
class CommitRefused extends Error {
  readonly code = 'COMMIT_REFUSED'

  constructor(answer: string) {
    super(`the database answered COMMIT with ${answer}`)
  }
}

/**
 * Makes the error to throw for a COMMIT that was answered with something else. Unless that is ROLLBACK, answers are out
 * of step and the connection is ended; the server ends that of the driver.
 */
export function refuseAnswer(on: Sql | { giveUp(reason: Error): void }, answer: string): Error {
  const refused = new CommitRefused(answer || 'nothing')
  if (answer === 'ROLLBACK') return refused
  if ('giveUp' in on) on.giveUp(refused)
  else on.unsafe('select pg_terminate_backend(pg_backend_pid())').catch(() => {})
  return refused
}

/**
 * Ends the transaction and proves that it ended well: PostgreSQL answers COMMIT with ROLLBACK, and without an error, when
 * there was nothing left to commit, and whatever stands between may answer what it likes (decision 0027).
 */
async function commit(tx: Transaction): Promise<void> {
  const { command } = await tx.unsafe('commit')
  if (command !== 'COMMIT') throw refuseAnswer(tx, command)
}

/**
 * Runs a transaction whose good end is ours. The driver would send `commit` as a named statement, which poolers lose,
 * and takes any answer for a yes; so it never learns that the work ended well. It gets its connection back when the server says
 * that no transaction is open. When the connection is gone it rejects by itself, and nothing more may be sent: the
 * driver would write to a socket that is null, in a tick of its own, and so end the process. On a pool with a deadline a
 * transaction that is late is rejected, and rolled back when it comes to its end.
 */
function begin<T>(pool: Pool, mode: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const askedMs = performance.now()
  let late: Error | undefined
  const limit = limitOf(pool)
  const asked = { fail: (error: Error) => reject((late = error)) }
  const waiting = limit?.begin(asked)
  const never = new Promise<never>(() => {})
  const run = async (tx: Transaction) => {
    watchers.get(pool)?.waited(performance.now() - askedMs)
    let result: T
    try {
      result = await work(tx)
      if (late) throw late
    } catch (error) {
      if (isConnectionLost(error)) return never
      // The driver rolls back, and tells the first error where ours only says that the transaction is aborted (25P02).
      throw error
    }
    commit(tx).then(() => resolve(result), reject)
    return never
  }
  const start = async () => {
    const end = pool.turns && (await pool.turns.take())
    if (end) promise.then(end, end)
    if (!late) await pool.begin(mode, run)
  }
  start().catch(reject)
  return promise.finally(() => waiting && limit?.end(waiting))
}

/**
 * Names the errors of a collision: deadlock, serialisation failure, and a key that another transaction has just taken.
 * While a shard of a cluster moves, a row that was locked at the old place is not at the new one, and the journal's key
 * tells the second writer of a number. CIINF is Citus's own: the shard moved between reading rows and writing them to
 * it.
 */
const collisions: ReadonlySet<unknown> = new Set(['40P01', '40001', '23505', 'CIINF'])

/**
 * Runs one transaction, again from the start when it collided with another one (SQL rule 12). Resolves only when
 * the database has said COMMIT; throws `CommitRefused` when it said anything else.
 */
export async function transact<T>(pool: Pool, work: (tx: Transaction) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await traced('transaction', () => begin(pool, '', work))
    } catch (error) {
      const code = sqlState(error)
      if (!collisions.has(code) || attempt === 5) throw error
      watchers.get(pool)?.retried(String(code))
    }
  }
}

/** Carries what a transaction came to out of it, so that it is rolled back. */
class Rehearsed<T> extends Error {
  readonly outcome: T

  constructor(outcome: T) {
    super('rolled back: it was a rehearsal')
    this.outcome = outcome
  }
}

/** Resolves to what a transaction would come to: it runs as in `transact`, and is rolled back. */
export async function rehearse<T>(pool: Pool, work: (tx: Transaction) => Promise<T>): Promise<T> {
  try {
    return await transact<never>(pool, async (tx) => {
      throw new Rehearsed(await work(tx))
    })
  } catch (error) {
    if (error instanceof Rehearsed) return error.outcome as T
    throw error
  }
}

/**
 * Plans each statement of this transaction once per connection and not for its values. With values in sight PostgreSQL
 * looks up a handful of ids by reading the whole location, as long as a table was never analysed. Not on Citus, which
 * plans for the values of each statement that is more than one look at one table, and refuses to do without.
 */
export async function reusePlans(tx: Transaction): Promise<void> {
  await tx`
    select set_config('plan_cache_mode',
      case when current_setting('citus.version', true) is null then 'force_generic_plan' else 'auto' end, true)`
}

/** Runs reads that must agree with each other: all see the database as it is at the first of them. */
export async function snapshot<T>(pool: Pool, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return begin(pool, 'isolation level repeatable read read only', work)
}
