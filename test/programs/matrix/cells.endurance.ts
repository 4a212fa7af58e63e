import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCell, type CellOptions } from '../../support/matrix/cell.ts'
import { topologies } from '../../support/matrix/topologies.ts'

/** `npm run check -- matrix` runs the whole table, and for longer. */
const seconds = 8

const seed = Number(process.env['TILLGATE_MATRIX_SEED'] ?? Date.now() % 1_000_000)

async function run(options: Omit<CellOptions, 'seconds' | 'seed'>) {
  const lines: string[] = []
  const result = await runCell({ ...options, seconds, seed, log: (line) => lines.push(line) })
  return { ...result, log: `TILLGATE_MATRIX_SEED=${seed}\n${lines.join('\n')}` }
}

test('every rule holds on the embedded database while its parts are killed', async () => {
  const { faults, counts, log } = await run({ topology: 'embedded', fault: 'kill' })
  assert.deepEqual(faults, [], log)
  assert.ok(counts.acknowledged > 0 && counts.entries > 0, log)
})

const skip = topologies.own.missing

test('every rule holds on a PostgreSQL whose connections are cut at any byte', { skip }, async () => {
  const { faults, counts, log } = await run({ topology: 'own', fault: 'cut' })
  assert.deepEqual(faults, [], log)
  assert.ok(counts.acknowledged > 0, log)
})

test('a machine that loses written data is found', { skip }, async () => {
  const { faults, log } = await run({ topology: 'own', fault: 'none', control: 'forgotten-writes' })
  assert.ok(
    faults.some((fault) => fault.startsWith('1: ')),
    log,
  )
})
