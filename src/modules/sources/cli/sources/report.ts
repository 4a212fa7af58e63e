import { money } from '../../adapters/ticket/amounts.ts'
import type { SourceDay } from '../../adapters/days.ts'
import type { SourceRun } from '../../adapters/run.ts'
import { count, note, print, some, table } from '../../../../core/cli/terminal/output.ts'

/** At most this many refused documents, and unread members, are shown. */
const shown = 20

const words: Record<string, string> = {
  tax_split: 'items with several taxes, which were added up',
  refund_link: 'refunds, stored without a reference to the refunded sale',
  modifier_price: 'extras with a price, which is recorded only as part of the price of the item',
  refund_of_unknown_payment: 'refunds of a payment in another file: the payment method is unknown',
  tip_of_several_payments: 'sales with several payments and a tip that cannot be assigned to one of them',
  tax_rate_computed: 'lines with a tax amount but no rate: the rate was computed from the amounts',
  price_of_one:
    'lines with a quantity whose total comes from a unit price column: use price instead of total in the map',
  day_not_complete: 'the source reports the day as incomplete',
}

function closingsOf({ closings }: SourceDay, decimals: number): string {
  const listed = closings.map(({ number, state, salesDifference }) => {
    const off = salesDifference === 0 ? '' : ` by ${money(salesDifference, decimals)}`
    return state === 'balanced' ? `${number} balanced` : `${number} differs${off}`
  })
  return listed.join(', ') || '–'
}

/** Prints the result for the documents, and the table of days that shows whether it is right. */
export function report(run: SourceRun, decimals: number): void {
  const { orders, reports, left, refused, notes, unmapped, days } = run
  for (const { key, where, reason } of refused.first.slice(0, shown))
    note(`refused ${key}${where ? ` (${where})` : ''}: ${reason}`)
  if (refused.count > shown) note(`and ${count(refused.count - shown)} more are refused`)
  for (const [reason, of] of left.byReason) note(`skipped ${count(of)}: ${reason}`)
  for (const [what, n] of notes) note(`${count(n)}: ${words[what] ?? what}`)
  if (unmapped.length > 0) {
    const listed = unmapped.slice(0, shown).map(([member, n]) => `${member} (${count(n)})`)
    const more = unmapped.length > shown ? `, and ${count(unmapped.length - shown)} more` : ''
    note(`not read: ${listed.join(', ')}${more}`)
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
