import { usualRules } from '../../../../src/core/contract/money/paid.ts'
import {
  warnOfOtherReports,
  warnOfReportOrders,
  type NamedOrder,
  type OtherReport,
} from '../../../../src/modules/warnings/domain/report-orders.ts'
import { warnOfRefund } from '../../../../src/modules/warnings/domain/refunds.ts'
import type { Report } from '../../../../src/core/contract/reports/schema.ts'
import type { RecordType } from '../../../../src/core/contract/resources.ts'
import { idOf, orderOf, reportOf, timeOf } from '../../../support/records.ts'
import { location, coffees, status } from './examples.ts'

export const stored = (changes: Partial<NamedOrder> = {}): NamedOrder => ({ ...orderOf(location, 1), ...changes })
export const other = (changes: Partial<OtherReport>): OtherReport => ({ ...reportOf(location, 2), ...changes })
export const ids = (n: number) => Array.from({ length: n }, (_, i) => idOf('order', i + 1))
/** Returns a Z with 22.00 for each order. */
export const z = (orders: string[], changes: Partial<Report> = {}) =>
  reportOf(location, 1, { orders, totalSales: 2200 * orders.length, ...changes })
export const named = (...orders: NamedOrder[]) => new Map(orders.map((order, i) => [idOf('order', i + 1), order]))

const refund = (n: number, total: number) => ({ id: idOf('order', n), refundOf: idOf('order', 1), total })

export const besideOthers: [
  what: string,
  warnings: readonly { code: string; pointer: string; detail: string }[],
  expected: string,
][] = [
  [
    'orders that have not arrived',
    warnOfReportOrders(z(ids(3)), named(stored()), usualRules.money),
    'unknown_order /data/orders/1 2 of the 3',
  ],
  [
    'an order closed outside the time of the report',
    warnOfReportOrders(z(ids(2)), named(stored(), stored({ closedAt: timeOf(-20) })), usualRules.money),
    'order_outside_report /data/orders/1 1 of the 2',
  ],
  [
    'an order closed hours later',
    warnOfReportOrders(z(ids(1)), named(stored({ closedAt: timeOf(20) })), usualRules.money),
    'order_outside_report /data/orders/0 1 of the 1',
  ],
  [
    'an order that is open',
    warnOfReportOrders(z(ids(1)), named(stored({ closedAt: null })), usualRules.money),
    'order_outside_report /data/orders/0',
  ],
  [
    'an order of another report',
    warnOfReportOrders(z(ids(1)), named(stored({ reportId: idOf('report', 2) })), usualRules.money),
    'order_of_other_report /data/orders/0',
  ],
  [
    'a Z in units',
    warnOfReportOrders(z(ids(1), { totalSales: 22 }), named(stored()), usualRules.money),
    'report_total_hundredfold /data/totalSales',
  ],
  [
    'a refund of more than was sold',
    warnOfRefund(refund(2, -61), { sale: stored({ total: 11 }), before: [] }, usualRules.money),
    'refund_over_sale /data/total 61 was refunded for the sale',
  ],
  [
    'several refunds that together are more than was sold',
    warnOfRefund(
      refund(4, -4.01),
      { sale: stored({ total: 11 }), before: [refund(2, -3), refund(3, -4.02)] },
      usualRules.money,
    ),
    'refund_over_sale /data/total 11.03 was refunded by 3 refunds for the sale',
  ],
  [
    'an absurd total',
    warnOfReportOrders(z(ids(2), { totalSales: 99_900 }), named(stored(), stored()), usualRules.money),
    'total_mismatch /data/totalSales totalSales is 99900, but the stored orders of the report add up to 4400',
  ],
  [
    'sales of a Z that names no orders',
    warnOfReportOrders(z([], { totalSales: 50_000 }), named(), usualRules.money),
    'total_mismatch /data/totalSales totalSales is 50000, but the report lists no orders',
  ],
  [
    'a duplicate report number',
    warnOfOtherReports(z([]), [other({ reportNumber: 1 })]),
    'report_number_twice /data/reportNumber',
  ],
  [
    'a report that always begins at the same time',
    warnOfOtherReports(z([], { startedAt: timeOf(-200) }), [
      other({ startedAt: timeOf(-200), finalizedAt: timeOf(0) }),
    ]),
    'reports_overlap /data/startedAt',
  ],
]

export const inTurn: [what: string, records: [RecordType, unknown][], expected: string[]][] = [
  [
    'an id that is made for each push',
    [
      ['order', coffees()],
      ['order', coffees({ id: idOf('order', 2) })],
    ],
    ['order_sent_twice /data/id'],
  ],
  [
    'a count that begins again every day',
    [
      ['device.status', status({ lastNumber: 120 })],
      ['device.status', status({ lastNumber: 3 })],
    ],
    ['count_restarted /data/lastNumber'],
  ],
]
