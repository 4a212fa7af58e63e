import type { FastifyReply, FastifyRequest } from 'fastify'
import { installationId } from '../../domain/accounts/keys.ts'
import { AppError, validationFailed } from '../../contract/errors/errors.ts'
import { sessionSecrets } from './cookies.ts'
import { isThroughConsole, requireOwnPage } from './door.ts'
import type { Guarding, ConsoleParts, Process, Shown } from '../context.ts'
import type { App, Caller } from '../server-types.ts'
import { isUuid } from '../../contract/scalars.ts'

/** The scheme of RFC 6750, accepted as an alias of `X-API-Key` (decision 0001). */
const bearer = /^Bearer +(\S+) *$/i

/** Returns the key of `X-API-Key: <key>`, or of `Authorization: Bearer <key>`, its alias (decision 0001). */
function keyText(request: FastifyRequest): string | undefined {
  const header = request.headers['x-api-key']
  if (typeof header === 'string') return header.trim()
  return bearer.exec(request.headers.authorization ?? '')?.[1]
}

/**
 * Returns the scheme of an `Authorization` header that is not `Bearer`, for the error message. A single word is not
 * reported as a scheme: it may be a secret.
 */
function otherScheme(request: FastifyRequest): string | undefined {
  const scheme = /^\s*([\w-]+)\s+\S/.exec(request.headers.authorization ?? '')?.[1]
  return scheme?.toLowerCase() === 'bearer' ? undefined : scheme
}

/** Returns the location that a page of the console names. Throws 400 if it is not an id. */
function chosenLocation({ headers }: FastifyRequest): string | undefined {
  const chosen = headers['tillgate-location']
  if (chosen === undefined) return undefined
  if (typeof chosen === 'string' && isUuid(chosen)) return chosen.toLowerCase()
  const detail = 'Tillgate-Location must be the id of a location'
  throw validationFailed([{ in: 'header', pointer: '/tillgate-location', code: 'invalid_uuid', detail }])
}

/** Returns the caller of a request through the console: the session of its cookie. Any key sent is ignored. */
async function consoleCaller(context: ConsoleParts & Shown, request: FastifyRequest, scope: string): Promise<Caller> {
  requireOwnPage(context, request)
  const { sessions } = context
  if (!sessions) throw new AppError('session_missing')
  const session = await sessions.authenticate(sessionSecrets(request))
  return sessions.act(session, { scope, ofLocations: request.route.ofLocations }, chosenLocation(request))
}

/** Checks the caller of a long-running request again: a stream, a long poll, a push. Throws the errors of authentication. */
export async function confirmCaller(
  { keys, sessions }: Pick<Guarding, 'keys'> & Pick<ConsoleParts, 'sessions'>,
  caller: Caller,
) {
  await (caller.session && sessions ? sessions.confirm(caller) : keys.confirm(caller))
}

/** Refuses requests to routes with a `scope` if the key lacks the scope or exceeds its rate or its share of concurrent requests. */
export function requireKeys(app: App, context: Guarding & ConsoleParts & Process & Shown): void {
  const admit = (request: FastifyRequest, reply: FastifyReply, key: Caller) => {
    // First, so that a refusal is logged with its key.
    request.key = key
    if (context.limiter) {
      reply.header('ratelimit-policy', context.limiter.policy)
      reply.header('ratelimit', context.limiter.take(key.id, context.clock().getTime()))
    }
    const { scope, takesAdmin, mayWait, acts } = request.route
    if (acts) context.actRate?.take(key.id, context.clock().getTime())
    if (scope === 'any' && !takesAdmin && key.locationId === installationId && !key.session) {
      const detail = 'a key with scope "admin" can only use /v1/admin/, /v1/console/ and /v1/keys/own: use another key'
      throw new AppError('scope_missing', detail)
    }
    if (scope !== undefined && scope !== 'any' && !key.scopes.includes(scope)) {
      const detail = `the key has only ${key.scopes.join(', ')}, but the scope "${scope}" is required: use another key`
      throw new AppError('scope_missing', detail)
    }
    // Streams and waiting reads are counted separately.
    if (!mayWait) context.requests.hold(request, reply)
  }

  app.decorateRequest('key', null as unknown as Caller)
  // A promise for each request would cost more than finding its key, so `done` is called at once if the key is in memory.
  app.addHook('onRequest', (request, reply, done) => {
    const { scope } = request.route
    if (scope === undefined) return done()
    const admitLater = async (caller: Promise<Caller>) => {
      let refusal: Error | undefined
      try {
        admit(request, reply, await caller)
      } catch (error) {
        refusal = error as Error
      }
      done(refusal)
    }
    if (isThroughConsole(request)) {
      reply.header('vary', 'Cookie, Tillgate-Location, Tillgate-Page')
      return void admitLater(consoleCaller(context, request, scope))
    }
    const key = context.keys.authenticate(keyText(request), otherScheme(request))
    if (key instanceof Promise) return void admitLater(key)
    admit(request, reply, key)
    done()
  })
}
