import { Type } from 'typebox'
import { pageAsked } from '../../domain/paging.ts'
import { AppError } from '../../errors.ts'
import { DatedPageQuery } from '../../schemas/pages.ts'
import { Choice, closed, Uuid } from '../../schemas/scalars.ts'
import { collectOrders, findOrderBytes } from '../../store/orders.ts'
import type { App, Context } from '../context.ts'
import { readFresh } from '../freshness.ts'
import { sendDocument, sendPage } from '../replies.ts'
import { PageBody } from '../page-body.ts'
import { readDates } from '../query-dates.ts'
import { IdParams, named, operation } from '../route-schema.ts'

const ListQuery = Type.Object(
  {
    ...DatedPageQuery,
    reportId: Type.Optional(Uuid({ description: 'Only the orders of this report.' })),
    state: Type.Optional(
      Choice(['open', 'closed', 'all'], {
        default: 'closed',
        description: 'Closed orders have `closedAt`; open ones are still at the table.',
      }),
    ),
  },
  closed,
)

export function orderRoutes(app: App, context: Context): void {
  app.get(
    '/v1/orders/',
    {
      config: { scope: 'read' },
      schema: operation({
        tags: ['Orders'],
        operationId: 'listOrders',
        summary: 'List orders by creation date',
        description:
          'Oldest first, so that pages do not shift while new orders arrive. Open orders are left out unless asked for. ' +
          'Training orders are in the list and mean no event: leave those with `isTraining` out of what you add up.',
        query: ListQuery,
        isNumbered: true,
        answers: { 200: named('OrderPage') },
        problems: ['scope_missing'],
      }),
    },
    async (request, reply) => {
      const { query, key } = request
      const asked = pageAsked(query)
      const { state = 'closed', reportId } = query
      const wanted = { state, filters: { reportId }, page: { ...asked, ...readDates(query) } }
      const { body, totalCount } = await readFresh(context, request, reply, async (reads) => {
        const body = new PageBody()
        return { body, ...(await collectOrders(reads, key.locationId, wanted, body)) }
      })
      return sendPage(context, request, reply, { asked, body, totalCount, withLinks: true })
    },
  )

  app.get(
    '/v1/orders/:id',
    {
      config: { scope: 'read' },
      schema: operation({
        tags: ['Orders'],
        operationId: 'getOrder',
        summary: 'Read one order',
        description: 'Open orders too; their `closedAt` is null.',
        params: IdParams,
        isNumbered: true,
        answers: { 200: named('Order') },
        problems: ['scope_missing', 'order_not_found'],
      }),
    },
    async (request, reply) => {
      const { document } = await readFresh(context, request, reply, ({ reader }) =>
        findOrderBytes(reader, request.key.locationId, request.params.id),
      )
      if (!document) throw new AppError('order_not_found', `there is no order ${request.params.id} at this location`)
      return sendDocument(request, reply, document)
    },
  )
}
