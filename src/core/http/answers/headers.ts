import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../server-types.ts'

/**
 * Headers of every response: browsers do not guess types, do not send the page's address to other sites, and show data,
 * which is not a page, without running or loading anything. Pages have a policy of their own.
 */
export const alwaysSent = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

/** Browsers must use HTTPS only, for a year. A proxy in front of the server decides this for its own address. */
const httpsOnly = 'max-age=31536000'

/**
 * Headers of an answer to a key, unless its handler sets others. Shared caches do not know `X-API-Key` and would serve
 * the page of one location to another.
 */
const ofKey = { ...alwaysSent, 'cache-control': 'private, no-store', vary: 'X-API-Key, Authorization' }

/** Adds `Accept` to `Vary`, which already names the credentials: a key or a session cookie. */
export function varyByForm(reply: FastifyReply): void {
  reply.header('vary', `${String(reply.getHeader('vary'))}, Accept`)
}

/** Headers of responses that need no key. Such responses are not cached either. */
const withoutKey = { ...alwaysSent, 'cache-control': 'no-store' }

/** Sets the headers before any error can occur, so that errors carry them too. */
export function protectAnswers(app: App): void {
  app.decorateRequest('route', null as unknown as FastifyRequest['route'])
  app.addHook('onRequest', (request, reply, done) => {
    request.route = request.routeOptions.config
    reply.headers(request.route.scope === undefined ? withoutKey : ofKey)
    reply.header('x-request-id', request.id)
    if ((request.raw.socket as { encrypted?: boolean }).encrypted) reply.header('strict-transport-security', httpsOnly)
    done()
  })
}

/** The page cannot submit forms, and no other page can frame it. */
const nowhere = `base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

const byHash = (text: string) => `'sha256-${hash('sha256', text, 'base64')}'`

/** Makes the policy of a page with one inline style and at most one inline script, which loads nothing else. */
export function plainPagePolicy(style: string, script?: string): Record<string, string> {
  const scripts = script === undefined ? '' : ` script-src ${byHash(script)};`
  const policy = `default-src 'none'; style-src ${byHash(style)};${scripts} ${nowhere}`
  return { 'content-security-policy': policy, 'x-frame-options': 'DENY' }
}

/**
 * Returns the policy of the interactive reference: scripts with the nonce of this answer, and calls to this server
 * only. The reference is 4 MB of third-party script on the console's origin, so it runs in a sandbox: without an
 * origin, the browser sends no cookie for it, and it can read only answers that are open to all origins (`openToAll`).
 */
export function referencePolicy(nonce: string): Record<string, string> {
  const policy =
    `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'self' 'unsafe-inline'; connect-src 'self'; ` +
    `img-src 'self' data:; font-src 'self' data:; ${nowhere}; sandbox allow-scripts allow-forms allow-popups`
  return { 'content-security-policy': policy, 'x-frame-options': 'DENY' }
}
