import { delivery } from './delivery.ts'
import { depth } from './depth.ts'
import { readOptions, type Options } from './options.ts'
import { printReport, type Report } from './support/report.ts'
import { describeMachine, resultsPath, saveResults } from './support/results.ts'

const parts: Record<string, (options: Options) => Promise<Report>> = { depth, delivery }

function usage(fault: string): never {
  console.error(fault)
  console.error(
    `npm run bench -- [${Object.keys(parts).join('|')}]… [--quick] [--orders n] [--rounds n] [--profile dir]`,
  )
  process.exit(2)
}

function read() {
  try {
    return readOptions(process.argv.slice(2))
  } catch (error) {
    return usage((error as Error).message)
  }
}

const { parts: asked, options } = read()
const unknown = asked.filter((name) => !Object.hasOwn(parts, name))
if (unknown.length > 0) usage(`There is no part ${unknown.join(', ')}.`)

const machine = describeMachine()
const { cores, processor, memoryGiB, node, loadAverage } = machine
console.log(`${cores} cores (${processor}), ${memoryGiB} GiB, Node ${node}, load average ${loadAverage} before the run`)
for (const [name, run] of Object.entries(parts)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  const report = await run(options)
  printReport(report)
  if (!options.quick) await saveResults(machine, { [name]: report })
}
if (!options.quick) console.log(`\nWritten to ${resultsPath}; "node bench/chart.ts" draws it`)
