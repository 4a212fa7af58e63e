import type { HeldSession } from '../../../../core/http/server-types.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addressBlock, callerAddress } from '../../../../core/domain/addresses/addresses.ts'
import { hashKey, isToken, newToken } from '../../../../core/domain/accounts/keys.ts'
import { AppError, validationFailed } from '../../../../core/contract/errors/errors.ts'
import { sessionScopes, SignIn } from '../../schemas/console.ts'
import {
  createKeySession,
  findConsoleSession,
  leaveConsoleSession,
  redeemCode,
  type Opening,
} from '../../store/console-sessions.ts'
import { listSomeLocations } from '../../../../core/contract/location/rows.ts'
import { toSession } from '../answers.ts'
import { sessionCookie, sessionSecrets, sessionToken } from '../../../../core/http/guard/cookies.ts'
import { requireEncryption, requireOwnPage } from '../../../../core/http/guard/door.ts'
import { ConsoleFiles } from '../files.ts'
import { endOf } from '../sessions.ts'
import { baseUrl } from '../../../../core/http/base-url.ts'
import type { Guarding, Process, Shown } from '../../../../core/http/context.ts'
import type { ConsoleContext } from '../../context.ts'
import type { App } from '../../../../core/http/server-types.ts'

/**
 * Number of locations in the first answer to an operator; the page requests the remaining locations later. Other roles
 * get all their locations at once.
 */
const operatorsLocations = 50

/** Credentials of a sign-in: either the code of a link, or a key. */
type Given = { code?: string | undefined; key?: string | undefined }

export type Door = {
  context: Guarding & ConsoleContext & Process & Shown
  version: string
  /** Returns the paths of the operations in openapi.json. Call it after all routes were added. */
  operations: () => string[]
}

const schema = { hide: true }

/** Accepts requests from pages of the console only. */
export const ownPage =
  (context: ConsoleContext & Shown) => (request: FastifyRequest, _reply: FastifyReply, done: () => void) => {
    requireOwnPage(context, request)
    done()
  }

export async function describeSession(
  { context, version, operations }: Door,
  request: FastifyRequest,
  session: HeldSession,
) {
  const locations = await listSomeLocations(context.pool, {
    ids: session.locationIds,
    after: null,
    limit: session.locationIds?.length ?? operatorsLocations,
  })
  const server = { version, docs: context.docs, baseUrl: baseUrl(context, request), operations: operations() }
  return toSession(session, locations, server)
}

/** Creates a session. Throws 401, or 403 for a key without a scope of sessions. */
async function begin({ pool, clock, keys }: Guarding & Process, { code, key }: Given, opening: Opening): Promise<void> {
  const now = clock()
  if (key !== undefined) {
    // A text without the form of a key was mistyped, and is not looked up.
    const found = await keys.authenticate(key.trim() || 'none')
    const scopes = sessionScopes.filter((scope) => found.scopes.includes(scope))
    if (scopes.length > 0) return createKeySession(pool, found, scopes, { ...opening, now })
    throw new AppError(
      'scope_missing',
      `the key has only ${found.scopes.join(', ')}, but a session needs one of the scopes ${sessionScopes.join(', ')}: use another key`,
    )
  }
  const isRedeemed = isToken('tgc_', code ?? '') && (await redeemCode(pool, hashKey(code ?? ''), { ...opening, now }))
  if (!isRedeemed) throw new AppError('code_invalid')
}

async function endOwn(
  { pool, clock, sessions, access }: Guarding & ConsoleContext & Process,
  request: FastifyRequest,
): Promise<void> {
  const token = sessionToken(request)
  const session = token === undefined ? undefined : await findConsoleSession(pool, hashKey(token))
  if (!session || session.endedAt) return
  await leaveConsoleSession(pool, session.id, clock())
  sessions.forget(session)
  await access.sessionAct(session, 'session.ended', session.id)
}

/**
 * Counts an attempt to sign in, before anything is checked. Attempts are counted by network, because a client with an
 * IPv6 address usually has 2^64 addresses.
 */
export const countTry =
  ({ signInRate, clock }: ConsoleContext & Process) =>
  (request: FastifyRequest, _reply: FastifyReply, done: () => void) => {
    signInRate?.take(addressBlock(request.ip), clock().getTime())
    done()
  }

/** Returns the secrets of a new session, the name of its browser, and its network address. */
export const newOpening = (request: FastifyRequest): Opening => ({
  token: newToken('tgs_'),
  pageSecret: newToken('tgp_'),
  userAgent: request.headers['user-agent']?.slice(0, 200).toWellFormed() ?? null,
  address: callerAddress(request.ip),
})

/** Returns the dependencies of the console's routes. */
export function consoleDoor(app: App, context: Door['context'], version: string): Door {
  let paths: string[] | undefined
  return { context, version, operations: () => (paths ??= Object.keys(app.swagger().paths ?? {})) }
}

/** Answers a successful sign-in, with the cookie and the secret of the page. */
export async function welcome(
  door: Door,
  request: FastifyRequest,
  reply: FastifyReply,
  { token, pageSecret, by }: { token: string; pageSecret: string; by?: string },
) {
  const { context } = door
  const session = await context.sessions.welcome(token)
  await context.access.sessionAct(session, 'session.started', by ?? session.keyId ?? session.madeBy)
  // Ends the former session of the browser: the new cookie replaces the old one, so it could not be ended later.
  await endOwn(context, request)
  const seconds = Math.max(Math.ceil((endOf(session).endsAt.getTime() - context.clock().getTime()) / 1_000), 1)
  reply.header('set-cookie', sessionCookie(context, request, token, seconds))
  return reply.code(201).send({ ...(await describeSession(door, request, session)), pageSecret })
}

function signInRoute(app: App, door: Door): void {
  const { context } = door
  app.post<{ Body: Given }>(
    '/console/api/session',
    {
      schema: { ...schema, body: SignIn },
      onRequest: [ownPage(context), countTry(context)],
      config: { bodyAtMost: 1_024 },
    },
    async (request, reply) => {
      requireEncryption(context, request)
      const { code, key } = request.body
      if ((code === undefined) === (key === undefined)) {
        throw validationFailed([{ in: 'body', pointer: '', code: 'invalid_value', detail: 'send either code or key' }])
      }
      const opening = newOpening(request)
      await begin(context, { code, key }, opening)
      return welcome(door, request, reply, opening)
    },
  )
}

function sessionRoutes(app: App, door: Door): void {
  const { context } = door
  app.get('/console/api/session', { schema, onRequest: ownPage(context) }, async (request) =>
    describeSession(door, request, await context.sessions.authenticate(sessionSecrets(request))),
  )

  app.delete('/console/api/session', { schema, onRequest: ownPage(context) }, async (request, reply) => {
    await endOwn(context, request)
    return reply
      .code(204)
      .header('set-cookie', sessionCookie(context, request, '', 0))
      .send()
  })
}

function pageRoutes(app: App, context: Pick<ConsoleContext, 'console'>): void {
  const files = new ConsoleFiles(context.console.folder)
  app.get<{ Params: { '*': string } }>('/console/*', { schema }, (request, reply) => {
    const path = request.params['*']
    if (path === 'api' || path.startsWith('api/')) throw new AppError('route_not_found')
    return files.send(path, request, reply)
  })
  app.get('/console', { schema }, (request, reply) => {
    if (/\/console\/(\?|$)/.test(request.url)) return files.send('', request, reply)
    return reply.code(302).header('location', './console/').send()
  })
}

/**
 * Adds `/console/`: its pages, and the sign-in of browsers. The handlers of `/v1/` answer the requests of the pages
 * (`leadThroughConsole`).
 */
export function consoleRoutes(app: App, context: Guarding & ConsoleContext & Process & Shown, version: string): void {
  if (!context.console.isOn) return
  const door = consoleDoor(app, context, version)
  signInRoute(app, door)
  sessionRoutes(app, door)
  pageRoutes(app, context)
}
