import { writeFile } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { show, type Race } from './support/report.ts'
import { readResults, resultsPath, type Results } from './support/results.ts'
import { escape } from './support/svg.ts'

const width = 760
const labels = 190
const values = 90
const barHeight = 18
const rowHeight = 24

/** Colors for light and dark pages; Tillgate's is highlighted, and limits are pale. */
const style = `text{font:13px system-ui,sans-serif;fill:#24292f}.title{font-weight:600}.note{fill:#57606a;font-size:12px}
.ours{fill:#0f766e}.other{fill:#94a3b8}.limit{fill:none;stroke:#94a3b8;stroke-dasharray:3 2}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.note{fill:#8b949e}.ours{fill:#2dd4bf}.other,.limit{fill:#64748b}.limit{fill:none;stroke:#64748b}}`

const limits = /^(bare|database|a bare)/

function lane({ name, value }: Race['lanes'][number], unit: Race['unit'], share: number, y: number): string {
  const kind =
    name.startsWith('Tillgate') || name.startsWith('tillgate') ? 'ours' : limits.test(name) ? 'limit' : 'other'
  const length = Math.max(1, share * (width - labels - values)).toFixed(1)
  const middle = y + barHeight - 5
  return [
    `<text x="${labels - 8}" y="${middle}" text-anchor="end">${escape(name)}</text>`,
    `<rect class="${kind}" x="${labels}" y="${y}" width="${length}" height="${barHeight}" rx="2"/>`,
    `<text x="${(labels + Number(length) + 6).toFixed(1)}" y="${middle}">${escape(show(value, unit))}</text>`,
  ].join('')
}

/** Draws one group of bars; the longest is the best of the group. Also returns its height. */
function group({ title, unit, lanes }: Race, top: number): { svg: string; height: number } {
  const most = Math.max(...lanes.map(({ value }) => value))
  const sorted = lanes.toSorted((a, b) => b.value - a.value)
  const bars = sorted.map((one, i) => lane(one, unit, one.value / most, top + 26 + i * rowHeight))
  const heading = `<text class="title" x="0" y="${top + 16}">${escape(title)}</text>`
  return { svg: heading + bars.join(''), height: 26 + lanes.length * rowHeight + 14 }
}

/** Draws all comparisons one below the other, with the machine and the command. */
function drawChart({ machine, parts }: Results): string {
  const reports = Object.entries(parts).filter(([, { races }]) => races.length > 0)
  let top = 0
  const groups = reports.flatMap(([, { races }]) =>
    races.map((race) => {
      const { svg, height } = group(race, top)
      top += height
      return svg
    }),
  )
  const dates = [...new Set(reports.map(([, { date }]) => date))].toSorted().join(', ')
  const { cores, processor, memoryGiB, node } = machine
  const place = `${cores} cores (${processor}) and ${memoryGiB} GiB for client, server and database; Node ${node}; ${dates}`
  const notes = [
    `npm run bench -- ${reports.map(([name]) => name).join(' ')}`,
    place,
    'Dashed: what the machine does without the work.',
  ]
  const footer = notes.map((text, i) => `<text class="note" x="0" y="${top + 14 + i * 17}">${escape(text)}</text>`)
  const height = top + notes.length * 17 + 6
  const box = `xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`
  return `<svg ${box} role="img" aria-label="Benchmark of Tillgate"><style>${style}</style>${groups.join('')}${footer.join('')}</svg>\n`
}

const target = resolve(import.meta.dirname, '../docs/operate/benchmark.svg')

/** Draws the latest figures into the documentation; throws if there are none. */
export async function chart(): Promise<void> {
  const results = await readResults()
  if (!results) throw new Error(`there are no figures in ${resultsPath} yet: npm run bench`)
  await writeFile(target, drawChart(results))
  console.log(`drawn to ${relative(process.cwd(), target)}`)
}
