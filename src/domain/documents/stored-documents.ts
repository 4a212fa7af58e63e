import type { Order } from '../../schemas/orders.ts'
import type { Report } from '../../schemas/reports.ts'

// Tills may write ids in either case, and one id must be one id: where they are compared they are in lower case.

/** Reads an order for comparison: ids that reports name, or that are keys of figures, are in lower case. */
export function readStoredOrder(document: Buffer | string): Order {
  const order = JSON.parse(document.toString()) as Order
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

/** Reads a stored report in the same way. */
export function readStoredReport(document: Buffer | string): Report {
  const report = JSON.parse(document.toString()) as Report
  report.id = report.id.toLowerCase()
  report.orders = report.orders.map((id) => id.toLowerCase())
  for (const row of report.reportProducts) row.productCatalogId = row.productCatalogId.toLowerCase()
  for (const row of report.reportDiscounts) row.discountCatalogId = row.discountCatalogId.toLowerCase()
  return report
}
