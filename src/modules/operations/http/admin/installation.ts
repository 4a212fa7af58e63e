import { Type } from 'typebox'
import { allTime } from '../../../../core/domain/days/day-ranges.ts'
import { AppError, validationFailed } from '../../../../core/contract/errors/errors.ts'
import type { AdminMetrics } from '../../schemas/installation.ts'
import { DatedPageQuery } from '../../../../core/contract/paging/schema.ts'
import { closed, isUuid } from '../../../../core/contract/scalars.ts'
import { listActs, type AccessEntry } from '../../../../core/store/accounts/access.ts'
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
import { toAccess } from '../access.ts'
import { locationParameter, pageQuery } from '../../../../core/http/parameters/location-pages.ts'
import { dayMs } from '../../../../core/domain/days/time-units.ts'

/** Selects acts at one location, or at the installation and all locations. */
const ActsQuery = Type.Object({ ...pageQuery, location: locationParameter, since: DatedPageQuery.since }, closed)

type ActPlace = Pick<AccessEntry, 'at' | 'seq' | 'id'>

const actCursor = ({ at, seq, id }: ActPlace) => `${at.getTime()}_${seq}_${id}`

/**
 * Reads the position of a page of acts; null for the first page. Throws 400 for anything but `meta.next` of the
 * previous page.
 */
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
    '/v1/admin/acts/',
    {
      config,
      schema: operation({
        tags,
        operationId: 'adminListActs',
        answer: 'Page of actions, newest first.',
        summary: 'Read administrative actions',
        description:
          'Returns actions on the installation, its locations and keys, newest first; with `location`, those at that location. From the ' +
          'access logs, with the same retention.',
        query: ActsQuery,
        answers: { 200: named('AdminActPage') },
        problems: ['scope_missing', 'location_not_found'],
      }),
    },
    async (request) => {
      const { size = 50, cursor, location, since } = request.query
      const locationId = location?.toLowerCase() ?? null
      if (locationId !== null && !(await findLocation(pool, locationId))) throw new AppError('location_not_found')
      const from = since === undefined ? null : new Date(readDates({ since }).range.first)
      const found = await listActs(pool, { locationId, before: readActCursor(cursor), since: from, limit: size + 1 })
      const last = found.length > size ? found[size - 1] : undefined
      return { data: await toAccess(pool, found.slice(0, size)), meta: { next: last ? actCursor(last) : null } }
    },
  )
}

/** Adds the operations on the installation itself, and the one that lists administrative acts. */
export function adminInstallationRoutes(app: App, context: Writing & Process & Shown, version: string): void {
  adminGetSystemRoute(app, context, version)
  adminGetSettingsRoute(app, context)
  adminGetMetricsRoute(app, context)
  adminListActsRoute(app, context)
}
