import { abuse } from './abuse.ts'
import { against } from './against.ts'
import { books } from './books.ts'
import { chart } from './chart.ts'
import { citus } from './citus.ts'
import { consoleBench } from './console.ts'
import { delivery } from './delivery.ts'
import { depth } from './depth.ts'
import { figures } from './figures.ts'
import { growth } from './growth.ts'
import { flame } from './flame.ts'
import { ingest } from './ingest.ts'
import { summarizeProfile } from './profile.ts'
import { isolation } from './isolation.ts'
import { plans } from './plans.ts'
import { reads } from './reads.ts'
import { sizes } from './sizes.ts'
import { sources } from './sources.ts'
import { sql } from './sql.ts'
import { start } from './start.ts'
import { tracing } from './tracing.ts'
import { spawnSync } from 'node:child_process'
import { readOptions, type Options } from './options.ts'
import { endChildren, endChildrenWhenInterrupted } from './support/children.ts'
import { isMissed, printReport, type Report } from './support/report.ts'
import { describeMachine, resultsPath, saveResults } from './support/results.ts'

const parts: Record<string, (options: Options) => Promise<Report>> = {
  reads,
  ingest,
  delivery,
  depth,
  figures,
  books,
  sources,
  console: consoleBench,
  growth,
  sizes,
  start,
  sql,
  plans,
  citus,
  abuse,
  isolation,
  tracing,
  against,
}

/** Parts that need more than a checkout, or take too long to run with the others. */
const onlyAsked: ReadonlySet<string> = new Set(['citus', 'console', 'against', 'growth'])

/** Programs that a part requires, with the Debian package of each. */
const needed: Record<string, readonly string[]> = Object.fromEntries(
  ['reads', 'against', 'citus', 'ingest', 'start', 'tracing'].map((part) => [part, ['wrk']]),
)

function requirePrograms(names: readonly string[]): void {
  const missing = [...new Set(names.flatMap((name) => needed[name] ?? []))].filter(
    (program) => spawnSync(program, ['--version']).error !== undefined,
  )
  if (missing.length > 0) usage(`This needs ${missing.join(', ')} (Debian: apt-get install ${missing.join(' ')}).`)
}

function usage(fault: string): never {
  console.error(fault)
  console.error(
    `npm run bench -- [${Object.keys(parts).join('|')}]… [--quick] [--orders n] [--entries n] [--rounds n] [--profile dir] [--only 1,8|bulk,beside] [--checkout dir]`,
  )
  console.error('npm run bench -- chart                   draws the latest figures')
  console.error('npm run bench -- profile <.cpuprofile>…  tells where the time of a profiled server went')
  console.error('npm run bench -- flame <.cpuprofile> <.svg>  draws it as a flame graph')
  process.exit(2)
}

function read() {
  try {
    return readOptions(process.argv.slice(2))
  } catch (error) {
    return usage((error as Error).message)
  }
}

async function runParts(asked: readonly string[], options: Options): Promise<void> {
  const unknown = asked.filter((name) => !Object.hasOwn(parts, name))
  if (unknown.length > 0) usage(`There is no part ${unknown.join(', ')}.`)
  const names = Object.keys(parts).filter((name) => (asked.length > 0 ? asked.includes(name) : !onlyAsked.has(name)))
  requirePrograms(names)
  endChildrenWhenInterrupted()
  const machine = describeMachine()
  const { cores, processor, memoryGiB, node, loadAverage } = machine
  console.log(
    `${cores} cores (${processor}), ${memoryGiB} GiB, Node ${node}, load average ${loadAverage} before the run`,
  )
  for (const name of names) {
    const report = await (parts[name] as (typeof parts)[string])(options)
    printReport(report)
    if (isMissed(report)) process.exitCode = 1
    if (!options.quick) await saveResults(machine, { [name]: report })
  }
  if (!options.quick) console.log(`\nWritten to ${resultsPath}; npm run bench -- chart draws it`)
}

const { parts: asked, options } = read()
if (asked[0] === 'chart') await chart()
else if (asked[0] === 'flame' && asked.length === 3) await flame(String(asked[1]), String(asked[2]))
else if (asked[0] === 'profile') for (const path of asked.slice(1)) await summarizeProfile(path)
else {
  await runParts(asked, options).catch(async (error: Error) => {
    console.error(`error: ${process.env['TILLGATE_DEBUG'] === '1' ? error.stack : error.message}`)
    process.exitCode = 2
    await endChildren()
  })
}
