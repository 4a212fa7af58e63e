import { test } from 'node:test'
import { liveSources } from '../../../src/modules/sources/schemas/sources.ts'
import { createDatabase } from '../../support/database.ts'
import { checkSeed } from './polling.ts'

const { pool } = await createDatabase()

for (const adapter of liveSources) {
  test(`whatever ${adapter} and its network do, and wherever the poller is killed, everything is stored in the end`, async () => {
    await checkSeed(pool, adapter, 1)
  })
}
