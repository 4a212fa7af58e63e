import { changesBetween } from '../../../../core/domain/accounts/act-changes.ts'
import { Type } from 'typebox'
import { AppError } from '../../../../core/contract/errors/errors.ts'
import { DatedPageQuery } from '../../../../core/contract/paging/schema.ts'
import { closed, Uuid } from '../../../../core/contract/scalars.ts'
import { deleteRejected, groupRejected, listRejectedPage, type RejectedGroup } from '../../store/admin.ts'
import { findLocation } from '../../../../core/contract/location/rows.ts'
import type { Guarding, Process } from '../../../../core/http/context.ts'
import type { App } from '../../../../core/http/server-types.ts'
import { readDates } from '../../../../core/contract/paging/query-dates.ts'
import { named, operation } from '../../../../core/http/reference/route-schema.ts'
import { readTimeCursor, timeCursor } from '../../../../core/http/parameters/time-cursor.ts'
import { locationParameter, pageQuery, walkLocations } from '../../../../core/http/parameters/location-pages.ts'

const code = Type.Optional(Type.String({ maxLength: 100, description: 'Only records rejected with this code.' }))

/** Rejected records belong to the location of the key that sent them, whatever their content. */
const location = Uuid({ description: 'Location of the records.' })

/** One location's rejected records, limited by code or time, or to a single record. */
const ListQuery = Type.Object(
  {
    ...pageQuery,
    location,
    id: Type.Optional(Uuid({ description: 'Only this record, as long as it is stored.' })),
    code,
    since: DatedPageQuery.since,
  },
  closed,
)

/** Selects the summary, which counts equal faults of all locations in groups. */
const SummaryQuery = Type.Object(
  {
    ...pageQuery,
    location: locationParameter,
    code,
    since: DatedPageQuery.since,
    all: Type.Optional(
      Type.Literal(true, {
        description: 'Count the whole installation instead of a page of locations; `meta.next` is null.',
      }),
    ),
  },
  closed,
)

/** At most this many groups of the whole installation are returned, the most frequent ones. */
const groupsAtMost = 500

/** A deletion has an upper bound in time, so that records that arrive during the deletion stay. */
const DeleteQuery = Type.Object(
  {
    location,
    before: Type.String({ description: 'Only records received before this date or datetime.', maxLength: 40 }),
  },
  closed,
)

/**
 * Returns the first moment in `since`: a date means its beginning in UTC, as in the documented lists (decision 0006).
 */
const sinceOf = (since: string | undefined) =>
  new Date(since === undefined ? 0 : Math.max(readDates({ since }).range.first, 0))

const config = { scope: 'admin' } as const

const tags: [string] = ['Admin']

const requireLocation = async ({ pool }: Pick<Process, 'pool'>, id: string): Promise<string> => {
  if (await findLocation(pool, id.toLowerCase())) return id.toLowerCase()
  throw new AppError('location_not_found', `location ${id} does not exist: see GET /v1/admin/locations/`)
}

function adminListRejectedRoute(app: App, context: Pick<Process, 'pool'>): void {
  const { pool } = context
  app.get(
    '/v1/admin/rejected/',
    {
      config,
      schema: operation({
        tags,
        operationId: 'adminListRejected',
        answer: 'Page of rejected records, newest first.',
        summary: 'List the rejected records of a location',
        description: 'Returns the records as sent, with their faults, newest first.',
        query: ListQuery,
        answers: { 200: named('AdminRejectedPage') },
        problems: ['scope_missing', 'location_not_found'],
      }),
    },
    async (request) => {
      const { size = 50, cursor, id = null, code = null, since } = request.query
      const locationId = await requireLocation(context, request.query.location)
      const after = readTimeCursor(cursor)
      const filter = { id: id?.toLowerCase() ?? null, code, since: sinceOf(since), after, limit: size + 1 }
      const rows = await listRejectedPage(pool, locationId, filter)
      const last = rows.length > size ? rows[size - 1] : undefined
      const data = rows.slice(0, size).map(({ receivedAt, errors, ...row }) => ({
        ...row,
        locationId,
        receivedAt: receivedAt.toISOString(),
        errors: JSON.parse(errors) as unknown[],
      }))
      return { data, meta: { next: last ? timeCursor(last.receivedAt, last.id) : null } }
    },
  )
}

function adminSummariseRejectedRoute(app: App, { pool }: Pick<Process, 'pool'>): void {
  app.get(
    '/v1/admin/rejected/summary',
    {
      config,
      schema: operation({
        tags,
        operationId: 'adminSummariseRejected',
        answer: 'Groups of rejected records.',
        summary: 'Count rejected records by location, code and field',
        description:
          'Returns groups of a page of locations, most frequent first; with `all` those of the whole installation, at most 500.',
        query: SummaryQuery,
        answers: { 200: named('AdminRejectedSummary') },
        problems: ['scope_missing'],
      }),
    },
    async (request) => {
      const { all, code = null, since } = request.query
      const groups: RejectedGroup[] = []
      const { next } = await walkLocations(pool, request.query, async (ids) => {
        groups.push(...(await groupRejected(pool, ids, { since: sinceOf(since), code })))
        return all === true
      })
      groups.sort((a, b) => b.count - a.count)
      const meta = { next: all === true ? null : next }
      const data = groups.slice(0, groupsAtMost).map(({ pointer, firstAt, lastAt, ...group }) => ({
        ...group,
        // JSON text without its quotes.
        pointer: pointer === null ? '' : (JSON.parse(`"${pointer}"`) as string),
        firstAt: firstAt.toISOString(),
        lastAt: lastAt.toISOString(),
      }))
      return { data, meta }
    },
  )
}

function adminDeleteRejectedRoute(app: App, context: Guarding & Process): void {
  const { pool, access } = context
  app.delete(
    '/v1/admin/rejected/',
    {
      config,
      schema: operation({
        tags,
        operationId: 'adminDeleteRejected',
        answer: 'Number of deleted records.',
        summary: 'Delete old rejected records of a location',
        description: 'Deletes the records received before a given time.',
        query: DeleteQuery,
        answers: { 200: named('AdminDeleted') },
        problems: ['scope_missing', 'location_not_found'],
      }),
    },
    async (request) => {
      const locationId = await requireLocation(context, request.query.location)
      const before = new Date(readDates({ since: request.query.before }).range.first)
      const deleted = await deleteRejected(pool, locationId, before)
      const changes = changesBetween({ records: deleted }, { records: 0 })
      await access.acting(request).note(locationId, { act: 'rejected.deleted', subject: null, changes })
      return { deleted }
    },
  )
}

/** Adds the operations on records from tills that were not stored. */
export function adminRejectedRoutes(app: App, context: Guarding & Process): void {
  adminListRejectedRoute(app, context)
  adminSummariseRejectedRoute(app, context)
  adminDeleteRejectedRoute(app, context)
}
