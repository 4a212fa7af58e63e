import type { Order } from '../../src/core/contract/orders/schema.ts'
import type { Report } from '../../src/core/contract/reports/schema.ts'
import { reportOf } from './records.ts'

const cents = (amount: number) => Math.round(amount * 100)

function rows<Row>(keys: Iterable<string>, make: (key: string) => Row): Row[] {
  return [...new Set(keys)].map(make)
}

/** Returns the Z report that a till prints for these orders. */
export function zReportOf(
  locationId: string,
  n: number,
  orders: readonly Order[],
  changes: Partial<Report> = {},
): Report {
  const counted = orders.filter((order) => order.closedAt !== null && !order.isCanceled && !order.isTraining)
  const items = counted.flatMap((order) => order.items).filter((item) => !item.isCanceled && !item.isLoss)
  const sum = <T>(list: readonly T[], of: (one: T) => number) => list.reduce((all, one) => all + of(one), 0)
  const discounts = items.flatMap((item) => item.discountsApplied)
  const payments = counted.flatMap((order) => order.payments)
  return reportOf(locationId, n, {
    guestsNumber: sum(counted, (order) => order.guests),
    totalSales: sum(counted, (order) => cents(order.total)),
    reportProducts: rows(
      items.map((item) => item.itemCatalogId),
      (productCatalogId) => {
        const of = items.filter((item) => item.itemCatalogId === productCatalogId)
        const productQuantity = Math.round(sum(of, (item) => Math.round(item.quantity * 1000)) / 1000)
        const productSales = sum(of, (item) => cents(item.total))
        return { productName: 'P', productSales, category: 'c', subCategory: 's', productQuantity, productCatalogId }
      },
    ),
    reportTaxes: rows(
      items.map((item) => String(Math.round(item.tax.taxRate * 10_000))),
      (rate) => {
        const of = items.filter((item) => String(Math.round(item.tax.taxRate * 10_000)) === rate)
        const taxAmount = sum(of, (item) => cents(item.tax.taxAmount))
        const taxableAmount = sum(of, (item) => cents(item.total) - cents(item.tax.taxAmount))
        return { taxName: 'T', taxRate: Number(rate), taxAmount, taxableAmount }
      },
    ),
    reportPayments: rows(
      payments.map(({ paymentName }) => paymentName),
      (paymentName) => {
        const of = payments.filter((payment) => payment.paymentName === paymentName)
        return { paymentName, paymentAmount: sum(of, ({ paymentAmount }) => cents(paymentAmount)) }
      },
    ),
    reportDiscounts: rows(
      discounts.map(({ discountCatalogId }) => discountCatalogId),
      (discountCatalogId) => {
        const of = discounts.filter((discount) => discount.discountCatalogId === discountCatalogId)
        return {
          discountName: 'D',
          discountValue: sum(of, ({ discountValue }) => cents(discountValue)),
          discountCatalogId,
        }
      },
    ),
    reportEntries: [],
    initialCashBalance: 0,
    finalCashBalance: 0,
    orders: orders.map(({ id }) => id),
    ...changes,
  })
}

/** Makes the amounts of an order consistent: it has the totals of its items, and is paid by card. */
export function soundOrder(order: Order): Order {
  const items = order.items.filter((item) => !item.isCanceled && !item.isLoss)
  const sum = (of: (item: Order['items'][number]) => number) => items.reduce((all, item) => all + of(item), 0) / 100
  const total = sum((item) => cents(item.total))
  return {
    ...order,
    total,
    totalTax: sum((item) => cents(item.tax.taxAmount)),
    totalDiscount: sum((item) => item.discountsApplied.reduce((all, one) => all + cents(one.discountValue), 0)),
    payments: [{ paymentAmount: total, paymentName: 'Carte bancaire', paymentCatalogId: order.deviceId }],
    tips: null,
  }
}
