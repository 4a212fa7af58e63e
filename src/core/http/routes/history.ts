import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../contract/errors/errors.ts'
import { AtOnce } from '../../projections/at-once.ts'
import { findHead, readHistory } from '../../store/journal/journal.ts'
import { readFresh } from '../answers/freshness.ts'
import { jsonType } from '../answers/json-frame.ts'
import type { Reading, Process, Shown } from '../context.ts'
import { IdParams, listOf, operation } from '../reference/route-schema.ts'
import type { App } from '../server-types.ts'

/** Maximum versions of a history. */
const versionsAtMost = 1_000

/** Maximum concurrent reads of histories for one location; each may have 8 MiB. */
const historiesAtOnce = 2

const description = 'Oldest first, from the journal; at most the latest 1,000 versions and 8 MiB.'

type Histories = { context: Reading & Process & Shown; reading: AtOnce }

/** Sends the versions of a document; resolves to whether there were any. */
async function send(
  { context, reading }: Histories,
  request: FastifyRequest,
  reply: FastifyReply,
  { of, id }: { of: 'orders' | 'reports'; id: string },
): Promise<boolean> {
  const { pool, limits } = context
  const { locationId } = request.key
  const limit = { entries: versionsAtMost, bytes: limits.pageBytes }
  const { entries } = await readFresh({ ...context, replica: null }, request, reply, async () => {
    const sequence = (await findHead(pool, locationId))?.seq ?? 0
    return {
      sequence,
      entries: await reading.run(locationId, () => readHistory(pool, locationId, { of, id }, limit)),
    }
  })
  request.handedOut = { documents: entries.length }
  if (entries.length === 0) return false
  const parts = entries.map(({ seq, acceptedAt, types, document }) => {
    const head = JSON.stringify({ sequence: seq, timestamp: acceptedAt, types })
    return `${head.slice(0, -1)},"data":${document.toString()}}`
  })
  reply.header('content-type', jsonType).send(Buffer.from(`[${parts.join(',')}]`))
  return true
}

function orderHistoryRoute(app: App, histories: Histories): void {
  app.get(
    '/v1/orders/:id/history',
    {
      config: { scope: 'read' },
      schema: operation({
        tags: ['Orders'],
        operationId: 'getOrderHistory',
        answer: 'All versions of the order, oldest first.',
        summary: 'List the versions of an order',
        description,
        params: IdParams,
        isNumbered: true,
        answers: { 200: listOf('HistoryEntry') },
        problems: ['scope_missing', 'order_not_found', 'documents_aside'],
      }),
    },
    async (request, reply) => {
      const { id } = request.params
      const isSent = await send(histories, request, reply, { of: 'orders', id })
      if (!isSent) throw new AppError('order_not_found', `this location has no order ${id}: check the id`)
      return reply
    },
  )
}

function reportHistoryRoute(app: App, histories: Histories): void {
  app.get(
    '/v1/reports/:id/history',
    {
      config: { scope: 'read' },
      schema: operation({
        tags: ['Reports'],
        operationId: 'getReportHistory',
        answer: 'All versions of the report, oldest first.',
        summary: 'List the versions of a Z report',
        description,
        params: IdParams,
        isNumbered: true,
        answers: { 200: listOf('ReportHistoryEntry') },
        problems: ['scope_missing', 'report_not_found'],
      }),
    },
    async (request, reply) => {
      const { id } = request.params
      const isSent = await send(histories, request, reply, { of: 'reports', id })
      if (!isSent) throw new AppError('report_not_found', `this location has no report ${id}: check the id`)
      return reply
    },
  )
}

/** Adds the operations that list every version of one order or one Z report, from the journal. */
export function historyRoutes(app: App, context: Reading & Process & Shown): void {
  const histories = { context, reading: new AtOnce(historiesAtOnce) }
  orderHistoryRoute(app, histories)
  reportHistoryRoute(app, histories)
}
