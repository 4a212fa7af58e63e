import { Type, type Static } from 'typebox'
import { longestFilter } from '../../domain/filter-text.ts'
import { pageAsked } from '../../domain/paging.ts'
import { AppError, validationFailed } from '../../errors.ts'
import { RequireQuery } from '../../schemas/day-ranges.ts'
import { DatedPageQuery } from '../../schemas/pages.ts'
import { Amount, Choice, closed, Uuid } from '../../schemas/scalars.ts'
import { collectOrders, findOrderBytes, isWithin, readsDocuments, type OrderFilters } from '../../store/orders.ts'
import { requireComplete } from '../complete.ts'
import type { App, Context } from '../context.ts'
import { readFresh } from '../freshness.ts'
import { sendDocument, sendPage } from '../replies.ts'
import { PageBody } from '../page-body.ts'
import { readDates } from '../query-dates.ts'
import { IdParams, named, operation } from '../route-schema.ts'

const FilterText = (description: string, example: string) =>
  Type.String({ maxLength: longestFilter, description, examples: [example] })

const ItemText = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 1_000, description, examples: [example] })

/** Orders that are read through for what no index has. */
const ordersRead = 20_000

const ListQuery = Type.Object(
  {
    ...DatedPageQuery,
    ...RequireQuery,
    reportId: Type.Optional(Uuid({ description: 'Only the orders of this report.' })),
    number: Type.Optional(FilterText('Only orders of this `orderNumber`.', '1042')),
    deviceId: Type.Optional(Uuid({ description: 'Only orders of this till.' })),
    operatorId: Type.Optional(Uuid({ description: 'Only orders of this operator.' })),
    channel: Type.Optional(FilterText('Only orders of this channel.', 'kiosk')),
    serviceType: Type.Optional(FilterText('Only orders of this kind of service.', 'takeaway')),
    isTraining: Type.Optional(Type.Boolean({ description: 'Only training orders, or only others.' })),
    payment: Type.Optional(ItemText('Only orders with a payment of this `paymentName`.', 'Carte bancaire')),
    category: Type.Optional(ItemText('Only orders with an item of this category.', 'Plats')),
    productId: Type.Optional(Uuid({ description: 'Only orders with an item of this product of the catalog.' })),
    discountId: Type.Optional(Uuid({ description: 'Only orders with this discount of the catalog on an item.' })),
    minTotal: Type.Optional(
      Amount({ description: 'Only orders of this `total` or more, in major units.', examples: [50] }),
    ),
    maxTotal: Type.Optional(Amount({ description: 'Only orders of this `total` or less.', examples: [100] })),
    state: Type.Optional(
      Choice(['open', 'closed', 'all'], {
        default: 'closed',
        description: 'Closed orders have `closedAt`; open ones are still at the table.',
      }),
    ),
  },
  closed,
)

/** What the list is filtered by, as the columns hold it: text, also the flag of training orders. */
function filtersOf(query: Static<typeof ListQuery>): OrderFilters {
  const { reportId, number, deviceId, operatorId, channel, serviceType, payment, category, productId, discountId } =
    query
  const toText = (value: boolean | number | undefined) => (value === undefined ? undefined : String(value))
  return {
    reportId,
    number,
    deviceId,
    operatorId,
    channel,
    serviceType,
    payment,
    category,
    productId,
    discountId,
    training: toText(query.isTraining),
    minTotal: toText(query.minTotal),
    maxTotal: toText(query.maxTotal),
  }
}

/**
 * Orders as a list and one by one (specification 9.1 to 9.3). A page of orders has one path whatever it is filtered by: the store
 * counts and pages, and the rows go into the body as they arrive. An order of another location is answered like one that
 * is nowhere.
 */
export function orderRoutes(app: App, context: Context): void {
  app.get(
    '/v1/orders/',
    {
      config: { scope: 'read', tellsCompleteness: true },
      schema: operation({
        tags: ['Orders'],
        operationId: 'listOrders',
        answer: 'A page of orders.',
        summary: 'List orders by creation date',
        description:
          'Oldest first, so that pages do not shift while new orders arrive. Open orders are left out unless asked for. ' +
          'Training orders are in the list and mean no event: leave those with `isTraining` out of what you add up. `payment`, ' +
          '`category`, `productId`, `discountId`, `minTotal` and `maxTotal` are looked for in 20,000 orders at most: name days with them.',
        query: ListQuery,
        isNumbered: true,
        answers: { 200: named('OrderPage') },
        problems: ['scope_missing', 'incomplete', 'figures_building'],
      }),
    },
    async (request, reply) => {
      const { query, key } = request
      const asked = pageAsked(query)
      const wanted = {
        state: query.state ?? 'closed',
        filters: filtersOf(query),
        page: { ...asked, ...readDates(query) },
      }
      await requireComplete(context, request, wanted.page.range)
      if (readsDocuments(wanted.filters) && !(await isWithin(context.reader, key.locationId, wanted, ordersRead))) {
        const detail = `since: payment, category, productId, discountId, minTotal and maxTotal are looked for in ${ordersRead} orders at most, and there are more; name fewer days with since and until`
        throw validationFailed([{ in: 'query', pointer: '/since', code: 'range_too_long', detail }])
      }
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
      config: { scope: 'read', tellsCompleteness: true },
      schema: operation({
        tags: ['Orders'],
        operationId: 'getOrder',
        answer: 'The order as it stands now.',
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
