import { Type } from 'typebox'
import { figuresAtOnce } from '../projections/figures-at-once.ts'
import { closesDays, readDays, readCompleteness } from '../projections/days-answer.ts'
import { daysProjection, readPendingDays } from '../projections/days.ts'
import { readExactly } from '../projections/exact.ts'
import { readRevisions } from '../projections/revisions.ts'
import type { BusinessDay, BusinessDayList, DayRevisionList } from '../schemas/business-days.ts'
import type { Completeness } from '../schemas/completeness.ts'
import { DayRangeQuery } from '../../../core/schemas/day-ranges.ts'
import { closed } from '../../../core/contract/scalars.ts'
import { findLocation } from '../../../core/contract/location/rows.ts'
import type { Reading, Process } from '../../../core/http/context.ts'
import type { App } from '../../../core/http/server-types.ts'
import { checkDays, daysOf } from '../../../core/contract/paging/day-range.ts'
import { whenBuilt } from './figures-building.ts'
import { reachNumber } from '../../../core/http/answers/freshness.ts'
import { named, operation } from '../../../core/http/reference/route-schema.ts'

/** Matches the path of one business day: a calendar date of the location, never a moment. */
const DateParams = Type.Object(
  {
    date: Type.String({ format: 'date', description: 'Local date on which it begins.', examples: ['2026-03-14'] }),
  },
  closed,
)

/** Changed orders are read for at most this many days. */
const longestWithOrders = 7

const RevisedQuery = Type.Object(
  {
    ...DayRangeQuery,
    orders: Type.Optional(Type.Literal(true, { description: 'Include the changed orders; at most 7 days.' })),
  },
  closed,
)

function listBusinessDaysRoute(app: App, context: Reading & Process): void {
  const { pool, clock } = context
  app.get(
    '/v1/business-days/',
    {
      config: { scope: 'read' },
      schema: operation({
        tags: ['Figures'],
        operationId: 'listBusinessDays',
        answer: 'Business days, oldest first.',
        summary: 'List business days',
        description:
          'Returns every business day of a range with its status, its Z reports and what is missing. Without `since` and ' +
          '`until`, the last 31 days; at most 366 days.',
        query: Type.Object(DayRangeQuery, closed),
        isNumbered: true,
        answers: { 200: named('BusinessDayList') },
        problems: ['scope_missing', 'figures_building'],
      }),
    },
    async (request, reply): Promise<BusinessDayList> => {
      const { query, key } = request
      checkDays(query)
      await reachNumber(context, request)
      const { locationId } = key
      const answer = await whenBuilt(
        figuresAtOnce.run(locationId, () =>
          readExactly(pool, locationId, daysProjection, async (tx) => {
            const [live, location] = [await readPendingDays(tx, locationId), await findLocation(tx, locationId)]
            if (!live || !location) return undefined
            const now = clock()
            const range = daysOf(query, live.clock, now)
            const days = await readDays(tx, locationId, live, { range, now })
            const { completeUntil, sequence } = await readCompleteness(tx, locationId, live, now)
            const { currency } = location
            return {
              data: days.map(({ day }) => day),
              meta: {
                ...range,
                currency,
                ...live.clock,
                sequence,
                completeUntil,
                closesDays: await closesDays(tx, locationId, live),
              },
            }
          }),
        ),
      )
      request.handedOut = { documents: answer.data.length }
      reply.header('tillgate-sequence', answer.meta.sequence).header('cache-control', 'private, no-cache')
      return answer
    },
  )
}

function listRevisedDaysRoute(app: App, context: Reading & Process): void {
  const { pool, clock } = context
  app.get(
    '/v1/business-days/revised',
    {
      config: { scope: 'read' },
      schema: operation({
        tags: ['Figures'],
        operationId: 'listRevisedDays',
        answer: 'Changed business days, oldest first.',
        summary: 'List business days that changed after they were complete',
        description:
          'Returns the sales of each day when it was first complete, and now; with `orders` also the ' +
          'orders that changed or arrived since, for at most 7 days. Without `since` and `until`, the last 31 days; at most 366 days.',
        query: RevisedQuery,
        isNumbered: true,
        answers: { 200: named('DayRevisionList') },
        problems: ['scope_missing', 'figures_building', 'documents_aside'],
      }),
    },
    async (request, reply): Promise<DayRevisionList> => {
      const { query, key } = request
      const withOrders = query.orders === true
      checkDays(query)
      await reachNumber(context, request)
      const { locationId } = key
      const answer = await whenBuilt(
        readExactly(pool, locationId, daysProjection, async (tx) => {
          const [live, location] = [await readPendingDays(tx, locationId), await findLocation(tx, locationId)]
          if (!live || !location) return undefined
          const now = clock()
          const range = daysOf(query, live.clock, now)
          if (withOrders) checkDays(range, longestWithOrders)
          const data = await readRevisions(tx, locationId, live, { range, now, withOrders })
          return { data, meta: { ...range, currency: location.currency, sequence: live.reached } }
        }),
      )
      request.handedOut = { documents: answer.data.length }
      reply.header('tillgate-sequence', answer.meta.sequence).header('cache-control', 'private, no-cache')
      return answer
    },
  )
}

function getBusinessDayRoute(app: App, context: Reading & Process): void {
  const { pool, clock } = context
  app.get(
    '/v1/business-days/:date',
    {
      config: { scope: 'read' },
      schema: operation({
        tags: ['Figures'],
        operationId: 'getBusinessDay',
        answer: 'The business day.',
        summary: 'Read one business day',
        description: 'Returns whether the day is complete, by its Z reports and devices.',
        params: DateParams,
        isNumbered: true,
        answers: { 200: named('BusinessDay') },
        problems: ['scope_missing', 'figures_building'],
      }),
    },
    async (request, reply): Promise<BusinessDay> => {
      const { key, params } = request
      const range = { since: params.date, until: params.date }
      await reachNumber(context, request)
      const { day, sequence } = await whenBuilt(
        readExactly(pool, key.locationId, daysProjection, async (tx) => {
          const live = await readPendingDays(tx, key.locationId)
          if (!live) return undefined
          const [read] = await readDays(tx, key.locationId, live, { range, now: clock() })
          return read && { day: read.day, sequence: live.reached }
        }),
      )
      request.handedOut = { documents: 1 }
      reply.header('tillgate-sequence', sequence).header('cache-control', 'private, no-cache')
      return day
    },
  )
}

function getCompletenessRoute(app: App, context: Reading & Process): void {
  const { pool, clock } = context
  app.get(
    '/v1/completeness/',
    {
      config: { scope: 'read' },
      schema: operation({
        tags: ['Figures'],
        operationId: 'getCompleteness',
        answer: 'Completeness of the location and each device.',
        summary: 'Read completeness',
        description:
          'Returns, for each device, the time until which all orders that it closed have arrived. The time comes from its Z reports, up to ' +
          'the first gap or missing order, or from the last status of the device.',
        isNumbered: true,
        answers: { 200: named('Completeness') },
        problems: ['scope_missing', 'figures_building'],
      }),
    },
    async (request, reply): Promise<Completeness> => {
      const { locationId } = request.key
      await reachNumber(context, request)
      const answer = await whenBuilt(
        figuresAtOnce.run(locationId, () =>
          readExactly(pool, locationId, daysProjection, async (tx) => {
            const live = await readPendingDays(tx, locationId)
            return live && readCompleteness(tx, locationId, live, clock())
          }),
        ),
      )
      reply.header('tillgate-sequence', answer.sequence).header('cache-control', 'private, no-cache')
      return answer
    },
  )
}

/** Adds the operations on business days, and the one that returns the time until which everything has arrived. */
export function businessDayRoutes(app: App, context: Reading & Process): void {
  listBusinessDaysRoute(app, context)
  listRevisedDaysRoute(app, context)
  getBusinessDayRoute(app, context)
  getCompletenessRoute(app, context)
}
