import { SaxesParser } from 'saxes'
import { Unreadable, type SourceFile } from '../../src/modules/sources/adapters/adapter.ts'
import type { KeptRow, Scratch } from '../../src/modules/sources/adapters/scratch.ts'
import type { Encoding } from '../../src/modules/sources/adapters/beginnings.ts'
import { readNumber, type NumberForm } from '../../src/modules/sources/adapters/numbers.ts'
import { cellsOf, readCsv, type Row } from '../../src/modules/sources/adapters/text.ts'

/** The description of a table in `index.xml`. */
type Form = {
  delimiter: string
  quote: string
  numbers: NumberForm
  encoding: Encoding | undefined
  fromLine: number
  /** The columns in order, if the index names them. */
  columns: string[]
}

/** Size limit of an index; usual ones have some 30 KiB. */
const mostOfIndex = 2 ** 20

/** An XML element with its text and child elements. */
type Element = { name: string; text: string; inside: Element[] }

/** Reads an XML document. Only the five entities of XML and numeric characters are expanded. Throws `Unreadable`. */
function readXml(xml: string): Element {
  const top: Element = { name: '', text: '', inside: [] }
  const open = [top]
  const parser = new SaxesParser({ fileName: 'index.xml' })
  parser.on('error', ({ message }) => {
    throw new Unreadable(`${message} The index of an export must be XML.`)
  })
  parser.on('opentag', ({ name }) => {
    const element = { name, text: '', inside: [] }
    open.at(-1)?.inside.push(element)
    open.push(element)
  })
  const addText = (text: string) => void ((open.at(-1) as Element).text += text)
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => void open.pop())
  parser.write(xml).close()
  return top
}

/** Returns the elements with a name, at any depth and in document order, but none inside another one with that name. */
function elementsOf(top: Element, name: string): Element[] {
  const found: Element[] = []
  const left = top.inside.toReversed()
  for (let element = left.pop(); element; element = left.pop()) {
    if (element.name === name) found.push(element)
    else for (const child of element.inside.toReversed()) left.push(child)
  }
  return found
}

const textOf = (top: Element, name: string): string | undefined => elementsOf(top, name)[0]?.text

const has = (top: Element, name: string) => elementsOf(top, name).length > 0

function numbersOf(table: Element): NumberForm {
  const decimal = textOf(table, 'DecimalSymbol') === '.' ? '.' : ','
  return { decimal, groups: textOf(table, 'DigitGroupingSymbol') ?? (decimal === ',' ? '.' : ',') }
}

/** Returns the columns in order, those of the key first. */
const columnsOf = (table: Element): string[] =>
  ['VariablePrimaryKey', 'VariableColumn'].flatMap((kind) =>
    elementsOf(table, kind).flatMap((column) => textOf(column, 'Name')?.trim() ?? []),
  )

/** Returns the tables that `index.xml` describes, by the name of their file in lower case. Throws `Unreadable`. */
function readIndex(xml: string): Map<string, Form> {
  return new Map(
    elementsOf(readXml(xml), 'Table').map((table) => {
      const url = (textOf(table, 'URL') ?? '').toLowerCase()
      const form: Form = {
        delimiter: textOf(table, 'ColumnDelimiter') ?? ';',
        quote: textOf(table, 'TextEncapsulator') ?? '"',
        numbers: numbersOf(table),
        encoding: has(table, 'UTF8') ? 'utf-8' : has(table, 'ANSI') ? 'windows-1252' : undefined,
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
    if (size > mostOfIndex) throw new Unreadable(`${name} exceeds 1 MiB: it is not the index of an export`)
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

/** Reads the tables of an export; rows are looked up by a key. */
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

  /** Opens the tables of an export by its index. Throws `Unreadable` without an index. */
  static async open(all: readonly SourceFile[], scratch: Scratch): Promise<Tables> {
    const files = new Map(all.map((file) => [(file.name.split('/').at(-1) as string).toLowerCase(), file]))
    const index = files.get('index.xml')
    if (!index) throw new Unreadable('index.xml, which describes the tables, is missing')
    return new Tables(files, readIndex(await readShort(index)), scratch)
  }

  /** Counts tables, and columns of tables with rows, that were neither read nor known to be skipped. */
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
   * Reads a whole table, if the export has it. Throws `Unreadable` if it differs from the index, and if a table that
   * sales need is missing.
   */
  async read(name: string, keyOf: (row: TableRow) => string, isNeeded: boolean): Promise<void> {
    const file = this.#files.get(`${name}.csv`)
    if (!file && isNeeded) throw new Unreadable(`${name}.csv is missing: a DSFinV-K export must contain it`)
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
        // Without a header line: index.xml has the names, and the first line is a row.
        if (form.columns.length !== columns.length)
          throw new Unreadable(
            `${file.name} has no header line with names such as Z_KASSE_ID, and index.xml has ${form.columns.length} columns for its ${columns.length}`,
          )
        table.columns = form.columns
        take(columns, 1)
      },
      row: take,
    })
  }

  /** Returns the rows of a key; none if the export does not have the table. */
  rows(name: string, key: string): TableRow[] {
    const table = this.#tables.get(name)
    return table ? this.#scratch.rowsOf(name, key).map((kept) => toRow(kept, table)) : []
  }

  /** Yields all rows of a table, by their keys. */
  *all(name: string): Generator<TableRow> {
    const table = this.#tables.get(name)
    if (!table) return
    for (const [, rows] of this.#scratch.groups(name)) for (const kept of rows) yield toRow(kept, table)
  }
}
