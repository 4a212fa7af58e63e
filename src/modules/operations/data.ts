import type { ModuleData } from '../../core/modules.ts'
import { defineLocationImport } from './cli/location-import.ts'

export const data: ModuleData = { defineLocations: defineLocationImport }
