import { Unreadable, type SourceFile } from '../../src/modules/sources/adapters/adapter.ts'
import type { KeptRow, Scratch } from '../../src/modules/sources/adapters/scratch.ts'
import type { Encoding } from '../../src/modules/sources/adapters/beginnings.ts'
import { readNumber, type NumberForm } from '../../src/modules/sources/adapters/numbers.ts'
import { cellsOf, readCsv, type Row } from '../../src/modules/sources/adapters/text.ts'

/** What `index.xml` says of a table. */
type Form = {
  delimiter: string
  quote: string
  numbers: NumberForm
  encoding: Encoding | undefined
  fromLine: number
  /** The columns in order, where the index names them. */
  columns: string[]
}

/** An index of an export has some 30 KiB. */
const mostOfIndex = 2 ** 20

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'" }

const unescape = (text: string) =>
  text
    .replace(/&#(\d+);/g, (entity, code: string) => {
      if (Number(code) > 0x10_ff_ff) throw new Unreadable(`index.xml has ${entity}, which is no character`)
      return String.fromCodePoint(Number(code))
    })
    .replace(/&(?:amp|lt|gt|quot|apos);/g, (entity) => entities[entity] as string)

/** What stands in each element of a name, in order: read once, however many begin and never end. Throws `Unreadable`. */
function elementsOf(xml: string, name: string): string[] {
  const [begin, end] = [`<${name}>`, `</${name}>`]
  const found: string[] = []
  for (let at = xml.indexOf(begin); at >= 0;) {
    const from = at + begin.length
    const to = xml.indexOf(end, from)
    if (to < 0) throw new Unreadable(`index.xml is not whole: ${begin} has no end`)
    found.push(xml.slice(from, to))
    at = xml.indexOf(begin, to)
  }
  return found
}

function elementOf(xml: string, name: string): string | undefined {
  const [first] = elementsOf(xml, name)
  return first === undefined ? undefined : unescape(first)
}

function numbersOf(table: string): NumberForm {
  const decimal = elementOf(table, 'DecimalSymbol') === '.' ? '.' : ','
  return { decimal, groups: elementOf(table, 'DigitGroupingSymbol') ?? (decimal === ',' ? '.' : ',') }
}

/** Columns in their order: those of the key stand first. */
const columnsOf = (table: string): string[] =>
  ['VariablePrimaryKey', 'VariableColumn'].flatMap((kind) =>
    elementsOf(table, kind).flatMap((column) => elementOf(column, 'Name')?.trim() ?? []),
  )

/** The tables that `index.xml` describes, by the name of their file in lower case. Throws `Unreadable`. */
function readIndex(xml: string): Map<string, Form> {
  return new Map(
    elementsOf(xml, 'Table').map((table) => {
      const url = (elementOf(table, 'URL') ?? '').toLowerCase()
      const form: Form = {
        delimiter: elementOf(table, 'ColumnDelimiter') ?? ';',
        quote: elementOf(table, 'TextEncapsulator') ?? '"',
        numbers: numbersOf(table),
        encoding: table.includes('<UTF8/>') ? 'utf-8' : table.includes('<ANSI/>') ? 'windows-1252' : undefined,
        fromLine: 1,
        columns: columnsOf(table),
      }
      return [url, form] as const
    }),
  )
}

/** Reads the index, which is short. Throws `Unreadable`. */
async function readShort({ name, read }: SourceFile): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of read()) {
    size += part.length
    if (size > mostOfIndex) throw new Unreadable(`${name} has more than 1 MiB: it is not the index of an export`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** A row of a table, with its amounts as the table writes them. */
export type TableRow = Row & { file: string; text(column: string): string; number(column: string): number }

type Table = { file: string; numbers: NumberForm; columns: string[]; rows: number; read: Set<string> }

function toRow({ line, cells: kept }: KeptRow, { file, numbers, columns, read }: Table): TableRow {
  const cells = cellsOf(columns, kept)
  return {
    line,
    cells,
    file,
    text(column) {
      read.add(column)
      return cells[column] ?? ''
    },
    number(column) {
      read.add(column)
      const text = cells[column] ?? ''
      if (text.trim() === '') return 0
      const number = readNumber(text, numbers)
      if (number === undefined)
        throw new Unreadable(
          `${file}, line ${line}, ${column}: “${text}” is not a number with the decimal ${numbers.decimal} of index.xml`,
        )
      return Number(number)
    },
  }
}

/** Reads the tables of an export, of which rows are asked for by a key. */
export class Tables {
  readonly #files: ReadonlyMap<string, SourceFile>
  readonly #forms: ReadonlyMap<string, Form>
  readonly #scratch: Scratch
  readonly #tables = new Map<string, Table>()

  private constructor(files: ReadonlyMap<string, SourceFile>, forms: ReadonlyMap<string, Form>, scratch: Scratch) {
    this.#files = files
    this.#forms = forms
    this.#scratch = scratch
  }

  /** Throws `Unreadable` where there is no index. */
  static async open(all: readonly SourceFile[], scratch: Scratch): Promise<Tables> {
    const files = new Map(all.map((file) => [(file.name.split('/').at(-1) as string).toLowerCase(), file]))
    const index = files.get('index.xml')
    if (!index) throw new Unreadable('there is no index.xml, which says how the tables are written')
    return new Tables(files, readIndex(await readShort(index)), scratch)
  }

  /** Counts tables, and columns of tables with rows, that were not read and are not known as such. */
  countUnread(known: ReadonlySet<string>, into: Map<string, number>): void {
    for (const [name, { columns, read, rows }] of this.#tables) {
      const left = rows === 0 ? [] : columns.filter((column) => !read.has(column) && !known.has(column))
      for (const column of left) into.set(`${name}.csv: ${column}`, rows)
    }
    for (const file of this.#files.keys()) {
      const name = /^(.*)\.csv$/.exec(file)?.[1]
      if (name !== undefined && !this.#tables.has(name) && !known.has(name)) into.set(file, 1)
    }
  }

  /**
   * Reads a table whole, if the export has it. Throws `Unreadable` where it is not what the index says, and where a table is missing
   * without which sales are not whole.
   */
  async read(name: string, keyOf: (row: TableRow) => string, isNeeded: boolean): Promise<void> {
    const file = this.#files.get(`${name}.csv`)
    if (!file && isNeeded)
      throw new Unreadable(`${name}.csv is missing: an export of DSFinV-K has it, and without it sales are not whole`)
    if (!file) return
    const form = this.#forms.get(`${name}.csv`)
    if (!form) throw new Unreadable(`${name}.csv is not in index.xml`)
    const table: Table = { file: file.name, numbers: form.numbers, columns: [], rows: 0, read: new Set() }
    this.#tables.set(name, table)
    const take = (cells: string[], line: number) => {
      const kept = { file: 0, line, cells }
      table.rows += 1
      this.#scratch.addRow(name, keyOf(toRow(kept, table)), kept)
    }
    await readCsv(file, form, {
      header: (columns) => {
        table.columns = columns
        if (columns.length === 0 || columns.includes('Z_KASSE_ID')) return
        // Without a line of names: index.xml has them, and the first line is a row.
        if (form.columns.length !== columns.length)
          throw new Unreadable(
            `${file.name} has no line of names such as Z_KASSE_ID, and index.xml names ${form.columns.length} columns for its ${columns.length}`,
          )
        table.columns = form.columns
        take(columns, 1)
      },
      row: take,
    })
  }

  /** Rows of a key; none where the export does not have the table. */
  rows(name: string, key: string): TableRow[] {
    const table = this.#tables.get(name)
    return table ? this.#scratch.rowsOf(name, key).map((kept) => toRow(kept, table)) : []
  }

  /** All rows of a table, by their keys. */
  *all(name: string): Generator<TableRow> {
    const table = this.#tables.get(name)
    if (!table) return
    for (const [, rows] of this.#scratch.groups(name)) for (const kept of rows) yield toRow(kept, table)
  }
}
