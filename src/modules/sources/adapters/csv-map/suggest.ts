import { Unreadable, type SourceFile } from '../adapter.ts'
import type { Row } from '../text.ts'
import { readNumber } from '../numbers.ts'
import { Cells } from './cells.ts'
import { lookAtCsv, valuesOf, type LookedAt } from './look.ts'
import type { CsvMap } from './schema.ts'
import { paymentsOf, refundsOf, type AmountOf } from './suggest-payments.ts'
import { formatOf, hasTimeOfDay, type FoundFormat } from './suggest-times.ts'

/** Returns the number format that reads all amounts; undefined if none does. */
function numbersOf(values: readonly string[]): CsvMap['numbers'] | undefined {
  const forms: CsvMap['numbers'][] = [
    { decimal: '.' },
    { decimal: ',' },
    { decimal: '.', groups: ',' },
    { decimal: ',', groups: '.' },
    { decimal: ',', groups: ' ' },
    { decimal: '.', groups: "'" },
    { decimal: '.', groups: ' ' },
  ]
  const readable = forms.filter((form) => values.every((text) => readNumber(text, form) !== undefined))
  // Returns whether values with decimals show the meaning of the comma: 1,250 alone is ambiguous.
  const isConfirmed = (form: CsvMap['numbers']) => {
    const point = form.decimal === '.' ? /\.\d{1,2}(?!\d)/ : /,\d{1,2}(?!\d)/
    return values.some((text) => point.test(text))
  }
  return readable.find(isConfirmed) ?? readable[0]
}

/** Columns that lines of items have and payments do not. */
const rolesOfLines = ['name', 'quantity', 'price', 'product', 'rate', 'tax', 'category'] as const

const likenessOf = ({ find }: LookedAt) => rolesOfLines.filter((role) => find(role) !== undefined).length

/** Returns a function that reads amounts in hundredths, as a map with these numbers does. */
function amountReader(numbers: CsvMap['numbers']): AmountOf {
  const cells = new Cells({
    map: { times: { format: '' }, numbers },
    toTime: (text) => text,
    decimals: 2,
    isoDecimals: 2,
  })
  return (row: Row, column) => {
    try {
      return cells.minor({ ...row, file: '' }, column, '')
    } catch {
      return NaN
    }
  }
}

/** Adds up the lines of each sale, as `lineOf` reads them, by the key of the sale. */
function salesOf({ rows }: LookedAt, key: string, lineOf: (row: Row) => number): Map<string, number> {
  const sales = new Map<string, number>()
  for (const row of rows) {
    const of = (row.cells[key] ?? '').trim()
    sales.set(of, (sales.get(of) ?? 0) + lineOf(row))
  }
  return sales
}

/** Words for yes in a column that marks voided lines. */
const yes = new Set(['yes', 'oui', 'ja', 'true', '1', 'x'])

function voidedOf({ rows, find }: LookedAt): { column: string; is: string[] } | undefined {
  const column = find('voided')
  const is = [...new Set(valuesOf(rows, column))].filter((text) => yes.has(text.toLowerCase()))
  return column === undefined || is.length === 0 ? undefined : { column, is }
}

/** Candidates for the separator between modifiers. */
const separators = [' | ', '|', '; ', ';', ', ', ' / ']

function modifiersOf({ rows, find }: LookedAt): { column: string; split: string } | undefined {
  const column = find('modifiers')
  const split = separators.find((one) => valuesOf(rows, column).some((text) => text.includes(one)))
  return column === undefined || split === undefined ? undefined : { column, split }
}

/** Whether the amounts of a column are without tax. */
const isNet = (column: string | undefined) => column !== undefined && /^(net|sub)|w\/o tax|revenue$/i.test(column)

/**
 * Returns how the taxes of item lines are read. The rates of a column `TVA %` are of taxes named `TVA 10 %`. Without a
 * column of rates, the tax is added to the amounts if the total is without tax.
 */
function taxOf({ find }: LookedAt, total: string | undefined): CsvMap['order']['item']['tax'] {
  const [rate, amount] = [find('rate'), find('tax')]
  if (rate === undefined) return amount === undefined ? undefined : { amount, included: !isNet(total) }
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

type Found = { key: string; opened: string | [string, string]; total: string | undefined; price: string | undefined }

/** Makes the part `order` of a map, without payments, from the required columns and the other columns of item lines. */
function orderOf(
  lines: LookedAt,
  { key, opened, total, price }: Found,
  { canceled, orderTotal }: { canceled: ReturnType<typeof voidedOf>; orderTotal: string | undefined },
): CsvMap['order'] {
  const { find } = lines
  const discount = price === undefined ? undefined : find('discount')
  return {
    from: 'lines',
    key: [key],
    number: key,
    opened,
    ...optional('closed', find('closed')),
    ...optional('place', find('place')),
    ...optional('guests', find('guests')),
    ...optional('operator', find('operator')),
    ...optional('total', orderTotal),
    item: {
      name: find('name') as string,
      ...optional('product', find('product')),
      ...optional('quantity', find('quantity')),
      ...(price === undefined ? { total: total as string } : { price }),
      ...optional('category', find('category')),
      ...optional('canceled', canceled),
      ...optional('modifiers', modifiersOf(lines)),
      ...optional('discount', discount === undefined ? undefined : { amount: discount }),
      ...optional('tax', taxOf(lines, price ?? total)),
    },
  }
}

/**
 * Returns the column with the key of the sale. In some shops this is `Name`: their item lines have a name column of
 * their own.
 */
function keyOf({ find, columns }: LookedAt): string | undefined {
  const name = find('name')
  const isShop = name !== undefined && /^lineitem /i.test(name) && columns.includes('Name')
  return isShop ? 'Name' : find('key')
}

/**
 * Returns the column of the date and, if the time of day has a column of its own, that column too, with their format.
 */
function openedOf({ find, rows }: LookedAt): Pick<Found, 'opened'> & { found: FoundFormat } {
  const date = find('opened') ?? find('closed')
  const time = find('time')
  const values = valuesOf(rows, date)
  const found = formatOf(values)
  if (date === undefined || !found) {
    const what =
      date === undefined
        ? 'no column was recognized as the time of a sale'
        : `no format matches all values of ${date}, such as “${values[0] ?? ''}”`
    throw new Unreadable(`the time of a sale was not found; ${what}`)
  }
  if (time === undefined || hasTimeOfDay(found.format)) return { opened: date, found }
  const joined = rows.flatMap(({ cells }) =>
    cells[date]?.trim() ? [`${cells[date]} ${cells[time] ?? ''}`.trim()] : [],
  )
  const joinedFormat = formatOf(joined)
  return joinedFormat === undefined ? { opened: date, found } : { opened: [date, time], found: joinedFormat }
}

/** Returns the doubts about a guess, for the user. */
function doubtsOf({ format, isUnsure }: FoundFormat, opened: Found['opened']): string[] {
  const column = [opened].flat().join(' and ')
  return [
    ...(isUnsure ? [`the order of day and month in ${column} is ambiguous: check the guessed format ${format}`] : []),
    ...(hasTimeOfDay(format)
      ? []
      : [`${column} has no time of day: sales are dated at midnight, which belongs to the previous business day`]),
  ]
}

const toFile = ({ file, encoding, delimiter }: LookedAt) => ({ name: file.name, encoding, delimiter })

export type Suggested = { map: CsvMap; unused: string[]; doubts: string[] }

const isMissing = (what: string, columns: readonly string[]) =>
  new Unreadable(
    `not found: ${what}. The columns are ${columns.join(', ')}: write a map manually (docs/modules/from-another-system.md)`,
  )

/** Returns the lines of each sale that has several lines; a blank key stands for the key of the line above. */
function severalLines({ rows }: LookedAt, key: string): Row[][] {
  const sales = new Map<string, Row[]>()
  let above = ''
  for (const row of rows) {
    above = (row.cells[key] ?? '').trim() || above
    sales.set(above, [...(sales.get(above) ?? []), row])
  }
  return [...sales.values()].filter((of) => of.length > 1)
}

/** Whether a column is about the whole sale: in each sale, all cells that are not empty are equal. */
const isOfSale = (sales: readonly Row[][], column: string): boolean =>
  sales.length > 0 && sales.every((of) => new Set(valuesOf(of, column)).size <= 1)

/** Returns the column of the unit price, unless lines have totals; and the column with the total of the whole sale. */
function priceOf(
  lines: LookedAt,
  sales: readonly Row[][],
): { price: string | undefined; orderTotal: string | undefined } {
  const { find } = lines
  const [price, total] = [find('quantity') === undefined ? undefined : find('price'), find('total')]
  if (price === undefined || total === undefined)
    return { price: total === undefined ? price : undefined, orderTotal: undefined }
  return isOfSale(sales, total) ? { price, orderTotal: total } : { price: undefined, orderTotal: undefined }
}

/** Removes columns with the tax or discount of the whole sale: they are not amounts of its lines. */
function withoutShared(lines: LookedAt, sales: readonly Row[][]): { lines: LookedAt; doubts: string[] } {
  const shared = (['tax', 'discount'] as const).filter((role) => {
    const column = lines.find(role)
    return column !== undefined && valuesOf(lines.rows, column).length > 0 && isOfSale(sales, column)
  })
  if (shared.length === 0) return { lines, doubts: [] }
  const isShared = new Set<string>(shared)
  const find: LookedAt['find'] = (role) => (isShared.has(role) ? undefined : lines.find(role))
  return {
    lines: { ...lines, find },
    doubts: shared.map(
      (role) =>
        `${lines.find(role)} applies to the whole sale and is not read: maps support taxes and discounts of lines only`,
    ),
  }
}

/**
 * Finds the CSV of item lines among the files, and guesses its map; payments are in its own lines or in another file.
 * `unused` are files that the map does not read, `doubts` are sentences about uncertain guesses, which a person has to
 * check. Throws `Unreadable` if something required is not found.
 */
export async function suggestMap(files: readonly SourceFile[]): Promise<Suggested> {
  const looked = await Promise.all(files.map(lookAtCsv))
  const lines = looked.reduce((best, one) => (likenessOf(one) > likenessOf(best) ? one : best))
  const { columns, rows, find } = lines
  if (columns.length === 0)
    throw new Unreadable(`${lines.file.name} is empty: a CSV must begin with the names of its columns`)
  const key = keyOf(lines)
  if (key === undefined) throw isMissing('the number of a sale', columns)
  if (find('name') === undefined) throw isMissing('the name of an item', columns)
  const several = severalLines(lines, key)
  const { price, orderTotal } = priceOf(lines, several)
  const own = orderTotal === undefined ? { lines, doubts: [] } : withoutShared(lines, several)
  const total = price === undefined ? find('total') : undefined
  const amount = price ?? total
  if (amount === undefined) throw isMissing('the amount of a line', columns)
  const { opened, found } = openedOf(lines)
  const numbers = numbersOf(valuesOf(rows, amount))
  if (numbers === undefined) throw isMissing(`the number format of ${amount}`, columns)
  const amountOf = amountReader(numbers)
  const canceled = voidedOf(lines)
  const isVoided = ({ cells }: Row) => canceled?.is.includes((cells[canceled.column] ?? '').trim()) ?? false
  const sales = salesOf(lines, key, (row) => (isVoided(row) ? 0 : amountOf(row, amount)))
  const paying = { key, amountOf, saleOf: (of: string) => sales.get(of) }
  const others = looked.filter((one) => one !== lines && one.columns.includes(key))
  const paid = others.map((one) => ({ one, payments: paymentsOf('payments', one, paying) })).find((one) => one.payments)
  const used = new Set([lines, paid?.one])
  const isFilled = rows.some(({ cells }) => (cells[key] ?? '').trim() === '')
  const map: CsvMap = {
    map: 1,
    source: 'csv',
    times: { format: found.format },
    numbers,
    files: {
      lines: { ...toFile(lines), ...(isFilled ? { fill: true } : {}) },
      ...(paid ? { payments: toFile(paid.one) } : {}),
    },
    order: {
      ...orderOf(own.lines, { key, opened, total, price }, { canceled, orderTotal }),
      ...optional('negative', refundsOf(lines, amountOf, amount)),
      ...optional('payments', paid?.payments ?? paymentsOf('lines', lines, paying)),
    },
  }
  const unused = looked.filter((one) => !used.has(one)).map(({ file }) => file.name)
  return { map, unused, doubts: [...doubtsOf(found, opened), ...own.doubts] }
}
