import { setTimeout as delay } from 'node:timers/promises'
import { takeInstanceLock, type InstanceLock } from '../store/db/instance-lock.ts'
import type { Database } from './database.ts'
import { CliError, Interrupted } from './errors.ts'
import type { Log } from './log.ts'

const watchMs = 1_000

const lockWaitMs = 500

/** Takes the instance lock of an embedded database; returns undefined for an external one. Throws `CliError`. */
export async function takeLock({ embedded, connection, place }: Database): Promise<InstanceLock | undefined> {
  if (!embedded) return undefined
  // If the previous `serve` was just killed, the database soon notices that and releases its lock.
  for (const deadline = performance.now() + lockWaitMs; performance.now() < deadline; await delay(50)) {
    const lock = await takeInstanceLock(connection)
    if (lock) return lock
  }
  throw new CliError(
    'data_dir_in_use',
    `another tillgate serve uses the data directory ${place}: stop it, or choose another --data-dir; ` +
      'to share one database, set DATABASE_URL',
  )
}

/** Restarts the embedded database if something killed it: requests answer 503 until it is back. */
export function watchDatabase(
  database: Database,
  lock: InstanceLock | undefined,
  log: Log,
  onRevived: () => void = () => {},
): () => Promise<void> {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let looking = Promise.resolve()
  const look = async () => {
    try {
      if (!(await database.revive())) return
      onRevived()
      log.error('the embedded database stopped and was restarted')
      if (!(await lock?.renew())) log.error('another tillgate serve uses the data directory now')
    } catch (err) {
      if (err instanceof Interrupted) return
      log.error({ err }, 'the embedded database stopped and does not start')
    }
  }
  const schedule = () => {
    if (stopped) return
    timer = setTimeout(() => (looking = look().then(schedule)), watchMs)
  }
  if (database.embedded) schedule()
  return async () => {
    stopped = true
    clearTimeout(timer)
    await looking
  }
}
