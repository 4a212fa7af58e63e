import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { IngestAnswer } from '../../../src/core/schemas/ingest.ts'
import { startApp, type Answer } from '../../support/app.ts'
import { everyRecord, idOf, linesOf, order, orderOf, smallOrderOf } from '../../support/records.ts'
import { assertProblem, assertRequestId, assertSchema } from './contract.ts'

const app = await startApp()

function answered(answer: Answer, status: 200 | 207): IngestAnswer {
  assert.equal(answer.status, status, answer.text.slice(0, 500))
  assert.match(String(answer.headers['content-type']), /^application\/json/)
  assertRequestId(answer)
  assertSchema(IngestAnswer, answer.json)
  return answer.json
}

test('[ING-1] POST /v1/ingest/ accepts NDJSON, a JSON array or one JSON object, plain or gzipped', async () => {
  for (const gzipped of [false, true]) {
    const site = await app.addLocation()
    const headers: Record<string, string> = gzipped ? { 'content-encoding': 'gzip' } : {}
    const pack = (text: string) => (gzipped ? gzipSync(text) : text)
    const bodies: [type: string, body: string | Buffer, count: number][] = [
      ['application/x-ndjson', pack(linesOf(everyRecord(site.id))), 7],
      ['application/json', pack(JSON.stringify(everyRecord(site.id))), 7],
      ['application/json', pack(JSON.stringify(order(orderOf(site.id, 2)))), 1],
    ]
    for (const [type, body, count] of bodies) {
      const { accepted, unchanged } = answered(await app.push(body, { key: site.key, type, headers }), 200)
      assert.equal(accepted + unchanged, count)
    }
  }
})

test('[ING-2] a record is accepted, unchanged or stale according to its updatedAt, and an invalid one is rejected by itself', async () => {
  const at = (second: number, guests: number) =>
    order(orderOf(app.location, 1, { guests, updatedAt: `2026-04-01T10:00:0${second}.000Z` }))
  const answer = await app.push([at(2, 1), at(2, 1), at(1, 2), { type: 'order', data: {} }, at(3, 3)])
  const { accepted, unchanged, stale, rejected, results } = answered(answer, 207)
  assert.deepEqual([accepted, unchanged, stale, rejected], [2, 1, 1, 1])
  assert.deepEqual(
    results.map(({ line, status }) => `${line} ${status}`),
    ['1 accepted', '2 unchanged', '3 stale', '4 rejected', '5 accepted'],
  )
  assert.equal((await app.get(`/v1/orders/${idOf('order', 1)}`)).json.guests, 3)
})

test('[ING-3] 200 if all records are stored or known, 207 if some are not, 400 if none is', async () => {
  const good = order(smallOrderOf(app.location, 10))
  answered(await app.push([good]), 200)
  answered(await app.push([good]), 200)
  answered(await app.push([good, {}]), 207)
  assertProblem(await app.push([{}]), { status: 400, code: 'nothing_usable' })
  assertProblem(await app.push(''), { status: 400, code: 'nothing_usable' })
})

test('[ING-4] a rejected record has its line, a code and the JSON Pointers of its faults; unknown fields are refused', async () => {
  const bad = order({ ...orderOf(app.location, 11), vat: 1, createdAt: '2026-02-30T00:00:00.000Z' })
  const [, result] = answered(await app.push([order(smallOrderOf(app.location, 10)), bad]), 207).results
  assert.deepEqual([result?.line, result?.status, result?.id], [2, 'rejected', idOf('order', 11)])
  const faults = (result?.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`)
  assert.deepEqual(faults.toSorted(), ['/data/createdAt invalid_datetime', '/data/vat unknown_field'])
})

test('[ING-5] a record of another location is refused, and changes nothing there', async () => {
  const foreign = order(smallOrderOf(app.other.id, 20))
  assertProblem(await app.push([foreign]), { status: 400, code: 'nothing_usable', pointers: ['/data/locationId'] })
  const elsewhere = order(smallOrderOf(randomUUID(), 21))
  assertProblem(await app.push([elsewhere]), { status: 400, code: 'nothing_usable', pointers: ['/data/locationId'] })
  assert.equal((await app.get('/v1/orders/', { key: app.other.key })).json.meta.totalCount, 0)
})

test('[ING-6] the next read returns what was accepted', async () => {
  for (let n = 100; n < 140; n++) {
    answered(await app.push([order(smallOrderOf(app.location, n))]), 200)
    assert.equal((await app.get(`/v1/orders/${idOf('order', n)}`)).status, 200)
  }
})

test('[ING-7] another content type or encoding is 415', async () => {
  const line = JSON.stringify(order(smallOrderOf(app.location, 1)))
  assertProblem(await app.push(line, { type: 'text/csv' }), { status: 415, code: 'media_type_unsupported' })
  const encoded = await app.push(line, { headers: { 'content-encoding': 'br' } })
  assertProblem(encoded, { status: 415, code: 'media_type_unsupported' })
})
