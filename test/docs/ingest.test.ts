import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { blocksOf } from '../support/guide-blocks.ts'

/** The clock is set to soon after the times in the records, so that none is so old that it causes a warning. */
const app = await startApp({ clock: () => new Date('2026-03-20T12:00:00.000Z') })
const blocks = blocksOf('docs/contract/ingest.md')

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

test('the order and the report of the page are accepted, agree with each other, and have only the warnings that they name', async () => {
  const { id, key } = await app.addLocation()
  const records = recordsOf(blockWith('"type":"report"', 'json'), id)
  assert.equal(records.length, 2)
  const { accepted, results } = await app.store(records, key)
  assert.equal(accepted, 2)
  // The page's till, catalog and restaurant differ from those of the test.
  for (const { code } of results.flatMap(({ warnings }) => warnings ?? []))
    assert.match(code, /^unknown_(device|product)$/)
  const { json } = await app.get('/v1/reports/7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11/reconciliation', { key })
  assert.deepEqual([json.balanced, json.differences], [true, []])
})

test('the push of the page is answered as the page shows', async () => {
  const { id, key } = await app.addLocation()
  const [, body = ''] = /<<'END'\n([^]*?)END\n/.exec(blockWith('--data-binary', 'sh')) ?? []
  const answer = await app.push(body, { key })
  assert.equal(answer.status, 207)
  const shown = JSON.parse(blockWith('"resultsOmitted"', 'json').replaceAll(pageLocation, id))
  for (const results of [answer.json.results, shown.results]) for (const result of results) delete result.sequence
  assert.deepEqual(answer.json, shown)
})

test('the till status of the page is accepted', async () => {
  const { id, key } = await app.addLocation()
  const { accepted } = await app.store(recordsOf(blockWith('"device.status"', 'json'), id), key)
  assert.equal(accepted, 1)
})

test('the answers of the page to till makers are correct', async () => {
  const { id, key } = await app.addLocation()
  const [{ data }] = recordsOf(blockWith('"type":"report"', 'json'), id) as [{ data: any }]
  const rehearse = async (changes: object) => {
    const body = JSON.stringify({ type: 'order', data: { ...data, ...changes } })
    const headers = { 'content-type': 'application/json' }
    const { json } = await app.request('POST', '/v1/ingest/?dryRun=true', { key, headers, body })
    const [result] = json.results ?? []
    return [result?.status ?? json.code, ...(result?.warnings ?? []).map(({ code }: { code: string }) => code)].filter(
      (code) => !code.startsWith('unknown_'),
    )
  }
  const [item] = data.items
  assert.deepEqual(await rehearse({}), ['accepted'])
  assert.deepEqual(await rehearse({ createdAt: undefined, updatedAt: undefined }), ['accepted', 'created_at_missing'])
  assert.deepEqual(await rehearse({ customerId: null }), ['rejected'])
  assert.deepEqual(await rehearse({ operatorId: '6f9619ff-8b86-5011-b42d-00cf4fc964ff' }), ['accepted'])
  const handedOver = [{ ...data.payments[0], paymentAmount: 20 }]
  assert.deepEqual(await rehearse({ payments: handedOver }), ['accepted', 'payments_mismatch'])
  const discount = { discountName: 'Remise', discountValue: 2, discountCatalogId: item.itemCatalogId }
  const reduced = { ...item, unitPrice: 13, total: 11, discountsApplied: [discount] }
  assert.deepEqual(await rehearse({ items: [reduced], totalDiscount: 2 }), ['accepted'])
  for (const total of [0, 11]) {
    const canceled = {
      isCanceled: true,
      total,
      totalTax: total / 11,
      items: [{ ...item, isCanceled: true }],
      payments: [],
    }
    assert.equal((await rehearse(canceled))[0], 'accepted')
  }
})
