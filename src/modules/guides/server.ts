import type { ModuleServer } from '../../core/modules.ts'
import { guides } from './http/guides.ts'
import { guideRoutes, welcome } from './http/routes.ts'

export const server: ModuleServer = {
  welcome: () => ({ html: welcome, links: { guides: '/docs/guides' } }),
  routes: (app, context) => guideRoutes(app, context),
  // The links are relative to the page of the API reference.
  about: `Guides: ${Object.entries(guides)
    .map(([name, { title }]) => `[${title}](../docs/${name})`)
    .join(' · ')}.`,
}
