import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../server-types.ts'

/**
 * Every response has these headers: browsers guess no type, send no address of ours to other sites, and show data, which is no page,
 * without running or loading anything. Pages have a policy of their own.
 */
export const alwaysSent = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

/** Browsers are to come back by HTTPS only, for a year. Behind a proxy that is the proxy's to say: its address is not ours. */
const httpsOnly = 'max-age=31536000'

/**
 * An answer to a key has these headers unless its handler says otherwise. Shared caches do not know `X-API-Key` and
 * would give the page of one location to another.
 */
const ofKey = { ...alwaysSent, 'cache-control': 'private, no-store', vary: 'X-API-Key, Authorization' }

/** The response depends on `Accept` in addition to the credentials: a key or a session cookie. */
export function varyByForm(reply: FastifyReply): void {
  reply.header('vary', `${String(reply.getHeader('vary'))}, Accept`)
}

/** Responses that need no key have these headers. They are not cached either. */
const ofNobody = { ...alwaysSent, 'cache-control': 'no-store' }

/** Sets the headers before anything can go wrong with the request, so that errors carry them too. */
export function protectAnswers(app: App): void {
  app.decorateRequest('route', null as unknown as FastifyRequest['route'])
  app.addHook('onRequest', (request, reply, done) => {
    request.route = request.routeOptions.config
    reply.headers(request.route.scope === undefined ? ofNobody : ofKey)
    reply.header('x-request-id', request.id)
    if ((request.raw.socket as { encrypted?: boolean }).encrypted) reply.header('strict-transport-security', httpsOnly)
    done()
  })
}

/** The page may send its forms nowhere, and no other page may frame it. */
const nowhere = `base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** Names a style or a script that stands in the page itself, as a policy does: by its hash. */
const byHash = (text: string) => `'sha256-${hash('sha256', text, 'base64')}'`

/**
 * Makes the policy of a page whose one style is in the page, and which loads nothing and runs nothing but that one
 * script, if any.
 */
export function plainPagePolicy(style: string, script?: string): Record<string, string> {
  const scripts = script === undefined ? '' : ` script-src ${byHash(script)};`
  const policy = `default-src 'none'; style-src ${byHash(style)};${scripts} ${nowhere}`
  return { 'content-security-policy': policy, 'x-frame-options': 'DENY' }
}

/**
 * Makes the policy of the interactive reference: scripts with the nonce of this answer, and calls to this server only.
 * The reference is 4 MB of others' script beside the console, so it runs in a sandbox: a page without an origin, for
 * which the browser sends no cookie and which can read only answers that are open to everybody (`openToAll`).
 */
export function referencePolicy(nonce: string): Record<string, string> {
  const policy =
    `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'self' 'unsafe-inline'; connect-src 'self'; ` +
    `img-src 'self' data:; font-src 'self' data:; ${nowhere}; sandbox allow-scripts allow-forms allow-popups`
  return { 'content-security-policy': policy, 'x-frame-options': 'DENY' }
}
