import { columnsOf, tablesVersion, type TableName, type Value } from '../domain/columns.ts'
import { toTableCsv, toTableNdjson, type TableDialect } from '../domain/text.ts'
import { decimalText } from '../../books/domain/texts.ts'
import { writeParquet } from './parquet.ts'
import { readTable, type Source } from './read.ts'

export const tableFormats = ['parquet', 'csv', 'ndjson'] as const

export type TableFormat = (typeof tableFormats)[number]

/**
 * The result of writing a table: rows, the largest journal number among them, and the sum of each column of money, as
 * text.
 */
export type Written = { rows: number; sequence: number; sums: Record<string, string> }

/** Consumes bytes, and resolves when more may come. `rows` is the number of rows in the file so far. */
export type Take = (bytes: Uint8Array, rows?: number) => Promise<void>

/** Minimum length of a piece of text that is passed on, except the last. */
const pieceLength = 64 * 1024

/** Maximum lines of a spreadsheet, including the header. */
const linesOfSheet = 1_048_576

type TableRequest = { table: TableName; month: string; format: TableFormat; dialect: TableDialect }

/** Counts rows as they pass, and adds up their money. */
class Counter {
  rows = 0
  sequence = 0
  readonly #money: readonly [name: string, at: number][]
  readonly #sums: number[]
  readonly #places: number

  constructor(table: TableName, places: number) {
    this.#money = columnsOf(table).flatMap(([name, type], at) => (type === 'money' ? [[name, at] as const] : []))
    this.#sums = this.#money.map(() => 0)
    this.#places = places
  }

  add(row: readonly Value[]): void {
    this.rows += 1
    this.sequence = Math.max(this.sequence, row[2] as number)
    for (let i = 0; i < this.#money.length; i++) {
      const [, at] = this.#money[i] as readonly [string, number]
      this.#sums[i] = (this.#sums[i] as number) + Number(row[at] ?? 0)
    }
  }

  written(): Written {
    const sums = this.#money.map(([name], i) => [name, decimalText(this.#sums[i] as number, this.#places)])
    return { rows: this.rows, sequence: this.sequence, sums: Object.fromEntries(sums) }
  }
}

type Chunks = AsyncIterable<readonly (readonly Value[])[]>

async function* counted(chunks: Chunks, counter: Counter) {
  for await (const rows of chunks) {
    for (const row of rows) counter.add(row)
    yield rows
  }
}

const metadataOf = ({ location, live }: Source, { table, month }: TableRequest): Record<string, string> => ({
  table,
  month,
  schema: String(tablesVersion),
  location: location.id,
  currency: location.currency,
  timeZone: live.clock.timeZone,
  dayStartsAt: live.clock.dayStartsAt,
})

async function writeText(
  chunks: Chunks,
  request: TableRequest,
  { places, take, next }: { places: number; take: Take; next: (() => Promise<Take>) | undefined },
): Promise<void> {
  const columns = columnsOf(request.table)
  const { head, row: write } =
    request.format === 'ndjson' ? toTableNdjson(columns, places) : toTableCsv(columns, request.dialect, places)
  let [sink, text, lines] = [take, head, 1]
  for await (const rows of chunks) {
    for (const row of rows) {
      if (next && lines === linesOfSheet) {
        await sink(Buffer.from(text))
        ;[sink, text, lines] = [await next(), head, 1]
      }
      text += write(row)
      lines += 1
      if (text.length < pieceLength) continue
      await sink(Buffer.from(text))
      text = ''
    }
  }
  await sink(Buffer.from(text))
}

/**
 * Writes a table of one month at the speed of the consumer; the same data makes the same bytes. `next` begins another
 * file when a spreadsheet has no more lines. Throws `TooManyOrders`.
 */
export async function writeTable(
  source: Source,
  request: TableRequest,
  take: Take,
  next?: () => Promise<Take>,
): Promise<Written> {
  const { turn, maker } = source
  const { places } = maker
  const counter = new Counter(request.table, places)
  const takeCounted: Take = (bytes) => take(bytes, counter.rows)
  const chunks = counted(readTable(source, request.table, request.month), counter)
  if (request.format === 'parquet') {
    const columns = columnsOf(request.table)
    await writeParquet(chunks, { columns, places, metadata: metadataOf(source, request), turn }, takeCounted)
  } else
    await writeText(chunks, request, {
      places,
      take: takeCounted,
      next: request.dialect === 'excel-fr' ? next : undefined,
    })
  return counter.written()
}
