import { exportRoutes } from './http/exports.ts'
import type { ModuleServer } from '../../core/modules.ts'

export const server: ModuleServer = {
  routes(app, context) {
    exportRoutes(app, context)
  },
}
