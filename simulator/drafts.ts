import type { Order, OrderItem } from '../src/core/contract/orders/schema.ts'
import type { Discount, Dish, Formule, Named, Option, Price, Tier } from './card/catalog.ts'
import { taxIn, toMajor } from './cents.ts'
import type { Operator } from './staff.ts'

/** One line of an order, in cents. */
export type DraftItem = {
  dish: Dish
  tier: Tier
  price: Price
  /** Unit price with the supplements of its modifiers; for a dish of a formule, its share of the formule's price. */
  unitCents: number
  quantity: number
  /** Weight of a dish that is sold by weight; its `unitCents` is then the price of a kilogram. */
  grams: number | null
  modifiers: { groupId: string; option: Option }[]
  discounts: { discount: Discount; cents: number }[]
  cancelReason: string | null
  lossReason: string | null
  transferReason: string | null
  menuId: string | null
}

type MenuLine = { id: string; formule: Formule }

/** An order while the simulation builds it. Times are milliseconds since 1970. */
export type Draft = {
  id: string
  deviceId: string
  orderNumber: string
  openedAt: number
  updatedAt: number
  closedAt: number | null
  guests: number
  place: string
  operator: Operator
  customerId: string
  lines: DraftItem[]
  menus: MenuLine[]
  payments: { method: Named; cents: number }[]
  tips: { cents: number; method: Named }[]
  cancelReason: string | null
  transferReason: string | null
  channel: string
  serviceType: string
  isTraining: boolean
  source: string
  externalLocationId: string | null
  externalOrderId: string | null
}

export const isCounted = (line: DraftItem): boolean => line.cancelReason === null && line.lossReason === null

/** Returns the price of a line before discounts. */
function grossOf(line: DraftItem): number {
  return line.grams === null ? line.quantity * line.unitCents : Math.round((line.grams * line.unitCents) / 1000)
}

export const discountOf = (line: DraftItem): number => line.discounts.reduce((sum, { cents }) => sum + cents, 0)
export const netOf = (line: DraftItem): number => grossOf(line) - discountOf(line)
export const taxOf = (line: DraftItem): number => taxIn(netOf(line), line.price.tax.rate)

const sum = (lines: readonly DraftItem[], of: (line: DraftItem) => number) =>
  lines.reduce((total, line) => total + of(line), 0)

/** Returns what the guests owe: canceled and lost lines are not on the bill. */
export const dueOf = (draft: Draft): number => sum(draft.lines.filter(isCounted), netOf)

function toItem(line: DraftItem): OrderItem {
  const { dish, price } = line
  return {
    description: dish.name,
    quantity: line.quantity,
    weight: line.grams === null ? null : line.grams / 1000,
    unitPrice: toMajor(line.unitCents),
    total: toMajor(netOf(line)),
    category: dish.category,
    subCategory: dish.subCategory,
    isCanceled: line.cancelReason !== null,
    cancelReason: line.cancelReason,
    tier: line.tier,
    isTransferred: line.transferReason !== null,
    transferReason: line.transferReason,
    discountsApplied: line.discounts.map(({ discount, cents }) => ({
      discountName: discount.name,
      discountValue: toMajor(cents),
      discountCatalogId: discount.id,
    })),
    ...(line.modifiers.length > 0 && {
      modifiers: line.modifiers.map(({ groupId, option }) => ({
        modifierGroupId: groupId,
        modifierId: option.id,
        name: option.name,
      })),
    }),
    ...(dish.stocked && { stockImpactIndicator: true }),
    tax: {
      taxName: price.tax.name,
      taxRate: price.tax.rate / 10_000,
      taxAmount: toMajor(taxOf(line)),
      taxCatalogId: price.tax.id,
    },
    itemCatalogId: dish.id,
    isLoss: line.lossReason !== null,
    lossReason: line.lossReason,
    comboParentId: line.menuId,
  }
}

const iso = (ms: number) => new Date(ms).toISOString()

/** Converts the draft to an order. A closed order refers to its report; a training order never does. */
export function toOrder(draft: Draft, locationId: string, reportId: string): Order {
  const counted = draft.lines.filter(isCounted)
  const isClosed = draft.closedAt !== null
  return {
    id: draft.id,
    deviceId: draft.deviceId,
    createdAt: iso(draft.openedAt),
    updatedAt: iso(draft.updatedAt),
    locationId,
    reportId: isClosed && !draft.isTraining ? reportId : null,
    openedAt: iso(draft.openedAt),
    closedAt: draft.closedAt === null ? null : iso(draft.closedAt),
    guests: draft.guests,
    orderPlace: draft.place,
    orderNumber: draft.orderNumber,
    operatorId: draft.operator.id,
    operatorName: draft.operator.name,
    total: toMajor(sum(counted, netOf)),
    totalTax: toMajor(sum(counted, taxOf)),
    totalDiscount: toMajor(sum(counted, discountOf)),
    customerId: draft.customerId,
    isCanceled: draft.cancelReason !== null,
    isTransferred: draft.transferReason !== null,
    transferReason: draft.transferReason,
    cancelReason: draft.cancelReason,
    items: draft.lines.map(toItem),
    menus: draft.menus.map(({ id, formule }) => ({
      id,
      menuCatalogId: formule.id,
      name: formule.name,
      quantity: 1,
      unitPrice: toMajor(formule.cents),
      total: toMajor(formule.cents),
    })),
    payments: draft.payments.map(({ method, cents }) => ({
      paymentAmount: toMajor(cents),
      paymentName: method.name,
      paymentCatalogId: method.id,
    })),
    tips:
      draft.tips.length === 0
        ? null
        : draft.tips.map(({ cents, method }) => ({
            amount: toMajor(cents),
            paymentCatalogId: method.id,
            operatorId: draft.operator.id,
          })),
    channel: draft.channel,
    serviceType: draft.serviceType,
    isTraining: draft.isTraining,
    source: draft.source,
    externalLocationId: draft.externalLocationId,
    externalOrderId: draft.externalOrderId,
  }
}
