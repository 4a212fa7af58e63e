import type { RangeWord, SalesOfLocation, Together } from '../schemas/sales-of-locations.ts'
import { addDays } from '../../../core/domain/days/business-time.ts'
import type { DayRange } from '../../../core/domain/days/ranges.ts'

/** Returns the business days that a word such as `lastMonth` means on the day `today`. */
export function rangeOfWord(word: RangeWord, today: string): DayRange {
  const monthBegan = `${today.slice(0, 7)}-01`
  const monthBefore = addDays(monthBegan, -1)
  const ranges: Record<RangeWord, DayRange> = {
    today: { since: today, until: today },
    yesterday: { since: addDays(today, -1), until: addDays(today, -1) },
    '7d': { since: addDays(today, -6), until: today },
    '28d': { since: addDays(today, -27), until: today },
    month: { since: monthBegan, until: today },
    lastMonth: { since: `${monthBefore.slice(0, 7)}-01`, until: monthBefore },
    year: { since: `${today.slice(0, 4)}-01-01`, until: today },
  }
  return ranges[word]
}

/** Returns the relative change of an amount; null if the earlier amount is 0. */
export const changeOfAmount = (now: number, before: number): number | null =>
  before === 0 ? null : Math.round(((now - before) / Math.abs(before)) * 10_000) / 10_000

type Known = SalesOfLocation & { sales: NonNullable<SalesOfLocation['sales']> }

function sumUp(currency: string, of: readonly Known[]): Together {
  const sum = (value: (one: Known) => number) => of.reduce((all, one) => all + value(one), 0)
  const compared = of.filter(({ sales }) => sales.comparison !== null)
  const now = compared.reduce((all, { sales }) => all + sales.salesInclTax, 0)
  const before = compared.reduce((all, { sales }) => all + (sales.comparison?.salesInclTax ?? 0), 0)
  return {
    currency,
    locations: of.length,
    orders: sum(({ sales }) => sales.orders),
    guests: sum(({ sales }) => sales.guests),
    salesInclTax: sum(({ sales }) => sales.salesInclTax),
    comparison:
      compared.length === 0
        ? null
        : {
            locations: compared.length,
            salesInclTax: now,
            salesInclTaxBefore: before,
            change: changeOfAmount(now, before),
          },
  }
}

/**
 * Adds up the sales of locations by currency. The change compares only locations that had sales before: a location
 * that opened yesterday is in the sum and not in the change.
 */
export function sumTogether(rows: readonly SalesOfLocation[]): Together[] {
  const known = rows.filter((row): row is Known => row.sales !== null)
  const byCurrency = Map.groupBy(known, ({ currency }) => currency)
  return [...byCurrency].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([currency, of]) => sumUp(currency, of))
}
