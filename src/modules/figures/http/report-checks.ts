import { requestedPage, pageMeta } from '../../../core/contract/paging/paging.ts'
import type { ReportCheck } from '../domain/report-checks.ts'
import { daysProjection, listChecks, readPendingDays } from '../projections/days.ts'
import { figuresAtOnce } from '../projections/figures-at-once.ts'
import { readGaps } from '../projections/days-answer.ts'
import { readExactly } from '../projections/exact.ts'
import type { TillGap } from '../domain/business-days.ts'
import { ReportCheckQuery, type ReportCheckPage } from '../schemas/report-checks.ts'
import type { Reading, Process } from '../../../core/http/context.ts'
import type { App } from '../../../core/http/server-types.ts'
import { checkDays, daysOf } from '../../../core/contract/paging/day-range.ts'
import { whenBuilt } from './figures-building.ts'
import { reachNumber } from '../../../core/http/answers/freshness.ts'
import { named, operation } from '../../../core/http/reference/route-schema.ts'

/** Returns a stored check in the shape of the answer. */
function toAnswer(check: ReportCheck): ReportCheckPage['data'][number] {
  const { reportId, reportNumber, deviceName, businessDay, startedAt, finalizedAt, verdict, orders } = check
  const { severalDays, differences, totalSales, computedSales } = check
  return {
    reportId,
    reportNumber,
    deviceName,
    businessDay,
    severalDays,
    startedAt,
    finalizedAt,
    verdict,
    orders,
    differences,
    totalSales,
    computedSales,
    salesDifference: totalSales - computedSales,
  }
}

const toMissing = ({ deviceName, numbers, before, after }: TillGap): ReportCheckPage['meta']['missingReports'] =>
  numbers.map((reportNumber) => ({
    deviceName,
    reportNumber,
    previousDay: before.businessDay,
    nextDay: after.businessDay,
    nextReportId: after.reportId,
  }))

export function reportCheckRoutes(app: App, context: Reading & Process): void {
  const { pool, clock } = context
  app.get(
    '/v1/reports/checks/',
    {
      config: { scope: 'read' },
      schema: operation({
        tags: ['Reports'],
        operationId: 'listReportChecks',
        answer: 'Page of verdicts, with the number of each.',
        summary: 'List verdicts of Z reports',
        description:
          'Returns the verdict of the reconciliation of every Z report of a range of business days, up to the last accepted order (`meta.sequence`), ' +
          'and the gaps in the report numbers of their tills. At most 366 days.',
        query: ReportCheckQuery,
        isNumbered: true,
        answers: { 200: named('ReportCheckPage') },
        problems: ['scope_missing', 'figures_building'],
      }),
    },
    async (request, reply): Promise<ReportCheckPage> => {
      const { query, key } = request
      checkDays(query)
      await reachNumber(context, request)
      const { locationId } = key
      const { range, checks, gaps, reached } = await whenBuilt(
        figuresAtOnce.run(locationId, () =>
          readExactly(pool, locationId, daysProjection, async (tx) => {
            const live = await readPendingDays(tx, locationId)
            if (!live) return undefined
            const now = clock()
            const range = daysOf(query, live.clock, now)
            const checks = await listChecks(tx, locationId, live, range)
            const gaps = await readGaps(tx, locationId, live, { range, now })
            return { range, checks, gaps, reached: live.reached }
          }),
        ),
      )
      const verdicts = { balanced: 0, unbalanced: 0, waiting: 0 }
      for (const { verdict } of checks) verdicts[verdict] += 1
      const wanted = checks.filter(({ verdict }) => query.verdict === undefined || verdict === query.verdict)
      if (query.sort === '-finalizedAt') wanted.reverse()
      const page = requestedPage(query)
      const from = page.index * page.size
      const data = wanted.slice(from, from + page.size).map(toAnswer)
      request.handedOut = { documents: data.length }
      reply.header('tillgate-sequence', reached).header('cache-control', 'private, no-cache')
      const missingReports = gaps.flatMap(toMissing)
      return {
        data,
        meta: { ...pageMeta(page, wanted.length), ...range, verdicts, missingReports, sequence: reached },
      }
    },
  )
}
