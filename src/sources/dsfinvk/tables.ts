import { text as readText } from 'node:stream/consumers'
import { Unreadable, type SourceFile } from '../adapter.ts'
import type { KeptRow, Scratch } from '../scratch.ts'
import type { Encoding } from '../beginnings.ts'
import { cellsOf, readCsv, type Row } from '../text.ts'

/** What `index.xml` says of a table. */
type Form = { delimiter: string; quote: string; decimal: string; encoding: Encoding | undefined; fromLine: number }

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'" }

const unescape = (text: string) =>
  text
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&(?:amp|lt|gt|quot|apos);/g, (entity) => entities[entity] as string)

const elementOf = (xml: string, name: string): string | undefined => {
  const match = new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(xml)
  return match ? unescape(match[1] as string) : undefined
}

/** The tables that `index.xml` describes, by the name of their file in lower case. */
function readIndex(xml: string): Map<string, Form> {
  const tables = xml.match(/<Table>[\s\S]*?<\/Table>/g) ?? []
  return new Map(
    tables.map((table) => {
      const url = (elementOf(table, 'URL') ?? '').toLowerCase()
      const form: Form = {
        delimiter: elementOf(table, 'ColumnDelimiter') ?? ';',
        quote: elementOf(table, 'TextEncapsulator') ?? '"',
        decimal: elementOf(table, 'DecimalSymbol') ?? ',',
        encoding: table.includes('<UTF8/>') ? 'utf-8' : table.includes('<ANSI/>') ? 'windows-1252' : undefined,
        fromLine: 1,
      }
      return [url, form] as const
    }),
  )
}

/** A row of a table, with its amounts as the table writes them. */
export type TableRow = Row & { file: string; text(column: string): string; number(column: string): number }

/** A number as its table writes it; 0 for an empty cell. */
function readNumber(text: string, decimal: string): number {
  const bare = text.trim()
  const plain = decimal === ',' ? bare.replaceAll('.', '').replace(',', '.') : bare.replaceAll(',', '')
  return plain === '' ? 0 : Number(plain)
}

type Table = { file: string; decimal: string; columns: string[] }

function toRow({ line, cells: kept }: KeptRow, { file, decimal, columns }: Table): TableRow {
  const cells = cellsOf(columns, kept)
  return {
    line,
    cells,
    file,
    text: (column) => cells[column] ?? '',
    number(column) {
      const text = cells[column] ?? ''
      const number = readNumber(text, decimal)
      if (!Number.isFinite(number)) throw new Unreadable(`${file}, line ${line}, ${column}: “${text}” is no number`)
      return number
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
    return new Tables(files, readIndex(await readText(index.read())), scratch)
  }

  /** Reads a table whole, if the export has it. Throws `Unreadable` where it is not what the index says. */
  async read(name: string, keyOf: (row: TableRow) => string): Promise<void> {
    const file = this.#files.get(`${name}.csv`)
    if (!file) return
    const form = this.#forms.get(`${name}.csv`)
    if (!form) throw new Unreadable(`${name}.csv is not in index.xml`)
    const table: Table = { file: file.name, decimal: form.decimal, columns: [] }
    this.#tables.set(name, table)
    await readCsv(file, form, {
      header: (columns) => (table.columns = columns),
      row: (cells, line) => {
        const kept = { file: 0, line, cells }
        this.#scratch.addRow(name, keyOf(toRow(kept, table)), kept)
      },
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
