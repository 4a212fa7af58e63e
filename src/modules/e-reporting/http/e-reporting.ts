import { figuresAtOnce } from '../../figures/projections/figures-at-once.ts'
import { readEReport } from '../projections/e-report.ts'
import { DayRangeQuery } from '../../../core/schemas/day-ranges.ts'
import { closed } from '../../../core/contract/scalars.ts'
import { Type } from 'typebox'
import type { Reading, Process } from '../../../core/http/context.ts'
import type { App } from '../../../core/http/server-types.ts'
import { checkDays, daysOf } from '../../../core/contract/paging/day-range.ts'
import { whenBuilt } from '../../figures/http/figures-building.ts'
import { reachNumber } from '../../../core/http/answers/freshness.ts'
import { sendDocument } from '../../../core/http/answers/replies.ts'
import { named, operation } from '../../../core/http/reference/route-schema.ts'

export function eReportingRoutes(app: App, context: Reading & Process): void {
  const { pool, clock } = context
  app.get(
    '/v1/e-reporting/',
    {
      config: { scope: 'read' },
      schema: operation({
        tags: ['Figures'],
        operationId: 'getEReport',
        headers: ['ETag'],
        answer: 'Sums per day, category and rate.',
        summary: 'Read the sums for French e-reporting',
        description:
          'Flux 10.3 and 10.4 of sales to consumers, per business day, category and VAT rate, up to the last accepted order. Each field ' +
          'names its term; the sending platform creates the XML. Amounts are integers in minor units; at most 366 days.',
        query: Type.Object(DayRangeQuery, closed),
        isNumbered: true,
        answers: { 200: named('EReport') },
        problems: ['scope_missing', 'figures_building'],
      }),
    },
    async (request, reply) => {
      const { query, key } = request
      checkDays(query)
      await reachNumber(context, request)
      const report = await whenBuilt(
        figuresAtOnce.run(key.locationId, () => readEReport(pool, key.locationId, (of) => daysOf(query, of, clock()))),
      )
      reply.header('tillgate-sequence', report.meta.sequence)
      return sendDocument(request, reply, Buffer.from(JSON.stringify(report)), { documents: 0 })
    },
  )
}
