import type { Order, OrderItem } from '../../../core/contract/orders/schema.ts'
import type { KnownIds, Warnings } from './known.ts'
import { hasDecimalsBeyond, money, tolerance, type Money } from '../../../core/contract/money/currency.ts'
import { isKept } from '../../../core/contract/money/counted.ts'
import { isUnusual, warnOfName, warnOfText } from './texts.ts'

/** Returns the tax contained in an amount that includes it. */
export const containedTax = (total: number, rate: number): number => (total * rate) / (1 + rate)

/** Returns whether `amount` is `exact` rounded to `step`, with a tolerance for the error of binary fractions. */
const isRounded = (amount: number, exact: number, step: number) => Math.abs(amount - exact) <= 0.501 * step

/**
 * Returns whether an item's tax is wrong: off by more than the rounding of a unit price explains; or equal to the tax
 * added to the price, and off by more than the rounding of each unit explains (docs/inside/08-warnings.md).
 */
function hasWrongTax({ quantity, total, tax }: OrderItem, money: Money): boolean {
  const { taxRate, taxAmount } = tax
  if (taxRate < 0 || taxRate > 1) return false
  const expected = containedTax(total, taxRate)
  const off = Math.abs(taxAmount - expected)
  const isOnTop = isRounded(taxAmount, total * taxRate, money.step) && off > tolerance(money, Math.abs(quantity))
  return isOnTop || off > 5 * money.step + 0.01 * Math.abs(expected)
}

/** Largest plausible quantity: a larger one is in thousandths or grams, or an amount in the wrong field. */
const mostUnits = 1_000

/** An item of the order, its position, and the known data. Pointers are only built for a warning. */
type At = { i: number; item: OrderItem; known: KnownIds; isInCents: boolean }

function warnOfTax(found: Warnings, { i, item, known, isInCents }: At): void {
  const { total, tax } = item
  const { taxRate, taxAmount, taxCatalogId } = tax
  const percentage = known.taxes?.get(taxCatalogId.toLowerCase())
  if (taxRate > 1) {
    found.add(`/items/${i}/tax/taxRate`, 'tax_rate_over_one', `taxRate ${taxRate} means ${money(taxRate * 100)} %`)
  } else if (taxRate < 0.01 && taxRate !== 0) {
    found.add(
      `/items/${i}/tax/taxRate`,
      'tax_rate_under_one_percent',
      `taxRate ${taxRate} means ${money(taxRate * 100)} %`,
    )
  } else if (percentage !== undefined && Math.round(taxRate * 10_000) !== percentage) {
    const detail = `taxRate ${taxRate} means ${money(taxRate * 100)} %, but the catalog has ${percentage / 100} % for this tax`
    found.add(`/items/${i}/tax/taxRate`, 'tax_rate_mismatch', detail)
  }
  if (!isInCents && isKept(item) && hasWrongTax(item, known.money)) {
    const expected = money(containedTax(total, taxRate))
    const detail = `taxAmount is ${taxAmount}, but ${total} contains ${expected} at ${money(taxRate * 100)} %`
    found.add(`/items/${i}/tax/taxAmount`, 'tax_mismatch', detail)
  }
}

/**
 * Whether an item's total must follow from its price. An order lacks the prices of modifiers, the price of a menu is
 * split over its dishes, and a weight is in the till's own unit.
 */
const isPlain = ({ modifiers, weight, comboParentId }: OrderItem): boolean =>
  (modifiers ?? []).length === 0 && (weight ?? null) === null && (comboParentId ?? null) === null

/**
 * Warns about discounts that increase the price of an item or exceed it, and about a total that does not follow from
 * the price.
 */
function warnOfLine(found: Warnings, { i, item, known }: At): void {
  const { quantity, unitPrice, total, discountsApplied } = item
  const price = quantity * unitPrice
  const within = tolerance(known.money, Math.max(Math.abs(quantity), 1) + discountsApplied.length)
  let taken = 0
  let isDiscountWarned = false
  for (let j = 0; j < discountsApplied.length; j++) {
    const { discountValue } = discountsApplied[j] as OrderItem['discountsApplied'][number]
    taken += discountValue
    const isAdded = discountValue * price < 0
    const isTooMuch = price !== 0 && Math.abs(taken) > Math.abs(price) + within
    if (!isAdded && !isTooMuch) continue
    const detail = isAdded
      ? `discountValue ${discountValue} increases the price of ${money(price)} instead of reducing it`
      : `discounts of ${money(taken)} exceed the price of ${money(price)}`
    found.add(`/items/${i}/discountsApplied/${j}/discountValue`, 'discount_mismatch', detail)
    isDiscountWarned = true
  }
  if (total * price < 0) {
    found.add(
      `/items/${i}/total`,
      'total_mismatch',
      `total is ${total}, but ${quantity} at ${unitPrice} have the opposite sign`,
    )
  } else if (isPlain(item) && !isDiscountWarned && isKept(item) && Math.abs(total - price + taken) > within) {
    const less = taken === 0 ? '' : ` minus ${money(taken)} of discounts`
    const detail = `total is ${total}, but ${quantity} at ${unitPrice}${less} make ${money(price - taken)}`
    found.add(`/items/${i}/total`, 'total_mismatch', detail)
  }
}

function warnOfItem(found: Warnings, { i, item, known }: At): void {
  const { quantity, total, unitPrice, itemCatalogId, tax } = item
  const product = known.products?.get(itemCatalogId.toLowerCase())
  if (isKept(item) && (quantity === 0 ? (item.weight ?? null) === null : Math.abs(quantity) > mostUnits)) {
    found.add(`/items/${i}/quantity`, 'quantity_implausible', `quantity is ${quantity}`)
  }
  if (hasDecimalsBeyond(known.money, total)) {
    found.add(`/items/${i}/total`, 'decimals_beyond_currency', `total ${total} has more decimals than the currency`)
  }
  if (known.products && !product) {
    found.add(`/items/${i}/itemCatalogId`, 'unknown_product', `product ${itemCatalogId} is not in the catalog`)
  }
  // Prices below a unit prove nothing, and minor units are reported for the whole order.
  const { minorInOne } = known.money
  const isInUnits = known.money.step === 1 ? unitPrice >= 1 : unitPrice >= 1 && unitPrice < minorInOne
  if (isInUnits && product?.prices.includes(unitPrice) && !product.prices.includes(minorInOne * unitPrice)) {
    const detail = `unitPrice ${unitPrice} equals the price in the catalog, where it means ${unitPrice / minorInOne}`
    found.add(`/items/${i}/unitPrice`, 'prices_in_units', detail)
  }
  if (known.taxes && !known.taxes.has(tax.taxCatalogId.toLowerCase())) {
    found.add(`/items/${i}/tax/taxCatalogId`, 'unknown_tax', `tax ${tax.taxCatalogId} is not in the catalog`)
  }
  if (isUnusual(item.description)) warnOfName(found, `/items/${i}/description`, item.description)
  const { category, subCategory, tier } = item
  if (isUnusual(category)) warnOfText(found, `/items/${i}/category`, category)
  if (isUnusual(subCategory)) warnOfText(found, `/items/${i}/subCategory`, subCategory)
  if (isUnusual(tier)) warnOfText(found, `/items/${i}/tier`, tier)
}

/**
 * Warns about the items of an order. Their tax amounts are skipped if the order is in minor units, because then the
 * whole order has a warning.
 */
export function warnOfItems(found: Warnings, { items, menus }: Order, known: KnownIds, isInCents: boolean): void {
  let ids: Set<string> | undefined
  for (let i = 0; i < items.length; i++) {
    const item = items[i] as OrderItem
    const at = { i, item, known, isInCents }
    warnOfTax(found, at)
    warnOfLine(found, at)
    warnOfItem(found, at)
    const menu = item.comboParentId ?? null
    if (menu === null) continue
    ids ??= new Set(menus.map(({ id }) => id.toLowerCase()))
    if (ids.has(menu.toLowerCase())) continue
    found.add(`/items/${i}/comboParentId`, 'unknown_menu', `menu ${menu.slice(0, 100)} is not in the order`)
  }
}
