import { usualKinds } from '../../../../core/contract/money/payment-kinds.ts'
import type { Row } from '../text.ts'
import { valuesOf, type LookedAt } from './look.ts'
import type { CsvMap, Test } from './schema.ts'

type Payments = NonNullable<CsvMap['order']['payments']>

/** Reads an amount as hundredths; NaN if the cell is not an amount. */
export type AmountOf = (row: Row, column: string | undefined) => number

/** Values that mark a refund in a column that otherwise names kinds of sales. */
const refundWord =
  /^(refund(ed)?|credit( note)?|return(ed)?|avoir|retour|remboursement|remboursé|gutschrift|rückgabe|erstattung|retoure|abono|devolución|reso|rimborso)$/i

/** Maximum number of kinds of sale: a column with more values is not a column of kinds. */
const mostKinds = 12

/** Returns how refunds are marked if their amounts are positive; undefined if they are negative or absent. */
export function refundsOf({ columns, rows }: LookedAt, amountOf: AmountOf, total: string): Test | undefined {
  for (const column of columns) {
    const values = [...new Set(valuesOf(rows, column))]
    const found = values.filter((text) => refundWord.test(text))
    if (found.length === 0 || values.length > mostKinds) continue
    const refunds = rows.filter(({ cells }) => found.includes((cells[column] ?? '').trim()))
    if (refunds.some((row) => amountOf(row, total) < 0)) return undefined
    return { column, is: found.length === 1 ? (found[0] as string) : found }
  }
  return undefined
}

/** Returns the columns that are means of payment: their names say so, and they contain amounts. */
const meansOf = ({ columns, rows }: LookedAt, key: string | undefined, amountOf: AmountOf): string[] =>
  columns.filter(
    (column) =>
      column !== key &&
      usualKinds({ paymentName: column }) !== null &&
      rows.every((row) => !Number.isNaN(amountOf(row, column))) &&
      rows.some((row) => amountOf(row, column) !== 0),
  )

/** Whether some sale repeats an amount in each of its lines: such an amount is that of the whole sale. */
function isRepeated({ rows }: LookedAt, key: string, columns: readonly string[], amountOf: AmountOf): boolean {
  const sales = [...Map.groupBy(rows, ({ cells }) => cells[key]).values()].filter((of) => of.length > 1)
  return sales.some((of) => columns.some((column) => of.every((row) => amountOf(row, column) !== 0)))
}

/** Returns a means of payment whose amounts include the tips, if any: payments then exceed the sum of the lines. */
function tippedOf(
  { rows }: LookedAt,
  { key, columns, tip }: { key: string; columns: readonly string[]; tip: string },
  amountOf: AmountOf,
  saleOf: (key: string) => number | undefined,
): string | undefined {
  const tipped = rows.filter((row) => amountOf(row, tip) !== 0)
  const paidOf = (row: Row) => columns.reduce((sum, column) => sum + amountOf(row, column), 0)
  const isWithin = (row: Row) => {
    const sale = saleOf((row.cells[key] ?? '').trim())
    return sale !== undefined && Math.abs(paidOf(row)) === Math.abs(sale) + Math.abs(amountOf(row, tip))
  }
  if (tipped.length === 0 || !tipped.every(isWithin)) return undefined
  return columns.find((column) =>
    tipped.every((row) => Math.abs(amountOf(row, column)) >= Math.abs(amountOf(row, tip))),
  )
}

/** Returns how the payments of a file are read; undefined if the file has no recognizable payments. */
export function paymentsOf(
  from: string,
  looked: LookedAt,
  { key, amountOf, saleOf }: { key: string; amountOf: AmountOf; saleOf: (key: string) => number | undefined },
): Payments | undefined {
  const tip = looked.find('tip')
  const [name, amount] = [looked.find('payment'), looked.find('amount')]
  if (name !== undefined && amount !== undefined && name !== amount) {
    return { from, name, amount, ...(tip === undefined ? {} : { tip: { amount: tip } }) }
  }
  const columns = meansOf(looked, key, amountOf)
  if (columns.length === 0 || isRepeated(looked, key, columns, amountOf)) return undefined
  if (tip === undefined) return { from, columns }
  const within = tippedOf(looked, { key, columns, tip }, amountOf, saleOf)
  return { from, columns, tip: { amount: tip, ...(within === undefined ? {} : { in: within }) } }
}
