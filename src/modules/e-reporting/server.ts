import { eReportingRoutes } from './http/e-reporting.ts'
import { EReport } from './schemas/e-reporting.ts'
import type { ModuleServer } from '../../core/modules.ts'

export const server: ModuleServer = {
  routes(app, context) {
    eReportingRoutes(app, context)
  },
  schemas: {
    EReport,
  },
}
