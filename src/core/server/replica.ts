import type { Config } from '../config.ts'
import { openPool, type Pool } from '../store/db/database.ts'
import { DayCountCache } from '../contract/paging/day-counts.ts'
import type { Reads } from '../contract/paging/pages.ts'
import { within } from '../store/db/patience.ts'
import { ping } from '../store/db/server.ts'
import { compareRoles, findForeignEntry } from '../store/db/replica-state.ts'
import { Reader } from '../store/db/reader/reader.ts'
import { Replica } from '../store/documents/replica.ts'
import { readConnections } from './connections.ts'
import { findConnection } from './database-connection.ts'
import type { Log } from './log.ts'

/** Milliseconds that the replica may take to answer: few, because the primary can always be used instead. */
const usualDeadlineMs = 1_000

/** Connections for the sums of pages; documents use the connections of the reader. */
const poolConnections = 2

/** Milliseconds for which the result of a check is valid. */
const lineKnownMs = 2_000

/** Milliseconds for which the result is valid while the database does not answer. */
const againMs = 10_000

export type OpenReplica = { replica: Replica; close(): Promise<void> }

type Opened = { reads: Reads; line: Line; close(): Promise<void> }

/** `deadlineMs`: how long the replica may take to answer before the primary is used. */
type ReplicaConfig = Pick<Config, 'dbPipelining' | 'databasePooler'> & { deadlineMs?: number }

/** The replica belongs to another database, or shows a state that the database has left and whose data may be lost. */
class ReplicaOfOthers extends Error {
  override readonly name = 'ReplicaOfOthers'
}

/** Checks regularly whether a replica follows its database, since either may be restored to an earlier state. */
class Line {
  readonly #primary: Pool
  readonly #copy: Pool
  #looking: Promise<void> | undefined
  #knownUntil = -Infinity

  constructor(primary: Pool, copy: Pool) {
    this.#primary = primary
    this.#copy = copy
  }

  /** Throws `ReplicaOfOthers`, and the error of a replica that does not answer. */
  async hold(deadlineMs: number): Promise<void> {
    if (performance.now() < this.#knownUntil) return
    this.#looking ??= this.#look(deadlineMs).finally(() => (this.#looking = undefined))
    await this.#looking
  }

  async #look(deadlineMs: number): Promise<void> {
    const comparing = Promise.all([
      compareRoles(this.#primary, this.#copy),
      findForeignEntry(this.#primary, this.#copy),
    ])
    const found = await within(deadlineMs, comparing).catch(async () => {
      // Without the primary there is nothing to compare with, and only the replica is left.
      await within(deadlineMs, ping(this.#copy))
      return undefined
    })
    const [role, entry] = found ?? []
    if (role === 'writes')
      throw new ReplicaOfOthers('DATABASE_READ_URL names a server that accepts writes, not a replica')
    if (entry) {
      const { locationId, seq } = entry
      throw new ReplicaOfOthers(
        `the replica has entry ${seq} of location ${locationId}, which is not in the database: the replica belongs to another database`,
      )
    }
    this.#knownUntil = performance.now() + (found ? lineKnownMs : againMs)
  }
}

/**
 * Detects a pooler in front of the replica, and connects accordingly. The replica has its own day counts, because those
 * of the primary are newer.
 */
async function connect(url: string, primary: Pool, config: ReplicaConfig): Promise<Opened> {
  const { dbPipelining: pipelining, deadlineMs = usualDeadlineMs } = config
  const options = { connections: poolConnections, pipelining }
  const first = openPool({ url, isCopy: true }, options)
  const connection = await within(deadlineMs, findConnection(first, config)).finally(
    () => void first.end({ timeout: 1 }),
  )
  const pool = openPool(connection, { ...options, deadlineMs })
  const reader = new Reader(pool, { connections: readConnections, pipelining, deadlineMs })
  const close = async () => {
    reader.end()
    await pool.end({ timeout: 1 })
  }
  return { reads: { pool, reader, dayCounts: new DayCountCache() }, line: new Line(primary, pool), close }
}

/** Makes a replica that connects on first use, and again after a failure. */
export function openReplica(url: string, primary: Pool, config: ReplicaConfig, log: Log): OpenReplica {
  const { deadlineMs = usualDeadlineMs } = config
  let opened: Promise<Opened> | undefined
  const open = async () => {
    const one = (opened ??= connect(url, primary, config))
    try {
      const { reads, line } = await one
      await line.hold(deadlineMs)
      return reads
    } catch (error) {
      if (opened === one) opened = undefined
      throw error
    }
  }
  const drop = () => {
    const one = opened
    opened = undefined
    void one?.then(({ close }) => close()).catch(() => {})
  }
  const replica = new Replica({ open, drop }, (level, message, err) => log[level](err ? { err } : {}, message))
  const close = async () => {
    const one = await opened?.catch(() => undefined)
    await one?.close()
  }
  return { replica, close }
}
