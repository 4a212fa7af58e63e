import type { ModuleServer } from '../../core/modules.ts'
import { guides } from './http/guides.ts'
import { guideRoutes, welcome } from './http/routes.ts'

export const server: ModuleServer = {
  welcome: { html: welcome, links: { guides: '/docs/guides' } },
  routes: (app, context) => guideRoutes(app, context),
  // Links relative to the page of the reference.
  about: `Guides: ${Object.entries(guides)
    .map(([name, { title }]) => `[${title}](../docs/${name})`)
    .join(' · ')}.`,
}
