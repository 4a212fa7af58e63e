import { Warner } from './ingest/warner.ts'
import { warningRoutes } from './http/warnings.ts'
import type { ModuleServer } from '../../core/modules.ts'

export const server: ModuleServer = {
  open: ({ pool, clock, notices }) => ({ warner: new Warner(pool, clock, { ...notices, isLive: true }) }),
  routes(app, context) {
    warningRoutes(app, context)
  },
}
