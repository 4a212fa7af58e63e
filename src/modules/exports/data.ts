import type { ModuleData } from '../../core/modules.ts'
import { verifying } from './cli/verify-offline.ts'

export const data: ModuleData = { verifying }
