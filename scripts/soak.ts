import { parseArgs } from 'node:util'
import type { FaultName } from '../test/support/matrix/faults.ts'
import { runCell } from '../test/support/matrix/cell.ts'
import { topologyNames, type TopologyName } from '../test/support/matrix/topologies.ts'
import { soak } from '../test/support/soak.ts'

/**
 * Pushes, reads and delivers for a chosen time while parts are killed. `npm run check -- soak --minutes 30` runs
 * `test/support/soak.ts` on the embedded database. With `--topology citus`, or another topology of the matrix, it
 * repeats the cells of that topology in which parts are killed or paused. Prints the seed of each round.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    /** Seconds of pushing and killing per round; each round begins with an empty installation. */
    round: { type: 'string', default: '120' },
    seed: { type: 'string' },
    topology: { type: 'string' },
  },
})

const topology = topologyNames.find((name) => name === values.topology)
if (values.topology !== undefined && topology === undefined) {
  console.error(`topology ${values.topology} does not exist: choose one of ${topologyNames.join(', ')}`)
  process.exit(2)
}

type Round = { seconds: number; seed: number; log: (line: string) => void }

const harms: FaultName[] = ['kill', 'pause']
let rounds = 0

const onTopology = (name: TopologyName, round: Round) =>
  runCell({ ...round, topology: name, fault: harms[rounds++ % harms.length] as FaultName })

const endsAt = Date.now() + Number(values.minutes) * 60_000
let seed = Number(values.seed ?? Date.now() % 1_000_000)
for (; Date.now() < endsAt; seed++) {
  const seconds = Math.min(Number(values.round), Math.max((endsAt - Date.now()) / 1_000, 10))
  console.log(`seed ${seed}, ${Math.round(seconds)} s`)
  const lines: string[] = []
  const round = { seconds, seed, log: (line: string) => void lines.push(line) }
  const result = await (topology ? onTopology(topology, round) : soak(round)).catch((error: unknown) => {
    console.error(lines.join('\n'))
    throw error
  })
  const { faults, ...counts } = result
  console.log(JSON.stringify(counts))
  if (faults.length === 0) continue
  const again = `again: npm run check -- soak --seed ${seed} --minutes ${values.minutes}${topology ? ` --topology ${topology}` : ''}`
  console.error([...lines, ...faults, again].join('\n'))
  process.exit(1)
}
console.log('nothing lost, order kept')
process.exit(0)
