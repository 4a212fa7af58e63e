/**
 * Pages of one location use three of these and documents two (`store/db/reader/reader.ts`); one is always left to other locations
 * (measured, see docs/performance.md). Each is opened when it is first needed.
 */
export const readConnections = 4

/**
 * A process has so many connections besides its pool at most: those that read, one for rounds, one for long pushes, and
 * one that listens for hints.
 */
const besidePool = readConnections + 3

/** The embedded PostgreSQL takes 50 connections; the rest is for commands beside serve. */
const embeddedConnections = 40

/** Returns how many connections the pool of each of so many processes may have on the embedded PostgreSQL. */
export function embeddedShare(processes: number): number {
  return Math.max(Math.floor(embeddedConnections / processes) - besidePool, 1)
}
