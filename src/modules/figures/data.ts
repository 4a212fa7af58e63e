import type { ModuleData } from '../../core/modules.ts'
import { deviceStatuses } from './records/device-status.ts'

export const data: ModuleData = {
  resources: [deviceStatuses],
  settingsChanged: async (pool, locationId, about) =>
    (await import('./projections/announcements.ts')).lookAtDaysAgain(pool, locationId, about),
}
