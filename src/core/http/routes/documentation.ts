import { randomBytes } from 'node:crypto'
import { AppError } from '../../contract/errors/errors.ts'
import { codeList, codePage } from '../reference/code-pages.ts'
import { baseUrl } from '../base-url.ts'
import type { Shown } from '../context.ts'
import type { App } from '../server-types.ts'
import { referencePolicy } from '../answers/headers.ts'
import { jsonType } from '../answers/json-frame.ts'
import { pageHeaders, withoutSlash } from '../reference/pages.ts'
import { loadReference, nonceMark, type Reference } from '../reference/reference.ts'
import { AddressedFile, KnownAddresses } from '../answers/addressed-file.ts'
import { SharedFile } from '../answers/shared-file.ts'

/**
 * Adds `/openapi.json`, the interactive reference at `/docs` and a page per error code. Nothing is loaded from outside,
 * and nothing is rendered per request: these need no key, so an answer must cost next to nothing.
 */
export function documentationRoutes(app: App, context: Pick<Shown, 'docs' | 'publicUrl'>): void {
  if (!context.docs) return
  const schema = { hide: true }
  const route = { schema, onRequest: withoutSlash }
  // For an address that is not cached, the URL is relative to the document, which is equivalent.
  const document = new AddressedFile(new KnownAddresses(), { type: jsonType }, async (base) =>
    Buffer.from(JSON.stringify({ ...app.swagger(), servers: [{ url: base ?? './' }] })),
  )
  app.get('/openapi.json', { schema }, (request, reply) => document.send(baseUrl(context, request), request, reply))
  app.get('/docs/errors', route, (_request, reply) => reply.headers(pageHeaders).send(codeList()))
  app.get<{ Params: { code: string } }>('/docs/errors/:code', route, (request, reply) => {
    const { code } = request.params
    const made = codePage(code)
    if (made === null) throw new AppError('route_not_found', `error code ${code} does not exist: see /docs/errors`)
    return reply.headers(pageHeaders).send(made)
  })

  let loading: Promise<Reference> | undefined
  // Loads the script on demand: it is 4 MB in size and rarely requested. After a failure the next request tries again.
  const reference = () =>
    (loading ??= loadReference().catch((error: unknown) => {
      loading = undefined
      throw error
    }))
  const script = new SharedFile({ type: 'application/javascript; charset=utf-8' }, async () => {
    const { buffer } = (await reference()).script
    return Buffer.from(buffer)
  })
  app.get('/docs', { schema }, async (request, reply) => {
    // The links of the page are relative, so that it works under a path of a proxy too.
    if (!/\/docs\/(\?|$)/.test(request.url)) return reply.code(302).header('location', './docs/').send()
    const nonce = randomBytes(16).toString('base64url')
    const made = await reference()
    return reply
      .headers({ ...referencePolicy(nonce), 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
      .send(made.page.replaceAll(nonceMark, nonce))
  })
  app.get('/docs/js/scalar.js', { schema }, (request, reply) => script.send(request, reply))
}
