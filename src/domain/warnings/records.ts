import type { CatalogProduct, CatalogTax } from '../../schemas/catalog.ts'
import type { Order } from '../../schemas/orders.ts'
import type { Report } from '../../schemas/reports.ts'
import type { RecordType } from '../../schemas/resources.ts'
import type { Warning } from '../../schemas/warnings.ts'
import { warnOfProducts, warnOfTaxes } from './catalog-warnings.ts'
import type { Circumstances } from './known.ts'
import { warnOfOrder } from './order-warnings.ts'
import { warnOfReport } from './report-warnings.ts'

/** The warnings of one valid record, its numbers as numbers. Nothing here keeps a record from being stored. */
export function warnOfRecord(type: RecordType, data: unknown, circumstances: Circumstances): Warning[] {
  if (type === 'order') return warnOfOrder(data as Order, circumstances)
  if (type === 'report') return warnOfReport(data as Report, circumstances)
  if (type === 'catalog.taxes') return warnOfTaxes(data as CatalogTax[])
  if (type === 'catalog.products') return warnOfProducts(data as CatalogProduct[])
  return []
}
