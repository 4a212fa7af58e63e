import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { installationId } from '../domain/accounts/keys.ts'
import type { Sql } from '../store/db/database.ts'
import { listTextRows, type TextRow } from '../store/db/table-rows.ts'
import { BackupError } from './errors.ts'
import type { Opener, Seal } from './seal.ts'
import { readWhole, writeWhole, type FileEntry } from './files.ts'
import type { Tables } from './manifest.ts'

export const pack = promisify<Buffer, Buffer>(gzip)

/**
 * Bounds what a file may unpack to: rows and entries reach about 15:1, and a file that unpacks to more than this was
 * made to harm.
 */
const bomb = { ratio: 200, freeBytes: 64 * 1024 * 1024 }

/** Reads the objects of a file of the backup, one for each line. Throws `BackupError` when it is not made so. */
export async function readLines<T>(dir: string, entry: FileEntry, open: Opener): Promise<T[]> {
  const packed = await open(await readWhole(dir, entry), entry.file)
  try {
    const maxOutputLength = bomb.freeBytes + bomb.ratio * packed.length
    const lines = (await promisify(gunzip)(packed, { maxOutputLength })).toString().split('\n')
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T)
  } catch (error) {
    const reason = `${entry.file} is not made as a file of a backup is: ${(error as Error).message}`
    throw new BackupError('backup_damaged', reason, { cause: error })
  }
}

/** Lists the small tables of a location, in the order in which they can be filled, with the column that names it. */
const ofLocation = [
  ['locations', 'id'],
  ['location_seq', 'location_id'],
  ['webhooks', 'location_id'],
  ['webhook_retries', 'location_id'],
  ['rejected_records', 'location_id'],
  ['ingest_warnings', 'location_id'],
  ['device_statuses', 'location_id'],
  // Last, and by itself: with it the location is in use.
  ['api_keys', 'location_id'],
] as const

const known = new Set<string>(ofLocation.map(([table]) => table))

export type TableRows = { table: string; rows: TextRow[] }[]

/** What a lease says is of the process that holds it, and ends with the database. */
const forgotten: Record<string, readonly string[]> = { webhooks: ['lease_token', 'lease_until'] }

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

/** Reads the keys of the installation; those of a location are among its own tables. */
export async function readKeys(sql: Sql): Promise<TableRows> {
  const of = { column: 'location_id', locationId: installationId }
  return [{ table: 'api_keys', rows: await read(sql, 'api_keys', of) }]
}

/** What changes with each use of a key is no reason to write the file again. */
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

/** Writes rows as a file of the backup; the one that is there stays when nothing changed. */
export async function writeTables(
  dir: string,
  folder: string,
  { tables, seal }: { tables: TableRows; seal: Seal },
  kept: Tables | undefined,
): Promise<Tables> {
  const content = seal.digest(toText(withoutPassing(tables)))
  if (kept?.content === content) return kept
  const file = `${folder}/tables-${content.slice(0, 16)}.${seal.end}`
  return { ...(await writeWhole(dir, file, await seal.seal(await pack(toText(tables)), file))), content }
}

/** Reads the rows of such a file, by table, in the order in which they can be filled. */
export async function loadTables(dir: string, entry: Tables, open: Opener): Promise<TableRows> {
  const byTable = new Map<string, TextRow[]>()
  for (const line of await readLines<{ table: string; row: TextRow } | null>(dir, entry, open)) {
    const { table, row } = line ?? { table: '', row: null }
    // Their names become part of statements.
    if (!known.has(table) || !row || !Object.keys(row).every((name) => /^[a-z_]+$/.test(name))) {
      throw new BackupError('backup_damaged', `${entry.file} names a table or column that cannot be`)
    }
    const rows = byTable.get(table)
    if (rows) rows.push(row)
    else byTable.set(table, [row])
  }
  return [...byTable].map(([table, rows]) => ({ table, rows }))
}
