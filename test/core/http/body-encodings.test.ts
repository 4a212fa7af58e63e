import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { assertProblem } from '../conformance/contract.ts'
import { startApp } from '../../support/app.ts'
import { order, smallOrderOf } from '../../support/records.ts'

const app = await startApp()
const record = JSON.stringify(order(smallOrderOf(app.location, 1)))
const webhook = JSON.stringify({
  events: ['order.paid'],
  endpointUrl: 'https://partner.example/',
  locationId: app.location,
  recipientId: app.location,
})

test('a body in a charset other than UTF-8 is a 415 that asks for UTF-8', async () => {
  for (const [path, type, body] of [
    ['/v1/ingest/', 'application/x-ndjson', record],
    ['/v1/ingest/', 'application/json', record],
    ['/v1/webhooks/', 'application/json', webhook],
  ] as const) {
    const send = (charset: string) => app.request('POST', path, { headers: { 'content-type': type + charset }, body })
    for (const charset of ['; charset=latin1', ';charset="UTF-16"', '; a=b; Charset = iso-8859-15']) {
      const problem = assertProblem(await send(charset), { status: 415, code: 'media_type_unsupported' })
      assert.match(problem.detail, /^charset .* is not supported: send UTF-8$/)
    }
    for (const charset of ['', '; charset=utf-8', '; charset="UTF8"', ';charset=US-ASCII']) {
      assert.ok((await send(charset)).status < 300, `${path} ${charset}`)
    }
  }
})

test('the answer to a body that is not gzip, or is truncated, states this', async () => {
  const push = (type: string, body: string | Buffer) =>
    app.push(body, { type, headers: { 'content-encoding': 'gzip' } })
  for (const [body, detail] of [
    [record, /the body is not gzip, although Content-Encoding says so/],
    [gzipSync(record).subarray(0, -12), /the gzip data of the body is incomplete/],
    [
      Buffer.concat([gzipSync(record).subarray(0, -8), Buffer.alloc(8)]),
      /the gzip data of the body is damaged: incorrect data check/,
    ],
  ] as const) {
    assert.match(
      assertProblem(await push('application/json', body), { status: 400, code: 'body_invalid' }).detail,
      detail,
    )
    const { json } = await push('application/x-ndjson', body)
    assert.equal(json.stopped.code, 'gzip_invalid')
    assert.match(json.stopped.detail, detail)
  }
})
