import type { WriteConnections } from '../ingest/write/queue.ts'
import type { Pool } from '../store/db/database.ts'
import { openWriteConnection } from '../store/pushes/statement.ts'

/**
 * Connections of a process for reads, each opened on first use. One location uses at most two of them
 * (`store/db/reader/reader.ts`); the others are left to other locations (docs/inside/12-limits.md).
 */
export const readConnections = 4

/**
 * Maximum connections of a process in addition to its pool: those for reads, one for small pushes, one for long ones,
 * and one for hints.
 */
export const besidePool = readConnections + 3

/** Maximum connections of servers to the embedded PostgreSQL; it accepts 50, so that commands can connect too. */
const embeddedConnections = 40

/** Returns how many connections to the embedded PostgreSQL the pool of each of this many processes may have. */
export function embeddedShare(processes: number): number {
  return Math.max(Math.floor(embeddedConnections / processes) - besidePool, 1)
}

/** Opens one connection for small pushes and one for long ones; undefined if everything is written under the lock. */
export function openWriteConnections(pool: Pool, deadlineMs: number): WriteConnections | undefined {
  const [small, long] = [openWriteConnection(pool, deadlineMs), openWriteConnection(pool, deadlineMs)]
  return small && long ? { small, long } : undefined
}
