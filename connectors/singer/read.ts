import {
  Unreadable,
  type Adapter,
  type Mapping,
  type MapsTo,
  type SourceFile,
} from '../../src/modules/sources/adapters/adapter.ts'
import { mapAdapter, type ReadRows } from '../../src/modules/sources/adapters/csv-map/map.ts'
import { fits, type MappedFile, type Rows, type RowTaker } from '../../src/modules/sources/adapters/csv-map/rows.ts'
import type { CsvMap } from '../../src/modules/sources/adapters/csv-map/schema.ts'
import type { Json } from '../../src/modules/sources/adapters/json-documents.ts'
import type { Scratch } from '../../src/modules/sources/adapters/scratch.ts'
import { decoded } from '../../src/modules/sources/adapters/text.ts'

// Singer: a tap prints one JSON message per line. SCHEMA names the key of a stream. RECORD has one record; the last
// record of each key counts. STATE is the position from which the tap may continue.

/** Longest message, in characters. */
const longestMessage = 16 * 1024 * 1024

/** Yields the numbered lines of a file, one after the other. Throws `Unreadable` for a line that is too long. */
async function* linesOf(file: SourceFile): AsyncGenerator<{ line: number; text: string }> {
  let line = 0
  let rest = ''
  for await (const piece of decoded(file, 'utf-8')) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() as string
    for (const text of lines) yield { line: ++line, text }
    if (rest.length > longestMessage) throw new Unreadable(`${file.name}, line ${line + 1}: the message exceeds 16 MiB`)
  }
  if (rest !== '') yield { line: ++line, text: rest }
}

/** Numbers become their text by default: an amount is a decimal, never a binary fraction. */
const parse = (text: string, number = (source: string): unknown => source): Json =>
  JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? number(context?.source ?? String(value)) : value,
  )

const textOf = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)

/** The field by which taps mark a deleted record. */
const deletedAt = '_sdc_deleted_at'

/** Returns the fields of a record by their paths, such as `customer.id`; lists stay unchanged. */
function fieldsOf(record: Json, path: string, into: Map<string, unknown>): Map<string, unknown> {
  for (const [name, value] of Object.entries(record as object)) {
    const at = path === '' ? name : `${path}.${name}`
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) fieldsOf(value, at, into)
    else into.set(at, value)
  }
  return into
}

/** Returns the rows of a record: one, or one for each element of its list. */
function rowsOf(record: Json, list: string | undefined): Map<string, unknown>[] {
  const own = fieldsOf(record, '', new Map())
  if (list === undefined) return [own]
  const elements = own.get(list) ?? []
  own.delete(list)
  if (!Array.isArray(elements)) throw new Unreadable(`${list} is not a list`)
  return elements.map((element) => fieldsOf(element, list, new Map(own)))
}

const tableOf = (stream: string) => `stream ${stream}`

/** Reads messages, and stores the records of each stream by their keys. */
class Messages {
  readonly streams = new Set<string>()
  readonly #keys = new Map<string, string[]>()
  readonly #to: Pick<MapsTo, 'scratch' | 'keepState'>
  #unkeyed = 0

  constructor(to: Pick<MapsTo, 'scratch' | 'keepState'>) {
    this.#to = to
  }

  async read(file: SourceFile): Promise<void> {
    for await (const { line, text } of linesOf(file)) {
      if (text.trim() === '') continue
      const where = `${file.name}, line ${line}`
      let message: Json
      try {
        message = parse(text)
        // A state is returned as the tap wrote it.
        if (message?.type === 'STATE') message = parse(text, (source) => JSON.rawJSON(source))
      } catch (error) {
        throw new Unreadable(`${where} is not a Singer message: ${(error as Error).message}`)
      }
      this.#take(message, line, where)
    }
  }

  #take(message: Json, line: number, where: string): void {
    const { type, stream } = message ?? {}
    if (type === 'STATE') this.#to.keepState(message.value)
    else if (type === 'SCHEMA') this.#keys.set(String(stream), message.key_properties ?? [])
    else if (type === 'RECORD') this.#keep(String(stream), message.record, { line, where })
    else if (type === 'BATCH')
      throw new Unreadable(`${where}: BATCH refers to other files; configure the tap to print records`)
    else if (type !== 'ACTIVATE_VERSION')
      throw new Unreadable(`${where}: ${JSON.stringify(type)} is not a Singer message type`)
  }

  #keep(stream: string, record: Json, { line, where }: { line: number; where: string }): void {
    if (typeof record !== 'object' || record === null)
      throw new Unreadable(`${where}: a RECORD message has no object \`record\``)
    const keys = this.#keys.get(stream)
    if (keys === undefined)
      throw new Unreadable(
        `${where}: no SCHEMA of stream ${stream} precedes this RECORD; the tap must print SCHEMA first`,
      )
    this.streams.add(stream)
    const key = keys.length === 0 ? `${++this.#unkeyed}` : JSON.stringify(keys.map((name) => record[name]))
    this.#to.scratch.addRow(tableOf(stream), key, { file: 0, line, cells: [JSON.stringify(record)] })
  }
}

/** Counts columns that the map does not name. */
class Columns {
  readonly #named: readonly string[]
  readonly #seen = new Set<string>()
  readonly #unnamed = new Map<string, number>()

  constructor(named: ReadonlySet<string>) {
    this.#named = [...named]
  }

  cells(row: ReadonlyMap<string, unknown>): string[] {
    for (const [name, value] of row) {
      if (this.#named.includes(name)) this.#seen.add(name)
      else if (textOf(value) !== '') this.#unnamed.set(name, (this.#unnamed.get(name) ?? 0) + 1)
    }
    return this.#named.map((name) => textOf(row.get(name)))
  }

  /** Throws `Unreadable` for a column that no record has. */
  end(stream: string, { name }: MappedFile, mapping: Mapping): void {
    const missing = this.#named.filter((column) => !this.#seen.has(column))
    if (missing.length > 0) {
      const names = missing.map((column) => `“${column}”`).join(', ')
      throw new Unreadable(`no record of ${stream} has ${names} (map /files/${name})`)
    }
    for (const [column, count] of this.#unnamed) mapping.mapped.unmapped.set(`${stream}: ${column}`, count)
  }
}

/** Passes on the last version of each record of a stream, as rows. */
function takeStream(stream: string, mapped: MappedFile, rows: Rows, { mapping, scratch }: Taking): void {
  const named = rows.columnsOf(mapped)
  const columns = new Columns(named)
  const taker: RowTaker = rows.taker(stream, mapped, mapping)
  taker.header([...named])
  for (const [, versions] of scratch.groups(tableOf(stream))) {
    const { line, cells } = versions.at(-1) as (typeof versions)[number]
    const record: Json = JSON.parse(cells[0] as string)
    if (record[deletedAt]) {
      mapping.mapped.left.push({ key: `${stream}:${line}`, reason: 'deleted' })
      mapping.handMuch()
      continue
    }
    for (const row of rowsOf(record, mapped.file.rows)) taker.row(columns.cells(row), line)
  }
  columns.end(stream, mapped, mapping)
}

type Taking = { mapping: Mapping; scratch: Scratch }

const readSinger: ReadRows = async (files, rows, mapping, to) => {
  const messages = new Messages(to)
  for (const file of files) await messages.read(file)
  for (const mapped of rows.files) {
    const { name, file } = mapped
    const streams = [...messages.streams].filter((stream) => fits(file.name, stream))
    if (streams.length === 0) throw new Unreadable(`stream ${file.name} not found (map /files/${name}/name)`)
    for (const stream of streams) takeStream(stream, mapped, rows, { mapping, scratch: to.scratch })
  }
}

/** Reads the output of a tap with the same map as a CSV: a stream is a file, and a field a column. */
export const singerAdapter = (map: CsvMap): Adapter => mapAdapter(map, 'singer', null, readSinger)
