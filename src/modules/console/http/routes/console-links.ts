import { Type } from 'typebox'
import { installationId } from '../../../../core/domain/accounts/keys.ts'
import { AppError, validationFailed } from '../../../../core/contract/errors/errors.ts'
import { ConsoleLinkInput, roleScopes, sessionTimes } from '../../schemas/console.ts'
import { Choice, closed } from '../../../../core/contract/scalars.ts'
import type { Pool } from '../../../../core/store/db/database.ts'
import { listLocationNames } from '../../../../core/contract/location/rows.ts'
import { createConsoleLink, endConsoleSession, listConsoleSessions } from '../../store/console-sessions.ts'
import { toConsoleSession } from '../answers.ts'
import { baseUrl } from '../../../../core/http/base-url.ts'
import type { Guarding, Process, Shown } from '../../../../core/http/context.ts'
import type { ConsoleContext } from '../../context.ts'
import type { App, Caller } from '../../../../core/http/server-types.ts'
import { cursorQuery, readTimeCursor, timeCursor } from '../../../../core/http/parameters/time-cursor.ts'
import { IdParams, named, operation } from '../../../../core/http/reference/route-schema.ts'

/** Selects the sessions and links of the key, page by page. */
const SessionQuery = Type.Object(
  {
    ...cursorQuery(50),
    state: Type.Optional(
      Choice(['live', 'ended', 'all'], {
        default: 'live',
        description: '`live`: sessions, and links that were not used yet.',
      }),
    ),
  },
  closed,
)

/**
 * Returns the maker whose links and sessions a caller may see and end: the key, for a key or a session that the key
 * opened; the session itself, if a link opened it; null (all) for `admin`.
 */
function makerOf({ id, scopes, session }: Caller): string | null {
  if (scopes.includes('admin')) return null
  return session?.kind === 'key' ? session.keyId : id
}

/**
 * Returns the scopes of the link, a subset of the maker's. Throws 403 if the maker lacks one of them, or signed in by a
 * link.
 */
function linkScopes({ scopes, session }: Caller, { role, scopes: requested }: ConsoleLinkInput) {
  if (session?.kind === 'link')
    throw new AppError(
      'scope_missing',
      'a session opened by a link cannot create links: sign in with a key, or ask the operator',
    )
  const wanted = [...new Set(requested ?? (role ? roleScopes[role] : roleScopes.owner))]
  // An operator may choose any scope, since an operator can create a key of any scope.
  const missing = scopes.includes('admin') ? [] : wanted.filter((scope) => !scopes.includes(scope))
  if (missing.length === 0) return wanted
  throw new AppError('scope_missing', `a link cannot have scopes that its creator lacks: remove ${missing.join(', ')}`)
}

/** Returns the normalized URL that the console leads back to; null if none was given. Throws 400 unless it is an https URL. */
function readReturnUrl(text: string | undefined): string | null {
  if (text === undefined) return null
  const url = URL.parse(text)
  if (url?.protocol === 'https:' && url.username === '' && url.password === '') return url.href
  const detail = 'returnUrl must be an absolute https URL without credentials'
  throw validationFailed([{ in: 'body', pointer: '/returnUrl', code: 'invalid_value', detail }])
}

/**
 * Returns the locations of the link: the requested ones, or the caller's own location if none is requested. Throws 403
 * for a location that the caller cannot read, and 404 for an unknown one. An operator may choose any location.
 */
async function linkLocations(
  pool: Pool,
  { locationId, scopes, session }: Caller,
  requested: readonly string[] | undefined,
) {
  const wanted = [...new Set((requested ?? [locationId]).map((id) => id.toLowerCase()))]
  const own = scopes.includes('admin') ? null : session ? session.locationIds : [locationId]
  const forbidden = own && wanted.find((id) => !own.includes(id))
  if (forbidden)
    throw new AppError(
      'location_forbidden',
      `the creator of the link has no access to location ${forbidden}: remove it`,
    )
  const there = new Set(
    (await listLocationNames(pool, { ids: wanted, after: null, limit: wanted.length })).map(({ id }) => id),
  )
  const missing = wanted.find((id) => !there.has(id))
  if (missing !== undefined)
    throw new AppError('location_not_found', `location ${missing} does not exist: check the id`)
  return wanted
}

/** Returns the rights and times of a link besides its scopes and locations. */
function grantOf({ id, recipientId, session }: Caller, { name, role, ...times }: ConsoleLinkInput) {
  const { codeS, lastsS, idleS, renewS } = sessionTimes.link
  return {
    kind: 'link' as const,
    name: name ?? '',
    role: role ?? null,
    recipientId,
    keyId: session ? session.keyId : id,
    madeBy: id,
    codeS: times.expiresIn ?? codeS,
    lastsS: times.sessionSeconds ?? lastsS,
    idleS,
    renewS: times.renewSeconds ?? renewS,
  }
}

const tags: [string] = ['Console']

const config = { scope: 'any', takesAdmin: true } as const

function createConsoleLinkRoute(app: App, context: Guarding & ConsoleContext & Process & Shown): void {
  const { pool, clock, access } = context
  app.post(
    '/v1/console/links',
    {
      config,
      schema: operation({
        tags,
        operationId: 'createConsoleLink',
        answer: 'The link. Its URL is shown only once.',
        summary: 'Create a sign-in link for the console',
        description:
          'Creates a link for one of your users: it signs in once, with a subset of the rights of the key, and ends when the key ends. ' +
          'Rights that the key does not have are refused. A session of several locations can choose some of them.',
        body: ConsoleLinkInput,
        answers: { 201: named('ConsoleLink') },
        problems: [
          'scope_missing',
          'location_required',
          'location_forbidden',
          'location_not_found',
          'body_invalid',
          'body_too_large',
          'media_type_unsupported',
        ],
      }),
    },
    async (request, reply) => {
      const { key, body } = request
      if (key.locationId === installationId && body.locationIds === undefined) throw new AppError('location_required')
      const scopes = linkScopes(key, body)
      const locationIds = await linkLocations(pool, key, body.locationIds)
      const returnUrl = readReturnUrl(body.returnUrl)
      const now = clock()
      context.linkRate?.take(key.id, now.getTime())
      const made = await createConsoleLink(pool, { ...grantOf(key, body), scopes, locationIds, returnUrl }, now)
      await access.act(key, 'link.created', made.id)
      return reply.code(201).send({
        id: made.id,
        url: `${baseUrl(context, request)}/console/#code=${made.code}`,
        expiresAt: made.expiresAt.toISOString(),
        scopes,
        locationId: locationIds[0] as string,
        locationIds,
      })
    },
  )
}

function listConsoleSessionsRoute(app: App, { pool, clock }: Process): void {
  app.get(
    '/v1/console/sessions/',
    {
      config,
      schema: operation({
        tags,
        operationId: 'listConsoleSessions',
        answer: 'Page of links and sessions, newest first.',
        summary: 'List links and sessions',
        description:
          'Lists the links and sessions of the key, newest first; with scope `admin` those of the whole installation.',
        query: SessionQuery,
        answers: { 200: named('ConsoleSessionPage') },
      }),
    },
    async (request) => {
      const { size = 50, cursor, state = 'live' } = request.query
      const filter = { of: makerOf(request.key), state, after: readTimeCursor(cursor), now: clock(), limit: size + 1 }
      const rows = await listConsoleSessions(pool, filter)
      const data = rows.slice(0, size)
      const last = rows.length > size ? data.at(-1) : undefined
      const next = last ? timeCursor(last.createdAt, last.id) : null
      return { data: data.map((row) => toConsoleSession(row, request.key.id)), meta: { next } }
    },
  )
}

function endConsoleSessionRoute(app: App, { pool, clock, access }: Guarding & Process): void {
  app.delete(
    '/v1/console/sessions/:id',
    {
      config,
      schema: operation({
        tags,
        operationId: 'endConsoleSession',
        answer: 'Ended, with everything that it created.',
        summary: 'End a session or an unused link',
        description:
          'Every process refuses it within 5 seconds, including requests in progress. Links and sessions that it created end too.',
        params: IdParams,
        answers: { 204: Type.Null() },
        problems: ['session_not_found'],
      }),
    },
    async (request, reply) => {
      const id = request.params.id.toLowerCase()
      const ended = await endConsoleSession(pool, id, makerOf(request.key), clock())
      if (!ended) throw new AppError('session_not_found')
      await access.act(request.key, 'session.ended', id)
      return reply.code(204).send()
    },
  )
}

/**
 * Adds the operations that create single-use links into the console, and that list and end the sessions of the console
 * (docs/inside/10-console.md).
 */
export function consoleLinkRoutes(app: App, context: Guarding & ConsoleContext & Process & Shown): void {
  createConsoleLinkRoute(app, context)
  listConsoleSessionsRoute(app, context)
  endConsoleSessionRoute(app, context)
}
