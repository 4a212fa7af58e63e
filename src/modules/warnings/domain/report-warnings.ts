import type { Report } from '../../../core/contract/reports/schema.ts'
import type { Warning } from '../../../core/schemas/warnings.ts'
import { warnOfRate } from './catalog-warnings.ts'
import { Warnings, type Circumstances, type KnownIds } from './known.ts'
import { money } from '../../../core/contract/money/currency.ts'
import { quoted, warnOfId, warnOfName, warnOfText } from './texts.ts'
import { warnOfLongAgo, warnOfReversal, warnOfTime } from './times.ts'
import { sumOf } from '../../../core/contract/money/amounts.ts'

/** Whether one of two figures is in the wrong unit, because they differ by exactly the factor of minor units in one unit. */
const isHundredfold = (one: number, other: number, minorInOne: number) =>
  one !== 0 && other !== 0 && (one === minorInOne * other || other === minorInOne * one)

/**
 * Returns the warning about a total in major instead of minor units, or the reverse; undefined for neither. `cents` is
 * the sum of `what` in minor units.
 */
export function warnOfHundredfold(
  totalSales: number,
  cents: number,
  minorInOne: number,
  what = 'the stored orders of the report',
): Warning | undefined {
  if (!isHundredfold(totalSales, cents, minorInOne)) return undefined
  const detail = `totalSales is ${totalSales}, but ${what} add up to ${cents}`
  return { pointer: '/data/totalSales', code: 'report_total_hundredfold', detail }
}

function warnOfTotals(
  found: Warnings,
  report: Report,
  { money: { stepMinor, isoDecimals, minorInOne } }: KnownIds,
): void {
  const { totalSales, reportTaxes, reportProducts, reportPayments } = report
  const sold = sumOf(reportProducts.map(({ productSales }) => productSales))
  const paid = sumOf(reportPayments.map(({ paymentAmount }) => paymentAmount))
  const hundredfold =
    warnOfHundredfold(totalSales, paid, minorInOne, 'the payments') ??
    warnOfHundredfold(totalSales, sold, minorInOne, 'the products')
  if (hundredfold) {
    found.list.push(hundredfold)
    return
  }
  if (reportProducts.length > 0 && sold !== totalSales) {
    found.add('/totalSales', 'total_mismatch', `totalSales is ${totalSales}, but the products add up to ${sold}`)
  }
  const taxed = sumOf(reportTaxes.map(({ taxAmount, taxableAmount }) => taxAmount + taxableAmount))
  // A till that adds up unrounded amounts may be one rounding unit off per rate.
  if (reportTaxes.length > 0 && Math.abs(taxed - totalSales) > stepMinor * (1 + reportTaxes.length)) {
    const detail = `totalSales is ${totalSales}, but taxableAmount and taxAmount of all rates add up to ${taxed}`
    found.add('/reportTaxes', 'tax_mismatch', detail)
  }
  if (isoDecimals === 0 && totalSales % minorInOne !== 0) {
    found.add('/totalSales', 'decimals_beyond_currency', `totalSales ${totalSales} means ${totalSales / minorInOne}`)
  }
}

/**
 * Warns about a tax amount that is less than half or more than twice what its rate gives. Rounding cannot explain that;
 * a rate in another unit can. Differences below 100 minor units and invalid rates are ignored.
 */
function warnOfTaxRow(
  found: Warnings,
  i: number,
  { taxRate, taxAmount, taxableAmount }: Report['reportTaxes'][number],
) {
  if (taxRate < 100 || taxRate > 10_000) return
  const expected = (taxableAmount * taxRate) / 10_000
  const share = taxAmount / expected
  if (Math.abs(taxAmount - expected) < 100 || (share >= 0.5 && share <= 2)) return
  const detail = `taxAmount is ${taxAmount}, but ${taxRate / 100} % of ${taxableAmount} is ${money(expected)}`
  found.add(`/reportTaxes/${i}/taxAmount`, 'tax_mismatch', detail)
}

/**
 * Warns about an unusable device name, and about a device that the location does not have. A report names its device,
 * sometimes with an id.
 */
function warnOfDevice(found: Warnings, { deviceName, deviceIdentifier }: Report, { devices }: KnownIds): void {
  warnOfName(found, '/deviceName', deviceName)
  if (!devices || devices.has((deviceIdentifier ?? '').toLowerCase())) return
  if ([...devices.values()].includes(deviceName)) return
  found.add('/deviceName', 'unknown_device', `device ${quoted(deviceName)} does not belong to the location`)
}

/** Returns the warnings about a report, which is stored all the same: each rule is in `schemas/warnings.ts`. */
export function warnOfReport(report: Report, { known, nowMs, isLive }: Circumstances): Warning[] {
  const found = new Warnings()
  const { reportTaxes, reportDiscounts, reportClerksShift, reportPayments, reportProducts } = report
  warnOfId(found, '/id', report.id)
  warnOfTotals(found, report, known)
  warnOfDevice(found, report, known)
  const { startedAt, finalizedAt, guestsNumber } = report
  warnOfTime(found, 'createdAt', report.createdAt, nowMs)
  warnOfTime(found, 'updatedAt', report.updatedAt, nowMs)
  warnOfTime(found, 'startedAt', startedAt, nowMs)
  warnOfTime(found, 'finalizedAt', finalizedAt, nowMs)
  if (isLive) warnOfLongAgo(found, ['finalizedAt', finalizedAt], (report as Partial<Report>).updatedAt, nowMs)
  warnOfReversal(found, '/finalizedAt', ['finalizedAt', finalizedAt], ['startedAt', startedAt])
  if (guestsNumber < 0)
    found.add('/guestsNumber', 'quantity_implausible', `guestsNumber is ${guestsNumber}, but must not be negative`)
  for (const [i, row] of reportTaxes.entries()) {
    warnOfRate(found, `/reportTaxes/${i}/taxRate`, 'taxRate', row.taxRate)
    warnOfTaxRow(found, i, row)
  }
  for (const [i, { discountValue }] of reportDiscounts.entries()) {
    if (discountValue >= 0) continue
    const detail = `discountValue is ${discountValue}: send it as a positive amount`
    found.add(`/reportDiscounts/${i}/discountValue`, 'discount_mismatch', detail)
  }
  for (const [i, { clockInDate, clockOutDate }] of reportClerksShift.entries()) {
    const at = `/reportClerksShift/${i}/clockOutDate`
    warnOfReversal(found, at, ['clockOutDate', clockOutDate], ['clockInDate', clockInDate])
  }
  for (const [i, { paymentName }] of reportPayments.entries()) {
    warnOfName(found, `/reportPayments/${i}/paymentName`, paymentName)
  }
  for (const [i, { productName }] of reportProducts.entries()) {
    warnOfText(found, `/reportProducts/${i}/productName`, productName)
  }
  return found.list
}
