import { toMinor } from '../../../core/contract/money/decimal.ts'
import { rateOfKey } from '../../../core/contract/money/classes.ts'
import { addAmounts, emptyAmounts, type Amounts } from '../../../core/contract/money/amounts.ts'
import type { Cell } from '../../figures/domain/sales.ts'
import type { Closing } from '../schemas/closings.ts'

export type ClosingSums = Pick<Closing, 'totals' | 'taxes' | 'payments' | 'days' | 'reports' | 'others'>

export type ClosedReport = Closing['reports'][number]

/** Maximum payments, days and reports in the lists of a closing; the rest is counted in `others`. */
const mostPayments = 200
const mostDays = 366
const mostReports = 400

function sumsBy(cells: readonly Cell[], kind: Cell['kind'], keyOf: (cell: Cell) => string): Map<string, Amounts> {
  const sums = new Map<string, Amounts>()
  for (const cell of cells) {
    if (cell.kind !== kind) continue
    const sum = sums.get(keyOf(cell)) ?? emptyAmounts()
    addAmounts(sum, cell)
    sums.set(keyOf(cell), sum)
  }
  return sums
}

const byText = (a: string, b: string) => (a < b ? -1 : Number(a > b))

/** Keeps up to `mostPayments` payments, `mostDays` days and `mostReports` reports, and adds up or counts the others. */
function withOthers(sums: Omit<ClosingSums, 'others'>, before?: ClosingSums['others']): ClosingSums {
  const payments = sums.payments.toSorted((a, b) => Math.abs(b.amount) - Math.abs(a.amount) || byText(a.name, b.name))
  const days = sums.days.toSorted((a, b) => byText(b.date, a.date))
  const left = { payments: payments.slice(mostPayments), days: days.slice(mostDays) }
  const sum = (amounts: readonly number[]) => amounts.reduce((all, one) => all + one, 0)
  const none = { payments: { names: 0, amount: 0 }, days: { days: 0, salesInclTax: 0, tax: 0 }, reports: 0 }
  const known = before ?? none
  return {
    totals: sums.totals,
    taxes: sums.taxes.toSorted((a, b) => (b.rate ?? -1) - (a.rate ?? -1)),
    payments: payments.slice(0, mostPayments),
    days: days.slice(0, mostDays).toReversed(),
    reports: sums.reports.slice(-mostReports),
    others: {
      payments: {
        names: known.payments.names + left.payments.length,
        amount: known.payments.amount + sum(left.payments.map(({ amount }) => amount)),
      },
      days: {
        days: known.days.days + left.days.length,
        salesInclTax: known.days.salesInclTax + sum(left.days.map(({ salesInclTax }) => salesInclTax)),
        tax: known.days.tax + sum(left.days.map(({ tax }) => tax)),
      },
      reports: known.reports + Math.max(sums.reports.length - mostReports, 0),
    },
  }
}

/**
 * Adds up the changes of a part of the journal, in minor units of the currency. Each sum is rounded once. Sums of 0 are
 * left out.
 */
export function closingSums(
  { cells, reports }: { cells: readonly Cell[]; reports: readonly ClosedReport[] },
  decimals: number,
): ClosingSums {
  const salesOf = ({ sales, salesRest }: Amounts) => toMinor(sales, salesRest, decimals)
  const taxOf = ({ tax, taxRest }: Amounts) => toMinor(tax, taxRest, decimals)
  const total = sumsBy(cells, 'total', () => '').get('') ?? emptyAmounts()
  const [salesInclTax, tax] = [salesOf(total), taxOf(total)]
  const taxes = [...sumsBy(cells, 'tax', ({ key }) => key)].map(([key, sum]) => ({
    rate: rateOfKey(key),
    taxable: salesOf(sum) - taxOf(sum),
    tax: taxOf(sum),
  }))
  const payments = [...sumsBy(cells, 'payment', ({ key }) => key)].map(([name, sum]) => ({
    name,
    amount: salesOf(sum),
  }))
  const days = [...sumsBy(cells, 'total', ({ day }) => day)].map(([date, sum]) => ({
    date,
    salesInclTax: salesOf(sum),
    tax: taxOf(sum),
  }))
  return withOthers({
    totals: {
      orders: total.orders,
      salesInclTax,
      tax,
      salesExclTax: salesInclTax - tax,
      discounts: toMinor(total.discounts, total.discountsRest, decimals),
      tips: toMinor(total.tips, 0, decimals),
      refunds: toMinor(total.refunds, 0, decimals),
      canceledSales: toMinor(total.canceledSales, 0, decimals),
    },
    taxes: taxes.filter(({ taxable, tax: of }) => taxable !== 0 || of !== 0),
    payments: payments.filter(({ amount }) => amount !== 0),
    days: days.filter(({ salesInclTax: sales, tax: of }) => sales !== 0 || of !== 0),
    reports: reports.map(({ id, number, deviceName, totalSales }) => ({ id, number, deviceName, totalSales })),
  })
}

/** Returns the sums of later days, which go into the next closings. */
export function leftOf(
  { cells, reports }: { cells: readonly Cell[]; reports: readonly unknown[] },
  decimals: number,
): NonNullable<Closing['left']> {
  const total = sumsBy(cells, 'total', () => '').get('') ?? emptyAmounts()
  return {
    orders: total.orders,
    salesInclTax: toMinor(total.sales, total.salesRest, decimals),
    tax: toMinor(total.tax, total.taxRest, decimals),
    reports: reports.length,
  }
}

/** Adds up closings of days into the sums of a month or year. */
export function addClosings(closings: readonly Closing[]): ClosingSums {
  const totals = {
    orders: 0,
    salesInclTax: 0,
    tax: 0,
    salesExclTax: 0,
    discounts: 0,
    tips: 0,
    refunds: 0,
    canceledSales: 0,
  }
  const taxes = new Map<number | null, ClosingSums['taxes'][number]>()
  const payments = new Map<string, ClosingSums['payments'][number]>()
  const days = new Map<string, ClosingSums['days'][number]>()
  const others = { payments: { names: 0, amount: 0 }, days: { days: 0, salesInclTax: 0, tax: 0 }, reports: 0 }
  for (const closing of closings) {
    for (const name of Object.keys(totals) as (keyof typeof totals)[]) totals[name] += closing.totals[name]
    for (const { rate, taxable, tax } of closing.taxes) {
      const sum = taxes.get(rate) ?? { rate, taxable: 0, tax: 0 }
      taxes.set(rate, { rate, taxable: sum.taxable + taxable, tax: sum.tax + tax })
    }
    for (const { name, amount } of closing.payments)
      payments.set(name, { name, amount: (payments.get(name)?.amount ?? 0) + amount })
    for (const { date, salesInclTax, tax } of closing.days) {
      const sum = days.get(date) ?? { date, salesInclTax: 0, tax: 0 }
      days.set(date, { date, salesInclTax: sum.salesInclTax + salesInclTax, tax: sum.tax + tax })
    }
    others.payments.names += closing.others.payments.names
    others.payments.amount += closing.others.payments.amount
    others.days.days += closing.others.days.days
    others.days.salesInclTax += closing.others.days.salesInclTax
    others.days.tax += closing.others.days.tax
    others.reports += closing.reports.length + closing.others.reports
  }
  return withOthers(
    {
      totals,
      taxes: [...taxes.values()].filter(({ taxable, tax }) => taxable !== 0 || tax !== 0),
      payments: [...payments.values()].filter(({ amount }) => amount !== 0),
      days: [...days.values()].filter(({ salesInclTax, tax }) => salesInclTax !== 0 || tax !== 0),
      reports: [],
    },
    others,
  )
}
