import type {
  CatalogModifierGroup,
  CatalogPayment,
  CatalogProduct,
  CatalogTax,
} from '../../../core/contract/catalog/schema.ts'
import type { Warning } from '../../../core/schemas/warnings.ts'
import { Warnings, type KnownIds } from './known.ts'
import { quoted, warnOfIdsTwice, warnOfName } from './texts.ts'

/**
 * Warns about a tax rate that looks like another unit: below 1 %, or above 100 %. `rate` is in hundredths of a percent.
 */
export function warnOfRate(found: Warnings, pointer: string, name: string, rate: number): void {
  const detail = `${name} ${rate} means ${rate / 100} %`
  if (rate !== 0 && rate < 100) found.add(pointer, 'tax_rate_under_one_percent', detail)
  else if (rate > 10_000) found.add(pointer, 'tax_rate_over_one', detail)
}

/** Below this number of stored entries a list may shrink without a warning. */
const leastShrunk = 4

type Entry = { id: string; name: string }

/** Warns about a list that became much shorter, duplicate ids, and unusable names. */
export function warnOfList(
  found: Warnings,
  at: string,
  entries: readonly Entry[],
  stored: ReadonlyMap<string, unknown> | null,
): void {
  const before = stored?.size ?? 0
  if (entries.length === 0 || (before >= leastShrunk && 2 * entries.length < before)) {
    const what = before === 0 ? 'the list is empty' : `${entries.length} entries replace ${before}`
    const detail = `${what}: a push must contain the whole list`
    found.add(at, 'list_shrunk', detail)
  }
  warnOfIdsTwice(found, at, entries)
  for (const [i, { name }] of entries.entries()) warnOfName(found, `${at}/${i}/name`, name)
}

/** Returns the warnings about the taxes of a till: each rule is in `schemas/warnings.ts`. */
export function warnOfTaxes(taxes: readonly CatalogTax[], known: KnownIds): Warning[] {
  const found = new Warnings()
  for (const [i, { percentage }] of taxes.entries()) {
    warnOfRate(found, `/${i}/percentage`, 'percentage', percentage)
  }
  warnOfList(found, '', taxes, known.taxes)
  return found.list
}

/** Warns about a catalog whose prices are in major instead of minor units: no price reaches 100. */
function warnOfPrices(found: Warnings, products: readonly CatalogProduct[], { money }: KnownIds): void {
  const prices = products.flatMap(({ priceList }) => priceList.map(({ unitPrice }) => unitPrice)).filter(Boolean)
  const highest = prices.reduce((most, price) => Math.max(most, price), 0)
  if (prices.length < 3 || highest >= 100) return
  found.add('', 'prices_in_units', `the highest unitPrice is ${highest}, which means ${highest / money.minorInOne}`)
}

/** Warns about names that moved from one id to another: the till uses positions in a list as ids. */
function warnOfMovedNames(found: Warnings, products: readonly CatalogProduct[], { products: stored }: KnownIds): void {
  if (!stored) return
  const idOf = new Map([...stored].map(([id, { name }]) => [name, id]))
  const names = new Map(products.map(({ id, name }) => [id.toLowerCase(), name]))
  for (const [i, { id, name }] of products.entries()) {
    const before = stored.get(id.toLowerCase())?.name
    const other = idOf.get(name)
    if (before === undefined || before === name || other === undefined) continue
    // If the other id still has this name, the product was entered a second time, and no names were shifted.
    if (names.get(other) === name) continue
    found.add(
      `/${i}/id`,
      'id_reused',
      `the stored catalog has ${quoted(before)} under this id, and ${quoted(name)} under the id ${other}`,
    )
  }
}

/**
 * Warns about a rate that none of the stored taxes has. Rates below 1 % and above 100 % are left to {@link warnOfRate}.
 */
function warnOfUnknownRate(found: Warnings, pointer: string, rate: number, { taxes }: KnownIds): void {
  if (!taxes || rate < 100 || rate > 10_000) return
  for (const percentage of taxes.values()) if (percentage === rate) return
  found.add(
    pointer,
    'tax_rate_mismatch',
    `taxRate ${rate} means ${rate / 100} %, but no tax of the catalog has this rate`,
  )
}

export function warnOfProducts(products: readonly CatalogProduct[], known: KnownIds): Warning[] {
  const found = new Warnings()
  warnOfPrices(found, products, known)
  warnOfMovedNames(found, products, known)
  for (const [i, { priceList }] of products.entries()) {
    for (const [j, { taxRate, unitPrice }] of priceList.entries()) {
      const at = `/${i}/priceList/${j}`
      warnOfRate(found, `${at}/taxRate`, 'taxRate', taxRate)
      warnOfUnknownRate(found, `${at}/taxRate`, taxRate, known)
      if (known.money.isoDecimals === 0 && unitPrice % 100 !== 0) {
        found.add(`${at}/unitPrice`, 'decimals_beyond_currency', `unitPrice ${unitPrice} means ${unitPrice / 100}`)
      }
      if (unitPrice < 0)
        found.add(`${at}/unitPrice`, 'price_negative', `unitPrice is ${unitPrice}, but must not be negative`)
    }
  }
  warnOfList(found, '', products, known.products)
  return found.list
}

/** Returns the warnings about modifiers; none for an empty list, because a location may have no modifiers. */
export function warnOfModifiers(groups: readonly CatalogModifierGroup[]): Warning[] {
  const found = new Warnings()
  warnOfIdsTwice(found, '', groups)
  for (const [i, { name, options }] of groups.entries()) {
    warnOfName(found, `/${i}/name`, name)
    for (const [j, { price }] of options.entries()) {
      if (Number.isInteger(price)) continue
      found.add(`/${i}/options/${j}/price`, 'prices_in_units', `price is ${price}, not a whole number of minor units`)
    }
  }
  return found.list
}

export function warnOfPaymentList(payments: readonly CatalogPayment[], known: KnownIds): Warning[] {
  const found = new Warnings()
  warnOfList(found, '', payments, known.payments)
  return found.list
}
