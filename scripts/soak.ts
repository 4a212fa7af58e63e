import { parseArgs } from 'node:util'
import { soak } from '../test/support/soak.ts'

/** The soak of `test/delivery/soak.endurance.ts` for longer: `npm run soak -- --minutes 30`. Prints the seed of each round. */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    /** Seconds of pushing and killing per round; each round begins with an empty installation. */
    round: { type: 'string', default: '120' },
    seed: { type: 'string' },
  },
})

const endsAt = Date.now() + Number(values.minutes) * 60_000
let seed = Number(values.seed ?? Date.now() % 1_000_000)
for (; Date.now() < endsAt; seed++) {
  const seconds = Math.min(Number(values.round), Math.max((endsAt - Date.now()) / 1_000, 10))
  console.log(`seed ${seed}, ${Math.round(seconds)} s`)
  const lines: string[] = []
  const result = await soak({ seconds, seed, log: (line) => lines.push(line) }).catch((error: unknown) => {
    console.error(lines.join('\n'))
    throw error
  })
  const { faults, ...counts } = result
  console.log(JSON.stringify(counts))
  if (faults.length === 0) continue
  console.error([...lines, ...faults, `again: npm run soak -- --seed ${seed} --minutes ${values.minutes}`].join('\n'))
  process.exit(1)
}
console.log('nothing lost, order kept')
