import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { faultNames, faults, isExcluded, type FaultName } from './faults.ts'
import type { Judgement } from './rules.ts'
import { topologies, topologyNames, type TopologyName } from './topologies.ts'

/** The last outcome of a cell. `faults` lists the first of the `faultCount` faults. */
export type Outcome = {
  topology: TopologyName
  fault: FaultName
  seconds: number
  seed: number
  date: string
  /** The commit that ran, abbreviated; with a `+` if files differed from it. Absent in older outcomes. */
  commit?: string
  harms: number
  faults: string[]
  faultCount: number
  /** Null if the run ended before it could be judged. */
  counts: Judgement['counts'] | null
  lost: number
}

const docs = join(import.meta.dirname, '../../../docs/operate')

const kept = join(docs, 'reliability.json')

const page = join(docs, 'reliability.md')

/** The markers around the table in the page. */
const [begin, end] = ['<!-- table: npm run check -- matrix -->', '<!-- end of the table -->']

export function readOutcomes(): Outcome[] {
  return JSON.parse(readFileSync(kept, 'utf8')) as Outcome[]
}

/** Replaces the earlier outcome of the cell. */
export function keepOutcome(outcome: Outcome): void {
  const others = readOutcomes().filter(
    ({ topology, fault }) => topology !== outcome.topology || fault !== outcome.fault,
  )
  const place = ({ topology, fault }: Outcome) => topologyNames.indexOf(topology) * 100 + faultNames.indexOf(fault)
  const all = [...others, outcome].toSorted((a, b) => place(a) - place(b))
  writeFileSync(kept, `${JSON.stringify(all, null, 2)}\n`)
}

const when = ({ seed, date, commit }: Outcome) => `(seed ${seed}, ${date}${commit === undefined ? '' : `, ${commit}`})`

function cellText(topology: TopologyName, fault: FaultName, outcomes: readonly Outcome[]): string {
  const outcome = outcomes.find((one) => one.topology === topology && one.fault === fault)
  if (!outcome) return isExcluded(topology, fault) === false ? 'not run' : '–'
  const { faultCount, counts, harms, lost } = outcome
  if (faultCount > 0) return `**${faultCount} faults** ${when(outcome)}`
  const loss = lost > 0 ? `, ${lost} lost and reported` : ''
  return `held: ${counts?.entries}, ${harms}×${loss}`
}

/** Returns the table of the page, made from the outcomes. */
function drawTable(outcomes: readonly Outcome[]): string {
  const rows = topologyNames.map((topology) => {
    const cells = faultNames.map((fault) => cellText(topology, fault, outcomes))
    return `| ${topologies[topology].about} | ${cells.join(' | ')} |`
  })
  const head = `| | ${faultNames.map((fault) => faults[fault].about).join(' | ')} |`
  return [head, `|---|${faultNames.map(() => '---').join('|')}|`, ...rows].join('\n')
}

/** Returns the page with the table made from the outcomes. */
export function withTable(text: string, outcomes: readonly Outcome[]): string {
  const from = text.indexOf(begin) + begin.length
  return `${text.slice(0, from)}\n\n${drawTable(outcomes)}\n\n${text.slice(text.indexOf(end))}`
}

export async function writeTable(): Promise<void> {
  writeFileSync(page, withTable(readFileSync(page, 'utf8'), readOutcomes()))
}
