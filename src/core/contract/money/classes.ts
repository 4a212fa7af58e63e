import type { OrderItem } from '../orders/schema.ts'
import type { PaymentKind } from './payment-kinds-schema.ts'

// The class of each amount of an order, shared by checks, figures, books, closings, tables, e-reporting and adapters. A
// table of classes is a `Record`, so a missing class does not compile.

export type ItemClass = 'sale' | 'untaxed' | 'voucher' | 'deposit' | 'charge'

type MoneyClass = ItemClass | 'debt' | 'tip' | 'rounding'

type Rule = {
  /** Included in `sales`; otherwise in `excluded.notSales`. */
  isSale: boolean
  /** Listed in e-reporting although it has no tax. */
  isSupply: boolean
}

export const itemRules: Readonly<Record<ItemClass, Rule>> = {
  sale: { isSale: true, isSupply: true },
  untaxed: { isSale: true, isSupply: true },
  charge: { isSale: false, isSupply: true },
  voucher: { isSale: false, isSupply: false },
  deposit: { isSale: false, isSupply: false },
}

/** Key of the sums of items without a stated tax, in place of a rate. */
export const notStated = 'not_stated'

/**
 * Returns whether the source states no tax for an item, which differs from a rate of 0. Records made from tickets
 * without tax have the name `No tax`, and 0 as rate and amount.
 */
const isTaxNotStated = ({ tax }: Pick<OrderItem, 'tax'>): boolean =>
  tax.isStated === false ||
  (tax.taxRate === 0 && tax.taxAmount === 0 && (tax.taxName === '' || tax.taxName === 'No tax'))

/** Returns the tax rate of an item in hundredths of a percent; null if none is stated. */
export const rateOf = (item: Pick<OrderItem, 'tax'>): number | null =>
  isTaxNotStated(item) ? null : Math.round(item.tax.taxRate * 10_000)

/** Returns the key of sums by tax rate: hundredths of a percent, or {@link notStated}. */
export const taxKeyOf = (item: Pick<OrderItem, 'tax'>): string => String(rateOf(item) ?? notStated)

/** Reads a key of {@link taxKeyOf}: hundredths of a percent, or null. */
export const rateOfKey = (key: string): number | null => (key === notStated ? null : Number(key))

export function classOf(item: Pick<OrderItem, 'kind' | 'tax'>): ItemClass {
  const { kind = 'sale' } = item
  return kind === 'sale' ? (isTaxNotStated(item) ? 'untaxed' : 'sale') : kind
}

/** Returns whether an item is money received that is not a sale: a voucher, a deposit or a service charge. */
export const isOtherItem = (item: Pick<OrderItem, 'kind' | 'tax'>): boolean => !itemRules[classOf(item)].isSale

/** Returns whether e-reporting lists an item. Vouchers and deposits are listed only if they have a tax. */
export const isReported = (item: Pick<OrderItem, 'kind' | 'tax'>): boolean =>
  itemRules[classOf(item)].isSupply || item.tax.taxAmount !== 0 || item.tax.taxRate !== 0

/** The accounts that books use for each class: for revenue one account per tax rate, otherwise one account. */
export const bookPlaces = {
  sale: 'revenue',
  charge: 'revenue',
  untaxed: 'untaxed',
  voucher: 'vouchers',
  deposit: 'deposits',
  debt: 'debts',
  tip: 'tips',
  rounding: 'rounding',
} as const satisfies Record<MoneyClass, string>

/** The class of a payment by its kind: a redeemed voucher, a debt, rounding, or cash; null if it depends on the name. */
export const paymentClasses: Readonly<Record<PaymentKind, 'cash' | 'voucher' | 'debt' | 'rounding' | null>> = {
  cash: 'cash',
  gift_card: 'voucher',
  account: 'debt',
  rounding: 'rounding',
  card: null,
  meal_voucher: null,
  cheque: null,
  other: null,
}
