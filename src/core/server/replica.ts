import type { Config } from '../config.ts'
import { openPool } from '../store/db/database.ts'
import { DayCountCache } from '../contract/paging/day-counts.ts'
import type { Reads } from '../contract/paging/pages.ts'
import { within } from '../store/db/patience.ts'
import { Reader } from '../store/db/reader/reader.ts'
import { Replica } from '../store/documents/replica.ts'
import { readConnections } from './connections.ts'
import { findConnection } from './database-connection.ts'
import type { Log } from './log.ts'

/** Short, because the primary can always be used instead. */
const usualDeadlineMs = 1_000

/** Serve the sums of pages; documents come over the connections of the reader. */
const poolConnections = 2

export type OpenReplica = { replica: Replica; close(): Promise<void> }

type Opened = { reads: Reads; close(): Promise<void> }

/** `deadlineMs`: how long the replica may take to answer before the primary is asked. */
type ReplicaConfig = Pick<Config, 'dbPipelining' | 'databasePooler'> & { deadlineMs?: number }

/** Finds out what stands before the replica, and connects as that wants it. The day counts are of its own: those of the primary are ahead of it. */
async function connect(url: string, config: ReplicaConfig): Promise<Opened> {
  const { dbPipelining: pipelining, deadlineMs = usualDeadlineMs } = config
  const options = { connections: poolConnections, pipelining }
  const first = openPool({ url }, options)
  const connection = await within(deadlineMs, findConnection(first, config)).finally(
    () => void first.end({ timeout: 1 }),
  )
  const pool = openPool(connection, { ...options, deadlineMs })
  const reader = new Reader(pool, { connections: readConnections, pipelining, deadlineMs })
  const close = async () => {
    reader.end()
    await pool.end({ timeout: 1 })
  }
  return { reads: { pool, reader, dayCounts: new DayCountCache() }, close }
}

/** Connects on first use, and again where that failed. */
export function openReplica(url: string, config: ReplicaConfig, log: Log): OpenReplica {
  let opened: Promise<Opened> | undefined
  const open = async () => {
    const one = (opened ??= connect(url, config))
    try {
      return (await one).reads
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
