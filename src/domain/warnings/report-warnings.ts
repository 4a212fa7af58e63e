import type { Report } from '../../schemas/reports.ts'
import type { Warning } from '../../schemas/warnings.ts'
import { warnOfTimes, Warnings, type Circumstances } from './known.ts'

/** Beyond this many hundredths one of two figures is in the wrong unit and not just wrong. */
const isHundredfold = (one: number, other: number) =>
  one !== 0 && other !== 0 && (one === 100 * other || other === 100 * one)

/**
 * The warning of a total in units instead of cents, or the other way round. `cents` is the sum of its stored orders.
 */
export function warnOfHundredfold(totalSales: number, cents: number, what = 'its stored orders'): Warning | undefined {
  if (!isHundredfold(totalSales, cents)) return undefined
  const detail = `totalSales is ${totalSales}, ${what} add up to ${cents} cents`
  return { pointer: '/data/totalSales', code: 'report_total_hundredfold', detail }
}

/** What a till should know of a report that is stored all the same: each rule stands in `schemas/warnings.ts`. */
export function warnOfReport(report: Report, { nowMs }: Circumstances): Warning[] {
  const found = new Warnings()
  const { totalSales, reportTaxes, reportProducts, reportPayments } = report
  for (const [i, { taxRate }] of reportTaxes.entries()) {
    if (taxRate <= 0 || taxRate >= 100) continue
    found.add(`/reportTaxes/${i}/taxRate`, 'tax_rate_under_one_percent', `taxRate ${taxRate} is ${taxRate / 100} %`)
  }
  const sold = reportProducts.reduce((sum, { productSales }) => sum + productSales, 0)
  const paid = reportPayments.reduce((sum, { paymentAmount }) => sum + paymentAmount, 0)
  const hundredfold =
    warnOfHundredfold(totalSales, paid, 'the payments') ?? warnOfHundredfold(totalSales, sold, 'the products')
  if (hundredfold) {
    found.list.push(hundredfold)
  } else if (reportProducts.length > 0 && sold !== totalSales) {
    found.add('/totalSales', 'total_mismatch', `totalSales is ${totalSales}, the products add up to ${sold}`)
  }
  warnOfTimes(found, report, ['createdAt', 'updatedAt', 'startedAt', 'finalizedAt'], nowMs)
  if (report.finalizedAt < report.startedAt) {
    const detail = `finalizedAt ${report.finalizedAt} is before startedAt ${report.startedAt}`
    found.add('/finalizedAt', 'times_reversed', detail)
  }
  return found.list
}
