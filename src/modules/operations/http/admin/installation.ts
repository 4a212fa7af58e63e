import { Type } from 'typebox'
import { installationId } from '../../../../core/domain/accounts/keys.ts'
import { allTime } from '../../../../core/domain/days/day-ranges.ts'
import { AppError, validationFailed } from '../../../../core/contract/errors/errors.ts'
import type { AdminMetrics } from '../../schemas/installation.ts'
import { DatedPageQuery } from '../../../../core/contract/paging/schema.ts'
import { Choice, closed, isUuid } from '../../../../core/contract/scalars.ts'
import { findAccessHead, listActs, listAllActs, type AccessEntry } from '../../../../core/store/accounts/access.ts'
import { listMigrations, listTableSizes } from '../../store/admin.ts'
import { summariseUpkeep } from '../../../../core/store/db/upkeep.ts'
import { findLocation } from '../../../../core/contract/location/rows.ts'
import { countConnections, measureClockOffset } from '../../../../core/store/db/observation.ts'
import { readServerState } from '../../../../core/store/db/server.ts'
import { summariseStatus } from '../../store/status.ts'
import type { Writing, Process, Shown } from '../../../../core/http/context.ts'
import type { App } from '../../../../core/http/server-types.ts'
import { readDates } from '../../../../core/contract/paging/query-dates.ts'
import { named, operation } from '../../../../core/http/reference/route-schema.ts'
import { assertLogged, toAccess } from '../access.ts'
import { locationParameter, pageQuery } from '../../../../core/http/parameters/location-pages.ts'
import { dayMs } from '../../../../core/domain/days/time-units.ts'

const directions = ['sequence', '-sequence'] as const

/**
 * Selects the acts by hand that are listed: of one location, since a moment, and from which number on in which
 * direction.
 */
const AuditQuery = Type.Object(
  {
    location: locationParameter,
    sort: Type.Optional(
      Choice(directions, {
        default: 'sequence',
        description: 'Order of the entries; `-sequence` returns the newest first.',
      }),
    ),
    after: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Continue after this sequence, in the direction of `sort`.',
      }),
    ),
    since: DatedPageQuery.since,
    limit: Type.Optional(
      Type.Integer({
        default: 100,
        minimum: 1,
        maximum: 1000,
        'x-capped': true,
        description: 'Page size, at most 1,000.',
      }),
    ),
  },
  closed,
)

/** Selects acts at the installation and all locations. */
const AllActsQuery = Type.Object({ ...pageQuery, since: DatedPageQuery.since }, closed)

type ActPlace = Pick<AccessEntry, 'at' | 'seq' | 'id'>

const actCursor = ({ at, seq, id }: ActPlace) => `${at.getTime()}_${seq}_${id}`

/** Reads the position of a page of acts; null at its beginning. Throws 400 for anything but what the page before gave. */
function readActCursor(text: string | undefined): ActPlace | null {
  if (text === undefined) return null
  const [, at, seq, id = ''] = /^(\d{1,15})_(\d{1,15})_(.{36})$/.exec(text) ?? []
  if (isUuid(id) && Number(at) <= allTime.last) return { at: new Date(Number(at)), seq: Number(seq), id }
  const detail = 'cursor must be `meta.next` of a page of this list'
  throw validationFailed([{ in: 'query', pointer: '/cursor', code: 'invalid_cursor', detail }])
}

const config = { scope: 'admin' } as const

const tags: [string] = ['Admin']

function adminGetSystemRoute(app: App, context: Writing & Process, version: string): void {
  const { pool, clock } = context
  app.get(
    '/v1/admin/system',
    {
      config,
      schema: operation({
        tags,
        operationId: 'adminGetSystem',
        answer: 'State of the process and the database.',
        summary: 'Read the state of the installation',
        description: 'Returns the state of this process and of the database. On Citus, all shards are queried.',
        answers: { 200: named('AdminSystem') },
        problems: ['scope_missing'],
      }),
    },
    async () => {
      const now = clock()
      const [state, summary, tables, migrations, behindMs, connections, disk, upkeep] = await Promise.all([
        readServerState(pool),
        summariseStatus(pool, now, new Date(now.getTime() - dayMs)),
        listTableSizes(pool),
        listMigrations(pool),
        measureClockOffset(pool, clock),
        countConnections(pool),
        context.readDisk(),
        summariseUpkeep(pool),
      ])
      return {
        version,
        node: process.versions.node,
        startedAt: context.startedAt.toISOString(),
        memoryBytes: process.memoryUsage.rss(),
        locations: summary.locations,
        disk,
        upkeep: {
          oldestBackupAt: upkeep.backup?.toISOString() ?? null,
          withoutBackup: upkeep.withoutBackup,
          oldestVerificationAt: upkeep.verify?.toISOString() ?? null,
          withoutVerification: upkeep.withoutVerify,
          broken: upkeep.broken,
        },
        clockOffsetMs: -Math.round(behindMs),
        connections: connections.map(({ state: name, n }) => ({ state: name, count: n })),
        database: {
          version: state.version,
          sizeBytes: summary.bytes,
          tables,
          migrations: migrations.map(({ appliedAt, ...one }) => ({ ...one, appliedAt: appliedAt.toISOString() })),
        },
      }
    },
  )
}

function adminGetSettingsRoute(app: App, context: Pick<Shown, 'settings'>): void {
  app.get(
    '/v1/admin/settings',
    {
      config,
      schema: operation({
        tags,
        operationId: 'adminGetSettings',
        answer: 'Settings with their defaults.',
        summary: 'Read the settings of the installation',
        description: 'Returns the settings of this process with their defaults. Settings with passwords are hidden.',
        answers: { 200: named('AdminSettings') },
        problems: ['scope_missing'],
      }),
    },
    async () => ({ data: [...context.settings] }),
  )
}

function adminGetMetricsRoute(app: App, context: Process): void {
  app.get(
    '/v1/admin/metrics',
    {
      config,
      schema: operation({
        tags,
        operationId: 'adminGetMetrics',
        answer: 'Request statistics by route.',
        summary: 'Read request statistics',
        description:
          'Returns the number of requests, refusals and failures, and the response times, of this process since its start. ' +
          '`/metrics` has more metrics for Prometheus.',
        answers: { 200: named('AdminMetrics') },
        problems: ['scope_missing'],
      }),
    },
    async (): Promise<AdminMetrics> => ({
      since: context.startedAt.toISOString(),
      routes: context.metrics.times.routes(),
    }),
  )
}

function adminListActsRoute(app: App, { pool }: Pick<Process, 'pool'>): void {
  app.get(
    '/v1/admin/audit/',
    {
      config,
      schema: operation({
        tags,
        operationId: 'adminListActs',
        answer: 'Actions after the given sequence.',
        summary: 'Read administrative actions',
        description:
          'Returns actions on the installation, its locations and keys; with `location`, those at that location. Oldest first, unless ' +
          '`sort` changes it. From the access log, with the same retention.',
        query: AuditQuery,
        answers: { 200: named('AccessPage') },
        problems: ['scope_missing', 'location_not_found', 'sequence_ahead'],
      }),
    },
    async (request) => {
      const { location, sort, after, since, limit = 100 } = request.query
      const locationId = location?.toLowerCase() ?? installationId
      if (location !== undefined && !(await findLocation(pool, locationId))) throw new AppError('location_not_found')
      const from = since === undefined ? null : new Date(readDates({ since }).range.first)
      // First the head: whoever goes on from there has missed nothing that was written meanwhile.
      const head = await findAccessHead(pool, locationId)
      assertLogged(head, after ?? 0)
      const isNewestFirst = sort === '-sequence'
      const acts = await listActs(pool, locationId, { after: after ?? null, since: from, limit, isNewestFirst })
      const isPart = acts.length === limit
      const seen = acts.at(-1)?.seq ?? 0
      const newest = Math.max(head?.seq ?? 0, acts[0]?.seq ?? 0, seen)
      const end = isNewestFirst ? 0 : newest
      return { data: await toAccess(pool, acts), meta: { next: isPart ? seen : end, head: newest } }
    },
  )
}

function adminListAllActsRoute(app: App, { pool }: Pick<Process, 'pool'>): void {
  app.get(
    '/v1/admin/acts/',
    {
      config,
      schema: operation({
        tags,
        operationId: 'adminListAllActs',
        answer: 'Page of actions, newest first.',
        summary: 'Read administrative actions of all locations',
        description: 'Newest first, from the access logs, with the same retention.',
        query: AllActsQuery,
        answers: { 200: named('AdminActPage') },
        problems: ['scope_missing'],
      }),
    },
    async (request) => {
      const { size = 50, cursor, since } = request.query
      const from = since === undefined ? null : new Date(readDates({ since }).range.first)
      const acts = await listAllActs(pool, { before: readActCursor(cursor), since: from, limit: size + 1 })
      const last = acts.length > size ? acts[size - 1] : undefined
      return { data: await toAccess(pool, acts.slice(0, size)), meta: { next: last ? actCursor(last) : null } }
    },
  )
}

/** Adds the operations on the installation itself, and the list of what was done to it. */
export function adminInstallationRoutes(app: App, context: Writing & Process & Shown, version: string): void {
  adminGetSystemRoute(app, context, version)
  adminGetSettingsRoute(app, context)
  adminGetMetricsRoute(app, context)
  adminListActsRoute(app, context)
  adminListAllActsRoute(app, context)
}
