import { zstdCompressSync } from 'node:zlib'
import type { RowGroup, SchemaElement } from 'hyparquet'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { placesOf } from '../domain/text.ts'
import { repeated } from '../domain/repeated.ts'
import type { Column, Value } from '../domain/columns.ts'
import { dayMs } from '../../../core/domain/days/time-units.ts'

/**
 * Number of rows per group. They are held in memory, and each minor garbage collection copies them. With 2,000, reading
 * an order during an export took a quarter longer.
 */
const rowsOfGroup = 1_000

function elementOf([name, type]: Column, places: number): SchemaElement {
  const optional = { name, repetition_type: 'OPTIONAL' } as const
  const scale = placesOf(type, places)
  if (scale !== undefined) {
    const precision = type === 'rate' ? 6 : 18
    const decimal = { logical_type: { type: 'DECIMAL', precision, scale } as const, converted_type: 'DECIMAL' as const }
    return { ...optional, type: type === 'rate' ? 'INT32' : 'INT64', ...decimal, scale, precision }
  }
  switch (type) {
    case 'uuid':
      return { ...optional, type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, logical_type: { type: 'UUID' } }
    case 'date':
      return { ...optional, type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } }
    case 'time':
      return {
        ...optional,
        type: 'INT64',
        converted_type: 'TIMESTAMP_MILLIS',
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
      }
    case 'boolean':
      return { ...optional, type: 'BOOLEAN' }
    case 'int':
      return { ...optional, type: 'INT32' }
    case 'long':
      return { ...optional, type: 'INT64' }
    default:
      return { ...optional, type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } }
  }
}

type Convert = (value: string | number | boolean) => unknown

function convertOf([, type]: Column, places: number): Convert {
  const isWide = type === 'long' || type === 'time' || placesOf(type, places) !== undefined
  if (isWide) return repeated((value) => BigInt(value))
  if (type === 'date') return repeated((value) => Date.parse(value as string) / dayMs)
  if (type === 'uuid') return repeated((value) => Buffer.from((value as string).replaceAll('-', ''), 'hex'))
  return (value) => value
}

/** Returns a sink for hyparquet-writer that passes its bytes on, and waits until they are consumed. */
function sinkOf(take: (bytes: Uint8Array) => Promise<void>): ByteWriter {
  const writer = new ByteWriter()
  let flushed = 0
  const flush = async () => {
    const bytes = new Uint8Array(writer.buffer.slice(0, writer.index))
    writer.index = 0
    flushed += bytes.length
    if (bytes.length > 0) await take(bytes)
  }
  return Object.assign(writer, { flush, finish: flush, getBuffer: () => new ArrayBuffer(flushed) })
}

/** Returns whether a column is searched by range: for texts and ids, minimum and maximum would be useless. */
const isSoughtByRange = (type: Column[1]) => type !== 'text' && type !== 'uuid'

/** Combines groups of one column each into the group of rows. */
const joinColumns = (parts: readonly RowGroup[]): RowGroup => ({
  columns: parts.flatMap(({ columns }) => columns),
  num_rows: parts[0]?.num_rows ?? 0n,
  total_byte_size: parts.reduce((sum, { total_byte_size: bytes }) => sum + bytes, 0n),
  total_compressed_size: parts.reduce((sum, { total_compressed_size: bytes }) => sum + (bytes ?? 0n), 0n),
})

type Held = { name: string; values: Value[]; convert: Convert; statistics: boolean }

/**
 * Writes columns of the same length as one group, and yields to other requests after each column. A value is
 * converted to the type of its column here and not kept for the whole group: every minor garbage collection would
 * copy the converted values.
 */
async function writeGroup(writer: ParquetWriter, group: readonly Held[], turn: () => Promise<unknown>): Promise<void> {
  for (const { values, convert, ...column } of group) {
    const data = values.map((value) => (value === null ? undefined : convert(value)))
    await writer.write({ columnData: [{ ...column, data }], rowGroupSize: rowsOfGroup })
    await turn()
  }
  const joined = joinColumns(writer.row_groups.splice(-group.length))
  writer.row_groups.push(joined)
  writer.num_rows -= joined.num_rows * BigInt(group.length - 1)
}

type Shape = {
  columns: readonly Column[]
  places: number
  metadata: Record<string, string>
  /** Resolves when the next part may be computed. */
  turn: () => Promise<unknown>
}

/** Writes rows as one Parquet file, with the types of their columns; the same rows make the same bytes. */
export async function writeParquet(
  chunks: AsyncIterable<readonly (readonly Value[])[]>,
  { columns, places, metadata, turn }: Shape,
  take: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const writer = new ParquetWriter({
    writer: sinkOf(take),
    schema: [{ name: 'root', num_children: columns.length }, ...columns.map((column) => elementOf(column, places))],
    codec: 'ZSTD',
    compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
    createdBy: 'tillgate',
    kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
  })
  const begin = (): Held[] =>
    columns.map((column) => ({
      name: column[0],
      values: [],
      convert: convertOf(column, places),
      statistics: isSoughtByRange(column[1]),
    }))
  let group = begin()
  const write = async () => {
    const written = group
    group = begin()
    await writeGroup(writer, written, turn)
  }
  for await (const rows of chunks) {
    for (const row of rows) {
      for (let i = 0; i < group.length; i++) (group[i] as Held).values.push(row[i] ?? null)
      if (group[0]?.values.length === rowsOfGroup) await write()
    }
  }
  if (group[0]?.values.length !== 0) await write()
  await writer.finish()
}
