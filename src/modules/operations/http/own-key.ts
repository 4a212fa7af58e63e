import { Type } from 'typebox'
import { installationId } from '../../../core/domain/accounts/keys.ts'
import { DatedPageQuery } from '../../../core/contract/paging/schema.ts'
import { closed } from '../../../core/contract/scalars.ts'
import type { ReadsEntry } from '../../../core/schemas/access.ts'
import type { KeyUsage, OwnKey } from '../../../core/schemas/keys.ts'
import { listReadsOf } from '../../../core/store/accounts/access.ts'
import { findApiKeyById } from '../../../core/store/accounts/api-keys.ts'
import type { Guarding, Process } from '../../../core/http/context.ts'
import type { App, Caller } from '../../../core/http/server-types.ts'
import { readDates } from '../../../core/contract/paging/query-dates.ts'
import { named, operation } from '../../../core/http/reference/route-schema.ts'
import { readSpan, stepQuery } from '../../../core/http/routes/webhook-statistics.ts'

/** Selects the time from which the refused requests of the key are listed. */
const ErrorQuery = Type.Object({ since: DatedPageQuery.since }, closed)

/** Returns the key that opened a session; undefined for the user of a link, who must not see the vendor's key. */
const keyOf = ({ session }: Caller): string | undefined =>
  session?.kind === 'key' ? (session.keyId ?? undefined) : undefined

/**
 * Returns the ids under which the caller's requests are counted: a session that a key opened includes the requests of
 * the key.
 */
const idsOf = (caller: Caller) => [caller.id, keyOf(caller) ?? []].flat()

const config = { scope: 'any', takesAdmin: true } as const

const tags: [string] = ['Keys']

function getOwnKeyRoute(app: App, { pool, limiter }: Guarding & Process): void {
  app.get(
    '/v1/keys/own',
    {
      config,
      schema: operation({
        tags,
        operationId: 'getOwnKey',
        answer: 'The key, or the session used in its place.',
        summary: 'Read the key',
        description: 'Returns the scopes, location and expiry of the key.',
        answers: { 200: named('OwnKey') },
      }),
    },
    async ({ key }): Promise<OwnKey> => {
      const { session } = key
      const keyId = keyOf(key)
      const row = keyId ? ((await findApiKeyById(pool, keyId)) ?? key) : key
      return {
        id: row.id,
        kind: row === key && session ? 'session' : 'key',
        name: row.name,
        hint: row.hint,
        scopes: row.scopes,
        locationId: row.locationId === installationId ? null : row.locationId,
        recipientId: row.recipientId,
        createdAt: row.createdAt.toISOString(),
        expiresAt: row.expiresAt?.toISOString() ?? null,
        lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
        rateLimit: limiter?.policy ?? null,
      }
    },
  )
}

function getOwnKeyUsageRoute(app: App, { pool, clock }: Process): void {
  app.get(
    '/v1/keys/own/usage',
    {
      config,
      schema: operation({
        tags,
        operationId: 'getOwnKeyUsage',
        answer: 'Number of requests per step.',
        summary: 'Count the requests of the key by step',
        description: 'From the access log, which is updated about once a minute.',
        query: Type.Object(stepQuery(['1m', '5m', '1h', '1d']), closed),
        answers: { 200: named('KeyUsage') },
      }),
    },
    async ({ key, query }): Promise<KeyUsage> => {
      const span = readSpan(clock(), query)
      const { since, until, stepS, step } = span
      const steps = new Map<number, KeyUsage['data'][number]>()
      for (const document of await listReadsOf(pool, key.locationId, idsOf(key), since)) {
        const { minute, requests, refused, rateLimited = 0, failed = 0, documents } = JSON.parse(document) as ReadsEntry
        const at = Date.parse(minute)
        if (at < since.getTime() || at >= until.getTime()) continue
        const from = at - (at % (stepS * 1_000))
        const sum = steps.get(from) ?? { from: '', requests: 0, refused: 0, rateLimited: 0, failed: 0, documents: 0 }
        steps.set(from, {
          from: new Date(from).toISOString(),
          requests: sum.requests + requests,
          refused: sum.refused + refused,
          rateLimited: sum.rateLimited + rateLimited,
          failed: sum.failed + failed,
          documents: sum.documents + documents,
        })
      }
      const data = [...steps].toSorted(([a], [b]) => a - b).map(([, sum]) => sum)
      return { data, meta: { since: since.toISOString(), until: until.toISOString(), step } }
    },
  )
}

function listOwnKeyErrorsRoute(app: App, context: Guarding & Process): void {
  app.get(
    '/v1/keys/own/errors',
    {
      config,
      schema: operation({
        tags,
        operationId: 'listOwnKeyErrors',
        answer: 'Refusals of the key.',
        summary: 'Count refusals of the key',
        description: 'Counts by code and operation, most frequent first, since the start of this process.',
        query: ErrorQuery,
        answers: { 200: named('KeyErrorList') },
      }),
    },
    async ({ key, query }) => {
      const since = new Date(query.since === undefined ? 0 : readDates({ since: query.since }).range.first)
      const data = context.keyErrors.list(idsOf(key), since).map(({ firstAt, lastAt, ...error }) => ({
        ...error,
        firstAt: firstAt.toISOString(),
        lastAt: lastAt.toISOString(),
      }))
      return { data, meta: { countedSince: context.startedAt.toISOString() } }
    },
  )
}

export function ownKeyRoutes(app: App, context: Guarding & Process): void {
  getOwnKeyRoute(app, context)
  getOwnKeyUsageRoute(app, context)
  listOwnKeyErrorsRoute(app, context)
}
