import { Unreadable, type SourceFile } from '../adapter.ts'
import { readCsv, type Encoding, type Row } from '../text.ts'

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

/** Reads the tables of an export. Throws `Unreadable` where there is no index, or a table is not what the index says. */
export class Tables {
  readonly #files: ReadonlyMap<string, SourceFile>
  readonly #forms: ReadonlyMap<string, Form>
  readonly #read = new Map<string, TableRow[]>()

  constructor(files: readonly SourceFile[]) {
    this.#files = new Map(files.map((file) => [(file.name.split('/').at(-1) as string).toLowerCase(), file]))
    const index = this.#files.get('index.xml')
    if (!index) throw new Unreadable('there is no index.xml, which says how the tables are written')
    this.#forms = readIndex(index.bytes.toString('utf8'))
  }

  /** Rows of a table; none where the export does not have it. Each table is read once. */
  rows(name: string): TableRow[] {
    let rows = this.#read.get(name)
    if (!rows) this.#read.set(name, (rows = this.#parse(name)))
    return rows
  }

  #parse(name: string): TableRow[] {
    const file = this.#files.get(`${name}.csv`)
    if (!file) return []
    const form = this.#forms.get(`${name}.csv`)
    if (!form) throw new Unreadable(`${name}.csv is not in index.xml`)
    return readCsv(file, form).rows.map(({ line, cells }) => ({
      line,
      cells,
      file: file.name,
      text: (column) => cells[column] ?? '',
      number: (column) => {
        const text = (cells[column] ?? '').trim()
        const plain = form.decimal === ',' ? text.replaceAll('.', '').replace(',', '.') : text.replaceAll(',', '')
        const number = plain === '' ? 0 : Number(plain)
        if (!Number.isFinite(number))
          throw new Unreadable(`${file.name}, line ${line}, ${column}: “${text}” is no number`)
        return number
      },
    }))
  }
}
