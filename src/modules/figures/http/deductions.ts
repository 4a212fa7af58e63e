import { Type } from 'typebox'
import { sumDeductions } from '../domain/deductions.ts'
import { moneyOf } from '../../../core/contract/money/currency.ts'
import { toMinor } from '../../../core/contract/money/decimal.ts'
import { AppError, validationFailed } from '../../../core/contract/errors/errors.ts'
import { AtOnce } from '../../../core/projections/at-once.ts'
import { ordersRead, readTaken, TooManyDeducted } from '../projections/deductions.ts'
import { DayRangeQuery } from '../../../core/schemas/day-ranges.ts'
import type { Deductions } from '../schemas/deductions.ts'
import { closed } from '../../../core/contract/scalars.ts'
import { snapshot } from '../../../core/store/db/database.ts'
import { findLocation } from '../../../core/contract/location/rows.ts'
import { getHead } from '../../../core/store/journal/journal.ts'
import { reachNumber } from '../../../core/http/answers/freshness.ts'
import type { Reading, Process } from '../../../core/http/context.ts'
import { checkDays, daysOf } from '../../../core/contract/paging/day-range.ts'
import { named, operation } from '../../../core/http/reference/route-schema.ts'
import type { App } from '../../../core/http/server-types.ts'

/** Deductions are read from the orders of at most this many days. */
const longestDays = 31

/** At most this many deductions are listed; the sums include all deductions. */
const listedAtMost = 5_000

function tooMany(error: unknown): never {
  if (!(error instanceof TooManyDeducted)) throw error
  const detail = `until: deductions can cover at most ${ordersRead} orders, and the range has more; choose a shorter range`
  throw validationFailed([{ in: 'query', pointer: '/until', code: 'range_too_long', detail }])
}

/**
 * Adds the operation that sums up deductions: canceled orders and items, losses and discounts, by operator, hour and
 * reason.
 */
export function deductionRoutes(app: App, context: Reading & Process): void {
  const { pool, clock } = context
  // Each request reads up to 20,000 orders, which takes a second.
  const reading = new AtOnce(1)
  app.get(
    '/v1/deductions/',
    {
      config: { scope: 'read' },
      schema: operation({
        tags: ['Figures'],
        operationId: 'getDeductions',
        answer: 'Deductions and their sums.',
        summary: 'Read deductions',
        description:
          'Returns canceled orders, canceled items, losses and discounts of business days, with their value, operator, reason and hour, for ' +
          'at most 31 days and 20,000 orders. Without `since` and `until`, the last 31 days. Items of open orders are excluded.',
        query: Type.Object(DayRangeQuery, closed),
        isNumbered: true,
        answers: { 200: named('Deductions') },
        problems: ['scope_missing', 'location_not_found'],
      }),
    },
    async (request, reply): Promise<Deductions> => {
      const { query, key } = request
      checkDays(query, longestDays)
      await reachNumber(context, request)
      const { locationId } = key
      const answer = await reading.run(locationId, () =>
        snapshot(pool, async (tx): Promise<Deductions> => {
          const location = await findLocation(tx, locationId)
          if (!location) throw new AppError('location_not_found', `location ${locationId} does not exist: check the id`)
          const { seq } = await getHead(tx, locationId)
          const range = daysOf(query, location, clock())
          checkDays(range, longestDays)
          const { decimals } = moneyOf(location.currency)
          const { timeZone, dayStartsAt, currency } = location
          const taken = await readTaken(tx, location, range).catch(tooMany)
          const listed = taken.slice(0, listedAtMost)
          return {
            data: listed.map(({ units, ...one }) => ({ ...one, amount: toMinor(units, 0, decimals) })),
            ...sumDeductions(taken, { decimals, dayStartsAt }),
            meta: { ...range, currency, timeZone, dayStartsAt, totalCount: taken.length, sequence: seq },
          }
        }),
      )
      request.handedOut = { documents: answer.data.length }
      reply.header('tillgate-sequence', answer.meta.sequence).header('cache-control', 'private, no-cache')
      return answer
    },
  )
}
