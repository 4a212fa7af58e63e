import { Type } from 'typebox'
import { installationId } from '../../../domain/keys.ts'
import { breakerThreshold } from '../../../domain/retry-schedule.ts'
import { AppError } from '../../../errors.ts'
import type { AdminOverview, AdminWebhook } from '../../../schemas/admin.ts'
import type { Location } from '../../../schemas/locations.ts'
import { DatedPageQuery } from '../../../schemas/pages.ts'
import { Choice, closed } from '../../../schemas/scalars.ts'
import { findAccessHead, listActs } from '../../../store/access.ts'
import {
  listLocationFacts,
  listLocationFaults,
  listMigrations,
  listTableSizes,
  listWebhooksOf,
} from '../../../store/admin.ts'
import { findLocation } from '../../../store/locations.ts'
import { measureClockOffset } from '../../../store/observation.ts'
import { readServerState } from '../../../store/server.ts'
import { summariseStatus } from '../../../store/status.ts'
import type { App, Context } from '../../context.ts'
import { readDates } from '../../query-dates.ts'
import { named, operation } from '../../route-schema.ts'
import { toAccess } from '../access.ts'
import { toWebhook } from '../webhooks.ts'
import { locationPage, locationParameter, pageQuery } from './pages.ts'

const dayMs = 86_400_000

/** Entries that a webhook may be behind before it is told of. */
const farBehind = 1_000

/** Business days whose Z reports are told of. */
const reportDays = 7

const OverviewQuery = Type.Object(
  {
    ...pageQuery,
    silentHours: Type.Optional(
      Type.Integer({
        default: 24,
        minimum: 1,
        maximum: 8_760,
        description: 'Hours without anything accepted after which a location is told of.',
      }),
    ),
  },
  closed,
)

const WebhookQuery = Type.Object(
  {
    ...pageQuery,
    location: locationParameter,
    state: Type.Optional(Choice(['enabled', 'failing', 'disabled'], { description: 'Only webhooks that stand so.' })),
  },
  closed,
)

const AuditQuery = Type.Object(
  {
    location: locationParameter,
    after: Type.Optional(
      Type.Integer({
        default: 0,
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Read on after this one.',
      }),
    ),
    since: DatedPageQuery.since,
    limit: Type.Optional(
      Type.Integer({ default: 100, minimum: 1, maximum: 1000, 'x-capped': true, description: 'Capped at 1,000.' }),
    ),
  },
  closed,
)

type Listed = Awaited<ReturnType<typeof listWebhooksOf>>[number]

function toAdminWebhook(row: Listed): AdminWebhook {
  const enabled = row.failures >= breakerThreshold ? 'failing' : 'enabled'
  const isDisabled = row.state === 'disabled'
  return {
    ...toWebhook(row),
    state: isDisabled ? 'disabled' : enabled,
    disabledReason: row.disabledReason,
    sequence: row.cursor,
    behind: Math.max(row.head - row.cursor, 0),
    setAside: row.setAside,
    failures: row.failures,
    failingSince: row.failingSince?.toISOString() ?? null,
    nextAttemptAt: isDisabled ? null : (row.retryAt?.toISOString() ?? null),
  }
}

type Problem = AdminOverview['data'][number]['problems'][number]

function problemsOf({ id, state, behind, failingSince }: AdminWebhook): Problem[] {
  const about = { subjectId: id, since: failingSince }
  if (state === 'disabled') return [{ kind: 'webhook_disabled', ...about, count: 1 }]
  if (state === 'failing') return [{ kind: 'webhook_failing', ...about, count: 1 }]
  return behind >= farBehind ? [{ kind: 'webhook_behind', ...about, count: behind }] : []
}

/** The installation as a whole: what needs attention, its webhooks, itself, and what was done to it. */
export function adminInstallationRoutes(app: App, context: Context, version: string): void {
  const { pool, clock } = context
  const config = { scope: 'admin' } as const
  const tags: [string] = ['Admin']

  app.get(
    '/v1/admin/webhooks/',
    {
      config,
      schema: operation({
        tags,
        operationId: 'adminListWebhooks',
        answer: 'The webhooks of a page of locations.',
        summary: 'List the webhooks of all locations',
        description: 'Those of a page of locations, each with how it stands.',
        query: WebhookQuery,
        answers: { 200: named('AdminWebhookPage') },
        problems: ['scope_missing'],
      }),
    },
    async (request) => {
      const { state } = request.query
      const { ids, meta } = await locationPage(pool, request.query)
      const data = (await listWebhooksOf(pool, ids)).map(toAdminWebhook)
      return { data: state === undefined ? data : data.filter((webhook) => webhook.state === state), meta }
    },
  )

  app.get(
    '/v1/admin/overview',
    {
      config,
      schema: operation({
        tags,
        operationId: 'adminGetOverview',
        answer: 'A page of locations with what needs attention.',
        summary: 'Read what needs attention',
        description: 'Of a page of locations; within it those with the most problems come first.',
        query: OverviewQuery,
        answers: { 200: named('AdminOverview') },
        problems: ['scope_missing'],
      }),
    },
    async (request): Promise<AdminOverview> => {
      const now = clock().getTime()
      const silentBefore = new Date(now - (request.query.silentHours ?? 24) * 3_600_000)
      const { rows, ids, meta } = await locationPage(pool, request.query)
      const rejectedSince = new Date(now - dayMs)
      const reportsSince = new Date(now - reportDays * dayMs).toISOString()
      const [facts, webhooks, faults] = await Promise.all([
        listLocationFacts(pool, ids, { rejectedSince, breakerThreshold }),
        listWebhooksOf(pool, ids),
        listLocationFaults(pool, ids, reportsSince.slice(0, 10)),
      ])
      const faultOf = new Map(faults.map((fault) => [fault.id, fault]))
      const factOf = new Map(facts.map((fact) => [fact.id, fact]))
      const of = Map.groupBy(webhooks.map(toAdminWebhook), ({ locationId }) => locationId)
      const data = rows.map((row) => {
        const fact = factOf.get(row.id)
        const lastAcceptedAt = fact?.lastAcceptedAt ?? null
        const { brokenAt = null, unbalanced = 0 } = faultOf.get(row.id) ?? {}
        const problems: Problem[] = []
        if (brokenAt) {
          problems.push({ kind: 'journal_broken', since: brokenAt.toISOString(), count: 1, subjectId: null })
        }
        const isSilent = lastAcceptedAt === null || lastAcceptedAt < silentBefore
        if (isSilent && row.deactivatedAt === null) {
          problems.push({ kind: 'silent', since: lastAcceptedAt?.toISOString() ?? null, count: 1, subjectId: null })
        }
        if (fact && fact.rejected > 0) {
          problems.push({ kind: 'rejected', since: rejectedSince.toISOString(), count: fact.rejected, subjectId: null })
        }
        if (unbalanced > 0) {
          problems.push({ kind: 'report_unbalanced', since: reportsSince, count: unbalanced, subjectId: null })
        }
        if (row.deactivatedAt === null) problems.push(...(of.get(row.id) ?? []).flatMap(problemsOf))
        const { name } = JSON.parse(row.document) as Location
        const sequence = fact?.sequence ?? 0
        return { locationId: row.id, name, sequence, lastAcceptedAt: lastAcceptedAt?.toISOString() ?? null, problems }
      })
      return { data: data.toSorted((a, b) => b.problems.length - a.problems.length), meta }
    },
  )

  app.get(
    '/v1/admin/system',
    {
      config,
      schema: operation({
        tags,
        operationId: 'adminGetSystem',
        answer: 'The process and the database.',
        summary: 'Read how the installation stands',
        description: 'The process that answers, and the database. On Citus it asks every shard.',
        answers: { 200: named('AdminSystem') },
        problems: ['scope_missing'],
      }),
    },
    async () => {
      const now = clock()
      const [state, summary, tables, migrations, behindMs] = await Promise.all([
        readServerState(pool),
        summariseStatus(pool, now, new Date(now.getTime() - dayMs)),
        listTableSizes(pool),
        listMigrations(pool),
        measureClockOffset(pool, clock),
      ])
      return {
        version,
        node: process.versions.node,
        startedAt: context.startedAt.toISOString(),
        memoryBytes: process.memoryUsage.rss(),
        locations: summary.locations,
        clockOffsetMs: -Math.round(behindMs),
        database: {
          version: state.version,
          sizeBytes: summary.bytes,
          tables,
          migrations: migrations.map(({ appliedAt, ...one }) => ({ ...one, appliedAt: appliedAt.toISOString() })),
        },
      }
    },
  )

  app.get(
    '/v1/admin/audit/',
    {
      config,
      schema: operation({
        tags,
        operationId: 'adminListActs',
        answer: 'Acts after the given one.',
        summary: 'Read what was done by hand',
        description:
          'Acts on the installation, its locations and keys; with `location` those at that location. Oldest first, from the ' +
          'chained log of access: it is kept as long.',
        query: AuditQuery,
        answers: { 200: named('AccessPage') },
        problems: ['scope_missing', 'location_not_found'],
      }),
    },
    async (request) => {
      const { location, after = 0, since, limit = 100 } = request.query
      const locationId = location?.toLowerCase() ?? installationId
      if (location !== undefined && !(await findLocation(pool, locationId))) throw new AppError('location_not_found')
      const from = since === undefined ? null : new Date(readDates({ since }).range.first)
      const [head, acts] = await Promise.all([
        findAccessHead(pool, locationId),
        listActs(pool, locationId, { after, since: from, limit }),
      ])
      const last = acts.length === limit ? (acts.at(-1)?.seq ?? after) : Math.max(after, head?.seq ?? 0)
      return { data: acts.map(toAccess), meta: { next: last, head: Math.max(head?.seq ?? 0, last) } }
    },
  )
}
