import assert from 'node:assert/strict'
import { test } from 'node:test'
import { liveSources } from '../../../src/modules/sources/schemas/sources.ts'
import { createDatabase } from '../../support/database.ts'
import { checkSeed } from './polling.ts'

const seeds = Number(process.env['TILLGATE_SOURCE_SEEDS'] ?? 300)

for (const adapter of liveSources) {
  const { pool } = await createDatabase()
  test(`${adapter}: ${seeds} seeds of faults, edits and kills`, { timeout: 3_600_000 }, async () => {
    const met = new Set<string>()
    for (let seed = 1; seed <= seeds; seed++) {
      for (const fault of (await checkSeed(pool, adapter, 1_000 + seed)).keys()) met.add(fault)
    }
    assert.equal(met.size, 8, `not every fault came: ${[...met].join(', ')}`)
  })
}
