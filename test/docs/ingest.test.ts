import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { blocksOf } from '../support/guide-blocks.ts'

const app = await startApp()
const blocks = blocksOf('docs/ingest.md')

/** The location that the page writes to. */
const pageLocation = '272461e9-4fd9-5db0-b95b-cc91735b6bf6'

function blockWith(text: string, language: string): string {
  const block = blocks.find((one) => one.language === language && one.text.includes(text))
  assert.ok(block, `the page has a block with ${text}`)
  return block.text
}

/** Records of a block that is wrapped for readers: each begins at the start of a line. */
const recordsOf = (text: string, location: string): unknown[] =>
  text
    .replaceAll(pageLocation, location)
    .split(/\n(?=\{)/)
    .map((record) => JSON.parse(record))

test('the order and the report of the page are accepted, agree with each other, and are warned of nothing but what they name', async () => {
  const { id, key } = await app.addLocation()
  const records = recordsOf(blockWith('"type":"report"', 'json'), id)
  assert.equal(records.length, 2)
  const { accepted, results } = await app.store(records, key)
  assert.equal(accepted, 2)
  // The page's till, catalog and restaurant are not those of the test.
  for (const { code } of results.flatMap(({ warnings }) => warnings ?? []))
    assert.match(code, /^unknown_(device|product)$/)
  const { json } = await app.get('/v1/reports/7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11/reconciliation', { key })
  assert.deepEqual([json.balanced, json.differences], [true, []])
})

test('the push of the page is answered as the page says', async () => {
  const { id, key } = await app.addLocation()
  const [, body = ''] = /<<'END'\n([^]*?)END\n/.exec(blockWith('--data-binary', 'sh')) ?? []
  const answer = await app.push(body, { key })
  assert.equal(answer.status, 207)
  const shown = JSON.parse(blockWith('"resultsOmitted"', 'json').replaceAll(pageLocation, id))
  for (const results of [answer.json.results, shown.results]) for (const result of results) delete result.sequence
  assert.deepEqual(answer.json, shown)
})

test('the status of a till on the page is accepted', async () => {
  const { id, key } = await app.addLocation()
  const { accepted } = await app.store(recordsOf(blockWith('"device.status"', 'json'), id), key)
  assert.equal(accepted, 1)
})
