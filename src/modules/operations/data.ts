import type { ModuleData } from '../../core/modules.ts'

export const data: ModuleData = {
  defineLocations: async (command) => (await import('./cli/location-import.ts')).defineLocationImport(command),
}
