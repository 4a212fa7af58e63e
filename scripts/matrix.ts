import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { runCell, type CellResult } from '../test/support/matrix/cell.ts'
import { controls, type Control } from '../test/support/matrix/controls.ts'
import { faultNames, faults, isExcluded, whatLacks, type FaultName } from '../test/support/matrix/faults.ts'
import { keepOutcome, readOutcomes, writeTable, type Outcome } from '../test/support/matrix/outcomes.ts'
import { topologyNames, type TopologyName } from '../test/support/matrix/topologies.ts'

/**
 * The fault matrix of docs/operate/reliability.md. `npm run check -- matrix` runs every cell without an outcome;
 * `--topology`, `--fault` and `--again` select cells regardless of their outcome. Outcomes are stored in
 * docs/operate/reliability.json, from which the table of the page is generated. `--control` does damage that must be
 * detected, and stores no outcome.
 */
const { values } = parseArgs({
  options: {
    topology: { type: 'string', multiple: true },
    fault: { type: 'string', multiple: true },
    seconds: { type: 'string', default: '30' },
    seed: { type: 'string' },
    control: { type: 'string' },
    again: { type: 'boolean' },
    verbose: { type: 'boolean' },
  },
})

function chosen<Name extends string>(what: string, given: string[] | undefined, all: readonly Name[]): Name[] {
  const wrong = given?.find((name) => !all.includes(name as Name))
  if (wrong !== undefined) {
    console.error(`${what} ${wrong} does not exist: choose one of ${all.join(', ')}`)
    process.exit(2)
  }
  return (given ?? all) as Name[]
}

const topologiesAsked = chosen('topology', values.topology, topologyNames)
const faultsAsked = chosen('fault', values.fault, faultNames)
const [control] = values.control === undefined ? [] : chosen<Control>('control', [values.control], controls)
const seconds = Number(values.seconds)
/** A cell with fewer acknowledged pushes is not stored: it proves too little. */
const acknowledged = 40
const isNamed = values.topology !== undefined || values.fault !== undefined || values.again === true
let failed = 0

/** Returns the commit that runs, because outcomes belong to a commit. Ignores files that the runs themselves write. */
function readCommit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()
  const isChanged = git('status', '--porcelain', '--', 'src', 'test', 'package-lock.json') !== ''
  return `${git('rev-parse', '--short=10', 'HEAD')}${isChanged ? '+' : ''}`
}

const commit = readCommit()

for (const topology of topologiesAsked) {
  for (const fault of faultsAsked) {
    const done = readOutcomes().some((outcome) => outcome.topology === topology && outcome.fault === fault)
    if (done && !isNamed && !control) continue
    const why = isExcluded(topology, fault) || whatLacks(topology, fault)
    if (why !== false) {
      console.log(`${topology} × ${fault}: not run, ${why}`)
      continue
    }
    await one(topology, fault)
  }
}
if (!control) await writeTable()
process.exit(failed > 0 ? 1 : 0)

async function one(topology: TopologyName, fault: FaultName): Promise<void> {
  const seed = Number(values.seed ?? Date.now() % 1_000_000)
  const lines: string[] = []
  const log = (line: string) => {
    lines.push(line)
    if (values.verbose) console.log(`  ${line}`)
  }
  console.log(`${topology} × ${fault} (${faults[fault].about}), ${seconds} s, seed ${seed}`)
  const began = { topology, fault, seconds, seed, date: new Date().toISOString().slice(0, 10), commit }
  let outcome: Outcome
  try {
    const cell = { topology, fault, seconds, acknowledged, seed, log }
    outcome = { ...began, ...summary(await runCell({ ...cell, ...(control ? { control } : {}) })) }
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
    outcome = { ...began, harms: 0, faults: [`the run ended: ${reason}`], faultCount: 1, counts: null, lost: 0 }
  }
  const { faults: found, faultCount } = outcome
  console.log(`  ${JSON.stringify({ ...outcome.counts, harms: outcome.harms, lost: outcome.lost })}`)
  if (control) {
    console.log(faultCount > 0 ? `  the damage was found, ${faultCount} times:` : '  THE DAMAGE WAS NOT FOUND')
    for (const line of found.slice(0, 5)) console.log(`    ${line}`)
    if (faultCount === 0) failed += 1
    return
  }
  const stored = outcome.counts?.acknowledged ?? acknowledged
  if (faultCount === 0 && stored < acknowledged) {
    failed += 1
    console.log(`  only ${stored} pushes were acknowledged, which says too little: not kept`)
    return
  }
  keepOutcome(outcome)
  if (faultCount === 0) {
    console.log('  every rule held')
    return
  }
  failed += 1
  console.log([...(values.verbose ? [] : lines), ...found].map((line) => `    ${line}`).join('\n'))
  console.log(
    `  ${faultCount} faults; again: npm run check -- matrix --topology ${topology} --fault ${fault} --seed ${seed} --seconds ${seconds}`,
  )
}

function summary({ faults: found, counts, harms, lost }: CellResult) {
  return { harms, faults: found.slice(0, 20), faultCount: found.length, counts, lost }
}
