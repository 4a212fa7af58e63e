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

/** Tells the context of a request that its key, its scope or its rate did not let pass. */
function report(context: Context, request: FastifyRequest, key: ApiKey | null, error: unknown): void {
  if (!(error instanceof AppError)) return
  const route = request.routeOptions.url ?? request.url
  context.onRefusal?.({ code: error.code, status: error.status, key, route, request })
}

/** Lets a request with a `scope` in its route's config pass only with a key that has it, within its rate limit. */
export function requireKeys(app: App, context: Context): void {
  const admit = (request: FastifyRequest, reply: FastifyReply, key: ApiKey) => {
    request.key = key
    if (context.limiter) {
      reply.header('ratelimit-policy', context.limiter.policy)
      reply.header('ratelimit', context.limiter.take(key.id, context.clock().getTime()))
    }
    const { scope } = request.routeOptions.config
    if (scope !== undefined && scope !== 'any' && !key.scopes.includes(scope)) {
      throw new AppError('scope_missing', `this needs the scope "${scope}"; the key has: ${key.scopes.join(', ')}`)
    }
  }

  app.decorateRequest('key', null as unknown as ApiKey)
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.scope === undefined) return
    let key: ApiKey | null = null
    try {
      const found = context.keys.authenticate(keyText(request))
      key = found instanceof Promise ? await found : found
      admit(request, reply, key)
    } catch (error) {
      report(context, request, key, error)
      throw error
    }
  })
}
