import type { Order } from '../../../core/contract/orders/schema.ts'
import type { Report } from '../../../core/contract/reports/schema.ts'
import type { RecordType } from '../../../core/contract/resources.ts'
import { refundFacts, type RefundFacts } from '../domain/refunds.ts'
import type { ReportFacts } from '../domain/report-orders.ts'

/** The parts of a report or refund that are compared with stored data. */
export type Compared = { report?: ReportFacts; refund?: RefundFacts }

function reportFacts(data: Report, id: string): ReportFacts {
  const { totalSales, orders, startedAt, finalizedAt, deviceName, reportNumber } = data
  // A nullable field may be left out.
  const { deviceIdentifier = null } = data as Partial<Report>
  return { id, totalSales, orders, startedAt, finalizedAt, deviceName, deviceIdentifier, reportNumber }
}

export function comparedOf(type: RecordType, data: unknown, id: string): Compared | undefined {
  if (type === 'report') return { report: reportFacts(data as Report, id) }
  const refund = type === 'order' ? refundFacts(data as Order) : undefined
  return refund && { refund }
}
