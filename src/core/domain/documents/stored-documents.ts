import type { Order } from '../../contract/orders/schema.ts'
import type { Report } from '../../contract/reports/schema.ts'

// Tills may write ids in either case, so ids are compared in lower case.

// Accented letters come as one character or two, so names that are compared or are keys of figures are in form NFC.

const isAscii = (text: string) => !/[^\0-\x7f]/.test(text)

/** Reads an order for comparison: names are in form NFC, and ids that reports or figures refer to are in lower case. */
export function readStoredOrder(document: Buffer | string): Order {
  const text = document.toString()
  const order = JSON.parse(text) as Order
  if (!isAscii(text)) composeOrder(order)
  order.id = order.id.toLowerCase()
  order.deviceId = order.deviceId.toLowerCase()
  order.operatorId = order.operatorId.toLowerCase()
  order.reportId = order.reportId?.toLowerCase() ?? null
  for (const item of order.items) {
    item.itemCatalogId = item.itemCatalogId.toLowerCase()
    for (const discount of item.discountsApplied) discount.discountCatalogId = discount.discountCatalogId.toLowerCase()
  }
  return order
}

function composeOrder(order: Order): void {
  order.channel = order.channel.normalize()
  order.serviceType = order.serviceType.normalize()
  for (const payment of order.payments) payment.paymentName = payment.paymentName.normalize()
  for (const item of order.items) item.category = item.category.normalize()
}

/** Reads a stored report in the same way. */
export function readStoredReport(document: Buffer | string): Report {
  const text = document.toString()
  const report = JSON.parse(text) as Report
  if (!isAscii(text)) for (const row of report.reportPayments) row.paymentName = row.paymentName.normalize()
  report.id = report.id.toLowerCase()
  report.orders = report.orders.map((id) => id.toLowerCase())
  for (const row of report.reportProducts) row.productCatalogId = row.productCatalogId.toLowerCase()
  for (const row of report.reportDiscounts) row.discountCatalogId = row.discountCatalogId.toLowerCase()
  return report
}
