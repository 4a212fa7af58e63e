import type { EReport, EReportingCategory } from '../../schemas/e-reporting.ts'
import { readServiceKey } from './service-parts.ts'
import type { Cell } from './sales.ts'

export type Categories = Record<string, EReportingCategory>

/**
 * These categories count where the operator says nothing: a meal that is served is a service, food that is taken away
 * is goods. Every other kind of service has no category until it is given one (decision 0050).
 */
const usualCategories: Categories = {
  eat_in: 'TPS1',
  room_service: 'TPS1',
  takeaway: 'TLB1',
  delivery: 'TLB1',
  curbside: 'TLB1',
  drive_through: 'TLB1',
}

export const categoriesOf = (own: Categories): Categories => ({ ...usualCategories, ...own })

/** What was paid is reported for this category as well: VAT on services falls due with the payment. */
const paidCategory: EReportingCategory = 'TPS1'

type Sum = { transactions: number; taxable: number; tax: number }

type Part = Pick<Cell, 'kind' | 'day' | 'key' | 'orders' | 'sales' | 'tax'>

const addTo = (sum: Sum, { sales, tax }: Part): void => {
  sum.taxable += sales - tax
  sum.tax += tax
}

function sumsIn<K, T>(sums: Map<K, T>, key: K, empty: () => T): T {
  const known = sums.get(key)
  if (known) return known
  const sum = empty()
  sums.set(key, sum)
  return sum
}

const noSum = (): Sum => ({ transactions: 0, taxable: 0, tax: 0 })

const byKey = <T>(sums: Map<string, T>): [string, T][] => [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1))

/** Lists `rates` by rate, the lowest first; amounts of zero, such as a sale and its refund, are left out. */
const ratesOf = (rates: ReadonlyMap<number, Sum>) =>
  [...rates]
    .filter(([, { taxable, tax }]) => taxable !== 0 || tax !== 0)
    .toSorted(([a], [b]) => a - b)
    .map(([rate, { taxable, tax }]) => ({ rate, taxable, tax }))

/**
 * Makes the groups of flux 10.3 and 10.4 from cells by day: of kind `serviceType` for the number of orders,
 * `serviceTax` for what was sold and `servicePaid` for what was paid.
 */
export function toEReport(
  cells: readonly Part[],
  categories: Categories,
  currency: string,
): Pick<EReport, 'transactions' | 'payments' | 'unmapped'> {
  const groups = new Map<string, Sum & { rates: Map<number, Sum> }>()
  const paid = new Map<string, Map<number, number>>()
  const unmapped = new Map<string, Sum>()
  for (const cell of cells) {
    const isWhole = cell.kind === 'serviceType'
    const { serviceType, rate } = isWhole ? { serviceType: cell.key, rate: 0 } : readServiceKey(cell.key)
    const category = Object.hasOwn(categories, serviceType) ? categories[serviceType] : undefined
    if (cell.kind === 'servicePaid') {
      if (category !== paidCategory) continue
      const rates = sumsIn(paid, cell.day, () => new Map<number, number>())
      rates.set(rate, (rates.get(rate) ?? 0) + cell.sales)
      continue
    }
    const group = category && sumsIn(groups, `${cell.day} ${category}`, () => ({ ...noSum(), rates: new Map() }))
    const sum = group ?? sumsIn(unmapped, serviceType, noSum)
    if (isWhole) sum.transactions += cell.orders
    else {
      addTo(sum, cell)
      if (group) addTo(sumsIn(group.rates, rate, noSum), cell)
    }
  }
  return {
    transactions: byKey(groups)
      .filter(([, { transactions }]) => transactions !== 0)
      .map(([key, { rates, transactions, taxable, tax }]) => {
        const [date, category] = key.split(' ') as [string, EReportingCategory]
        return { date, category, currency, transactions, taxable, tax, rates: ratesOf(rates) }
      }),
    payments: byKey(paid).flatMap(([date, amounts]) => {
      const rates = [...amounts].filter(([, amount]) => amount !== 0).toSorted(([a], [b]) => a - b)
      return rates.length === 0 ? [] : [{ date, currency, rates: rates.map(([rate, amount]) => ({ rate, amount })) }]
    }),
    unmapped: byKey(unmapped)
      .filter(([, { transactions }]) => transactions !== 0)
      .map(([serviceType, sum]) => ({ serviceType, ...sum })),
  }
}
