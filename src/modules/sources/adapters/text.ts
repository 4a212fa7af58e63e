import { pipeline, Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { Unreadable, type SourceFile } from './adapter.ts'
import { encodingByHead, type Encoding } from './beginnings.ts'

/** Longest row of a CSV, in characters: a longer row probably has an unclosed quote. */
const longestRow = 1024 * 1024

/** Detects the encoding of a file from its whole content. */
export async function encodingOf(file: SourceFile): Promise<Encoding> {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  let isFirst = true
  for await (const chunk of file.read()) {
    const known = isFirst ? encodingByHead(chunk) : undefined
    if (known) return known
    isFirst = false
    try {
      utf8.decode(chunk, { stream: true })
    } catch {
      return 'windows-1252'
    }
  }
  return 'utf-8'
}

/** Returns what a decoder yields for bytes without a character; for five bytes of Windows-1252, control characters. */
const noCharacter = (encoding: Encoding) =>
  encoding === 'windows-1252' ? /[\u0081\u008d\u008f\u0090\u009d]/ : /\ufffd/

/**
 * Decodes a file piece by piece, without its byte order mark. Refuses a byte that is invalid in its encoding, and never
 * stores it as `�`.
 */
export async function* decoded(file: SourceFile, given?: Encoding): AsyncGenerator<string> {
  const encoding = given ?? (await encodingOf(file))
  const decoder = new TextDecoder(encoding, { fatal: true })
  const bad = noCharacter(encoding)
  let line = 1
  const decode = (chunk?: Buffer): string => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
    } catch {
      throw new Unreadable(
        `${file.name} is not ${encoding}: set its encoding to utf-8, utf-16le, utf-16be or windows-1252`,
      )
    }
  }
  const linesIn = (text: string) => text.split('\n').length - 1
  const checked = (text: string): string => {
    const found = bad.exec(text)
    if (found) {
      const at = line + linesIn(text.slice(0, found.index))
      throw new Unreadable(`${file.name}, line ${at}: a byte is not valid in ${encoding}: set the encoding of the file`)
    }
    line += linesIn(text)
    return text
  }
  for await (const chunk of file.read()) yield checked(decode(chunk))
  yield checked(decode())
}

/** Resolves to the beginning of a file, up to a number of bytes. */
export async function headOf(file: SourceFile, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of file.read()) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= bytes) break
  }
  return Buffer.concat(chunks).subarray(0, bytes)
}

/** A row with the line of its file on which it begins. */
export type Row = { line: number; cells: Record<string, string> }

export type CsvForm = { delimiter: string; quote?: string; encoding?: Encoding | undefined; fromLine?: number }

export type CsvTaker = {
  /** Called first, with the names of the columns. */
  header(columns: string[]): void
  /** Called with the cells of each row, as many as there are columns. */
  row(cells: string[], line: number): void
}

type Parsed = { record: string[]; info: { lines: number } }

/** Passes text on, and records whether it ends with a line break. */
async function* watched(texts: AsyncIterable<string>, end: { endsLine: boolean }): AsyncGenerator<string> {
  for await (const text of texts) {
    if (text !== '') end.endsLine = /[\r\n]$/.test(text)
    yield text
  }
}

const decimalsOf = (text: string): number | undefined => {
  const match = /\d(?:[.,](\d*))?\D*$/.exec(text.trim())
  return match ? (match[1] ?? '').length : undefined
}

/**
 * Detects a truncated last row. The file ends within it, and its last number has fewer decimals than in the rows
 * before, which all have the same number of decimals.
 */
class LastCells {
  #decimals: number | undefined
  #isSame = true
  #rows = 0

  add(cells: readonly string[]): void {
    const decimals = decimalsOf(cells.at(-1) ?? '')
    if (this.#rows > 0 && decimals !== this.#decimals) this.#isSame = false
    this.#decimals = decimals
    this.#rows += 1
  }

  isCut(cells: readonly string[]): boolean {
    if (!this.#isSame || this.#rows < 2 || !this.#decimals) return false
    return (decimalsOf(cells.at(-1) ?? '') ?? 0) < this.#decimals
  }
}

/** Reads a CSV with a header, row by row. Throws `Unreadable`, naming the line. */
export async function readCsv(file: SourceFile, form: CsvForm, taker: CsvTaker): Promise<void> {
  const { delimiter, quote = '"', encoding, fromLine = 1 } = form
  const parser = parse({
    delimiter,
    quote,
    bom: true,
    info: true,
    skip_empty_lines: true,
    relax_column_count: true,
    from_line: fromLine,
    max_record_size: longestRow,
  })
  // The loop below reports a failure of the pipeline.
  const end = { endsLine: true }
  pipeline(Readable.from(watched(decoded(file, encoding), end)), parser, () => {})
  let columns: number | undefined
  let last: { cells: string[]; line: number } | undefined
  const seen = new LastCells()
  try {
    for await (const { record: cells, info } of parser as AsyncIterable<Parsed>) {
      if (columns === undefined) {
        columns = cells.length
        taker.header(cells.map((name) => name.trim()))
        continue
      }
      if (cells.length !== columns) {
        throw new Unreadable(
          `${file.name}, line ${info.lines}: ${cells.length} cells, but the header has ${columns}: quote cells that contain the delimiter`,
        )
      }
      if (last) {
        seen.add(last.cells)
        taker.row(last.cells, last.line)
      }
      last = { cells, line: info.lines }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new Unreadable(`${file.name} is not a CSV: ${error.message}`)
  }
  if (columns === undefined) taker.header([])
  if (!last) return
  if (!end.endsLine && seen.isCut(last.cells))
    throw new Unreadable(
      `${file.name}, line ${last.line}: the file ends in the middle of the line: its last cell is “${last.cells.at(-1)}”, but those above have more decimals: export the file again`,
    )
  taker.row(last.cells, last.line)
}

/** Returns the cells by the names of their columns. */
export const cellsOf = (columns: readonly string[], cells: readonly string[]): Record<string, string> =>
  Object.fromEntries(columns.map((name, i) => [name, cells[i] as string]))
