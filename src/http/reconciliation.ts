import { Type } from 'typebox'
import { reconcile } from '../domain/reconciliation.ts'
import { AppError } from '../errors.ts'
import type { Order } from '../schemas/orders.ts'
import type { Reconciliation } from '../schemas/reconciliation.ts'
import type { Report } from '../schemas/reports.ts'
import { closed } from '../schemas/scalars.ts'
import { snapshot } from '../store/database.ts'
import { listOrdersOfReport } from '../store/orders.ts'
import { findReportBytes } from '../store/reports.ts'
import type { App, Context } from './context.ts'
import { sendDocument } from './documents.ts'
import { IdParams, named, operation } from './operations.ts'

const Query = Type.Object(
  {
    cash: Type.Optional(
      Type.String({
        maxLength: 1000,
        description:
          'Names of the payments that fill the cash drawer, separated by commas. Without it the usual words for cash, ' +
          'such as Espèces, Cash and Bargeld.',
        examples: ['Espèces,Liquide bar'],
      }),
    ),
  },
  closed,
)

const uuids = /"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"/gi

/** Tills may write ids in either case, and one id must be one id: here all are in lower case, as they are stored. */
function readDocument(document: Buffer): unknown {
  return JSON.parse(document.toString().replaceAll(uuids, (id) => id.toLowerCase()))
}

/** A Z report beside what its orders add up to (docs/reconciliation.md). */
export function reconciliationRoutes(app: App, context: Context): void {
  app.get(
    '/v1/reports/:id/reconciliation',
    {
      config: { scope: 'read' },
      schema: operation({
        tags: ['Reports'],
        operationId: 'getReportReconciliation',
        summary: 'Recompute a Z report from its orders',
        description:
          'Sales, products, taxes, payments, discounts, guests and expected cash, added up from the orders of the report ' +
          'as they are stored now, beside the figures that it states. Each difference comes with its formula and the ' +
          'orders it was added up from.',
        params: IdParams,
        query: Query,
        answers: { 200: named('Reconciliation') },
        problems: ['scope_missing', 'report_not_found'],
      }),
    },
    async (request, reply) => {
      const { locationId } = request.key
      const id = request.params.id.toLowerCase()
      const found = await snapshot(context.pool, async (tx) => {
        const document = await findReportBytes(tx, locationId, id)
        if (!document) throw new AppError('report_not_found', `there is no report ${id} at this location`)
        const report = readDocument(document) as Report
        return { report, orders: await listOrdersOfReport(tx, locationId, id, report.orders) }
      })
      const { report } = found
      const names = request.query.cash?.split(',').map((name) => name.trim())
      const options = names === undefined ? {} : { cashPaymentNames: names }
      const orders = found.orders.map((order) => readDocument(order) as Order)
      const answer: Reconciliation = {
        reportId: report.id,
        reportNumber: report.reportNumber,
        ...reconcile(report, orders, options),
      }
      return sendDocument(request, reply, Buffer.from(JSON.stringify(answer)))
    },
  )
}
