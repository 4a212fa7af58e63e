import { notFound } from '../../../core/http/answers/problems.ts'
import { baseUrl } from '../../../core/http/base-url.ts'
import type { Shown } from '../../../core/http/context.ts'
import type { App } from '../../../core/http/server-types.ts'
import {
  decisionNames,
  decisionPage,
  decisionText,
  downloadList,
  downloadOf,
  guideList,
  guidePage,
  guides,
  guideText,
  isGuide,
  llmsText,
} from './guides.ts'
import { html, page, pagePolicy, withoutSlash } from '../../../core/http/reference/pages.ts'
import { AddressedFile, KnownAddresses } from '../../../core/http/answers/addressed-file.ts'
import { SharedFile } from '../../../core/http/answers/shared-file.ts'
import { downloadNames, type DownloadName } from './downloads.ts'

/** Shows a drawer with a paper strip coming out of it. */
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect x="1" y="8" width="14" height="7" rx="1.5" fill="#2f6f5e"/>
<path d="M4 8V1l1.3 1L6.7 1 8 2l1.3-1 1.4 1L12 1v7z" fill="#d9d3c4"/><path d="M6 11.5h4" stroke="#fff" stroke-linecap="round"/></svg>`

/** The guides and downloads on the first page of the documentation. */
export const welcome = `<h2>Guides</h2>${guideList('docs/')}
    <h2>Downloads</h2>${downloadList('docs/')}`

const guideIndex = () =>
  page(
    'Guides',
    `<p><a href="./">API reference</a> · <a href="verify">Verify a proof</a></p><h1>Guides</h1>${guideList('')}<h2>Downloads</h2>${downloadList('')}<p><a href="errors">Error codes</a> · <a href="warnings">Warnings</a></p>`,
  )

const markdown = 'text/markdown; charset=utf-8'

const downloadType = (name: DownloadName) => (name.endsWith('.tgz') ? 'application/gzip' : 'text/plain; charset=utf-8')

/**
 * Adds the guides and downloads under `/docs/`: partners have the address of this server and no other source. Samples
 * contain the address of the server, so each file is rendered once per address that callers use.
 */
export function guideRoutes(app: App, context: Shown): void {
  if (!context.docs) return
  const schema = { hide: true }
  const route = { schema, onRequest: withoutSlash }
  const addresses = new KnownAddresses()

  const drawn = new SharedFile({ type: 'image/svg+xml' }, async () => Buffer.from(icon))
  app.get('/favicon.ico', { schema }, (request, reply) => drawn.send(request, reply))

  const llms = new SharedFile({ type: 'text/plain; charset=utf-8' }, async () => Buffer.from(llmsText()))
  app.get('/llms.txt', { schema }, (request, reply) => llms.send(request, reply))

  const index = new SharedFile({ type: html }, async () => Buffer.from(guideIndex()))
  app.get('/docs/guides', route, (request, reply) => index.send(request, reply.headers(pagePolicy)))

  type Make = (base: string | null) => Promise<Buffer>
  const pageAndText = (name: string, makePage: Make, makeText: Make): [string, AddressedFile][] => [
    [name, new AddressedFile(addresses, { type: html }, makePage)],
    [`${name}.md`, new AddressedFile(addresses, { type: markdown }, makeText)],
  ]
  /** Adds one route for all files of a folder: a server with a route for each file would start later. */
  const serveFolder = (path: string, list: () => Promise<[string, AddressedFile][]>): void => {
    let files: Promise<Map<string, AddressedFile>> | undefined
    app.get<{ Params: { name: string } }>(`${path}/:name`, route, async (request, reply) => {
      const { name } = request.params
      const file = (await (files ??= list().then((entries) => new Map(entries)))).get(name)
      if (!file) throw notFound(request)
      return file.send(baseUrl(context, request), request, name.endsWith('.md') ? reply : reply.headers(pagePolicy))
    })
  }
  const guidesIn = (folder: string) => async () =>
    Object.keys(guides)
      .filter(isGuide)
      .filter((name) => name.startsWith(folder) && !name.slice(folder.length).includes('/'))
      .flatMap((name) =>
        pageAndText(
          name.slice(folder.length),
          (base) => guidePage(name, base),
          (base) => guideText(name, base),
        ),
      )
  serveFolder('/docs', guidesIn(''))
  serveFolder('/docs/receivers', guidesIn('receivers/'))
  serveFolder('/docs/decisions', async () =>
    [...(await decisionNames())].flatMap((name) =>
      pageAndText(
        name,
        (base) => decisionPage(name, base),
        (base) => decisionText(name, base),
      ),
    ),
  )

  for (const name of downloadNames) {
    const options = { type: downloadType(name), isPacked: name.endsWith('.tgz') }
    const file = new AddressedFile(addresses, options, (base) => downloadOf(name, base))
    app.get(`/docs/downloads/${name}`, { schema }, (request, reply) => {
      reply.header('content-disposition', `attachment; filename="${name}"`)
      return file.send(baseUrl(context, request), request, reply)
    })
  }
}
