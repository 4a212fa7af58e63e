import type { FastifyRequest } from 'fastify'
import { apiVersions } from '../../contract/health/schema.ts'
import { serverParts } from '../../modules.ts'
import { jsonType } from '../answers/json-frame.ts'
import { preferredType } from '../answers/negotiation.ts'
import { baseUrl } from '../base-url.ts'
import type { ConsoleParts, Shown } from '../context.ts'
import { html, page, pageHeaders } from '../reference/pages.ts'
import type { App } from '../server-types.ts'

declare module '../../modules.ts' {
  interface ModuleServer {
    /** Returns text of the page at `/`, and the paths that it names for programs. */
    welcome?(context: Shown & ConsoleParts): { html: string; links: Record<string, string> } | undefined
  }
}

const partsOf = (context: Shown & ConsoleParts) => serverParts().flatMap((part) => part.welcome?.(context) ?? [])

/** Makes the first page of the documentation: where to begin, by what the reader wants to do. */
const welcomePage = (context: Shown & ConsoleParts) =>
  page(
    'Tillgate',
    `<h1>Tillgate</h1>
    <p>This is the point-of-sale data API of one or more restaurants: their orders, Z reports, catalog and location, read
    over HTTP or sent by signed webhooks. Ask the operator of this server for a key.</p>
    <ul><li><a href="docs/">API reference</a>, to try with a key</li>
    <li><a href="openapi.json">OpenAPI document</a></li>
    <li><a href="docs/errors">Error codes</a> and <a href="docs/warnings">warnings</a></li></ul>
    ${partsOf(context)
      .map((part) => part.html)
      .join('')}`,
  )

/** Makes the answer of `/` to programs: the paths of everything else. */
function directory(context: Shown & ConsoleParts, request: FastifyRequest) {
  const base = baseUrl(context, request)
  const links = partsOf(context).flatMap((part) => Object.entries(part.links))
  return {
    name: 'Tillgate',
    apiVersions,
    docs: `${base}/docs`,
    ...Object.fromEntries(links.map(([name, path]) => [name, `${base}${path}`])),
    openapi: `${base}/openapi.json`,
    health: `${base}/health/`,
  }
}

/** Adds the page at `/`, for a partner who knows only the address of this server. */
export function rootRoutes(app: App, context: Shown & ConsoleParts): void {
  if (!context.docs) return
  app.get('/', { schema: { hide: true } }, (request, reply) => {
    reply.header('vary', 'Accept')
    const asPage = preferredType(request, [jsonType, html]) === html
    return asPage ? reply.headers(pageHeaders).send(welcomePage(context)) : reply.send(directory(context, request))
  })
}
