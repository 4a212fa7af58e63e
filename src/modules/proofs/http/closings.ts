import { Type } from 'typebox'
import { businessTime } from '../../../core/domain/days/business-time.ts'
import { pageMeta, requestedPage } from '../../../core/contract/paging/paging.ts'
import { AppError, validationFailed } from '../../../core/contract/errors/errors.ts'
import { makeCheckpoint } from '../projections/checkpoints.ts'
import { closeUpTo } from '../projections/closings.ts'
import { ClosingInput, closingPeriods, type ClosingPage } from '../schemas/closings.ts'
import { PageQuery } from '../../../core/contract/paging/schema.ts'
import { Choice, closed } from '../../../core/contract/scalars.ts'
import { findClosing, listClosings, readClosings } from '../store/closings.ts'
import { listBookDocuments } from '../../books/store/documents.ts'
import { findLocation } from '../../../core/contract/location/rows.ts'
import type { Guarding, Process } from '../../../core/http/context.ts'
import type { Signing } from '../context.ts'
import type { App } from '../../../core/http/server-types.ts'
import { sendBooks } from '../../books/http/book-files.ts'
import { whenBuilt } from '../../figures/http/figures-building.ts'
import { jsonType } from '../../../core/http/answers/json-frame.ts'
import { named, operation } from '../../../core/http/reference/route-schema.ts'

const Period = Choice(closingPeriods, { description: 'Period of the closings: day, month or year.', examples: ['day'] })

const ClosingParams = Type.Object(
  {
    period: Period,
    number: Type.Integer({ minimum: 1, maximum: 999_999_999, description: 'Number of the closing.', examples: [1] }),
  },
  closed,
)

const ClosedDate = Type.String({
  format: 'date',
  description: 'Only the closing that closed this business day. Records that arrived later are in later closings.',
  examples: ['2026-03-14'],
})

/** A closing never changes. */
const forEver = 'private, max-age=31536000, immutable'

const tags: [string] = ['Books']

const checkOver = async ({ pool, clock }: Process, locationId: string, until: string) => {
  const location = await findLocation(pool, locationId)
  if (!location) throw new AppError('location_not_found')
  if (businessTime(location).endOf(until) <= clock().getTime()) return
  const detail = `until: the business day ${until} is not over: choose an earlier day`
  throw validationFailed([{ in: 'body', pointer: '/until', code: 'invalid_value', detail }])
}

function closeDaysRoute(app: App, context: Guarding & Signing & Process): void {
  const { pool, clock, hints, seenHeads, access, signing } = context
  app.post(
    '/v1/closings/',
    {
      config: { scope: 'books' },
      schema: operation({
        tags,
        operationId: 'closeDays',
        answer: { 200: 'Nothing arrived for these days, or they are closed already.', 201: 'The new closings.' },
        summary: 'Close business days',
        description:
          'Adds up the journal entries since the previous closing, with totals over all time, and closes months and fiscal years that ' +
          'ended. After the first closing, the server closes each day by itself when it is complete, 36 hours after its end at the ' +
          'latest. With `after`, a repeated request closes nothing twice.',
        body: ClosingInput,
        answers: { 200: named('ClosingList'), 201: named('ClosingList') },
        problems: ['scope_missing', 'figures_building', 'closing_exists', 'journal_rewound', 'location_not_found'],
      }),
    },
    async (request, reply) => {
      const { locationId } = request.key
      const { until, after } = request.body
      await checkOver(context, locationId, until)
      const seen = seenHeads.of(locationId)
      const made = await whenBuilt(closeUpTo(pool, locationId, { until, after, now: clock(), seen }))
      const last = made.at(-1)
      if (last) {
        seenHeads.raise(locationId, last.seq)
        const signed = signing && (await makeCheckpoint(pool, locationId, { ...signing, now: clock(), seen: last.seq }))
        if (signed) seenHeads.raise(locationId, signed.seq)
        hints.committed(locationId)
        await access.act(request.key, 'closing.made', String(last.closing.number))
        reply.header('tillgate-sequence', last.seq)
      }
      request.handedOut = { documents: made.length }
      reply.code(last ? 201 : 200).header('content-type', jsonType)
      return reply.send(`{"data":[${made.map(({ document }) => document).join(',')}]}`)
    },
  )
}

function listClosingsRoute(app: App, { pool }: Pick<Process, 'pool'>): void {
  app.get(
    '/v1/closings/',
    {
      config: { scope: 'read' },
      schema: operation({
        tags,
        operationId: 'listClosings',
        answer: 'Closings of a period, newest first.',
        summary: 'List closings',
        description: 'Returns closings of days, months or fiscal years with their totals and the totals over all time.',
        query: Type.Object(
          { period: Type.Optional({ ...Period, default: 'day' }), ...PageQuery, date: Type.Optional(ClosedDate) },
          closed,
        ),
        answers: { 200: named('ClosingPage') },
        problems: ['scope_missing'],
      }),
    },
    async (request): Promise<ClosingPage> => {
      const { locationId } = request.key
      const page = requestedPage(request.query)
      const { rows, total } = await listClosings(pool, locationId, {
        period: request.query.period ?? 'day',
        offset: Math.min(page.index * page.size, 2 ** 31),
        limit: page.size,
        date: request.query.date,
      })
      const data = await readClosings(pool, locationId, rows)
      request.handedOut = { documents: data.length }
      return { data, meta: pageMeta(page, total) }
    },
  )
}

function getClosingRoute(app: App, { pool }: Pick<Process, 'pool'>): void {
  app.get(
    '/v1/closings/:period/:number',
    {
      config: { scope: 'read' },
      schema: operation({
        tags,
        operationId: 'getClosing',
        headers: ['ETag'],
        answer: 'The closing; its bytes never change.',
        summary: 'Read a closing',
        description: 'Returns the closing of a day, month or fiscal year by its number.',
        params: ClosingParams,
        answers: { 200: named('Closing') },
        problems: ['scope_missing', 'closing_not_found'],
      }),
    },
    async (request, reply) => {
      const { key, params } = request
      const row = await findClosing(pool, key.locationId, params)
      const document = row && (await listBookDocuments(pool, key.locationId, 'closing', [row.seq])).get(row.seq)
      if (document === undefined)
        throw new AppError(
          'closing_not_found',
          `this location has no ${params.period} closing ${params.number}: see GET /v1/closings/`,
        )
      reply.header('cache-control', forEver)
      return sendBooks(request, reply, { bytes: Buffer.from(document), type: jsonType, documents: 1 })
    },
  )
}

export function closingRoutes(app: App, context: Guarding & Signing & Process): void {
  closeDaysRoute(app, context)
  listClosingsRoute(app, context)
  getClosingRoute(app, context)
}
