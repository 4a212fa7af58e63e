import { money } from '../../adapters/ticket/amounts.ts'
import type { SourceDay } from '../../adapters/days.ts'
import type { SourceRun } from '../../adapters/run.ts'
import { count, note, print, some, table } from '../../../../core/cli/terminal/output.ts'

/** So many refused documents are shown, and so many members that were not read. */
const shown = 20

const words: Record<string, string> = {
  tax_split: 'items have several taxes, which are added up as one',
  refund_link: 'refunds name the sale that they give back, which no record says',
  modifier_price: 'extras have a price, which is in the price of their item only',
  refund_of_unknown_payment: 'refunds are of a payment in another file: its means is unknown',
  tip_of_several_payments: 'sales have several payments and a tip: which of them it is in is not said',
  tax_rate_computed: 'lines have an amount of tax and no rate: the rate is that of the two amounts',
  price_of_one:
    'lines with a quantity have a total from a column that is called the price of one piece: use price in place of total in the map',
  day_not_complete: 'the source says that the day is not complete',
}

function closingsOf({ closings }: SourceDay, decimals: number): string {
  const told = closings.map(({ number, state, salesDifference }) => {
    const off = salesDifference === 0 ? '' : ` by ${money(salesDifference, decimals)}`
    return state === 'balanced' ? `${number} balanced` : `${number} differs${off}`
  })
  return told.join(', ') || '–'
}

/** Prints what became of the documents, and the table of days that decides whether it is right. */
export function report(run: SourceRun, decimals: number): void {
  const { orders, reports, left, refused, notes, unmapped, days } = run
  for (const { key, where, reason } of refused.first.slice(0, shown))
    note(`refused ${key}${where ? ` (${where})` : ''}: ${reason}`)
  if (refused.count > shown) note(`and ${count(refused.count - shown)} more are refused`)
  for (const [reason, of] of left.byReason) note(`left ${count(of)}: ${reason}`)
  for (const [what, n] of notes) note(`${count(n)}: ${words[what] ?? what}`)
  if (unmapped.length > 0) {
    const told = unmapped.slice(0, shown).map(([member, n]) => `${member} (${count(n)})`)
    const more = unmapped.length > shown ? `, and ${count(unmapped.length - shown)} more` : ''
    note(`not read: ${told.join(', ')}${more}`)
  }
  const amount = (minor: number | null) => (minor === null ? '–' : money(minor, decimals))
  const rows = days.map((day) => [
    day.day,
    count(day.orders),
    amount(day.salesHere),
    amount(day.salesThere),
    day.salesThere === null ? '–' : day.salesThere === day.salesHere ? '–' : amount(day.salesHere - day.salesThere),
    day.vat === null || day.vat === 0 ? '–' : amount(day.vat),
    closingsOf(day, decimals),
    day.refused === 0 ? '' : `${some(day.refused, 'ticket')} refused`,
  ])
  print(table(['DAY', 'ORDERS', 'SALES HERE', 'SALES THERE', 'DIFFERENCE', 'VAT', 'Z', ''], rows))
  print(
    `${some(orders, 'order')}, ${some(reports, 'report')}, ${count(refused.count)} refused, ${count(left.count)} left`,
  )
}
