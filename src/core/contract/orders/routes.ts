import { requestedPage } from '../paging/paging.ts'
import { AppError, validationFailed } from '../errors/errors.ts'
import { findLocation } from '../location/rows.ts'
import { collectOrders, filtersThatRead, findOrderBytes, isWithin } from './rows.ts'
import type { Reading, Guarding, Process, Shown } from '../../http/context.ts'
import type { App } from '../../http/server-types.ts'
import { readFresh } from '../../http/answers/freshness.ts'
import { closingDays, filtersOf, OrderListQuery, parameterOf } from './filters.ts'
import { readDates } from '../paging/query-dates.ts'
import { openBody, sendPage, sendStored } from '../../http/answers/replies.ts'
import { IdParams, named, operation } from '../../http/reference/route-schema.ts'

/** Maximum number of orders read for filters without an index. */
const ordersRead = 20_000

function listOrdersRoute(app: App, context: Reading & Guarding & Process & Shown): void {
  app.get(
    '/v1/orders/',
    {
      config: { scope: 'read', sendsCompleteUntil: true },
      schema: operation({
        contract: true,
        operationId: 'listOrders',
        headers: ['Link', 'CompleteUntil'],
        answer: 'Page of orders.',
        summary: 'List orders by creation date',
        description:
          'Oldest first. The link `next` continues after the last order of the page, so no order is missed or repeated while others arrive, close or are canceled, unless its `createdAt` changes. ' +
          'Pages by `index` shift in that case. An order that arrives or closes late may belong before your position: for a complete copy, read the event feed. Open orders are included only with `state`. ' +
          'Training orders are listed but cause no event: exclude orders with `isTraining` from your sums. `payment`, ' +
          '`category`, `productId`, `discountId`, `taxRate`, `isTaxNotStated`, `minTotal`, `maxTotal`, `isCounted`, `isCanceled` and the closing days search ' +
          'at most 20,000 orders: combine them with dates. For the orders behind a figure, pass its days as `closedSince` and `closedUntil`, with `isCounted=true`.',
        query: OrderListQuery,
        isNumbered: true,
        answers: { 200: named('OrderPage') },
        problems: ['scope_missing', 'incomplete', 'figures_building'],
      }),
    },
    async (request, reply) => {
      const { query, key } = request
      const requested = requestedPage(query)
      const days = closingDays(query)
      const wanted = {
        state: query.state ?? 'closed',
        filters: filtersOf(query, days, days && (await findLocation(context.pool, key.locationId))),
        page: { ...requested, ...readDates(query) },
      }
      await context.requireComplete(request, days ?? wanted.page.range)
      const read = filtersThatRead(wanted.filters)
      if (read.length > 0 && !(await isWithin(context.reader, key.locationId, wanted, ordersRead))) {
        const names = read.map(parameterOf).join(' and ')
        const [first, last] = days ? ['closedSince', 'closedUntil'] : ['since', 'until']
        const detail = `${first}: the range has more than ${ordersRead} orders, the limit for a search by ${names}; move ${first} and ${last} closer together`
        throw validationFailed([{ in: 'query', pointer: `/${first}`, code: 'range_too_long', detail }])
      }
      const { body, ...page } = await readFresh(context, request, reply, async (reads) => {
        const body = openBody(context, request, reply)
        return { body, ...(await collectOrders(reads, key.locationId, wanted, body)) }
      })
      return sendPage(context, request, reply, { requested, body, ...page, withLinks: true })
    },
  )
}

function getOrderRoute(app: App, context: Reading & Process): void {
  app.get(
    '/v1/orders/:id',
    {
      config: { scope: 'read', sendsCompleteUntil: true },
      schema: operation({
        contract: true,
        operationId: 'getOrder',
        headers: ['ETag', 'CompleteUntil'],
        answer: 'Latest version of the order.',
        summary: 'Read one order',
        description: 'Also returns open orders, whose `closedAt` is null.',
        params: IdParams,
        isNumbered: true,
        answers: { 200: named('Order') },
        problems: ['scope_missing', 'order_not_found'],
      }),
    },
    async (request, reply) => {
      const { document, version } = await readFresh(context, request, reply, ({ reader }) =>
        findOrderBytes(reader, request.key.locationId, request.params.id),
      )
      if (!document)
        throw new AppError('order_not_found', `this location has no order ${request.params.id}: check the id`)
      return sendStored(request, reply, { document, version })
    },
  )
}

/**
 * Adds the operations on orders (specification 9.1 to 9.3). All filters use the same code path: the store counts and
 * pages, and rows go into the body as they arrive. An order of another location returns the same 404 as a missing one.
 */
export function orderRoutes(app: App, context: Reading & Guarding & Process & Shown): void {
  listOrdersRoute(app, context)
  getOrderRoute(app, context)
}
