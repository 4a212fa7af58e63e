import { offSentence } from '../../../../core/modules.ts'
import { Type } from 'typebox'
import { installationId, keyState } from '../../../../core/domain/accounts/keys.ts'
import { validationFailed } from '../../../../core/contract/errors/errors.ts'
import { AdminKeyInput, AdminKeyRotation, type AdminKey } from '../../schemas/admin.ts'
import { Choice, closed } from '../../../../core/contract/scalars.ts'
import { listKeysPage } from '../../store/admin.ts'
import { createKey, getKey, revokeKey, rotateKey } from '../../../../core/acts/keys.ts'
import type { ApiKey } from '../../../../core/store/accounts/api-keys.ts'
import type { Guarding, Process } from '../../../../core/http/context.ts'
import type { App } from '../../../../core/http/server-types.ts'
import { IdParams, named, operation } from '../../../../core/http/reference/route-schema.ts'
import { readTimeCursor, timeCursor } from '../../../../core/http/parameters/time-cursor.ts'
import { locationParameter, pageQuery } from '../../../../core/http/parameters/location-pages.ts'

const KeyQuery = Type.Object(
  {
    ...pageQuery,
    location: locationParameter,
    state: Type.Optional(
      Choice(['active', 'ended', 'all'], { default: 'active', description: 'Only keys in this state.' }),
    ),
  },
  closed,
)

/** Makes the key as the list shows it, without its text: only its hash is stored. */
function toKey(key: ApiKey, now: Date): AdminKey {
  const { id, hint, name, locationId, recipientId, scopes, createdAt, expiresAt, revokedAt, lastUsedAt } = key
  return {
    id,
    hint,
    name,
    locationId: locationId === installationId ? null : locationId,
    recipientId,
    scopes,
    state: keyState(key, now),
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  }
}

/** Returns the earlier of two ends; null means no end. */
const earlier = (a: Date | null, b: Date | null): Date | null =>
  a === null || b === null ? (a ?? b) : new Date(Math.min(a.getTime(), b.getTime()))

/** Makes an error for a fault of the body that its schema cannot express. */
const fault = (pointer: string, detail: string) =>
  validationFailed([{ in: 'body', pointer, code: 'invalid_value', detail }])

const config = { scope: 'admin' } as const

const tags: [string] = ['Admin']

function adminListKeysRoute(app: App, { pool, clock }: Process): void {
  app.get(
    '/v1/admin/keys/',
    {
      config,
      schema: operation({
        tags,
        operationId: 'adminListKeys',
        answer: 'Page of keys, newest first.',
        summary: 'List keys',
        description: 'Newest first, without the keys themselves, which are not stored.',
        query: KeyQuery,
        answers: { 200: named('AdminKeyPage') },
        problems: ['scope_missing'],
      }),
    },
    async (request) => {
      const { size = 50, cursor, location, state = 'active' } = request.query
      const now = clock()
      const filter = { locationId: location?.toLowerCase() ?? null, state, after: readTimeCursor(cursor), now }
      const rows = await listKeysPage(pool, { ...filter, limit: size + 1 })
      const last = rows.length > size ? rows[size - 1] : undefined
      const next = last ? timeCursor(last.createdAt, last.id) : null
      return { data: rows.slice(0, size).map((row) => toKey(row, now)), meta: { next } }
    },
  )
}

function adminCreateKeyRoute(app: App, { clock, access }: Guarding & Process): void {
  app.post(
    '/v1/admin/keys/',
    {
      config,
      schema: operation({
        tags,
        operationId: 'adminCreateKey',
        answer: 'The new key, which is shown only once.',
        summary: 'Create a key',
        description:
          'Only this response contains the key itself. A key with scope `admin` ends when the session or key that creates it ends; use `tillgate key create --scope admin` for an independent key.',
        body: AdminKeyInput,
        answers: { 201: named('AdminKeyMade') },
        problems: [
          'scope_missing',
          'location_not_found',
          'location_inactive',
          'body_invalid',
          'media_type_unsupported',
        ],
      }),
    },
    async (request, reply) => {
      const { scopes, name = '', recipientId, expiresAt, test = false, locationId: given } = request.body
      const now = clock()
      const isAdmin = scopes.includes('admin')
      const [off] = scopes.flatMap((scope) => offSentence(scope) ?? [])
      if (off !== undefined) throw fault('/scopes', off)
      if (isAdmin && scopes.length > 1) throw fault('/scopes', 'scope admin cannot be combined with other scopes')
      if (isAdmin !== (given === undefined)) {
        throw fault(
          '/locationId',
          isAdmin ? 'a key with scope admin must not have a location: omit locationId' : 'locationId is required',
        )
      }
      if (expiresAt !== undefined && new Date(expiresAt) <= now)
        throw fault('/expiresAt', 'expiresAt must be in the future')
      const locationId = given?.toLowerCase() ?? installationId
      const grant = { locationId, recipientId: recipientId?.toLowerCase() ?? null, scopes, name }
      const requested = expiresAt === undefined ? null : new Date(expiresAt)
      const times = { expiresAt: isAdmin ? earlier(requested, request.key.expiresAt) : requested }
      const made = { ...grant, ...times, madeBy: request.key.id }
      const acting = access.acting(request)
      const { id, key } = await createKey(acting, test ? 'test' : 'live', made)
      return reply.code(201).send({ ...toKey(await getKey(acting, id), now), key, formerUntil: null })
    },
  )
}

function adminRotateKeyRoute(app: App, { access }: Guarding): void {
  app.post(
    '/v1/admin/keys/:id/rotation',
    {
      config,
      schema: operation({
        tags,
        operationId: 'adminRotateKey',
        answer: 'The replacement key, which is shown only once.',
        summary: 'Replace a key',
        description: 'Both keys are valid for a time, by default a day, so that clients are not interrupted.',
        params: IdParams,
        body: AdminKeyRotation,
        answers: { 201: named('AdminKeyMade') },
        problems: ['scope_missing', 'key_not_found', 'key_ended', 'body_invalid', 'media_type_unsupported'],
      }),
    },
    async (request, reply) => {
      const acting = access.acting(request)
      const overlapMs = (request.body.overlapSeconds ?? 86_400) * 1_000
      const { id, key, formerUntil } = await rotateKey(acting, request.params.id.toLowerCase(), overlapMs)
      const made = toKey(await getKey(acting, id), acting.now)
      return reply.code(201).send({ ...made, key, formerUntil: formerUntil.toISOString() })
    },
  )
}

function adminRevokeKeyRoute(app: App, { access }: Guarding): void {
  app.delete(
    '/v1/admin/keys/:id',
    {
      config,
      schema: operation({
        tags,
        operationId: 'adminRevokeKey',
        answer: 'The revoked key.',
        summary: 'Revoke a key',
        description:
          'Every process refuses the key within 5 seconds, including requests in progress and console sessions that it created. ' +
          'Its webhooks continue and are listed.',
        params: IdParams,
        answers: { 200: named('AdminKeyRevoked') },
        problems: ['scope_missing', 'key_not_found'],
      }),
    },
    async (request) => {
      const acting = access.acting(request)
      const { key, webhooks } = await revokeKey(acting, request.params.id.toLowerCase())
      return { ...toKey(key, acting.now), webhooks: webhooks.map((webhook) => webhook.id) }
    },
  )
}

export function adminKeyRoutes(app: App, context: Guarding & Process): void {
  adminListKeysRoute(app, context)
  adminCreateKeyRoute(app, context)
  adminRotateKeyRoute(app, context)
  adminRevokeKeyRoute(app, context)
}
