import { parse } from 'csv-parse/sync'
import { Unreadable, type SourceFile } from './adapter.ts'

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/**
 * Tells the encoding of a text by its mark, by the zeros of UTF-16, and by whether it is UTF-8: what is not can only be an encoding of
 * one byte a character, of which tills have Windows-1252.
 */
export function detectEncoding(bytes: Buffer): Encoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const head = bytes.subarray(0, 4_000)
  const zeros = [0, 1].map((odd) => head.filter((byte, i) => i % 2 === odd && byte === 0).length)
  const half = head.length / 4
  if ((zeros[1] as number) > half) return 'utf-16le'
  if ((zeros[0] as number) > half) return 'utf-16be'
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return 'utf-8'
  } catch {
    return 'windows-1252'
  }
}

/** Decodes a file; a byte that is no character of its encoding is refused, and never stored as `�`. The mark is left out. */
function decode({ name, bytes }: SourceFile, encoding: Encoding = detectEncoding(bytes)): string {
  let text: string
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw new Unreadable(`${name} is not ${encoding}: say its encoding, utf-8, utf-16le, utf-16be or windows-1252`)
  }
  // Windows-1252 has no character for five bytes; the decoder gives control characters for them.
  const bad = encoding === 'windows-1252' ? /[\u0081\u008d\u008f\u0090\u009d]/.exec(text) : /\ufffd/.exec(text)
  if (bad) {
    const line = text.slice(0, bad.index).split('\n').length
    throw new Unreadable(`${name}, line ${line}: a byte is no character of ${encoding}`)
  }
  return text
}

/** A row with the line of its file on which it begins. */
export type Row = { line: number; cells: Record<string, string> }

export type CsvForm = { delimiter: string; quote?: string; encoding?: Encoding | undefined; fromLine?: number }

/** Reads a CSV with a header. Throws `Unreadable`, naming the line. */
export function readCsv(
  file: SourceFile,
  { delimiter, quote = '"', encoding, fromLine = 1 }: CsvForm,
): { columns: string[]; rows: Row[] } {
  const text = decode(file, encoding)
  try {
    const parsed = parse(text, {
      delimiter,
      quote,
      bom: true,
      info: true,
      skip_empty_lines: true,
      relax_column_count: true,
      from_line: fromLine,
    }) as unknown as {
      record: string[]
      info: { lines: number }
    }[]
    const [header, ...rest] = parsed
    const columns = (header?.record ?? []).map((name) => name.trim())
    const rows = rest.map(({ record, info }) => {
      if (record.length !== columns.length) {
        throw new Unreadable(
          `${file.name}, line ${info.lines}: ${record.length} cells, and the header has ${columns.length}`,
        )
      }
      return { line: info.lines, cells: Object.fromEntries(columns.map((name, i) => [name, record[i] as string])) }
    })
    return { columns, rows }
  } catch (error) {
    if (error instanceof Unreadable) throw error
    throw new Unreadable(`${file.name} is no CSV: ${(error as Error).message}`)
  }
}
