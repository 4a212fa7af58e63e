import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, readFile, rename, rm, rmdir, writeFile, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isOfReports, tableNames, tablesVersion, type TableName } from '../domain/columns.ts'
import type { TableDialect } from '../domain/text.ts'
import { epochAt, findStray, toLineage } from '../../../core/domain/journal/lineage.ts'
import { readCompleteness } from '../../figures/projections/days-answer.ts'
import { daysProjection, listChecks } from '../../figures/projections/days.ts'
import { stepProjection } from '../../figures/projections/projection.ts'
import { openSource, TooManyOrders, type Source } from '../tables/read.ts'
import { writeTable, type Take, type TableFormat, type Written } from '../tables/write.ts'
import { readStretch } from '../../figures/projections/stretches.ts'
import { CliError } from '../../../core/server/errors.ts'
import { snapshot, type Pool, type Sql } from '../../../core/store/db/database.ts'
import { findCheckpoint } from '../../proofs/store/checkpoints.ts'
import { listClosedSpans } from '../store/closed-orders.ts'
import { readLineage } from '../../../core/store/journal/resumption.ts'

export const exportFormats = ['parquet', 'csv', 'excel-fr'] as const

export type ExportFormat = (typeof exportFormats)[number]

const files: Record<ExportFormat, { format: TableFormat; dialect: TableDialect; end: string }> = {
  parquet: { format: 'parquet', dialect: 'rfc4180', end: 'parquet' },
  csv: { format: 'csv', dialect: 'rfc4180', end: 'csv' },
  'excel-fr': { format: 'csv', dialect: 'excel-fr', end: 'csv' },
}

export type ManifestFile = Written & { file: string; table: TableName; month: string; bytes: number; sha256: string }

/** The content of `manifest.json`: what identifies the files and shows whether they are complete. */
export type TablesManifest = {
  version: 1
  schema: number
  format: ExportFormat
  location: string
  currency: string
  timeZone: string
  dayStartsAt: string
  epoch: string
  /** Journal number as of which the files are exact. */
  sequence: number
  /** Time until which every closed order had arrived; null if unknown. */
  completeUntil: string | null
  /** Whether open orders have rows too. */
  isOpenIncluded: boolean
  /** Whether texts that a spreadsheet would run have a quote in front, which cannot be undone. */
  isTextMarked: boolean
  checkpoint: string | null
  tables: TableName[]
  since: string | null
  until: string | null
  files: ManifestFile[]
}

export type TablesQuery = {
  locationId: string
  out: string
  format: ExportFormat
  tables: readonly TableName[]
  /** First and last month; null for all. */
  since: string | null
  until: string | null
  /** Whether open orders have rows too, by the business day of their opening. */
  withOpen?: boolean
  now: Date
}

const manifestName = 'manifest.json'

async function readManifest(out: string): Promise<TablesManifest | undefined> {
  const text = await readFile(join(out, manifestName), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  try {
    return text === undefined ? undefined : (JSON.parse(text) as TablesManifest)
  } catch (error) {
    throw new CliError(
      'export_foreign',
      `${join(out, manifestName)} is not an export manifest: choose another directory`,
      { cause: error },
    )
  }
}

/**
 * Lists the months that may have rows, in order. Months without any are left out, because the clock of a till may have
 * been thousands of years off.
 */
async function listMonths(source: Source, { since, until }: TablesQuery): Promise<string[]> {
  const { sql, location, maker, live, open } = source
  const spans = await listClosedSpans(sql, location.id)
  const days = spans.flatMap(({ first, last }) => [first, last].map((at) => maker.time.dayOf(at.getTime())))
  days.push(...open.map(({ day }) => day))
  const checks = await listChecks(sql, location.id, live, { since: '0001-01-01', until: '9999-12-31' })
  days.push(...checks.map(({ businessDay }) => businessDay))
  const months = [...new Set(days.map((day) => day.slice(0, 7)))].toSorted()
  return months.filter((month) => (since ?? month) <= month && month <= (until ?? month))
}

/**
 * Finds the months of the orders that changed after a journal number, by their current and their previous version.
 * Null means all months, because a document was redacted.
 */
async function changedMonths(
  source: Source,
  { after, withOpen }: { after: number; withOpen: boolean },
): Promise<ReadonlySet<string> | null> {
  const { sql, location, maker } = source
  const months = new Set<string>()
  for (let from = after; ;) {
    const stretch = await readStretch(sql, location.id, from, { entries: 1_000, bytes: 16 * 1024 ** 2 })
    if (stretch.redactedAt > 0) return null
    for (const { before, after: now } of stretch.changes) {
      for (const order of [before, now]) {
        const at = order?.closedAt ?? (withOpen ? order?.openedAt : undefined)
        if (at !== undefined) months.add(maker.time.dayOf(Date.parse(at)).slice(0, 7))
      }
    }
    if (stretch.isLast || stretch.entries === 0) return months
    from = stretch.reached
  }
}

type Part = { handle: FileHandle; path: string; hash: ReturnType<typeof createHash>; bytes: number }

async function begin(path: string): Promise<Part> {
  await mkdir(dirname(path), { recursive: true })
  return { handle: await open(`${path}.part`, 'w'), path, hash: createHash('sha256'), bytes: 0 }
}

const takeOf =
  (part: Part): Take =>
  async (bytes) => {
    part.hash.update(bytes)
    part.bytes += bytes.length
    await part.handle.writeFile(bytes)
  }

/** Replaces a file if the content differs; an equal file is not touched. */
async function finish(
  { handle, path, hash, bytes }: Part,
  known: ManifestFile | undefined,
): Promise<{ sha256: string; bytes: number; isNew: boolean }> {
  await handle.sync()
  await handle.close()
  const sha256 = hash.digest('hex')
  const isNew = known?.sha256 !== sha256 || !existsSync(path)
  await (isNew ? rename(`${path}.part`, path) : rm(`${path}.part`))
  return { sha256, bytes, isNew }
}

type Run = { source: Source; query: TablesQuery; before: TablesManifest | undefined; written: string[] }

async function writeMonth(
  { source, query, before, written }: Run,
  table: TableName,
  month: string,
): Promise<ManifestFile[]> {
  const { format, dialect, end } = files[query.format]
  const folder = `${table}/business_month=${month}`
  const nameOf = (n: number) => `${folder}/${table}-${month}${n === 1 ? '' : `-${n}`}.${end}`
  const parts: Part[] = [await begin(join(query.out, nameOf(1)))]
  const next = async () => {
    parts.push(await begin(join(query.out, nameOf(parts.length + 1))))
    return takeOf(parts.at(-1) as Part)
  }
  let sums: Written
  try {
    sums = await writeTable(source, { table, month, format, dialect }, takeOf(parts[0] as Part), next)
  } catch (error) {
    for (const { handle, path } of parts) {
      await handle.close().catch(() => {})
      await rm(`${path}.part`, { force: true })
    }
    throw error
  }
  if (sums.rows === 0) {
    for (const { handle, path } of parts) {
      await handle.close()
      await rm(`${path}.part`)
      // A folder without files looks like an unreadable table.
      for (const empty of [dirname(path), dirname(dirname(path))]) await rmdir(empty).catch(() => {})
    }
    return []
  }
  const result: ManifestFile[] = []
  for (const [i, part] of parts.entries()) {
    const file = nameOf(i + 1)
    const { sha256, bytes, isNew } = await finish(
      part,
      before?.files.find((one) => one.file === file),
    )
    if (isNew) written.push(file)
    // If the table has several files, the manifest states the rows and sums of the whole table at the first file.
    const fileSums = i === 0 ? sums : { rows: 0, sequence: sums.sequence, sums: {} }
    result.push({ file, table, month, bytes, sha256, ...fileSums })
  }
  return result
}

/** Returns the properties, as text, that must be equal to those of the earlier export for its files to be kept. */
const kindOf = (
  of: Pick<TablesManifest, 'schema' | 'format' | 'currency' | 'timeZone' | 'dayStartsAt' | 'isOpenIncluded'>,
) => JSON.stringify([of.schema, of.format, of.currency, of.timeZone, of.dayStartsAt, of.isOpenIncluded])

async function noteOf(sql: Sql, locationId: string): Promise<string | null> {
  return (await findCheckpoint(sql, locationId))?.checkpoint.note ?? null
}

async function writeAll(source: Source, query: TablesQuery): Promise<{ manifest: TablesManifest; written: string[] }> {
  const { sql, location, live } = source
  const before = await readManifest(query.out)
  const lineage = (await readLineage(sql, location.id)) ?? toLineage('', [])
  const epoch = epochAt(lineage, live.reached)
  if (
    before &&
    (before.location !== location.id || findStray(lineage, live.reached, { ...before, after: before.sequence }))
  )
    throw new CliError(
      'export_foreign',
      `${query.out} contains an export that this journal does not continue: of location ${before.location}, epoch ${before.epoch}, up to ${before.sequence}; ` +
        `the journal is in epoch ${epoch} and ends at ${live.reached}. Choose another directory`,
    )
  const of = {
    version: 1 as const,
    schema: tablesVersion,
    format: query.format,
    location: location.id,
    currency: location.currency,
    ...live.clock,
    epoch,
    isOpenIncluded: query.withOpen === true,
    isTextMarked: query.format !== 'parquet',
    tables: [...query.tables],
    since: query.since,
    until: query.until,
  }
  const changed =
    before && kindOf(before) === kindOf(of)
      ? await changedMonths(source, { after: before.sequence, withOpen: of.isOpenIncluded })
      : null
  const run: Run = { source, query, before, written: [] }
  const all: ManifestFile[] = []
  for (const month of await listMonths(source, query)) {
    for (const table of query.tables) {
      const known = before?.files.filter((one) => one.table === table && one.month === month) ?? []
      const hasFiles =
        before?.tables.includes(table) === true && known.every(({ file }) => existsSync(join(query.out, file)))
      const isInRange = (before?.since ?? month) <= month && month <= (before?.until ?? month)
      const isLeft = changed !== null && hasFiles && isInRange && !isOfReports(table) && !changed.has(month)
      all.push(...(isLeft ? known : await writeMonth(run, table, month)))
    }
  }
  const manifest: TablesManifest = {
    ...of,
    sequence: live.reached,
    completeUntil: (await readCompleteness(sql, location.id, live, query.now)).completeUntil,
    checkpoint: await noteOf(sql, location.id),
    files: all,
  }
  const path = join(query.out, manifestName)
  await mkdir(query.out, { recursive: true })
  await writeFile(`${path}.part`, `${JSON.stringify(manifest, null, 2)}\n`)
  await rename(`${path}.part`, path)
  const names = new Set(all.map(({ file }) => file))
  for (const { file } of before?.files ?? []) if (!names.has(file)) await rm(join(query.out, file), { force: true })
  return { manifest, written: run.written }
}

/**
 * Writes tables of a location to a folder, one file a month, as of one moment. A folder with an export of the same
 * journal is updated: files of months without changed orders stay, except those of reports. The manifest is written
 * last.
 */
export async function exportTables(
  pool: Pool,
  query: TablesQuery,
): Promise<{ manifest: TablesManifest; written: string[] }> {
  for (;;) {
    while ((await stepProjection(pool, daysProjection, query.locationId)) === 'behind');
    const done = await snapshot(pool, async (tx) => {
      const source = await openSource(tx, query.locationId, query)
      return source && writeAll(source, query)
    }).catch((error: unknown) => {
      throw error instanceof TooManyOrders ? new CliError('usage', error.message, { cause: error }) : error
    })
    if (done) return done
  }
}

/** Reads a list of tables. Throws `CliError`. */
export function readTables(text: string | undefined): TableName[] {
  if (text === undefined) return [...tableNames]
  return text.split(',').map((name) => {
    const table = tableNames.find((one) => one === name.trim())
    if (table === undefined)
      throw new CliError('usage', `--tables must be some of ${tableNames.join(', ')}, not ${JSON.stringify(name)}`)
    return table
  })
}
