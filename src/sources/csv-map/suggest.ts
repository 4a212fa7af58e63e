import { Unreadable, type SourceFile } from '../adapter.ts'
import type { Row } from '../text.ts'
import { Cells } from './cells.ts'
import { lookAtCsv, valuesOf, type LookedAt } from './look.ts'
import type { CsvMap } from './schema.ts'
import { paymentsOf, refundsOf, type AmountOf } from './suggest-payments.ts'

/** Formats of times that are tried, the most particular first. */
const formats: [format: string, form: RegExp][] = [
  ['YYYY-MM-DD HH:mm:ss', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/],
  ['YYYY-MM-DDTHH:mm:ss', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/],
  ['YYYY-MM-DD HH:mm', /^\d{4}-\d\d-\d\d \d\d:\d\d$/],
  ['DD/MM/YYYY HH:mm:ss', /^\d{1,2}\/\d{1,2}\/\d{4} \d\d:\d\d:\d\d$/],
  ['DD/MM/YYYY HH:mm', /^\d{1,2}\/\d{1,2}\/\d{4} \d\d:\d\d$/],
  ['DD.MM.YYYY HH:mm:ss', /^\d{1,2}\.\d{1,2}\.\d{4} \d\d:\d\d:\d\d$/],
  ['DD.MM.YYYY HH:mm', /^\d{1,2}\.\d{1,2}\.\d{4} \d\d:\d\d$/],
  ['DD/MM/YYYY', /^\d{1,2}\/\d{1,2}\/\d{4}$/],
  ['YYYY-MM-DD', /^\d{4}-\d\d-\d\d$/],
]

function numbersOf(values: readonly string[]): CsvMap['numbers'] {
  const commas = values.filter((text) => /,\d{1,2}$/.test(text)).length
  const points = values.filter((text) => /\.\d{1,3}$/.test(text)).length
  const decimal = commas > points ? ',' : '.'
  const groups = decimal === ',' ? ['.', ' ', '\u00a0', '\u202f'] : [',', "'", ' ']
  const used = groups.find((one) => values.some((text) => text.slice(1).includes(one)))
  return used === undefined ? { decimal } : { decimal, groups: used }
}

/** What lines of items have and payments have not. */
const rolesOfLines = ['name', 'quantity', 'product', 'rate', 'tax', 'category'] as const

const likenessOf = ({ find }: LookedAt) => rolesOfLines.filter((role) => find(role) !== undefined).length

/** Reads amounts in hundredths, as a map with these numbers does. */
function amountReader(numbers: CsvMap['numbers']): AmountOf {
  const cells = new Cells({ map: { times: { format: '' }, numbers }, toTime: (text) => text, decimals: 2 })
  return (row: Row, column) => {
    try {
      return cells.minor({ ...row, file: '' }, column, '')
    } catch {
      return NaN
    }
  }
}

/** What the lines of each sale make, without those that were voided. */
function salesOf({ rows }: LookedAt, key: string, lineOf: (row: Row) => number): Map<string, number> {
  const sales = new Map<string, number>()
  for (const row of rows) {
    const of = (row.cells[key] ?? '').trim()
    sales.set(of, (sales.get(of) ?? 0) + lineOf(row))
  }
  return sales
}

/** What a column says where a line was voided, in the words that are there. */
const yes = new Set(['yes', 'oui', 'ja', 'true', '1', 'x'])

function voidedOf({ rows, find }: LookedAt): { column: string; is: string[] } | undefined {
  const column = find('voided')
  const is = [...new Set(valuesOf(rows, column))].filter((text) => yes.has(text.toLowerCase()))
  return column === undefined || is.length === 0 ? undefined : { column, is }
}

/** What stands between modifiers, of those that are tried. */
const separators = [' | ', '|', '; ', ';', ', ', ' / ']

function modifiersOf({ rows, find }: LookedAt): { column: string; split: string } | undefined {
  const column = find('modifiers')
  const split = separators.find((one) => valuesOf(rows, column).some((text) => text.includes(one)))
  return column === undefined || split === undefined ? undefined : { column, split }
}

/** `TVA %` is the column of `TVA 10 %`. */
function taxOf({ find }: LookedAt): CsvMap['order']['item']['tax'] {
  const [rate, amount] = [find('rate'), find('tax')]
  if (rate === undefined) return undefined
  const name = /^(.*\S) ?%$/.exec(rate)?.[1]
  return {
    rate,
    ...(amount === undefined ? {} : { amount }),
    ...(name === undefined ? {} : { name: `${name} {} %` }),
    included: true,
  }
}

const optional = <Name extends string, T>(name: Name, value: T | undefined) =>
  (value === undefined ? {} : { [name]: value }) as Partial<Record<Name, T>>

/** Guesses what the lines of items are, without their payments, from the columns that it cannot do without. */
function orderOf(
  lines: LookedAt,
  { key, opened, total }: { key: string; opened: string; total: string },
  canceled: ReturnType<typeof voidedOf>,
): CsvMap['order'] {
  const { find, columns } = lines
  return {
    from: 'lines',
    key: [key],
    number: key,
    opened,
    ...optional('closed', find('closed')),
    ...optional('place', find('place')),
    ...optional('guests', find('guests')),
    ...optional('operator', find('operator')),
    item: {
      name: find('name') ?? columns[0] ?? '',
      ...optional('product', find('product')),
      ...optional('quantity', find('quantity')),
      total,
      ...optional('category', find('category')),
      ...optional('canceled', canceled),
      ...optional('modifiers', modifiersOf(lines)),
      ...optional('tax', taxOf(lines)),
    },
  }
}

const toFile = ({ file, encoding, delimiter }: LookedAt) => ({ name: file.name, encoding, delimiter })

/**
 * Guesses the map of the CSV of item lines among the files, with the payments of another one or of its own lines: what it is not sure of
 * a person has to look at. `unused` are files that nothing is read from. Throws `Unreadable`.
 */
export async function suggestMap(files: readonly SourceFile[]): Promise<{ map: CsvMap; unused: string[] }> {
  const looked = await Promise.all(files.map(lookAtCsv))
  const lines = looked.reduce((best, one) => (likenessOf(one) > likenessOf(best) ? one : best))
  const { columns, rows, find } = lines
  if (columns.length === 0)
    throw new Unreadable(`${lines.file.name} is empty: a CSV begins with the names of its columns`)
  const first = columns[0] ?? ''
  const [key, opened, total] = [find('key') ?? first, find('opened') ?? find('closed') ?? first, find('total') ?? first]
  const times = valuesOf(rows, opened)
  const format = formats.find(([, form]) => times.length > 0 && times.every((text) => form.test(text)))?.[0]
  const numbers = numbersOf(valuesOf(rows, total))
  const amountOf = amountReader(numbers)
  const canceled = voidedOf(lines)
  const isVoided = ({ cells }: Row) => canceled?.is.includes((cells[canceled.column] ?? '').trim()) ?? false
  const sales = salesOf(lines, key, (row) => (isVoided(row) ? 0 : amountOf(row, total)))
  const paying = { key, amountOf, saleOf: (of: string) => sales.get(of) }
  const others = looked.filter((one) => one !== lines && one.columns.includes(key))
  const paid = others.map((one) => ({ one, payments: paymentsOf('payments', one, paying) })).find((one) => one.payments)
  const used = new Set([lines, paid?.one])
  const map: CsvMap = {
    map: 1,
    source: 'csv',
    times: { format: format ?? 'YYYY-MM-DD HH:mm:ss' },
    numbers,
    files: { lines: toFile(lines), ...(paid ? { payments: toFile(paid.one) } : {}) },
    order: {
      ...orderOf(lines, { key, opened, total }, canceled),
      ...optional('negative', refundsOf(lines, amountOf, total)),
      ...optional('payments', paid?.payments ?? paymentsOf('lines', lines, paying)),
    },
  }
  return { map, unused: looked.filter((one) => !used.has(one)).map(({ file }) => file.name) }
}
