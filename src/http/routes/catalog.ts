import type { CatalogList } from '../../schemas/catalog.ts'
import { findCatalogBytes } from '../../store/catalog.ts'
import type { App, Context } from '../context.ts'
import { readFresh } from '../freshness.ts'
import { sendDocument } from '../replies.ts'
import { listOf, operation } from '../route-schema.ts'

const lists: { list: CatalogList; url: string; schema: string; what: string }[] = [
  { list: 'products', url: '/v1/catalog/', schema: 'CatalogProduct', what: 'products' },
  { list: 'modifiers', url: '/v1/catalog/modifiers/', schema: 'CatalogModifierGroup', what: 'modifier groups' },
  { list: 'payments', url: '/v1/catalog/payments/', schema: 'CatalogPayment', what: 'payment methods' },
  { list: 'taxes', url: '/v1/catalog/taxes/', schema: 'CatalogTax', what: 'taxes' },
]

/** What a location answers whose till has not pushed the list yet. */
const nothing = Buffer.from('[]')

/**
 * The four lists of the catalog (specification 9.4). A till pushes each list whole, and it is answered as it was stored:
 * one document, with an ETag over its bytes. A location whose till has pushed none answers an empty list, not 404.
 */
export function catalogRoutes(app: App, context: Context): void {
  for (const { list, url, schema, what } of lists) {
    app.get(
      url,
      {
        config: { scope: 'read' },
        schema: operation({
          tags: ['Catalog'],
          operationId: `listCatalog${list.charAt(0).toUpperCase()}${list.slice(1)}`,
          answer: `All ${what}, as the till pushed them last; empty before.`,
          summary: `List the ${what} of the catalog`,
          description: 'The whole list as configured on the POS, as a plain array.',
          isNumbered: true,
          answers: { 200: listOf(schema) },
          problems: ['scope_missing'],
        }),
      },
      async (request, reply) => {
        const { document } = await readFresh(context, request, reply, ({ reader }) =>
          findCatalogBytes(reader, request.key.locationId, list),
        )
        return sendDocument(request, reply, document ?? nothing)
      },
    )
  }
}
