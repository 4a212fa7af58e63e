import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { databaseSettings, readConfig } from '../../src/core/config.ts'
import { CliError, Interrupted } from '../../src/core/server/errors.ts'
import { openDatabase } from '../../src/core/server/database.ts'
import { showNotices } from '../../src/core/cli/database.ts'
import { catchInterrupts } from '../../src/core/cli/terminal/interrupts.ts'
import { addSettings, finish, readNumber, readInteger } from '../../src/core/cli/terminal/options.ts'
import { count, note, print, printJson, some } from '../../src/core/cli/terminal/output.ts'
import { showProgress } from '../../src/core/cli/terminal/progress.ts'
import { toOutputError, writeRecords } from '../../src/core/cli/record-output.ts'
import { addScenarioOptions, readScenario, type ScenarioFlags } from './simulate/options.ts'
import { checkSites, type Checked } from './simulate/check.ts'
import { drive, type LoadResult } from './simulate/load.ts'
import { Expectation, recordsOf, restaurantOf, type Scenario } from './simulate/sites.ts'
import { createSites, siteOfKey } from './simulate/setup.ts'
import { createTillClient } from './simulate/till-client.ts'

type SimulateFlags = ScenarioFlags & {
  locations: string
  toUrl?: string
  key?: string
  out?: string
  concurrency: string
  batch: string
  speed?: string
  json?: true
}

type Numbers = { locations: number; concurrency: number; batch: number; speed: number | null }

function readNumbers(flags: SimulateFlags): Numbers {
  return {
    locations: readInteger('--locations', flags.locations, 1, 100_000),
    concurrency: readInteger('--concurrency', flags.concurrency, 1, 1_000),
    batch: readInteger('--batch', flags.batch, 1, 500),
    speed: flags.speed === undefined ? null : readNumber('--speed', flags.speed, 0.001, 1_000_000),
  }
}

const linesAtOnce = 200

/**
 * Yields the records of one location after another, as `import` reads them; `speed` makes it wait for the moment of
 * each record.
 */
async function* recordLines(
  scenario: Scenario,
  { locations, speed }: Numbers,
  signal: AbortSignal,
  onProgress: (simulatedMs: number, records: number) => void,
): AsyncGenerator<Buffer> {
  const from = scenario.from.getTime()
  const began = performance.now()
  let records = 0
  let lines: string[] = []
  for (let number = 1; number <= locations; number += 1) {
    const before = (number - 1) * (scenario.to.getTime() - from)
    for (const { at, record } of recordsOf(restaurantOf(scenario, number), scenario, new Expectation(scenario.from))) {
      signal.throwIfAborted()
      const early = speed === null ? 0 : began + (at.getTime() - from) / speed - performance.now()
      if (lines.length >= linesAtOnce || (early > 1 && lines.length > 0)) {
        yield Buffer.from(lines.splice(0).join(''))
        onProgress(before + at.getTime() - from, records)
      }
      if (early > 1) await delay(early, undefined, { signal })
      lines.push(`${JSON.stringify(record)}\n`)
      records += 1
    }
  }
  yield Buffer.from(lines.join(''))
  onProgress(locations * (scenario.to.getTime() - from), records)
}

async function writeOut(
  scenario: Scenario,
  numbers: Numbers,
  flags: SimulateFlags,
  signal: AbortSignal,
): Promise<void> {
  const { out } = flags
  if (numbers.speed !== null && numbers.locations > 1) {
    throw new CliError('usage', '--speed writes one location: remove --locations, or push with --to-url')
  }
  const progress = showProgress(numbers.locations * (scenario.to.getTime() - scenario.from.getTime()))
  let records = 0
  const lines = recordLines(scenario, numbers, signal, (simulatedMs, written) => {
    records = written
    progress.update(simulatedMs, written)
  })
  try {
    await writeRecords(Readable.from(lines, { objectMode: false, highWaterMark: 1024 * 1024 }), out)
  } catch (error) {
    throw toOutputError(error, out)
  } finally {
    progress.stop()
  }
  const result = { locations: numbers.locations, records, from: scenario.from, to: scenario.to }
  // Standard output carries the records.
  const isFile = out !== undefined && out !== '-'
  if (flags.json && isFile) printJson(result)
  else note(flags.json ? JSON.stringify(result) : `${some(numbers.locations, 'location')}, ${some(records, 'record')}`)
}

const milliseconds = (nanoseconds: number) => Math.round(nanoseconds / 1e4) / 100

function latencyOf({ latencies }: LoadResult) {
  const at = (percentile: number) => milliseconds(latencies.percentile(percentile))
  return { p50: at(50), p90: at(90), p95: at(95), p99: at(99), max: milliseconds(latencies.max) }
}

function summarize(result: LoadResult, checked: Checked): void {
  const { records, requests, repeated, accepted, unchanged, stale, rejected, seconds, behindMs, complaints } = result
  const again = repeated > 0 ? `; sent ${some(repeated, 'request')} again` : ''
  const behind = behindMs === null ? '' : `; at most ${(behindMs / 1000).toFixed(1)} s behind`
  print(`${some(records, 'record')} in ${some(requests, 'request')}, ${seconds.toFixed(1)} s${again}${behind}`)
  print(
    `accepted ${count(accepted)}, ${count(Math.round(accepted / seconds))} a second; unchanged ${count(unchanged)}, ` +
      `stale ${count(stale)}, rejected ${count(rejected)}`,
  )
  const latency = Object.entries(latencyOf(result)).map(([name, ms]) => `${name} ${ms} ms`)
  print(`latency of a request: ${latency.join(', ')}`)
  for (const complaint of complaints) note(complaint)
  const { locations, reports, mismatches, mismatchCount } = checked
  const what = `${some(locations, 'location')}: orders, reports and journal heads; ${some(reports, 'report')} reconciled`
  print(`checked ${what}: ${mismatchCount === 0 ? 'all match' : `${count(mismatchCount)} do not match`}`)
  for (const mismatch of mismatches) note(mismatch)
}

async function pushTo(
  url: string,
  { scenario, numbers, flags }: { scenario: Scenario; numbers: Numbers; flags: SimulateFlags },
  signal: AbortSignal,
): Promise<void> {
  const { concurrency, batch, speed, locations } = numbers
  if (flags.key !== undefined && locations > 1)
    throw new CliError('usage', '--key belongs to one location: use --locations 1, or remove --key')
  const client = createTillClient(url, { connections: concurrency, patienceMs: 60_000 })
  const progress = showProgress(locations * (scenario.to.getTime() - scenario.from.getTime()))
  let shown = progress
  try {
    const sites =
      flags.key === undefined
        ? await createSitesIn(scenario, locations, flags, signal)
        : [await siteOfKey(scenario, flags.key, client, signal)]
    const onProgress = (simulatedMs: number, records: number) => progress.update(simulatedMs, records)
    const result = await drive({ sites, scenario, client, concurrency, batch, speed, signal, onProgress })
    progress.stop()
    shown = showProgress(sites.length)
    const onChecked = (done: number) => shown.update(done, result.records)
    const checked = await checkSites({ sites, client, concurrency, signal, onProgress: onChecked })
    shown.stop()
    const { latencies: _, complaints: __, ...counts } = result
    const acceptedPerSecond = Math.round((result.accepted / result.seconds) * 10) / 10
    if (flags.json) printJson({ locations, ...counts, acceptedPerSecond, latencyMs: latencyOf(result), checked })
    else summarize(result, checked)
    if (checked.mismatchCount > 0 || result.rejected > 0) process.exitCode = 1
  } catch (error) {
    throw explainKey(error, flags.key !== undefined)
  } finally {
    shown.stop()
    await client.close()
  }
}

/** Explains why a key that was just made is unknown: the server uses another database. */
function explainKey(error: unknown, isOwnKey: boolean): unknown {
  if (isOwnKey || !(error instanceof CliError) || error.code !== 'key_unknown') return error
  const remedy = 'pass the --data-dir or DATABASE_URL of the server, or one of its keys with --key'
  return new CliError('other_database', `the server does not know the created keys: ${remedy}`)
}

/** Makes the locations and keys of a run: the database is needed for nothing else. */
async function createSitesIn(scenario: Scenario, locations: number, flags: SimulateFlags, signal: AbortSignal) {
  const config = readConfig(databaseSettings, flags as unknown as Record<string, unknown>, process.env)
  const database = await openDatabase(config, { signal })
  showNotices(database)
  try {
    return await createSites(database.pool, scenario, locations, signal)
  } finally {
    await database.close()
  }
}

async function run(flags: SimulateFlags): Promise<void> {
  const scenario = readScenario(flags, new Date())
  const numbers = readNumbers(flags)
  if (flags.toUrl !== undefined && flags.out !== undefined) {
    throw new CliError('usage', 'give either --to-url or --out')
  }
  const interrupts = catchInterrupts()
  const { signal } = interrupts
  try {
    const work =
      flags.toUrl === undefined
        ? writeOut(scenario, numbers, flags, signal)
        : pushTo(flags.toUrl, { scenario, numbers, flags }, signal)
    await work
  } catch (error) {
    // An error after a signal is a consequence of the signal.
    throw signal.aborted ? (signal.reason as Interrupted) : error
  } finally {
    interrupts.release()
  }
}

export function define(command: Command): void {
  command.description(
    'Write the records of simulated restaurants to a file, or push them to a running server. With --to-url it ' +
      'creates the locations and their keys in the database of the server, pushes, and then compares the ' +
      'answers of the server with the records. Exits with 1 if something differs.',
  )
  addScenarioOptions(command)
    .option('--locations <n>', 'number of restaurants, each with its own location', '1')
    .option('--out <file>', 'file to write, compressed if it ends with .gz (default: standard output)')
    .option('--to-url <url>', 'push to the server with this base URL')
    .option('--key <key>', 'push with this key of one location (scopes read, ingest) instead of creating locations')
    .option('--concurrency <n>', 'number of concurrent requests', '8')
    .option('--batch <n>', 'records per request; with --speed each record is sent alone', '50')
    .option(
      '--speed <factor>',
      'speed of the simulated time: 1 is real time, 60 is an hour per minute (default: no waiting)',
    )
  addSettings(command, databaseSettings).action(run)
  finish(command, [
    'simulate --from 2026-03-01 --to 2026-03-31 --out march.ndjson.gz',
    'simulate --locations 1000 --from 2026-03-01 --to 2026-03-07 --to-url http://127.0.0.1:4747 --concurrency 32',
    'simulate --speed 60 --late-tills 0.5 --duplicates 0.1 --to-url http://127.0.0.1:4747',
  ])
}
