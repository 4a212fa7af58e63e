import type { Command } from 'commander'
import { databaseSettings, readConfig } from '../config.ts'
import type { OperatorNames } from '../domain/redaction/operator-names.ts'
import { ingestSeveralLocations } from '../ingest/receive/several-locations.ts'
import { RejectedPruner, type NoticeLimits } from '../ingest/receive/rejected-pruner.ts'
import { RulesOnly, type Watcher } from '../ingest/watching.ts'
import { dataParts } from '../modules.ts'
import { WriteQueue } from '../ingest/write/queue.ts'
import type { IngestAnswer } from '../schemas/ingest.ts'
import type { LocationSettings } from '../contract/location/schema.ts'
import type { Pool } from '../store/db/database.ts'
import { Hints } from '../store/db/hints.ts'
import { findLocation } from '../contract/location/rows.ts'
import { openWriteConnection } from '../store/pushes/statement.ts'
import { byHand } from './acts.ts'
import { withDatabase } from './database.ts'
import { newJournalOption, refuseDeleted } from './deleted-journal.ts'
import { CliError, Interrupted } from '../server/errors.ts'
import { boundHeapGrowth, collectGarbage, makeEverythingYoung } from '../server/heap.ts'
import { readLocationSettings } from './location-settings.ts'
import { addLocationSettings } from './location-settings.ts'
import { addSettings, finish, readUuid } from './terminal/options.ts'
import { count, note, print, printJson, some } from './terminal/output.ts'
import { showProgress } from './terminal/progress.ts'
import { openRecordFile, recordFileOf, type RecordFile } from './record-files.ts'

/** The part of `import` that reads documents of other systems. */
export type Importing = {
  define(command: Command): void
  /** Returns the format of a file that does not contain records; undefined if unknown. */
  lookAt(head: Buffer): string | undefined
  /** Reads the documents named by flags, converts them, and passes the records to `store`. */
  read(
    path: string,
    flags: { from: string },
    store: (source: { lines(): Iterable<Buffer> }, locationId: string) => Promise<void>,
  ): Promise<void>
}

declare module '../modules.ts' {
  interface ModuleData {
    /** Input of `import` other than records. */
    importing?: Importing
    /** Makes the check for warnings of an import. */
    watcher?(pool: Pool, clock: () => Date, notices: NoticeLimits): Watcher
  }
}

/** Number of rejected records that are shown: the latest. */
const shownRejected = 5

/** Number of records with warnings that are shown. */
const shownWarned = 5

const clock = () => new Date()

/** Percentage for `boundHeapGrowth`. A file of any size then needs 300 MB, at slightly lower speed. */
const importGrowth = 40

/** How long a batch waits for the database to store it, in milliseconds. */
const deadlineMs = 60_000

/**
 * Milliseconds between hints to servers that an import is running. Servers give way to the import while its last hint
 * is at most 250 ms old (`src/modules/figures/projections/worker.ts`).
 */
const hintMs = 100

/** Settings of new locations, how names are stored, and how many warnings are kept for how long. */
export type ImportSettings = LocationSettings & {
  operatorNames: OperatorNames
  noticesKept: number
  noticeDays: number
}

export type ImportWishes = {
  locationId: string | undefined
  settings: ImportSettings
  /** Dry run: nothing is stored. The locations must exist. */
  dryRun?: boolean | undefined
  /** Historical records, which cause no events. */
  isHistory?: boolean | undefined
  /** Begins a new journal for a location that was deleted here; otherwise the import fails at its record. */
  newJournal?: boolean
  /** Called after each commit with the line up to which the file is stored. */
  onStored?: (line: number) => void
  /** Called with each location that is new here, before it is created. */
  onBegun?: (locationId: string) => void
  /** Aborted when the user interrupts: later failures are expected. */
  signal?: AbortSignal
}

function openWriter(pool: Pool, operatorNames: OperatorNames) {
  const connection = openWriteConnection(pool, deadlineMs)
  const hints = new Hints(pool, hintMs)
  const onCommit = (id: string) => hints.committed(id)
  const connections = connection && { small: connection, long: connection }
  return {
    writer: new WriteQueue(pool, clock, { operatorNames, connections, onCommit }),
    async close() {
      await connection?.end({ timeout: 1 })
      await hints.close()
    },
  }
}

/** Makes the watcher of the module `warnings`, or `RulesOnly` if the module is off. */
function makeWatcher(pool: Pool, notices: NoticeLimits): Watcher {
  for (const { watcher } of dataParts()) if (watcher) return watcher(pool, clock, notices)
  return new RulesOnly(pool)
}

/** Returns the reader of documents of other systems; undefined if no module has one. */
const importing = (): Importing | undefined => dataParts().find((part) => part.importing)?.importing

/**
 * Stores the records of a file like a push over HTTP. Without a location id, each location record applies to the
 * records after it, and missing locations are created with the settings of the file, or `settings`. Throws `CliError`
 * if the first record has no location.
 */
export async function importRecords(
  pool: Pool,
  file: RecordFile,
  {
    locationId,
    settings: { operatorNames, noticesKept, noticeDays, ...settings },
    dryRun = false,
    isHistory = false,
    newJournal = false,
    onStored = () => {},
    onBegun = () => {},
    signal,
  }: ImportWishes,
): Promise<IngestAnswer> {
  if (locationId !== undefined && !(await findLocation(pool, locationId))) {
    throw new CliError('location_not_found', `location ${locationId} does not exist: see tillgate location create`)
  }
  const progress = showProgress(file.size)
  const { writer, close } = openWriter(pool, operatorNames)
  let bytes = 0
  try {
    const source = file.read((more) => (bytes += more))
    const onProgress = (lines: number) => {
      progress.update(bytes, lines)
      onStored(lines)
    }
    const notices = {
      noticesKept,
      noticeDays,
      onFailed: (error: unknown) => {
        if (!signal?.aborted) note(`warnings are not stored: ${(error as Error).message}`)
      },
    }
    const onLocation = (id: string) => byHand(pool, id, { act: 'data.imported', subject: null })
    if (locationId !== undefined && !dryRun) await onLocation(locationId)
    const answer = await ingestSeveralLocations(writer, source, {
      pool,
      clock,
      settings,
      locationId,
      onProgress,
      onNewLocation: async (id) => {
        if (!newJournal) await refuseDeleted(pool, id)
        onBegun(id)
      },
      onLocation,
      dryRun,
      isHistory,
      warner: makeWatcher(pool, notices),
      rejected: new RejectedPruner(pool, clock, notices),
    })
    if (answer.stopped?.code !== 'location_missing') return answer
    const { line, detail } = answer.stopped
    throw new CliError('location_missing', `line ${line}: ${detail}`)
  } finally {
    progress.stop()
    await close()
  }
}

function summarize(answer: IngestAnswer, seconds: number, dryRun: boolean): void {
  const { accepted, unchanged, stale, rejected, warned, stopped, results } = answer
  const total = accepted + unchanged + stale + rejected
  print(
    `${count(accepted)} accepted, ${count(unchanged)} unchanged, ${count(stale)} stale, ${count(rejected)} rejected: ` +
      `${some(total, 'record')} in ${seconds.toFixed(1)} s`,
  )
  for (const result of results.filter(({ status }) => status === 'rejected').slice(0, shownRejected)) {
    const [fault] = result.errors ?? []
    const what = [result.type, result.id].filter((part) => part !== undefined).join(' ')
    note(
      `line ${result.line}: ${what}${what ? ': ' : ''}${result.detail}${fault?.pointer ? ` (at ${fault.pointer})` : ''}`,
    )
  }
  if (rejected > 0 && !dryRun) {
    const more = rejected > shownRejected ? `${count(rejected - shownRejected)} more. ` : ''
    note(`${more}Rejected records are kept: tillgate rejected list --location <id>`)
  }
  for (const { line, type, id, warnings: [first] = [] } of results
    .filter(({ warnings }) => warnings)
    .slice(0, shownWarned)) {
    note(`line ${line}: ${type} ${id}: ${first?.detail} (${first?.code} at ${first?.pointer})`)
  }
  const list = dryRun ? '' : ': tillgate warnings list --location <id>'
  if (warned > 0) note(`${some(warned, 'record')} may contain a mistake${list}`)
  if (dryRun) note('Dry run: nothing was stored.')
  if (stopped) note(`stopped at line ${stopped.line}: ${stopped.detail}`)
}

type ImportFlags = LocationSettings & {
  history?: true
  newJournal?: true
  location?: string
  dryRun?: true
  json?: true
} & Partial<Record<'from' | 'map' | 'profile' | 'records', string>>

/** Converts and stores documents of another system. A dry run stores nothing and needs no database. */
async function runFrom(path: string, flags: ImportFlags & { from: string }): Promise<void> {
  boundHeapGrowth(importGrowth)
  await importing()?.read(path, flags, async (source, locationId) => {
    const limits = readConfig(['operatorNames', 'noticesKept', 'noticeDays'], flags, process.env)
    const settings = { ...readLocationSettings(flags), ...limits }
    const began = performance.now()
    collectGarbage()
    const answer = await withDatabase(flags, ({ pool }, signal) =>
      importRecords(pool, recordFileOf(source.lines()), { locationId, settings, isHistory: true, signal }),
    )
    const { accepted, unchanged, stale, rejected, warned, stopped } = answer
    if (flags.json) printJson({ accepted, unchanged, stale, rejected, warned, ...(stopped ? { stopped } : {}) })
    else summarize(answer, (performance.now() - began) / 1000, false)
    if (rejected > 0 || stopped) process.exitCode = 1
  })
}

async function run(path: string, flags: ImportFlags): Promise<void> {
  makeEverythingYoung()
  const { from } = flags
  if (from !== undefined) return runFrom(path, { ...flags, from })
  for (const name of ['map', 'profile', 'records'] as const) {
    if (flags[name] !== undefined) throw new CliError('usage', `--${name} requires --from`)
  }
  const limits = readConfig(['operatorNames', 'noticesKept', 'noticeDays'], flags, process.env)
  const settings = { ...readLocationSettings(flags), ...limits }
  const locationId = flags.location === undefined ? undefined : readUuid('--location', flags.location)
  const file = await openRecordFile(path, importing()?.lookAt)
  let stored = 0
  const begun: string[] = []
  try {
    const began = performance.now()
    const dryRun = flags.dryRun ?? false
    const newJournal = flags.newJournal ?? false
    const wishes = {
      locationId,
      settings,
      dryRun,
      newJournal,
      isHistory: flags.history ?? false,
      onStored: (line: number) => (stored = line),
      onBegun: (id: string) => begun.push(id),
    }
    const answer = await withDatabase(flags, ({ pool }, signal) => importRecords(pool, file, { ...wishes, signal }), {
      creates: !dryRun,
    })
    const { accepted, unchanged, stale, rejected, warned, stopped } = answer
    if (flags.json) printJson({ accepted, unchanged, stale, rejected, warned, ...(stopped ? { stopped } : {}) })
    else {
      summarize(answer, (performance.now() - began) / 1000, dryRun)
      for (const id of dryRun ? [] : begun)
        note(`${id} is a new location: its booking entries, closings and checkpoints start at number 1`)
    }
    if (rejected > 0 || stopped) process.exitCode = 1
  } catch (error) {
    if (error instanceof Interrupted && !flags.dryRun) {
      note(
        `Interrupted: ${stored === 0 ? 'nothing was stored' : `the file was stored up to line ${stored}`}. ` +
          'Run the same command again to continue; stored records count as unchanged.',
      )
    }
    throw error
  } finally {
    await file.close()
  }
}

export function define(command: Command): void {
  command
    .description(
      'Store the records of a file as if a till had pushed them: NDJSON, plain or gzipped, as written by ' +
        'export. Importing a file again changes nothing, but it sets back a location or list that was changed since. A location record starts the records of its location, and ' +
        'creates the location if it does not exist. Exits with 1 if a record was rejected.',
    )
    .argument('<file>', 'file with the records, or - for standard input; with --from also a directory or a ZIP archive')
    .option(
      '--dry-run',
      'store nothing, and show what would be stored, rejected and warned about; locations must exist',
    )
    .option(...newJournalOption)
    .option('--location <id>', 'all records belong to this location, which must exist')
    .option('--history', 'historical records: journaled and in figures, without webhooks and events')
  importing()?.define(command)
  addLocationSettings(command)
  addSettings(command, [...databaseSettings, 'operatorNames']).action(run)
  finish(command, [
    'import history.ndjson.gz',
    'export | tillgate import - --data-dir ./copy --json',
    'import orders.json --from square --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --profile paris.json --dry-run',
    'import archive.zip --from csv --map bistrot.json --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6',
  ])
}
