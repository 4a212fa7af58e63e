import type { FastifyRequest } from 'fastify'
import { isThroughConsole } from './door.ts'
import type { App } from '../server-types.ts'

/** Any web page may read the answers: they depend on a key in a header, never on a cookie. */
const toAll = { 'access-control-allow-origin': '*' }

/** Headers that a script of another origin may read, in addition to those that browsers always allow. */
const exposed = {
  ...toAll,
  'access-control-expose-headers':
    'etag, link, location, ratelimit, ratelimit-policy, retry-after, tillgate-complete-until, tillgate-sequence, www-authenticate, x-request-id',
}

/** The answer to a preflight request; the browser may cache it for two hours. */
const preflight = {
  ...toAll,
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers':
    'authorization, cache-control, content-encoding, content-type, if-none-match, last-event-id, tillgate-min-sequence, traceparent, tracestate, x-api-key, x-request-id',
  'access-control-max-age': '7200',
}

/**
 * Returns whether pages of other origins may read the answer, where they get no more than a program with the key.
 * Unknown paths are included, so that the 404 of a mistyped path is readable.
 */
const isOpen = (request: FastifyRequest) =>
  !isThroughConsole(request) && !/^\/(console|docs|livez|readyz|metrics)([/?]|$)/.test(request.url)

/**
 * Lets pages of every origin call the API with their own key, and never with a cookie: with cookies, browsers refuse an
 * answer that allows every origin. The reference needs this, since its sandbox has no origin. The console's own API is excluded.
 */
export function openToAll(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { origin, 'access-control-request-method': requestedMethod } = request.headers
    if (origin === undefined || !isOpen(request)) return done()
    if (request.method === 'OPTIONS' && requestedMethod !== undefined)
      return void reply.code(204).headers(preflight).send()
    reply.headers(exposed)
    done()
  })
}
