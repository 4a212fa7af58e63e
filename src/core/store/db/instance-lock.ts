import { openPool, type Connection } from './database.ts'

/** Names the lock; any number would do but that of the migration runner's lock. */
const lockKey = 7_417_201_848

export type InstanceLock = {
  /** Takes the lock again after the database was unreachable; resolves to false when another process took it first. */
  renew(): Promise<boolean>
  release(): Promise<void>
}

/**
 * Takes the place of the one server process of an embedded database, on a connection of its own. Undefined when another
 * process has it. The database gives the lock back when the process is gone, however it ended. A lock of the session
 * works here because an embedded database is one plain server with no pooler before it (SQL rule 14).
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
