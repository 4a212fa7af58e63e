import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'
import type { ApiKey } from '../store/api-keys.ts'
import type { App, Context } from './context.ts'

const bearer = /^Bearer +(\S+) *$/i

/** `X-API-Key: <key>`, or `Authorization: Bearer <key>` as an alias (decision 0001). */
function keyText(request: FastifyRequest): string | undefined {
  const header = request.headers['x-api-key']
  if (typeof header === 'string') return header.trim()
  return bearer.exec(request.headers.authorization ?? '')?.[1]
}

/** What is in `Authorization` and is no key: the scheme, for whoever sends another than we take. */
function otherScheme(request: FastifyRequest): string | undefined {
  const scheme = /^\s*([\w-]+)/.exec(request.headers.authorization ?? '')?.[1]
  return scheme?.toLowerCase() === 'bearer' ? undefined : scheme
}

/** Lets a request with a `scope` in its route's config pass only with a key that has it, within its rate and its share of what is under way. */
export function requireKeys(app: App, context: Context): void {
  const admit = (request: FastifyRequest, reply: FastifyReply, key: ApiKey) => {
    // First, so that a refusal is logged with the key that it was for.
    request.key = key
    if (context.limiter) {
      reply.header('ratelimit-policy', context.limiter.policy)
      reply.header('ratelimit', context.limiter.take(key.id, context.clock().getTime()))
    }
    const { scope } = request.routeOptions.config
    if (scope !== undefined && scope !== 'any' && !key.scopes.includes(scope)) {
      throw new AppError('scope_missing', `this needs the scope "${scope}"; the key has: ${key.scopes.join(', ')}`)
    }
    // Streams and waiting reads are counted by themselves.
    if (!request.routeOptions.config.mayWait) context.requests.hold(key.id, reply.raw)
  }

  app.decorateRequest('key', null as unknown as ApiKey)
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.scope === undefined) return
    const key = context.keys.authenticate(keyText(request), otherScheme(request))
    admit(request, reply, key instanceof Promise ? await key : key)
  })
}
