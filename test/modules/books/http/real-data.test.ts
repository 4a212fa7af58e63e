import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { startApp } from '../../../support/app.ts'
import { bookedAlike, fourSettings, type RawRecord } from '../../../support/books-compared.ts'

const app = await startApp({ clock: () => new Date('2026-03-14T20:00:00.000Z') })

/**
 * Real orders and Z reports of two restaurants: their sources state no license, so they are not part of the repository.
 */
const folder = process.env['TILLGATE_TEST_REAL_DATA'] ?? ''
const skip = existsSync(`${folder}/pizza-2015.ndjson.gz`)
  ? false
  : 'TILLGATE_TEST_REAL_DATA names no folder with real data'

for (const [name, reports] of [
  ['pizza-2015', 358],
  ['takeaway-2015-2019', 1210],
] as const) {
  test(
    `every Z of ${name} is booked in four settings like an independent calculation from the raw records`,
    { skip },
    async () => {
      const site = await app.addLocation()
      const text = gunzipSync(readFileSync(`${folder}/${name}.ndjson.gz`)).toString()
      const records = text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as RawRecord)
      const booked = await bookedAlike(app, site, records, fourSettings)
      assert.equal(booked, reports)
    },
  )
}
