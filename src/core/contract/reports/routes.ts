import { Type } from 'typebox'
import { requestedPage } from '../paging/paging.ts'
import { AppError } from '../errors/errors.ts'
import { RequireQuery } from '../../schemas/day-ranges.ts'
import { DatedPageQuery } from '../paging/schema.ts'
import { closed } from '../scalars.ts'
import { readPage } from '../paging/pages.ts'
import { findReportBytes, reportList } from './rows.ts'
import type { Reading, Guarding, Process, Shown } from '../../http/context.ts'
import type { App } from '../../http/server-types.ts'
import { readFresh } from '../../http/answers/freshness.ts'
import { openBody, sendPage, sendStored } from '../../http/answers/replies.ts'
import { readDates } from '../paging/query-dates.ts'
import { IdParams, named, operation } from '../../http/reference/route-schema.ts'

/**
 * Adds the operations that list Z reports and return one (specification 9.7 and 9.8). The documented list has no
 * `links` in its body, so links to other pages are only in the `Link` header (decision 0005).
 */
export function reportRoutes(app: App, context: Reading & Guarding & Process & Shown): void {
  app.get(
    '/v1/reports/',
    {
      config: { scope: 'read', sendsCompleteUntil: true },
      schema: operation({
        contract: true,
        operationId: 'listReports',
        headers: ['Link', 'CompleteUntil'],
        answer: 'Page of Z reports.',
        summary: 'List Z reports by creation date',
        description: 'Oldest first. The links to other pages are in the `Link` header.',
        query: Type.Object({ ...DatedPageQuery, ...RequireQuery }, closed),
        isNumbered: true,
        answers: { 200: named('ReportPage') },
        problems: ['scope_missing', 'incomplete', 'figures_building'],
      }),
    },
    async (request, reply) => {
      const requested = requestedPage(request.query)
      const page = { ...requested, ...readDates(request.query) }
      await context.requireComplete(request, page.range)
      const { body, ...read } = await readFresh(context, request, reply, async (reads) => {
        const body = openBody(context, request, reply)
        return { body, ...(await readPage(reads, request.key.locationId, { list: reportList, page }, body)) }
      })
      return sendPage(context, request, reply, { requested, body, ...read, withLinks: false })
    },
  )

  app.get(
    '/v1/reports/:id',
    {
      config: { scope: 'read', sendsCompleteUntil: true },
      schema: operation({
        contract: true,
        operationId: 'getReport',
        headers: ['ETag', 'CompleteUntil'],
        answer: 'Latest version of the report.',
        summary: 'Read one Z report',
        description: 'Returns the Z report as closed by the till: amounts in minor units, and the ids of its orders.',
        params: IdParams,
        isNumbered: true,
        answers: { 200: named('Report') },
        problems: ['scope_missing', 'report_not_found'],
      }),
    },
    async (request, reply) => {
      const { document, version } = await readFresh(context, request, reply, ({ reader }) =>
        findReportBytes(reader, request.key.locationId, request.params.id),
      )
      if (!document)
        throw new AppError('report_not_found', `this location has no report ${request.params.id}: check the id`)
      return sendStored(request, reply, { document, version })
    },
  )
}
