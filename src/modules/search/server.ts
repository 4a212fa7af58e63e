import type { ModuleServer } from '../../core/modules.ts'
import { searchRoutes } from './http/search.ts'
import { SearchAnswer } from './schemas/search.ts'

export const server: ModuleServer = {
  routes: (app, context) => searchRoutes(app, context),
  schemas: { SearchAnswer },
}
