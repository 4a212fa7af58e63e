import { SharedFile } from '../../../core/http/answers/shared-file.ts'
import type { Shown } from '../../../core/http/context.ts'
import { html, withoutSlash } from '../../../core/http/reference/pages.ts'
import type { App } from '../../../core/http/server-types.ts'
import { readVerifierScript, verifierPage, verifierPolicy } from './verifier.ts'

const schema = { hide: true }

/** Serves the page that verifies a proof or an archive in the browser, and its script. */
export function verifierRoutes(app: App, { docs }: Shown): void {
  if (!docs) return
  const verifier = new SharedFile({ type: html }, async () => Buffer.from(await verifierPage()))
  app.get('/docs/verify', { schema, onRequest: withoutSlash }, async (request, reply) =>
    verifier.send(request, reply.headers(verifierPolicy(await verifierPage()))),
  )
  const script = new SharedFile({ type: 'text/javascript; charset=utf-8' }, async () =>
    Buffer.from(await readVerifierScript()),
  )
  app.get('/docs/verify.mjs', { schema }, (request, reply) => script.send(request, reply))
}
