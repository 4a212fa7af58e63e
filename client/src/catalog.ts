import type {
  CatalogModifierGroup,
  CatalogPayment,
  CatalogProduct,
  CatalogTax,
  CatalogVersion,
  ListCatalogChangesQuery,
} from './api.ts'
import type { Caching } from './etags.ts'
import { listByCursor } from './pages.ts'
import type { Transport } from './transport.ts'

type Options = { signal?: AbortSignal }

/** The lists of the catalog. A list that the point of sale never sent is empty. */
export type Catalog = {
  products(options?: Options): Promise<CatalogProduct[]>
  modifiers(options?: Options): Promise<CatalogModifierGroup[]>
  payments(options?: Options): Promise<CatalogPayment[]>
  taxes(options?: Options): Promise<CatalogTax[]>
  /** Lists the changes of each version of a list, newest first. */
  changes(query?: ListCatalogChangesQuery & Options): AsyncGenerator<CatalogVersion>
}

export function createCatalog(transport: Transport, caching: Caching): Catalog {
  const read =
    <Item>(path: string) =>
    ({ signal }: Options = {}) =>
      caching.json<Item[]>({ path, signal })
  return {
    products: read<CatalogProduct>('/v1/catalog/'),
    modifiers: read<CatalogModifierGroup>('/v1/catalog/modifiers/'),
    payments: read<CatalogPayment>('/v1/catalog/payments/'),
    taxes: read<CatalogTax>('/v1/catalog/taxes/'),
    changes: (query = {}) => listByCursor<CatalogVersion>(transport, '/v1/catalog/changes/', query),
  }
}
