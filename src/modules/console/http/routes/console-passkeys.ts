import { Type } from 'typebox'
import { AppError } from '../../../../core/contract/errors/errors.ts'
import { closed } from '../../../../core/contract/scalars.ts'
import { endPasskey, listPasskeys, type PasskeyOwner } from '../../store/passkeys.ts'
import { toPasskey } from '../answers.ts'
import type { Guarding, Process } from '../../../../core/http/context.ts'
import type { App, Caller } from '../../../../core/http/server-types.ts'
import { cursorQuery, readTimeCursor, timeCursor } from '../../../../core/http/parameters/time-cursor.ts'
import { IdParams, named, operation } from '../../../../core/http/reference/route-schema.ts'

/**
 * Returns the owner whose passkeys a caller may see and remove: the link, for a session that a link or a passkey
 * opened; the key with which the passkeys end, for a key or a session that a key opened; null (all) for `admin`.
 */
function ownerOf({ id, scopes, session }: Caller): PasskeyOwner {
  if (scopes.includes('admin')) return null
  if (session === undefined) return { keyId: id }
  return session.grantId === null ? { keyId: session.keyId ?? session.id } : { grantId: session.grantId }
}

const tags: [string] = ['Console']

const config = { scope: 'any', takesAdmin: true } as const

function listPasskeysRoute(app: App, { pool, clock }: Process): void {
  app.get(
    '/v1/console/passkeys/',
    {
      config,
      schema: operation({
        tags,
        operationId: 'listConsolePasskeys',
        answer: 'Page of passkeys, newest first.',
        summary: 'List passkeys',
        description:
          'Lists the passkeys of the link of the session, or of the key, newest first; with scope `admin` those of the whole ' +
          'installation.',
        query: Type.Object(cursorQuery(50), closed),
        answers: { 200: named('PasskeyPage') },
      }),
    },
    async (request) => {
      const { size = 50, cursor } = request.query
      const filter = { owner: ownerOf(request.key), after: readTimeCursor(cursor), now: clock(), limit: size + 1 }
      const rows = await listPasskeys(pool, filter)
      const data = rows.slice(0, size)
      const last = rows.length > size ? data.at(-1) : undefined
      const next = last ? timeCursor(last.createdAt, last.id) : null
      return { data: data.map((row) => toPasskey(row, request.key.session?.madeBy)), meta: { next } }
    },
  )
}

function removePasskeyRoute(app: App, { pool, clock, access }: Guarding & Process): void {
  app.delete(
    '/v1/console/passkeys/:id',
    {
      config,
      schema: operation({
        tags,
        operationId: 'removeConsolePasskey',
        answer: 'Removed; its sessions have ended.',
        summary: 'Remove a passkey',
        description:
          'The passkey can no longer sign in. Sessions that it opened, and passkeys added in them, end with it: every process refuses ' +
          'them within 5 seconds.',
        params: IdParams,
        answers: { 204: Type.Null() },
        problems: ['passkey_not_found'],
      }),
    },
    async (request, reply) => {
      const id = request.params.id.toLowerCase()
      const removed = await endPasskey(pool, id, ownerOf(request.key), clock())
      if (!removed) throw new AppError('passkey_not_found')
      await access.sessionAct(removed, 'passkey.removed', request.key.id)
      return reply.code(204).send()
    },
  )
}

/** Adds the operations that list and remove passkeys, with which users of links return to the console. */
export function consolePasskeyRoutes(app: App, context: Guarding & Process): void {
  listPasskeysRoute(app, context)
  removePasskeyRoute(app, context)
}
