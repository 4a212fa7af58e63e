import type { Command } from 'commander'
import { databaseSettings, readConfig } from '../config.ts'
import type { OperatorNames } from '../domain/operator-names.ts'
import { ingestSeveralLocations } from '../ingest/several-locations.ts'
import { Writer } from '../ingest/writer.ts'
import type { IngestAnswer } from '../schemas/ingest.ts'
import type { LocationSettings } from '../schemas/locations.ts'
import type { Pool } from '../store/database.ts'
import { findLocation } from '../store/locations.ts'
import { withDatabase } from './database.ts'
import { CliError } from '../server/errors.ts'
import { addLocationSettings, readLocationSettings } from './locations.ts'
import { addSettings, finish, readUuid } from './terminal/options.ts'
import { count, note, print, printJson } from './terminal/output.ts'
import { showProgress } from './terminal/progress.ts'
import { openRecordFile, type RecordFile } from './record-files.ts'

/** So many rejected records are shown; all of them are kept. */
const shownRejected = 5

const clock = () => new Date()

/** What new locations get, and what is stored of names. */
export type ImportSettings = LocationSettings & { operatorNames?: OperatorNames }

/**
 * Stores the records of a file by the way of a push over HTTP. Without a location the file says where its records belong,
 * and locations that are not there are made, with the settings that the file tells, else `settings`. Throws `CliError` when the first record belongs nowhere.
 */
export async function importRecords(
  pool: Pool,
  file: RecordFile,
  locationId: string | undefined,
  { operatorNames = 'keep', ...settings }: ImportSettings,
): Promise<IngestAnswer> {
  if (locationId !== undefined && !(await findLocation(pool, locationId))) {
    throw new CliError('location_not_found', `there is no location ${locationId}: see tillgate location create --help`)
  }
  const progress = showProgress(file.size)
  let bytes = 0
  try {
    const source = file.read((more) => (bytes += more))
    const onProgress = (lines: number) => progress.update(bytes, lines)
    const answer = await ingestSeveralLocations(new Writer(pool, clock, { operatorNames }), source, {
      pool,
      clock,
      settings,
      locationId,
      onProgress,
    })
    if (answer.stopped?.code !== 'location_missing') return answer
    const { line, detail } = answer.stopped
    throw new CliError('location_missing', `line ${line}: ${detail}: name the location with --location`)
  } finally {
    progress.stop()
  }
}

function summarize({ accepted, unchanged, stale, rejected, stopped, results }: IngestAnswer, seconds: number): void {
  const total = accepted + unchanged + stale + rejected
  print(
    `${count(accepted)} accepted, ${count(unchanged)} unchanged, ${count(stale)} stale, ${count(rejected)} rejected: ` +
      `${count(total)} records in ${seconds.toFixed(1)} s`,
  )
  for (const result of results.filter(({ status }) => status === 'rejected').slice(0, shownRejected)) {
    const [fault] = result.errors ?? []
    const what = [result.type, result.id].filter((part) => part !== undefined).join(' ')
    note(
      `line ${result.line}: ${what}${what ? ': ' : ''}${result.detail}${fault?.pointer ? ` (at ${fault.pointer})` : ''}`,
    )
  }
  if (rejected > 0) {
    const more = rejected > shownRejected ? `${count(rejected - shownRejected)} more. ` : ''
    note(`${more}What was rejected is kept: tillgate rejected list --location <id>`)
  }
  if (stopped) note(`stopped at line ${stopped.line}: ${stopped.detail}`)
}

async function run(path: string, flags: LocationSettings & { location?: string; json?: true }): Promise<void> {
  const { operatorNames } = readConfig(['operatorNames'], flags, process.env)
  const settings = { ...readLocationSettings(flags), operatorNames }
  const locationId = flags.location === undefined ? undefined : readUuid('--location', flags.location)
  const file = await openRecordFile(path)
  try {
    const began = performance.now()
    const answer = await withDatabase(flags, ({ pool }) => importRecords(pool, file, locationId, settings), {
      creates: true,
    })
    const { accepted, unchanged, stale, rejected, stopped } = answer
    if (flags.json) printJson({ accepted, unchanged, stale, rejected, ...(stopped ? { stopped } : {}) })
    else summarize(answer, (performance.now() - began) / 1000)
    if (rejected > 0 || stopped) process.exitCode = 1
  } finally {
    await file.close()
  }
}

export function define(command: Command): void {
  command
    .description(
      'Store records from a file, as if a till had pushed them: NDJSON, plain or gzip, as export writes it. Doing it ' +
        'again is harmless. A location record begins the records of its location, and makes it when it is not there. ' +
        'Exits with 1 when a record was rejected.',
    )
    .argument('<file>', 'file of records; - for standard input')
    .option('--location <id>', 'all records belong to this location, which must be there')
  addLocationSettings(command)
  addSettings(command, [...databaseSettings, 'operatorNames']).action(run)
  finish(command, ['import history.ndjson.gz', 'export | tillgate import - --data-dir ./copy --json'])
}
