import { openPool, type Connection } from './database.ts'

/** Key of the lock; any number except that of the migration runner's lock. */
const lockKey = 7_417_201_848

export type InstanceLock = {
  /** Takes the lock again after the database was unreachable; resolves to false if another process took it first. */
  renew(): Promise<boolean>
  release(): Promise<void>
}

/**
 * Takes the lock of the single server process of an embedded database, on a connection of its own. Undefined if another
 * process has it. The database releases the lock when the process is gone, however it ended. A session lock works here
 * because an embedded database is one plain server without a pooler (SQL rule 14).
 */
export async function takeInstanceLock(connection: Connection): Promise<InstanceLock | undefined> {
  const session = openPool(connection, { connections: 1, pipelining: true })
  const take = async () => {
    const [row] = await session<[{ taken: boolean }]>`select pg_try_advisory_lock(${lockKey}) as taken`
    return row.taken
  }
  const release = () => session.end({ timeout: 1 })
  try {
    if (await take()) return { renew: take, release }
  } catch (error) {
    await release()
    throw error
  }
  await release()
  return undefined
}
