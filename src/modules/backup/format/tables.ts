import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { installationId } from '../../../core/domain/accounts/keys.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { listTextRows, type TextRow } from '../store/table-rows.ts'
import { BackupError } from './errors.ts'
import type { Opener, Seal } from './seal.ts'
import { readFileOf, writeFileOf, type FileEntry } from './files.ts'
import type { Tables } from './manifest.ts'

export const pack = promisify<Buffer, Buffer>(gzip)

/**
 * Limits the unpacked size of a file if the manifest does not state it: to a ratio of the packed size plus
 * `freeBytes`, at most `mostBytes`. Rows and entries reach about 15:1, so a file that exceeds the limit is an attack.
 */
const bomb = { ratio: 200, freeBytes: 64 * 1024 * 1024, mostBytes: 256 * 1024 * 1024 }

/** Reads the objects of a file of the backup, one per line. Throws `BackupError` for anything else. */
export async function readLines<T>(dir: string, entry: FileEntry & { text?: number }, { open }: Opener): Promise<T[]> {
  const packed = await open(await readFileOf(dir, entry), entry.file)
  try {
    const maxOutputLength = entry.text ?? Math.min(bomb.mostBytes, bomb.freeBytes + bomb.ratio * packed.length)
    const text = await promisify(gunzip)(packed, { maxOutputLength: Math.max(1, maxOutputLength) })
    if (text.length !== (entry.text ?? text.length))
      throw new Error(`it decompresses to ${text.length} bytes, not ${entry.text}`)
    const lines = text.toString().split('\n')
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T)
  } catch (error) {
    const reason = `${entry.file} is not a backup file: ${(error as Error).message}`
    throw new BackupError('backup_damaged', reason, { cause: error })
  }
}

/** The small tables of a location, in the order in which they can be filled, with the column that has its id. */
const ofLocation = [
  ['locations', 'id'],
  ['location_seq', 'location_id'],
  ['webhooks', 'location_id'],
  ['webhook_retries', 'location_id'],
  ['rejected_records', 'location_id'],
  ['ingest_warnings', 'location_id'],
  ['device_statuses', 'location_id'],
  // Recorded losses stay reported after any restore.
  ['losses', 'location_id'],
  ['sources', 'location_id'],
  // Restored last and separately: with its keys the location can be used.
  ['api_keys', 'location_id'],
] as const

export type TableRows = { table: string; rows: TextRow[] }[]

/** Lease columns belong to a running process, so they are not backed up. */
const forgotten: Record<string, readonly string[]> = {
  webhooks: ['lease_token', 'lease_until'],
  sources: ['lease_token', 'lease_until'],
}

async function read(sql: Sql, table: string, of: { column: string; locationId: string }): Promise<TextRow[]> {
  const rows = await listTextRows(sql, table, of)
  for (const row of rows) for (const column of forgotten[table] ?? []) row[column] = null
  return rows
}

export async function readTables(sql: Sql, locationId: string): Promise<TableRows> {
  const found: TableRows = []
  for (const [table, column] of ofLocation) found.push({ table, rows: await read(sql, table, { column, locationId }) })
  return found
}

/** Reads the keys of the installation; keys of a location are among the tables of the location. */
export async function readKeys(sql: Sql): Promise<TableRows> {
  const of = { column: 'location_id', locationId: installationId }
  return [{ table: 'api_keys', rows: await read(sql, 'api_keys', of) }]
}

/** Columns that change with each use of a key: a new value alone is not a reason to write the file again. */
const passing: Record<string, string> = { api_keys: 'last_used_at' }

function toText(tables: TableRows): Buffer {
  const lines = tables.flatMap(({ table, rows }) => rows.map((row) => `${JSON.stringify({ table, row })}\n`))
  return Buffer.from(lines.join(''))
}

function withoutPassing(tables: TableRows): TableRows {
  return tables.map(({ table, rows }) => {
    const column = passing[table]
    return column === undefined ? { table, rows } : { table, rows: rows.map((row) => ({ ...row, [column]: null })) }
  })
}

type TableTarget = { dir: string; folder: string; seal: Seal }

/** Writes rows as a file of the backup, or returns the file of `kept` that has the same rows. */
export async function writeTables(
  { dir, folder, seal }: TableTarget,
  tables: TableRows,
  kept: readonly Tables[],
): Promise<Tables> {
  const content = seal.digest(toText(withoutPassing(tables)))
  const same = kept.find((one) => one.content === content)
  if (same) return same
  const text = toText(tables)
  const file = `${folder}/tables-${content.slice(0, 16)}.${seal.end}`
  return { ...(await writeFileOf(dir, file, await seal.seal(await pack(text), file))), text: text.length, content }
}

/** Lists tables that only grow until their rows expire, with the column that has the time at which a row was added. */
const growing: Record<string, string> = { rejected_records: 'received_at', ingest_warnings: 'received_at' }

/**
 * Rows per file: 4,096 for earlier days. For the newest day, rows that do not fill such a file go into files of 512
 * and of 64 rows, so a push adds only to the smallest files.
 */
const [blockRows, newestBlocks] = [4_096, [4_096, 512, 64]]

/**
 * Divides rows into as many full blocks of the first size as possible, the rest into blocks of the next size, and so on. A full block
 * stays the same when rows are added at the end.
 */
function toBlocks(rows: readonly TextRow[], [size, ...smaller]: readonly number[]): TextRow[][] {
  if (size === undefined) return rows.length > 0 ? [[...rows]] : []
  const full = rows.length - (rows.length % size)
  const blocks = Array.from({ length: full / size }, (_, i) => rows.slice(i * size, (i + 1) * size))
  return [...blocks, ...toBlocks(rows.slice(full), smaller)]
}

/**
 * Divides the rows of a location into parts: first the rows of tables that do not only grow, then the rows of each day.
 */
function divide(tables: TableRows): TableRows[] {
  const parts: TableRows[] = [tables.filter(({ table }) => growing[table] === undefined)]
  for (const { table, rows } of tables) {
    const column = growing[table]
    if (column === undefined) continue
    const cameAt = (row: TextRow) => row[column] ?? ''
    const sorted = rows.toSorted((a, b) => (cameAt(a) < cameAt(b) ? -1 : Number(cameAt(a) > cameAt(b))))
    const days = Map.groupBy(sorted, (row) => cameAt(row).slice(0, 10))
    const newest = [...days.keys()].at(-1)
    for (const [day, ofDay] of days) {
      const blocks = toBlocks(ofDay, day === newest ? newestBlocks : [blockRows])
      parts.push(...blocks.map((block) => [{ table, rows: block }]))
    }
  }
  return parts
}

/** Writes the small tables of a location, so that a push changes only a few small files. */
export async function writeLocationTables(
  place: TableTarget,
  tables: TableRows,
  kept: readonly Tables[],
): Promise<Tables[]> {
  const written: Tables[] = []
  for (const part of divide(tables)) written.push(await writeTables(place, part, kept))
  return written
}

/** Reads the rows of files, by table, in the order in which they can be filled. */
export async function loadTables(dir: string, files: readonly Tables[], opener: Opener): Promise<TableRows> {
  const byTable = new Map<string, TextRow[]>(ofLocation.map(([table]) => [table, []]))
  for (const entry of files) {
    for (const line of await readLines<{ table: string; row: TextRow } | null>(dir, entry, opener)) {
      const { table, row } = line ?? { table: '', row: null }
      const rows = byTable.get(table)
      // The names of tables and columns become part of SQL statements.
      if (!rows || !row || !Object.keys(row).every((name) => /^[a-z_]+$/.test(name))) {
        throw new BackupError('backup_damaged', `${entry.file} names an unknown table or column`)
      }
      rows.push(row)
    }
  }
  return [...byTable].map(([table, rows]) => ({ table, rows }))
}
