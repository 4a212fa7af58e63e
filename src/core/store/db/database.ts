import { onCitus } from './citus.ts'
import { Opener, type Connection, type Pooler } from './driver/client.ts'
import { Connections } from './driver/connections.ts'
import { listen, type Listening } from './driver/listening.ts'
import type { Session } from './driver/session.ts'
import { makeSql, prepared, type Prepared, type Row, type Sql } from './driver/sql.ts'
import { isStale } from './driver/stale-statements.ts'
import { toParameter, type Value } from './driver/values.ts'
import { sqlState } from './sql-state.ts'
import { traced } from '../../tracing.ts'

export type { Connection, Pooler } from './driver/client.ts'
export { DatabaseWentBack, timelines } from './driver/timelines.ts'
export type { Expression, Sql } from './driver/sql.ts'

/** Connections to a database. Each statement runs by itself, on any of them. */
export type Pool = Sql & {
  /** How to reach the database. */
  readonly from: Connection
  readonly opener: Opener
  readonly connections: Connections
  /**
   * Runs one prepared statement, which is a transaction of its own, and resolves to its rows once it is committed. Ends
   * the connection if the rows fail `isAnswer`, or if the answer is that of another command.
   */
  prove<Rows extends readonly object[]>(
    text: string,
    parameters: readonly Value[],
    isAnswer: (rows: Rows) => boolean,
  ): Promise<Rows>
  /** Waits for work in progress, at most this many seconds. */
  end(options?: { timeout?: number }): Promise<void>
  /** Receives every NOTIFY of a channel, over a connection that runs no statements. */
  listen(channel: string, hear: (payload: string) => void): Promise<Listening>
}

/** Statements of one transaction, in the order in which they are sent. */
export type Transaction = Sql & { readonly transaction: true }

/** Returns the pooler of a pool's connections. A pooler passes session settings on to other clients, and loses ours. */
export const poolerOf = ({ from }: Pool): Pooler => from.pooler ?? 'none'

export type DatabaseOptions = {
  connections: number
  /** Off for poolers that cannot pipeline: each connection then carries one query at a time. */
  pipelining: boolean
  /**
   * Each statement and each transaction is answered within this many milliseconds, or rejected with `DeadlinePassed`
   * and rolled back unless its COMMIT was sent. Without it there is no time limit.
   */
  deadlineMs?: number
  /** Settings of the session, which poolers do not keep. */
  session?: Readonly<Record<string, string>>
}

/** Opens a pool, which connects on first use. If the URL is unusable, that use throws `DatabaseUrlRefused`. */
export function openPool(connection: Connection, options: DatabaseOptions): Pool {
  const { connections: most, pipelining, deadlineMs, session } = options
  const opener = new Opener(connection, session)
  const isPlain = connection.pooler === 'plain'
  const settings = (connection.pooler ?? 'none') === 'none' ? { array_nulls: 'on' } : {}
  const connections = new Connections({
    most,
    // A `plain` pooler gives each transaction another server connection: pipelined statements would get no answer.
    isShared: pipelining && !isPlain,
    isPipelined: pipelining,
    isNamed: !isPlain,
    deadlineMs,
    open: () => opener.open({ settings }),
  })
  const ask = async (statement: Prepared, parameters: readonly unknown[]) => {
    const once = () => connections.use(false, (session) => session.ask(statement, parameters))
    return once().catch((error: unknown) => {
      if (!isStale(error)) throw error
      return once()
    })
  }
  return Object.assign(makeSql(ask), {
    from: connection,
    opener,
    connections,
    prove: async <Rows extends readonly object[]>(
      text: string,
      parameters: readonly Value[],
      isAnswer: (rows: Rows) => boolean,
    ) => {
      const statement = { ...prepared(text), isAnswer: (rows: Row[]) => isAnswer(rows as unknown as Rows) }
      return (await ask(statement, parameters.map(toParameter))) as unknown as Rows
    },
    end: ({ timeout = Infinity } = {}) => connections.end(timeout * 1000),
    listen: (channel: string, hear: (payload: string) => void) => listen(opener, channel, hear),
  })
}

/** Receives measurements of transactions, for the metrics. */
export type PoolWatcher = {
  /** Called with the milliseconds from requesting a transaction to its beginning. */
  waited(ms: number): void
  retried(sqlState: string): void
}

const watchers = new WeakMap<Pool, PoolWatcher>()

/** Calls the watcher for each later transaction of this pool; it must be quick and not throw. */
export function watchPool(pool: Pool, watcher: PoolWatcher): void {
  watchers.set(pool, watcher)
}

/**
 * Returns whether the error could hit any query, so the caller may try again later: the database is unavailable, has no
 * free connection, does not answer in time, or denies us access. 57014 means ended by an operator or a time limit of
 * the server.
 */
export function isUnavailable(error: unknown): boolean {
  const code = sqlState(error)
  if (typeof code !== 'string') return false
  return /^(08...|57P0[1-5]|57014|53300|25006|55000|58P01)$/.test(code) || ownCodes.test(code) || isRefused(error)
}

const ownCodes =
  /^(COMMIT_REFUSED|DATABASE_WENT_BACK|ANSWER_OF_ANOTHER|DEADLINE_PASSED|CONNECTION_(CLOSED|REFUSED)|ECONN(REFUSED|RESET)|ENOENT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ETIMEDOUT)$/

/** Returns whether the database refuses access: a password or right was changed, or the database dropped or renamed. */
export function isRefused(error: unknown): boolean {
  const code = sqlState(error)
  return typeof code === 'string' && /^(28...|42501|3D000|3F000)$/.test(code)
}

/** Returns whether the database has no disk space or memory left for the query, or its disk fails. */
export function isFull(error: unknown): boolean {
  const code = sqlState(error)
  return typeof code === 'string' && /^(53[012]00|58030)$/.test(code)
}

/**
 * The database did not confirm the commit, so the transaction may or may not be stored. Counts as an unavailable
 * database: the caller sends again.
 */
class CommitRefused extends Error {
  readonly code = 'COMMIT_REFUSED'

  constructor(answer: string) {
    super(`the database answered COMMIT with ${answer}`)
  }
}

const commitText: Prepared = { text: 'commit', named: false, commands: undefined }
const rollbackText: Prepared = { text: 'rollback', named: false, commands: ['ROLLBACK'] }

/**
 * Ends the transaction and verifies that it was committed. PostgreSQL answers COMMIT with ROLLBACK, without an error,
 * if there was nothing left to commit, and a pooler may answer anything (docs/inside/02-write-path.md).
 */
async function commit(session: Session): Promise<void> {
  const { command } = await session.answer(commitText, [])
  if (command === 'COMMIT') return
  const refused = new CommitRefused(command ?? 'nothing')
  // Any other command means that the answers no longer match their statements.
  if (command !== 'ROLLBACK') session.destroy(refused)
  throw refused
}

/** Makes the object that runs a transaction's statements. After the first error, later statements fail with it. */
function makeTransaction(session: Session): { tx: Transaction; end: () => void } {
  let first: unknown
  let hasEnded = false
  const ask = async (statement: Prepared, parameters: readonly unknown[]) => {
    if (hasEnded && !session.hasEnded) throw new Error('the transaction has ended')
    try {
      return await session.ask(statement, parameters)
    } catch (error) {
      // After the first error PostgreSQL executes nothing.
      throw (first ??= error)
    }
  }
  const tx = Object.assign(makeSql(ask), { transaction: true as const })
  return { tx, end: () => (hasEnded = true) }
}

/** Runs a transaction on a connection that nothing else uses until it ends. */
async function runIn<T>(session: Session, mode: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
  await session.ask({ text: mode, named: false, commands: ['BEGIN'] }, [])
  const { tx, end } = makeTransaction(session)
  try {
    // Statements sent after the work has settled would not be part of the transaction.
    const result = await work(tx).finally(end)
    await commit(session)
    return result
  } catch (error) {
    // If the COMMIT has already been sent, ROLLBACK does no harm: without a transaction the server only warns.
    if (!session.hasEnded) await session.ask(rollbackText, []).catch((reason: Error) => session.destroy(reason))
    throw error
  }
}

function begin<T>(pool: Pool, mode: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const askedMs = performance.now()
  return pool.connections.use(true, (session) => {
    const begun = (tx: Transaction) => {
      watchers.get(pool)?.waited(performance.now() - askedMs)
      return work(tx)
    }
    return runIn(session, mode, begun)
  })
}

/**
 * The errors of a collision: deadlock, serialization failure, and a key that another transaction has just inserted.
 * While a cluster moves a shard, a lock on a row of the old shard does not cover the new one; the journal's primary key
 * then stops the second writer of a sequence. CIINF is Citus's own: the shard moved between reading and writing.
 */
const collisions: ReadonlySet<unknown> = new Set(['40P01', '40001', '23505', 'CIINF'])

/**
 * Runs one transaction, repeated from the start if it collides with another one (SQL rule 12). Resolves only when the
 * database has confirmed COMMIT; otherwise throws `CommitRefused`.
 */
export async function transact<T>(pool: Pool, work: (tx: Transaction) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await traced('transaction', () => begin(pool, 'begin', work))
    } catch (error) {
      const code = sqlState(error)
      if (!(collisions.has(code) || isStale(error)) || attempt === 5) throw error
      watchers.get(pool)?.retried(String(code))
    }
  }
}

/** Thrown by a transaction to roll it back and to pass its result on. */
class Rehearsed<T> extends Error {
  readonly outcome: T

  constructor(outcome: T) {
    super('rolled back: it was a rehearsal')
    this.outcome = outcome
  }
}

/** Resolves to the result that a transaction would have: it runs as in `transact`, and is rolled back. */
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
 * Makes PostgreSQL plan each statement of this transaction once per connection, independent of its values. Otherwise it
 * looks up a handful of ids by reading the whole location, until the table is first analyzed. Not on Citus, which
 * refuses generic plans for statements with more than one look-up in one table.
 */
export async function reusePlans(tx: Transaction): Promise<void> {
  await tx`
    select set_config('plan_cache_mode',
      case when ${onCitus(tx)} then 'auto' else 'force_generic_plan' end, true)`
}

/** Runs reads that must be consistent: all see the database as at the first of them. */
export async function snapshot<T>(pool: Pool, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return begin(pool, 'begin isolation level repeatable read read only', work)
}
