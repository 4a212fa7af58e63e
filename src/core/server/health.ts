import type { EngineEvents } from '../delivery/engine-events.ts'
import type { Pool } from '../store/db/database.ts'
import { tryToWrite } from '../store/db/server.ts'
import { tryWithin } from './try-within.ts'

/** The state of a process, as an orchestrator needs it. */
export type Health = {
  /** The process will stop soon, so no new requests should come. */
  draining: boolean
  database: 'ok' | 'away'
  /** `stalled` if the delivery worker has not swept for a while; `off` if the role has none. */
  delivery: 'ok' | 'stalled' | 'off'
}

/** A database that does not accept a write within this time counts as unavailable. */
const pingMs = 2_000

/** Milliseconds without a sweep after which the delivery worker counts as stalled; a slow database delays sweeps. */
const sweepWithinMs = 30_000

export function isReady({ draining, database, delivery }: Health): boolean {
  return !draining && database === 'ok' && delivery !== 'stalled'
}

/** Watches one process; `events` is null if it has no delivery worker. Returns the function that checks. */
export function watchHealth(
  pool: Pool,
  events: EngineEvents | null,
  { draining, dataIsGone = () => false }: { draining: AbortSignal; dataIsGone?: () => boolean },
): () => Promise<Health> {
  let lookedMs = performance.now()
  const looked = () => {
    lookedMs = performance.now()
  }
  events?.on('swept', looked)
  // A failed sweep shows that the loop is running; `database` reports the failure.
  events?.on('failed', ({ work }) => void (work === 'sweep' && looked()))
  return async () => {
    const answers = await tryWithin(
      pingMs,
      tryToWrite(pool).then(() => true),
    )
    const isAlive = performance.now() - lookedMs < sweepWithinMs
    return {
      draining: draining.aborted,
      database: answers === true && !dataIsGone() ? 'ok' : 'away',
      delivery: events === null ? 'off' : isAlive ? 'ok' : 'stalled',
    }
  }
}

/** Returns the state of a server of several processes: that of its best process, since each can do all of the work. */
export function bestOf(healths: readonly Health[]): Health {
  const has = (test: (health: Health) => boolean) => healths.some(test)
  return {
    draining: healths.length > 0 && healths.every(({ draining }) => draining),
    database: has(({ database }) => database === 'ok') ? 'ok' : 'away',
    delivery: has(({ delivery }) => delivery === 'ok')
      ? 'ok'
      : has(({ delivery }) => delivery === 'off')
        ? 'off'
        : 'stalled',
  }
}
