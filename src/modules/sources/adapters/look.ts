import { detectEncoding, guessDelimiter } from './beginnings.ts'

/** Members that identify the source of a document. */
const marks: [member: string, source: string][] = [
  ['receipt_number', 'loyverse'],
  ['line_items', 'square'],
  ['selections', 'toast'],
  ['salesLines', 'lightspeed-k'],
  ['tax_mode', 'sumup'],
]

/**
 * Describes the beginning of a file that is not NDJSON of records, and what to do with it; undefined for records, and for unknown
 * contents. `head` is whole lines if the file has any.
 */
export function lookAt(head: Buffer): string | undefined {
  if (head.length === 0) return undefined
  if (head[0] === 0x50 && head[1] === 0x4b) return 'this is a ZIP archive: name its system with --from'
  const encoding = detectEncoding(head.subarray(0, Math.max(head.lastIndexOf(0x0a), 0) || head.length))
  if (encoding.startsWith('utf-16')) return `this is ${encoding.toUpperCase()} text: name its system with --from`
  const text = new TextDecoder(encoding).decode(head).trimStart()
  const [line = ''] = text.split('\n', 1)
  if (text.startsWith('{') || text.startsWith('[')) return lookAtJson(text, line)
  if (text.startsWith('<')) return 'this is XML, which import cannot read'
  const delimiter = guessDelimiter(line)
  if (line.split(delimiter).length < 2) return undefined
  const columns = line.split(delimiter).length
  return `this is a CSV with ${columns} columns: create a map with tillgate map suggest, and import it with --from csv --map`
}

function lookAtJson(text: string, line: string): string | undefined {
  let isPlain = false
  try {
    const first: unknown = JSON.parse(line)
    if (typeof first === 'object' && first !== null && !Array.isArray(first) && 'type' in first) return undefined
    isPlain = true
  } catch {
    // An incomplete record is rejected with its line; a document of several lines is not a record.
    if (!/^[[{]\s*$/.test(line) && line.startsWith('{"type"')) return undefined
  }
  const source = marks.find(([member]) => text.includes(`"${member}"`))?.[1]
  const from = source
    ? `${source} documents: --from ${source}`
    : 'a JSON document without records: name its system with --from, or convert it to tickets (docs/modules/from-another-system.md)'
  if (!source && !isPlain && !/^[[{]\s*$/.test(line) && !line.startsWith('[')) return undefined
  return source ? `this looks like ${from}` : `this is ${from}`
}
