import type { ModuleData } from '../../core/modules.ts'
import type { KeptCheckpoint } from './cli/kept-checkpoints.ts'
import { putCheckpoint } from './store/checkpoints.ts'
import { putClosing, summariseClosings } from './store/closings.ts'

const checkpoints = () => import('./projections/verify-checkpoints.ts')
const closings = () => import('./projections/verify-closings.ts')
const kept = () => import('./cli/kept-checkpoints.ts')
const status = () => import('./cli/status.ts')

export const data: ModuleData = {
  findFault: async (sql, locationId, proofs) =>
    (await (await closings()).findClosingsFault(sql, locationId)) ??
    (await (await checkpoints()).findCheckpointsFault(sql, locationId, proofs as readonly KeptCheckpoint[])),
  verifying: {
    define: async (command) => (await kept()).verifying.define(command),
    readKept: async (flags) => (await kept()).verifying.readKept(flags),
  },
  status: async (pool, now) => (await status()).statusOfClosings(pool, now),
  check: async (pool) => (await status()).checkClosings(await summariseClosings(pool)),
  defineBooks: async (command) => (await import('./cli/close.ts')).defineClosings(command),
  replay: {
    closing: (sql, locationId, { seq, document }) => putClosing(sql, locationId, seq, document),
    checkpoint: (sql, locationId, { seq, document }) => putCheckpoint(sql, locationId, seq, document),
  },
}
