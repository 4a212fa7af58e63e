/**
 * Assigns SQLSTATEs to errors that Citus reports as internal (XX000), by the beginning of the message: the copy of rows
 * to a shard ended; a worker was lost at the commit, so its result is unknown; a shard was split during a transaction;
 * a node was killed.
 */
const citusStates: readonly [RegExp, string][] = [
  [/^duplicate key value violates unique constraint/, '23505'],
  [/^could not find valid entry for shard/, '40001'],
  [/^could not .*: No space left on device/, '53100'],
  [/^could not commit transaction for shard/, '08006'],
  [/^postmaster was shut down/, '08006'],
  // Messages of the client library of Citus, for a worker node that ends during a statement.
  [
    /^(server closed the connection unexpectedly|could not (receive data from|send data to) server|no connection to the server)/,
    '08006',
  ],
]

/** Returns the SQLSTATE of an error, or the driver's own code; undefined if it has none (SQL rule 16). */
export function sqlState(error: unknown): unknown {
  const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string }
  return code === 'XX000' ? (citusStates.find(([form]) => form.test(message))?.[1] ?? code) : code
}
