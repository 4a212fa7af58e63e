import type { ModuleData } from '../../core/modules.ts'
import { putCheckpoint } from './store/checkpoints.ts'
import { putClosing } from './store/closings.ts'

export const data: ModuleData = {
  replay: {
    closing: (sql, locationId, { seq, document }) => putClosing(sql, locationId, seq, document),
    checkpoint: (sql, locationId, { seq, document }) => putCheckpoint(sql, locationId, seq, document),
  },
}
