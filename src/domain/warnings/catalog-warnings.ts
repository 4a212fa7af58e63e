import type { CatalogProduct, CatalogTax } from '../../schemas/catalog.ts'
import type { Warning } from '../../schemas/warnings.ts'
import { Warnings } from './known.ts'

const isSmall = (rate: number) => rate > 0 && rate < 100

const small = (name: string, rate: number) => `${name} ${rate} is ${rate / 100} %`

/** What a till should know of its taxes: each rule stands in `schemas/warnings.ts`. */
export function warnOfTaxes(taxes: readonly CatalogTax[]): Warning[] {
  const found = new Warnings()
  for (const [i, { percentage }] of taxes.entries()) {
    if (isSmall(percentage)) {
      found.add(`/${i}/percentage`, 'tax_rate_under_one_percent', small('percentage', percentage))
    }
  }
  return found.list
}

/** The same of its products. */
export function warnOfProducts(products: readonly CatalogProduct[]): Warning[] {
  const found = new Warnings()
  for (const [i, { priceList }] of products.entries()) {
    for (const [j, { taxRate }] of priceList.entries()) {
      if (!isSmall(taxRate)) continue
      found.add(`/${i}/priceList/${j}/taxRate`, 'tax_rate_under_one_percent', small('taxRate', taxRate))
    }
  }
  return found.list
}
