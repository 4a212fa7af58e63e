import type { WriteConnections } from '../ingest/write/queue.ts'
import type { Pool } from '../store/db/database.ts'
import { openWriteConnection } from '../store/pushes/statement.ts'

/**
 * Pages of one location use three of these and documents two (`store/db/reader/reader.ts`); one is always left to other locations
 * (measured, see docs/inside/12-limits.md). Each is opened when it is first needed.
 */
export const readConnections = 4

/**
 * A process has so many connections besides its pool at most: those that read, one for small pushes, one for long ones, and
 * one that listens for hints.
 */
export const besidePool = readConnections + 3

/** The embedded PostgreSQL takes 50 connections; the rest is for commands beside serve. */
const embeddedConnections = 40

/** Returns how many connections the pool of each of so many processes may have on the embedded PostgreSQL. */
export function embeddedShare(processes: number): number {
  return Math.max(Math.floor(embeddedConnections / processes) - besidePool, 1)
}

/** Opens what small pushes and long ones are written over, each over its own; undefined where everything is written in the locked way. */
export function openWriteConnections(pool: Pool, deadlineMs: number): WriteConnections | undefined {
  const [small, long] = [openWriteConnection(pool, deadlineMs), openWriteConnection(pool, deadlineMs)]
  return small && long ? { small, long } : undefined
}
