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

/** Connections to a database. Statements that are asked of it run each by itself, on any of them. */
export type Pool = Sql & {
  /** How it reaches the database. */
  readonly from: Connection
  readonly opener: Opener
  readonly connections: Connections
  /**
   * Runs one prepared statement, which is a transaction by itself, and resolves to its rows once it is committed. Rows that are no
   * answer to it end the connection, as a wrong command does.
   */
  prove<Rows extends readonly object[]>(
    text: string,
    parameters: readonly Value[],
    isAnswer: (rows: Rows) => boolean,
  ): Promise<Rows>
  /** Waits for what is under way, and so many seconds at most. */
  end(options?: { timeout?: number }): Promise<void>
  /** Hears of every NOTIFY of a channel, over a connection that no statement shares. */
  listen(channel: string, hear: (payload: string) => void): Promise<Listening>
}

/** Statements of one transaction, in the order in which they are asked. */
export type Transaction = Sql & { readonly transaction: true }

/**
 * Returns the pooler of a pool's connections. A pooler hands session settings on to other clients, and forgets ours.
 */
export const poolerOf = ({ from }: Pool): Pooler => from.pooler ?? 'none'

export type DatabaseOptions = {
  connections: number
  /** Off for poolers that cannot pipeline: each connection then carries one query at a time. */
  pipelining: boolean
  /**
   * Each statement and each transaction is answered within so many milliseconds, or rejected with `DeadlinePassed` and rolled back
   * unless its COMMIT was under way; without it all wait for as long as it takes.
   */
  deadlineMs?: number
  /** Settings of the server, which no pooler would keep. */
  session?: Readonly<Record<string, string>>
}

/** Opens a pool; connects on first use, where a URL that cannot be used is told by `DatabaseUrlRefused`. */
export function openPool(connection: Connection, options: DatabaseOptions): Pool {
  const { connections: most, pipelining, deadlineMs, session } = options
  const opener = new Opener(connection, session)
  const isPlain = connection.pooler === 'plain'
  const settings = (connection.pooler ?? 'none') === 'none' ? { array_nulls: 'on' } : {}
  const connections = new Connections({
    most,
    // Such a pooler gives each transaction another server connection, so what is sent behind it gets no answer (docs/inside/04-database.md).
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

/** Told of transactions, for the metrics. */
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
 * The database is away, full of connections, gave no answer in time, or does not let us in any more, whatever we asked: the caller
 * may try again later. 57014 is a statement that its operator, or a time limit of the server, has ended.
 */
export function isUnavailable(error: unknown): boolean {
  const code = sqlState(error)
  if (typeof code !== 'string') return false
  return /^(08...|57P0[1-5]|57014|53300|25006|55000|58P01)$/.test(code) || ownCodes.test(code) || isRefused(error)
}

const ownCodes =
  /^(COMMIT_REFUSED|DATABASE_WENT_BACK|ANSWER_OF_ANOTHER|DEADLINE_PASSED|CONNECTION_(CLOSED|REFUSED)|ECONN(REFUSED|RESET)|ENOENT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ETIMEDOUT)$/

/** The database does not let us in, or not at its tables: a password was changed, a right revoked, the database dropped or renamed. */
export function isRefused(error: unknown): boolean {
  const code = sqlState(error)
  return typeof code === 'string' && /^(28...|42501|3D000|3F000)$/.test(code)
}

/** The database answers, and has no disk or memory left for what we asked, or a disk that fails. */
export function isFull(error: unknown): boolean {
  const code = sqlState(error)
  return typeof code === 'string' && /^(53[012]00|58030)$/.test(code)
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

const commitText: Prepared = { text: 'commit', named: false, commands: undefined }
const rollbackText: Prepared = { text: 'rollback', named: false, commands: ['ROLLBACK'] }

/**
 * Ends the transaction and proves that it ended well: PostgreSQL answers COMMIT with ROLLBACK, and without an error, when
 * there was nothing left to commit, and whatever stands between may answer what it likes (docs/inside/02-write-path.md).
 */
async function commit(session: Session): Promise<void> {
  const { command } = await session.answer(commitText, [])
  if (command === 'COMMIT') return
  const refused = new CommitRefused(command ?? 'nothing')
  // With any other word answers are out of step.
  if (command !== 'ROLLBACK') session.destroy(refused)
  throw refused
}

/** Makes what the work of a transaction asks with. The first error is what each later statement fails by, and is told in its place. */
function makeTransaction(session: Session): { tx: Transaction; end: () => void } {
  let first: unknown
  let hasEnded = false
  const ask = async (statement: Prepared, parameters: readonly unknown[]) => {
    if (hasEnded && !session.hasEnded) throw new Error('the transaction has ended')
    try {
      return await session.ask(statement, parameters)
    } catch (error) {
      // From the first on PostgreSQL carries out nothing.
      throw (first ??= error)
    }
  }
  const tx = Object.assign(makeSql(ask), { transaction: true as const })
  return { tx, end: () => (hasEnded = true) }
}

/** Runs a transaction on a connection of its own until it ended. */
async function runIn<T>(session: Session, mode: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
  await session.ask({ text: mode, named: false, commands: ['BEGIN'] }, [])
  const { tx, end } = makeTransaction(session)
  try {
    // What the work asks for when it has settled would be no part of the transaction.
    const result = await work(tx).finally(end)
    await commit(session)
    return result
  } catch (error) {
    // After a COMMIT there is no transaction, and the server only warns.
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
      return await traced('transaction', () => begin(pool, 'begin', work))
    } catch (error) {
      const code = sqlState(error)
      if (!(collisions.has(code) || isStale(error)) || attempt === 5) throw error
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
      case when ${onCitus(tx)} then 'auto' else 'force_generic_plan' end, true)`
}

/** Runs reads that must agree with each other: all see the database as it is at the first of them. */
export async function snapshot<T>(pool: Pool, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return begin(pool, 'begin isolation level repeatable read read only', work)
}
