import type { ModuleData } from '../../core/modules.ts'
import { defineClosings } from './cli/close.ts'
import { verifying, type KeptCheckpoint } from './cli/kept-checkpoints.ts'
import { findCheckpointsFault } from './projections/verify-checkpoints.ts'
import { findClosingsFault } from './projections/verify-closings.ts'
import { putCheckpoint } from './store/checkpoints.ts'
import { checkClosings, statusOfClosings } from './cli/status.ts'
import { putClosing, summariseClosings } from './store/closings.ts'

export const data: ModuleData = {
  findFault: async (sql, locationId, kept) =>
    (await findClosingsFault(sql, locationId)) ??
    (await findCheckpointsFault(sql, locationId, kept as readonly KeptCheckpoint[])),
  verifying,
  status: statusOfClosings,
  check: async (pool) => checkClosings(await summariseClosings(pool)),
  defineBooks: defineClosings,
  replay: {
    closing: (sql, locationId, { seq, document }) => putClosing(sql, locationId, seq, document),
    checkpoint: (sql, locationId, { seq, document }) => putCheckpoint(sql, locationId, seq, document),
  },
}
