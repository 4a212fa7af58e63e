import type { FastifyRequest } from 'fastify'
import { AppError } from '../../../../core/contract/errors/errors.ts'
import { PasskeyAnswer, PasskeyInput } from '../../schemas/console.ts'
import type { HeldSession } from '../../../../core/http/server-types.ts'
import { endConsoleSession, findConsoleSession, renewSession } from '../../store/console-sessions.ts'
import {
  createPasskey,
  createPasskeySession,
  endPasskey,
  findPasskey,
  lineageOf,
  listPasskeys,
} from '../../store/passkeys.ts'
import { toPasskey } from '../answers.ts'
import { offerRegistration, offerSignIn, readRegistration, readSignIn } from '../passkeys.ts'
import { sessionCookie, sessionSecrets, sessionToken } from '../../../../core/http/guard/cookies.ts'
import { ownOrigin, requireEncryption } from '../../../../core/http/guard/door.ts'
import { endOf } from '../sessions.ts'
import type { Guarding, Process, Shown } from '../../../../core/http/context.ts'
import type { ConsoleContext } from '../../context.ts'
import type { App } from '../../../../core/http/server-types.ts'
import { consoleDoor, countTry, describeSession, newOpening, ownPage, welcome, type Door } from './console.ts'

/** Limit of passkeys per link. */
const passkeysAtMost = 10

/** A renewal must extend the session by at least this time, in milliseconds. */
const leastGainMs = 60_000

/** Maximum size of an authenticator's answer, in bytes; usually it has a few hundred. */
const bodyAtMost = 8_192

const schema = { hide: true }

/** Returns the session of the request, if its link allows a return. Throws 409. */
async function renewableSession(context: ConsoleContext & Process, request: FastifyRequest) {
  const session = await context.sessions.authenticate(sessionSecrets(request))
  const { renewableUntil } = endOf(session)
  const { renewUntil, grantId } = session
  if (renewableUntil === null || renewUntil === null || grantId === null) throw new AppError('session_not_renewable')
  context.linkRate?.take(session.id, context.clock().getTime())
  return { ...session, renewUntil, grantId, renewableUntil }
}

/** Adds the route that renews a session: for the lifetime of a new session, but never beyond the limit of its link. */
function renewalRoute(app: App, door: Door): void {
  const { context } = door
  const { pool, clock, sessions, access } = context
  app.post('/console/api/session/renewal', { schema, onRequest: ownPage(context) }, async (request, reply) => {
    requireEncryption(context, request)
    const session = await renewableSession(context, request)
    const now = clock()
    const endsAt = new Date(Math.min(now.getTime() + session.lastsS * 1_000, session.renewableUntil.getTime()))
    const isLonger = endsAt.getTime() - endOf(session).endsAt.getTime() >= leastGainMs
    if (!isLonger || !(await renewSession(pool, session.id, endsAt, now))) throw new AppError('session_not_renewable')
    sessions.forget(session)
    await access.sessionAct(session, 'session.renewed', session.id)
    const renewed: HeldSession = { ...session, endsAt }
    const seconds = Math.max(Math.ceil((endsAt.getTime() - now.getTime()) / 1_000), 1)
    reply.header('set-cookie', sessionCookie(context, request, sessionToken(request) ?? '', seconds))
    return describeSession(door, request, renewed)
  })
}

/** Adds the two routes by which a renewable session registers a passkey: options and answer. */
function registrationRoutes(app: App, { context }: Door): void {
  const { pool, clock, access } = context
  const listOf = (grantId: string) =>
    listPasskeys(pool, { owner: { grantId }, after: null, now: clock(), limit: passkeysAtMost })
  const full = () =>
    new AppError('passkey_limit', `a link can have at most ${passkeysAtMost} passkeys: remove an unused one`)

  app.post('/console/api/passkeys/offer', { schema, onRequest: ownPage(context) }, async (request) => {
    requireEncryption(context, request)
    const session = await renewableSession(context, request)
    const known = await listOf(session.grantId)
    if (known.length >= passkeysAtMost) throw full()
    return offerRegistration(context, session, { origin: ownOrigin(context, request), known })
  })

  app.post<{ Body: PasskeyInput }>(
    '/console/api/passkeys',
    { schema: { ...schema, body: PasskeyInput }, onRequest: ownPage(context), config: { bodyAtMost } },
    async (request, reply) => {
      requireEncryption(context, request)
      const session = await renewableSession(context, request)
      if ((await listOf(session.grantId)).length >= passkeysAtMost) throw full()
      const { answer, label } = request.body
      const made = await readRegistration(context, session, { answer, label, origin: ownOrigin(context, request) })
      const now = clock()
      const id = await createPasskey(pool, session, { ...made, lineage: await lineageOf(pool, session) }, now)
      if (id === undefined) throw new AppError('passkey_known')
      // Read again: if the session has ended in the meantime, the new passkey must end too.
      const still = await findConsoleSession(pool, session.hash)
      const row = await findPasskey(pool, made.credentialId, now)
      if (!row || !still || still.endedAt || !isSame(still.locationIds, row.locationIds)) {
        await endPasskey(pool, id, null, now)
        throw new AppError('session_ended')
      }
      await access.sessionAct(row, 'passkey.added', session.id)
      return reply.code(201).send(toPasskey(row, session.madeBy))
    },
  )
}

/** Adds the two routes for signing in by a passkey: options and answer. */
function signInRoutes(app: App, door: Door): void {
  const { context } = door
  const { pool, clock } = context
  const onRequest = [ownPage(context), countTry(context)]
  app.post('/console/api/session/challenge', { schema, onRequest }, async (request) => {
    requireEncryption(context, request)
    return offerSignIn(context, ownOrigin(context, request))
  })

  app.post<{ Body: PasskeyAnswer }>(
    '/console/api/session/passkey',
    { schema: { ...schema, body: PasskeyAnswer }, onRequest, config: { bodyAtMost } },
    async (request, reply) => {
      requireEncryption(context, request)
      const passkey = await readSignIn(context, request.body, ownOrigin(context, request))
      const opening = newOpening(request)
      const now = clock()
      const id = await createPasskeySession(pool, passkey, { ...opening, now })
      // Read again: if the passkey has ended in the meantime, the new session must end too.
      const still = await findPasskey(pool, passkey.credentialId, now)
      if (!still || still.endedAt || !isSame(still.locationIds, passkey.locationIds)) {
        await endConsoleSession(pool, id, null, now)
        throw new AppError('passkey_refused')
      }
      return welcome(door, request, reply, { ...opening, by: passkey.id })
    },
  )
}

const isSame = (a: readonly string[] | null, b: readonly string[] | null) => a?.join() === b?.join()

/**
 * Adds the two ways to return to the console: renewal of the session, and passkeys. Both need a link that allows a
 * return, and neither gives more rights or time than the link.
 */
export function consoleReturnRoutes(
  app: App,
  context: Guarding & ConsoleContext & Process & Shown,
  version: string,
): void {
  if (!context.console.isOn) return
  const door = consoleDoor(app, context, version)
  renewalRoute(app, door)
  registrationRoutes(app, door)
  signInRoutes(app, door)
}
