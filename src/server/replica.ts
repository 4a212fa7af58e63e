import type { Config } from '../config.ts'
import { openPool } from '../store/database.ts'
import { DayCountCache } from '../store/day-counts.ts'
import { limitPool } from '../store/limited-pool.ts'
import { Reader } from '../store/reader/reader.ts'
import { Replica } from '../store/replica.ts'
import { readConnections } from './connections.ts'
import { toConnection } from './way.ts'
import type { Log } from './log.ts'

/** The primary can always be asked instead, so nobody waits long for a replica. */
const deadlineMs = 1_000

/** For the sums of pages; documents come over the connections of the reader. */
const poolConnections = 2

export type OpenReplica = { replica: Replica; close(): Promise<void> }

/** Connects on first use. The day counts are of its own: those of the primary are ahead of it. */
export function openReplica(url: string, { dbPipelining }: Pick<Config, 'dbPipelining'>, log: Log): OpenReplica {
  const connection = toConnection(url)
  const options = { connections: poolConnections, pipelining: dbPipelining }
  const pool = limitPool(() => openPool(connection, options), deadlineMs)
  const reader = new Reader(pool, { connections: readConnections, pipelining: dbPipelining, deadlineMs })
  const reads = { pool, reader, dayCounts: new DayCountCache() }
  const replica = new Replica(reads, (level, message, err) => log[level](err ? { err } : {}, message))
  const close = async () => {
    reader.end()
    await pool.end({ timeout: 1 })
  }
  return { replica, close }
}
