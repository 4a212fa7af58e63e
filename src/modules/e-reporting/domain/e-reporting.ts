import type { EReportingCategory } from '../../../core/contract/location/schema.ts'
import type { EReport } from '../schemas/e-reporting.ts'
import { notStated } from '../../../core/contract/money/classes.ts'
import { moneyOf } from '../../../core/contract/money/currency.ts'
import { toMinor } from '../../../core/contract/money/decimal.ts'
import { longestFilter, toFilterText } from '../../../core/domain/documents/filter-text.ts'
import { readServiceKey } from '../../figures/domain/service-parts.ts'
import type { Cell } from '../../figures/domain/sales.ts'

export type Categories = Record<string, EReportingCategory>

/**
 * The categories used if the operator sets none: a served meal is a service, takeaway food is goods. Any other kind of
 * service has no category until the operator sets one (docs/inside/07-figures.md).
 */
const usualCategories: Categories = {
  eat_in: 'TPS1',
  room_service: 'TPS1',
  takeaway: 'TLB1',
  delivery: 'TLB1',
  curbside: 'TLB1',
  drive_through: 'TLB1',
}

/** The name under which a kind of service is grouped: cells of different kinds cut long names at different lengths. */
const toName = (serviceType: string): string => Array.from(toFilterText(serviceType)).slice(0, longestFilter).join('')

export const categoriesOf = (own: Categories): Categories => ({ ...usualCategories, ...own })

/** Payments are reported for this category as well: VAT on services falls due with the payment. */
const paidCategory: EReportingCategory = 'TPS1'

type Part = Pick<Cell, 'kind' | 'day' | 'key' | 'orders' | 'sales' | 'salesRest' | 'tax' | 'taxRest'>

type Sum = Pick<Part, 'sales' | 'salesRest' | 'tax' | 'taxRest'>

/** Sums of a day and category, or of a kind of service: orders, and amounts by tax rate or `not_stated`. */
type Group = { transactions: number; rates: Map<string, Sum> }

const newGroup = (): Group => ({ transactions: 0, rates: new Map() })

const newSum = (): Sum => ({ sales: 0, salesRest: 0, tax: 0, taxRest: 0 })

function addTo(sum: Sum, part: Part): void {
  sum.sales += part.sales
  sum.salesRest += part.salesRest
  sum.tax += part.tax
  sum.taxRest += part.taxRest
}

function inGroup<T>(groups: Map<string, T>, key: string, empty: () => T): T {
  let group = groups.get(key)
  if (!group) groups.set(key, (group = empty()))
  return group
}

const byKey = <T>(sums: ReadonlyMap<string, T>): [string, T][] => [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1))

/**
 * Rounds the sales at each rate, the lowest rate first, and leaves out amounts of zero, such as a sale with its refund,
 * and items without a stated tax. The totals are the sums of the rounded rates, so that both agree in a report.
 */
function amountsOf({ rates }: Group, decimals: number) {
  const stated = [...rates]
    .filter(([rate]) => rate !== notStated)
    .map(([rate, { sales, salesRest, tax: units, taxRest }]) => {
      const tax = toMinor(units, taxRest, decimals)
      return { rate: Number(rate), taxable: toMinor(sales, salesRest, decimals) - tax, tax }
    })
    .filter(({ taxable, tax }) => taxable !== 0 || tax !== 0)
    .toSorted((a, b) => a.rate - b.rate)
  const rest = rates.get(notStated)
  return {
    taxable: stated.reduce((sum, { taxable }) => sum + taxable, 0),
    tax: stated.reduce((sum, { tax }) => sum + tax, 0),
    rates: stated,
    notStated: rest ? toMinor(rest.sales, rest.salesRest, decimals) : 0,
  }
}

function paymentsOf(rates: ReadonlyMap<string, Sum>, decimals: number) {
  return [...rates]
    .filter(([rate]) => rate !== notStated)
    .map(([rate, { sales, salesRest }]) => ({ rate: Number(rate), amount: toMinor(sales, salesRest, decimals) }))
    .filter(({ amount }) => amount !== 0)
    .toSorted((a, b) => a.rate - b.rate)
}

/**
 * Makes the groups of the declarations 10.3 and 10.4 (flux) from cells by day. Cells of kind `serviceType` give the
 * number of orders, `serviceTax` the sales, `servicePaid` the payments.
 */
export function toEReport(
  cells: readonly Part[],
  categories: Categories,
  currency: string,
): Pick<EReport, 'transactions' | 'payments' | 'unmapped'> {
  const { decimals } = moneyOf(currency)
  const categoryOf = new Map(Object.entries(categories).map(([name, category]) => [toName(name), category]))
  const groups = new Map<string, Group>()
  const paid = new Map<string, Map<string, Sum>>()
  const unmapped = new Map<string, Group>()
  for (const cell of cells) {
    const isServiceType = cell.kind === 'serviceType'
    const { serviceType: given, rate } = isServiceType ? { serviceType: cell.key, rate: '' } : readServiceKey(cell.key)
    const serviceType = toName(given)
    const category = categoryOf.get(serviceType)
    if (cell.kind === 'servicePaid') {
      if (category === paidCategory)
        addTo(
          inGroup(
            inGroup(paid, cell.day, () => new Map()),
            rate,
            newSum,
          ),
          cell,
        )
      continue
    }
    const group = category
      ? inGroup(groups, `${cell.day} ${category}`, newGroup)
      : inGroup(unmapped, serviceType, newGroup)
    if (isServiceType) group.transactions += cell.orders
    else addTo(inGroup(group.rates, rate, newSum), cell)
  }
  return {
    transactions: byKey(groups)
      .filter(([, { transactions }]) => transactions !== 0)
      .map(([key, group]) => {
        const [date, category] = key.split(' ') as [string, EReportingCategory]
        const { taxable, tax, rates, notStated } = amountsOf(group, decimals)
        const { transactions } = group
        return { date, category, currency, transactions, taxable, tax, rates, notStated, isComplete: notStated === 0 }
      }),
    payments: byKey(paid).flatMap(([date, amounts]) => {
      const rates = paymentsOf(amounts, decimals)
      return rates.length === 0 ? [] : [{ date, currency, rates }]
    }),
    unmapped: byKey(unmapped)
      .filter(([, { transactions }]) => transactions !== 0)
      .map(([serviceType, group]) => {
        const { taxable, tax, notStated } = amountsOf(group, decimals)
        return { serviceType, transactions: group.transactions, taxable, tax, notStated }
      }),
  }
}
