import type { ModuleData } from '../../core/modules.ts'
import { lookAtDaysAgain } from './projections/announcements.ts'
import { deviceStatuses } from './records/device-status.ts'

export const data: ModuleData = {
  resources: [deviceStatuses],
  settingsChanged: (pool, locationId, { clock, now }) => lookAtDaysAgain(pool, locationId, { clock, now }),
}
