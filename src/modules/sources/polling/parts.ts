import { setTimeout as delay } from 'node:timers/promises'
import type { AddressRange } from '../../../core/domain/addresses/addresses.ts'
import { createSender, type Asker } from '../../../core/delivery/sender/send.ts'
import type { Pool } from '../../../core/store/db/database.ts'
import { Budgets } from './budget.ts'
import type { SourceLimits } from './limits.ts'
import type { RunDeps } from './run.ts'
import { SeenDocuments } from './seen-documents.ts'

/** Maximum number of connections to one system. */
const connectionsOfHost = 4

export type PollingOptions = {
  pool: Pool
  writer: RunDeps['writer']
  clock: () => Date
  allowHttp: boolean
  allowAddresses: readonly AddressRange[]
  limits: SourceLimits
}

/** Time after which the lease of a process that no longer renews it ends, in milliseconds. */
export const leaseMs = 120_000

/** Makes the dependencies of runs, on an open pool. The caller closes `asker`. */
export function pollingDeps(options: PollingOptions): RunDeps & { asker: Asker & { close(): Promise<void> } } {
  const { pool, writer, clock, allowHttp, allowAddresses, limits } = options
  return {
    pool,
    writer,
    clock,
    asker: createSender({ allowHttp, allowAddresses, maxConnectionsPerEndpoint: connectionsOfHost, isSource: true }),
    budgets: new Budgets(),
    seen: new SeenDocuments(),
    pause: (ms) => delay(ms, undefined, { ref: false }),
    random: Math.random,
    leaseMs,
    isEnding: () => false,
    limits,
  }
}
