import { entryNumberOf, findProducts, idRangeOf, reportNumberOf } from '../domain/search.ts'
import type { CatalogProduct } from '../../../core/contract/catalog/schema.ts'
import type { Order } from '../../../core/contract/orders/schema.ts'
import type { Report } from '../../../core/contract/reports/schema.ts'
import { SearchQuery, type SearchAnswer } from '../schemas/search.ts'
import { findCatalogList } from '../../../core/contract/catalog/rows.ts'
import { snapshot, type Sql } from '../../../core/store/db/database.ts'
import { whenThere } from '../../../core/store/journal/asides.ts'
import { findLinkedEntry, getHead, type LinkedEntry } from '../../../core/store/journal/journal.ts'
import {
  searchNumberEnds,
  searchOrderIds,
  searchOrderNumbers,
  searchReportIds,
  searchReportNumbers,
  type Found,
} from '../store/search.ts'
import type { Reading, Process } from '../../../core/http/context.ts'
import type { App } from '../../../core/http/server-types.ts'
import { reachNumber } from '../../../core/http/answers/freshness.ts'
import { named, operation } from '../../../core/http/reference/route-schema.ts'

/** Minimum length of a text that is compared with the end of order numbers: a shorter text matches too many. */
const leastOfEnd = 2

/** One result, with the fields by which people recognize it. */
type Hit = SearchAnswer['data'][number]

/** Makes the result of an order, which people recognize by its number, its time and its table. */
function toOrderHit({ id, at, document }: Found): Hit {
  const { orderNumber, orderPlace } = JSON.parse(document) as Order
  return { kind: 'order', id, label: orderNumber, at: at.toISOString(), detail: orderPlace, url: `/v1/orders/${id}` }
}

/** Makes the result of a Z report, which people recognize by its number. */
function toReportHit({ id, at, document }: Found): Hit {
  const { reportNumber, deviceName } = JSON.parse(document) as Report
  const label = String(reportNumber)
  return { kind: 'report', id, label, at: at.toISOString(), detail: deviceName, url: `/v1/reports/${id}` }
}

/** Makes the result of an entry, which people recognize by its number in the journal. */
const toEntryHit = ({ seq, id, kind, acceptedAt }: LinkedEntry): Hit => ({
  kind: 'entry',
  id,
  label: `#${seq}`,
  at: acceptedAt,
  detail: kind,
  url: `/v1/events/${seq}`,
})

/** Finds orders whose number is or begins with the text; if there are none, orders whose number ends with it. */
async function byNumber(sql: Sql, locationId: string, text: string, limit: number): Promise<Found[]> {
  const found = await searchOrderNumbers(sql, locationId, text, limit)
  return found.length === 0 && text.length >= leastOfEnd ? searchNumberEnds(sql, locationId, text, limit) : found
}

/** Makes the result of a product, which people recognize by its name; it has no time. */
const toProductHit = ({ id, name, category }: CatalogProduct): Hit => ({
  kind: 'product',
  id: id.toLowerCase(),
  label: name,
  at: null,
  detail: category,
  url: '/v1/catalog/',
})

/** Removes duplicates: an order may match by its number and by its id. */
const once = (found: readonly Found[]): Found[] => [...new Map(found.map((one) => [one.id, one])).values()]

/** Searches orders, reports, products and journal entries; returns the results kind by kind. */
async function search(sql: Sql, locationId: string, text: string, limit: number): Promise<Hit[]> {
  const range = idRangeOf(text)
  const [number, sequence] = [reportNumberOf(text), entryNumberOf(text)]
  const none: Found[] = []
  const [orders, orderIds, reports, reportIds, catalog, entry] = await Promise.all([
    byNumber(sql, locationId, text, limit),
    range ? searchOrderIds(sql, locationId, range, limit) : none,
    number === undefined ? none : searchReportNumbers(sql, locationId, number, limit),
    range ? searchReportIds(sql, locationId, range, limit) : none,
    findCatalogList(sql, locationId, 'products'),
    sequence === undefined ? undefined : whenThere(findLinkedEntry(sql, locationId, sequence)),
  ])
  const products = catalog ? (JSON.parse(catalog.document) as CatalogProduct[]) : []
  const isMeant = ({ id }: CatalogProduct) =>
    range !== undefined && id.toLowerCase() >= range.first && id.toLowerCase() <= range.last
  const byId = products.filter(isMeant).slice(0, limit)
  return [
    ...once([...orders, ...orderIds])
      .slice(0, limit)
      .map(toOrderHit),
    ...once([...reports, ...reportIds])
      .slice(0, limit)
      .map(toReportHit),
    ...(byId.length > 0 ? byId : findProducts(products, text, limit)).map(toProductHit),
    ...(entry === undefined ? [] : [toEntryHit(entry)]),
  ]
}

/** Adds the operation for a search field that accepts a number, an id or a name. */
export function searchRoutes(app: App, context: Reading & Process): void {
  const { pool } = context
  app.get(
    '/v1/search/',
    {
      config: { scope: 'read' },
      schema: operation({
        tags: ['Orders'],
        operationId: 'search',
        answer: 'Results of each kind.',
        summary: 'Search orders, reports and products',
        description:
          'Searches by the beginning or end of an order number, the number of a Z report (`Z 4346`), a journal sequence, an event id, words of a product name, or at least the first ' +
          'eight digits of an id. Exact matches come first, then the newest.',
        query: SearchQuery,
        isNumbered: true,
        answers: { 200: named('SearchAnswer') },
        problems: ['scope_missing'],
      }),
    },
    async (request, reply): Promise<SearchAnswer> => {
      const { key, query } = request
      const text = query.q.trim()
      const limit = query.limit ?? 10
      await reachNumber(context, request)
      const { sequence, data } = await snapshot(pool, async (tx) => {
        const { seq } = await getHead(tx, key.locationId)
        return { sequence: seq, data: text === '' ? [] : await search(tx, key.locationId, text, limit) }
      })
      request.handedOut = { documents: data.length }
      reply.header('tillgate-sequence', sequence).header('cache-control', 'private, no-cache')
      return { data, meta: { sequence } }
    },
  )
}
