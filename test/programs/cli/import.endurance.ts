import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findRealData, tillgateJson, toUrl } from '../../support/cli.ts'
import { createDatabase } from '../../support/database.ts'

const database = await createDatabase()
const env = { DATABASE_URL: toUrl(database.connection) }

describe('import of real orders', () => {
  const [year, years] = [findRealData('pizza-2015.ndjson.gz'), findRealData('takeaway-2015-2019.ndjson.gz')]
  const skip = (year === undefined || years === undefined) && 'the files lie beside the checkout, in ../shared/data'
  const none = { accepted: 0, unchanged: 0, stale: 0, rejected: 0, warned: 0 }

  test('stores a whole year of a pizza shop', { skip }, async () => {
    assert.deepEqual(await tillgateJson(['import', year as string], { env }), { ...none, accepted: 21_713 })
  })

  test('stores four whole years of a takeaway, twice', { skip }, async () => {
    assert.deepEqual(await tillgateJson(['import', years as string], { env }), { ...none, accepted: 14_612 })
    assert.deepEqual(await tillgateJson(['import', years as string], { env }), { ...none, unchanged: 14_612 })
  })

  test('leaves valid journals', async () => {
    const { verified } = await tillgateJson(['verify'], { env })
    assert.equal(verified, true)
  })
})
