import { Unreadable, type Mapping, type SourceFile } from '../adapter.ts'
import { guessDelimiter } from '../beginnings.ts'
import type { KeptRow, Scratch } from '../scratch.ts'
import { cellsOf, headOf, readCsv, type CsvTaker } from '../text.ts'
import type { Cells, Line } from './cells.ts'
import type { CsvMap, FileMap } from './schema.ts'

export type RowTable = 'order' | 'payment' | 'report'

const baseName = (name: string) => name.split(/[\\/]/).at(-1) as string

/** Whether the name of a file matches the name or the pattern of a map. */
export function fits(pattern: string, name: string): boolean {
  const form = pattern
    .toLowerCase()
    .split('*')
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join('.*')
  return new RegExp(`^${form}$`).test(baseName(name).toLowerCase())
}

/** Resolves to the first line of a file; only its ASCII characters are reliable. */
export const firstLineOf = async (file: SourceFile): Promise<string> =>
  (await headOf(file, 4_000)).toString('latin1').split('\n', 1)[0] ?? ''

/** Adds to `into` the columns of this file that a part of a map names. */
function columnsNamed(part: unknown, into: Set<string>): Set<string> {
  if (typeof part === 'string') into.add(part)
  else if (Array.isArray(part)) for (const one of part) columnsNamed(one, into)
  else if (typeof part === 'object' && part !== null) {
    for (const [key, child] of Object.entries(part)) {
      if (!['value', 'values', 'split', 'is', 'as', 'in', 'from', 'kinds', 'included', 'leave'].includes(key))
        columnsNamed(child, into)
      else if (key === 'leave') for (const { column } of child as { column: string }[]) into.add(column)
    }
  }
  return into
}

/** Returns the parts of a map that read a file. */
function partsOf({ order, report }: CsvMap, file: string): unknown[] {
  const { payments, item, from, ...frame } = order
  const { tax, ...rest } = item
  const taxCells = tax ? [tax.rate ?? [], tax.amount ?? []] : []
  const { from: reportFrom, taxes = [], ...reportFrame } = report ?? { from: undefined }
  const own = from === file ? [frame, rest, ...taxCells] : []
  const paid = payments?.from === file ? [payments, order.key] : []
  return [
    ...own,
    ...paid,
    ...(reportFrom === file ? [reportFrame, taxes.map(({ amount, base }) => [amount, base ?? []])] : []),
  ]
}

type TableOf = { table: RowTable; key: CsvMap['order']['key']; at: string }

/**
 * Returns the tables of the map that have rows in a file, with the key of each. Payments in the rows of items are not a
 * separate table.
 */
function tablesOf({ order, report }: CsvMap, file: string): TableOf[] {
  const { payments, key } = order
  const at = '/order/key'
  return [
    ...(order.from === file ? [{ table: 'order' as const, key, at }] : []),
    ...(payments?.from === file && order.from !== file ? [{ table: 'payment' as const, key, at }] : []),
    ...(report?.from === file ? [{ table: 'report' as const, key: report.key, at: '/report/key' }] : []),
  ]
}

type Header = { base: string; columns: string[] }

/** A file of the map, and its name there. */
export type MappedFile = { name: string; file: FileMap }

/** Takes the rows of a file; call `end` after the last. */
export type RowTaker = CsvTaker & { end(): void }

export class Rows {
  readonly #map: CsvMap
  readonly #cells: Cells
  readonly #scratch: Scratch
  readonly #headers: Header[] = []

  constructor(map: CsvMap, cells: Cells, scratch: Scratch) {
    this.#map = map
    this.#cells = cells
    this.#scratch = scratch
  }

  get files(): MappedFile[] {
    return Object.entries(this.#map.files).map(([name, file]) => ({ name, file }))
  }

  /** Returns the columns that the map names for a file. */
  columnsOf({ name, file: { leave = [] } }: MappedFile): Set<string> {
    return columnsNamed([...partsOf(this.#map, name), { leave }], new Set())
  }

  /** Returns the columns that all lines of a sale share. */
  #sharedColumns(name: string): Set<string> {
    const { item: _, payments, from, ...frame } = this.#map.order
    const own = from === name ? [frame] : []
    return columnsNamed([...own, ...(payments?.from === name ? [this.#map.order.key] : [])], new Set())
  }

  /**
   * Returns a taker of rows, which skips those that the map excludes. Throws `Unreadable` if the header lacks a column.
   */
  taker(base: string, mapped: MappedFile, mapping: Mapping): RowTaker {
    const { name, file } = mapped
    const named = this.columnsOf(mapped)
    const tables = tablesOf(this.#map, name)
    const header: Header = { base, columns: [] }
    const number = this.#headers.push(header) - 1
    let unnamed: { at: number; count: number }[] = []
    const shared = file.fill ? this.#sharedColumns(name) : new Set<string>()
    let filled: number[] = []
    let above: string[] = []
    return {
      header: (columns) => {
        header.columns = columns
        const missing = [...named].filter((column) => !columns.includes(column))
        if (missing.length > 0) {
          const names = missing.map((column) => `“${column}”`).join(', ')
          throw new Unreadable(`${base} has no column ${names} (map /files/${name})`)
        }
        filled = columns.flatMap((column, at) => (shared.has(column) ? [at] : []))
        unnamed = columns.flatMap((column, at) => (named.has(column) ? [] : [{ at, count: 0 }]))
      },
      row: (own, line) => {
        const cells =
          filled.length === 0
            ? own
            : own.map((text, at) => (filled.includes(at) && text.trim() === '' ? (above[at] ?? text) : text))
        above = cells
        for (const column of unnamed) if (cells[column.at] !== '') column.count += 1
        const kept = { file: number, line, cells }
        const row = this.#toLine(kept)
        if ((file.leave ?? []).some((test) => this.#cells.is(row, test, `/files/${name}/leave`))) {
          mapping.mapped.left.push({ key: `${base}:${line}`, reason: 'skipped by the map' })
          mapping.handMuch()
          return
        }
        for (const { table, key, at } of tables) {
          const of = this.#keyOf(row, key, at)
          if (of.trim() !== '') {
            this.#scratch.addRow(table, of, kept)
            continue
          }
          const reason = `the key is blank (map ${at}). If a blank key means the key of the line above, set "fill": true (map /files/${name})`
          mapping.mapped.refused.push({ key: `${base}:${line}`, reason })
          mapping.handMuch()
        }
      },
      end: () => {
        for (const { at, count } of unnamed) mapping.mapped.unmapped.set(`${base}: ${header.columns[at]}`, count)
      },
    }
  }

  readonly #toLine = ({ file, line, cells }: KeptRow): Line => {
    const { base, columns } = this.#headers[file] as Header
    return { file: base, line, cells: cellsOf(columns, cells) }
  }

  #keyOf(row: Line, key: CsvMap['order']['key'], at: string): string {
    return key.map((part) => this.#cells.text(row, part, at)).join(' ')
  }

  *groups(table: RowTable): Generator<[key: string, rows: Line[]]> {
    for (const [key, rows] of this.#scratch.groups(table)) yield [key, rows.map(this.#toLine)]
  }

  of(table: RowTable, key: string): Line[] {
    return this.#scratch.rowsOf(table, key).map(this.#toLine)
  }
}

/** Reads the CSV files of a map. Throws `Unreadable`. */
export async function readCsvFiles(files: readonly SourceFile[], rows: Rows, mapping: Mapping): Promise<void> {
  for (const mapped of rows.files) {
    const { name, file } = mapped
    if (file.rows !== undefined) throw new Unreadable(`a CSV has no lists: remove rows (map /files/${name}/rows)`)
    const found = files.filter((one) => fits(file.name, one.name))
    if (found.length === 0) throw new Unreadable(`file ${file.name} not found (map /files/${name}/name)`)
    for (const one of found) {
      const taker = rows.taker(baseName(one.name), mapped, mapping)
      const delimiter = file.delimiter ?? guessDelimiter(await firstLineOf(one))
      await readCsv(one, { delimiter, encoding: file.encoding }, taker)
      taker.end()
    }
  }
}
