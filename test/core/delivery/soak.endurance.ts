import assert from 'node:assert/strict'
import { test } from 'node:test'
import { soak } from '../../support/soak.ts'

/** `npm run check -- soak` runs longer, with other seeds. */
const seconds = 30
const usualSeed = 20_260_314

test(`nothing is lost and the order is kept while every process, including the database, is killed at random`, async () => {
  const seed = Number(process.env['TILLGATE_SOAK_SEED'] ?? usualSeed)
  const lines: string[] = []
  const result = await soak({ seconds, seed, log: (line) => lines.push(line) }).catch((error: unknown) => {
    throw new Error(`TILLGATE_SOAK_SEED=${seed}\n${lines.join('\n')}`, { cause: error })
  })
  const log = `TILLGATE_SOAK_SEED=${seed}\n${lines.join('\n')}\n`
  assert.deepEqual(result.faults, [], log)
  assert.ok(result.entries > 0 && result.deliveries > 0, log)
  assert.ok(result.receipts >= result.deliveries, log)
  const killed = Object.keys(result.kills).length
  assert.ok(killed > 0, `${log}nothing was killed`)
})
