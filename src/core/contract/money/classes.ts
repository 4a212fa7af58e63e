import type { OrderItem } from '../orders/schema.ts'
import type { PaymentKind } from './payment-kinds-schema.ts'

// What an amount of an order is: one class for each, which checks, figures, books, closings, tables, e-reporting and adapters share.
// A table of classes is a `Record`, so that one who forgets a class does not compile.

/** The classes of items. */
export type ItemClass = 'sale' | 'untaxed' | 'voucher' | 'deposit' | 'charge'

/** All classes of money: of items, of payments, and of what stands beside both. */
type MoneyClass = ItemClass | 'debt' | 'tip' | 'rounding'

type Rule = {
  /** Whether it is in `sales`; all else is in `excluded.notSales`. */
  isSale: boolean
  /** Whether e-reporting lists it though it has no tax. */
  isSupply: boolean
}

export const itemRules: Readonly<Record<ItemClass, Rule>> = {
  sale: { isSale: true, isSupply: true },
  untaxed: { isSale: true, isSupply: true },
  charge: { isSale: false, isSupply: true },
  voucher: { isSale: false, isSupply: false },
  deposit: { isSale: false, isSupply: false },
}

/** The key of sums of items whose tax is not stated, in place of a rate. */
export const notStated = 'not_stated'

/**
 * Returns whether the source states no tax for an item, which is not the same as a rate of 0. `No tax` without rate and amount is what
 * the records of a ticket have where its source states no tax.
 */
const isTaxNotStated = ({ tax }: Pick<OrderItem, 'tax'>): boolean =>
  tax.isStated === false ||
  (tax.taxRate === 0 && tax.taxAmount === 0 && (tax.taxName === '' || tax.taxName === 'No tax'))

/** Returns the tax rate of an item in hundredths of a percent; null where none is stated. */
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

/** Returns whether an item is money that the order takes and that is no sale: a voucher, a deposit, a service charge. */
export const isOtherItem = (item: Pick<OrderItem, 'kind' | 'tax'>): boolean => !itemRules[classOf(item)].isSale

/** Returns whether e-reporting lists an item: a voucher or deposit only where it has a tax. */
export const isReported = (item: Pick<OrderItem, 'kind' | 'tax'>): boolean =>
  itemRules[classOf(item)].isSupply || item.tax.taxAmount !== 0 || item.tax.taxRate !== 0

/** Where books put each class: revenue has an account by rate, all else one of its own. */
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

/** What a payment is by its kind alone: a voucher that is used, a debt, rounding, or cash; null where only its name can say. */
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
