import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { IngestAnswer, type RecordResult } from '../../../src/core/schemas/ingest.ts'
import { listRejected } from '../../../src/core/store/pushes/rejected.ts'
import { assertProblem, assertSchema } from '../conformance/contract.ts'
import { startApp } from '../../support/app.ts'
import { idOf, itemOf, locationOf, order, orderOf, reportOf, smallOrderOf } from '../../support/records.ts'
import { assertSound } from './soundness.ts'

const app = await startApp()
const { location } = app

const good = (n: number, locationId = location) => JSON.stringify(order(smallOrderOf(locationId, n)))

/** Returns the record's verdict, and the pointer of its first error. */
const fate = ({ status, code, errors }: RecordResult) =>
  [status, code, errors?.[0]?.pointer].filter((part) => part !== undefined).join(' ')

/** Pushes lines to a new location. Checks the response against its schema, and the stored data for consistency. */
async function fates(lines: string | Buffer, headers: Record<string, string> = {}) {
  const { id, key } = await app.addLocation()
  const body = Buffer.isBuffer(lines) ? lines : lines.replaceAll(location, id)
  const answer = await app.push(body, { key, headers })
  if (answer.status !== 400) assertSchema(IngestAnswer, answer.json)
  else assertProblem(answer, { status: 400, code: 'nothing_usable' })
  await assertSound(app.pool, id)
  return { id, key, status: answer.status, answer: answer.json, fates: answer.json.results.map(fate) as string[] }
}

const changed = (changes: object) => JSON.stringify(order({ ...orderOf(location, 1), ...changes }))
const inItem = (changes: object) => changed({ items: [{ ...itemOf(1), ...changes }] })
const spelled = (from: string, to: string) => JSON.stringify(order(orderOf(location, 1))).replace(from, to)
const without = (key: string) => {
  const { [key]: _, ...rest } = orderOf(location, 1) as Record<string, unknown>
  return JSON.stringify(order(rest))
}

const refused: [what: string, line: string | Buffer, fate: string][] = [
  ['an unknown field', changed({ vatNumber: 1 }), 'unknown_field /data/vatNumber'],
  ['an unknown field deep inside', inItem({ allergens: [] }), 'unknown_field /data/items/0/allergens'],
  ['the field __proto__', spelled('"guests"', '"__proto__":{},"guests"'), 'unknown_field /data/__proto__'],
  ['the field constructor', changed({ constructor: 1 }), 'unknown_field /data/constructor'],
  ['a required field left out', without('orderNumber'), 'missing /data/orderNumber'],
  ['an id left out', without('id'), 'missing /data/id'],
  ['null where the field is not nullable', changed({ operatorName: null }), 'invalid_type /data/operatorName'],
  ['text where a number belongs', changed({ total: '12.50' }), 'invalid_type /data/total'],
  ['text instead of a number, NaN', changed({ total: 'NaN' }), 'invalid_type /data/total'],
  ['a number where text belongs', changed({ orderNumber: 5 }), 'invalid_type /data/orderNumber'],
  ['a number where a flag belongs', changed({ isCanceled: 0 }), 'invalid_type /data/isCanceled'],
  ['a fraction where an integer belongs', changed({ guests: 1.5 }), 'invalid_type /data/guests'],
  ['an object where a list belongs', changed({ items: {} }), 'invalid_type /data/items'],
  ['a list where an object belongs', inItem({ tax: [] }), 'invalid_type /data/items/0/tax'],
  ['null in a list', changed({ items: [null] }), 'invalid_type /data/items/0'],
  [
    'a date that does not exist',
    changed({ createdAt: '2026-02-30T10:00:00.000Z' }),
    'invalid_datetime /data/createdAt',
  ],
  ['a time with an offset', changed({ openedAt: '2026-03-01T10:00:00.000+01:00' }), 'invalid_datetime /data/openedAt'],
  ['a time of the year 0', changed({ closedAt: '0000-01-01T00:00:00.000Z' }), 'invalid_datetime /data/closedAt'],
  ['an id that is not a UUID', changed({ id: 'A-17' }), 'invalid_uuid /data/id'],
  ['an empty id', changed({ deviceId: '' }), 'invalid_uuid /data/deviceId'],
  ['another location', changed({ locationId: randomUUID() }), 'wrong_location /data/locationId'],
  ['a number beyond 2^53', spelled('"total":22', '"total":9007199254740993'), 'out_of_range /data/total'],
  ['a number beyond any double', spelled('"total":22', '"total":1e999'), 'out_of_range /data/total'],
  ['a NUL character', spelled('Camille', String.raw`Cam\u0000ille`), 'invalid_text /data/operatorName'],
  ['a lone surrogate', spelled('Camille', String.raw`Cam\ud800ille`), 'invalid_text /data/operatorName'],
  ['a duplicate key', spelled('"guests":2', '"guests":2,"guests":3'), 'duplicate_key /data/guests'],
  ['an unknown type', JSON.stringify({ type: 'receipt', data: {} }), 'unknown_type /type'],
  ['a type that is not text', JSON.stringify({ type: ['order'], data: {} }), 'unknown_type /type'],
  ['no type', JSON.stringify({ data: {} }), 'missing /type'],
  ['no data', JSON.stringify({ type: 'order' }), 'missing /data'],
  ['data that is null', JSON.stringify({ type: 'order', data: null }), 'invalid_type /data'],
  ['data that is text', JSON.stringify({ type: 'order', data: '{}' }), 'invalid_type /data'],
  ['a field whose name is a path', JSON.stringify({ type: 'order', data: {}, 'a/b~c': 1 }), 'unknown_field /a~1b~0c'],
  ['a field next to type and data', JSON.stringify({ type: 'order', data: {}, id: 1 }), 'unknown_field /id'],
  ['a list', '[]', 'invalid_type '],
  ['null', 'null', 'invalid_type '],
  ['a number', '5', 'invalid_type '],
  ['text', '"order"', 'invalid_type '],
  ['broken JSON', '{"type":"order","data":{', 'invalid_json '],
  ['NaN', spelled('"total":22', '"total":NaN'), 'invalid_json '],
  ['two records on a line', `${good(5)} ${good(6)}`, 'invalid_json '],
  ['JSON with a comment', `${good(5)} // ok`, 'invalid_json '],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'invalid_utf8 '],
  [
    'a catalog with a fraction',
    JSON.stringify({ type: 'catalog.taxes', data: [{ id: idOf('tax', 1), name: '', percentage: 5.5 }] }),
    'invalid_type /data/0/percentage',
  ],
  ['a catalog that is an object', JSON.stringify({ type: 'catalog.products', data: {} }), 'invalid_type /data'],
  [
    'a report with an order that is not an id',
    JSON.stringify({ type: 'report', data: reportOf(location, 1, { orders: ['x'] }) }),
    'invalid_uuid /data/orders/0',
  ],
  [
    'a location with another id',
    JSON.stringify({ type: 'location', data: locationOf(randomUUID()) }),
    'wrong_location /data/id',
  ],
]

for (const [what, line, expected] of refused) {
  test(`${what} is rejected with a pointer and kept, and the records next to it are stored`, async () => {
    const bytes = Buffer.isBuffer(line) ? line : Buffer.from(line)
    const { id, key } = await app.addLocation()
    const own = Buffer.isBuffer(line) ? bytes : Buffer.from(line.replaceAll(location, id))
    const body = Buffer.concat([Buffer.from(`${good(1, id)}\n`), own, Buffer.from(`\n${good(2, id)}\n`)])
    const answer = await app.push(body, { key })
    assert.equal(answer.status, 207)
    assertSchema(IngestAnswer, answer.json)
    assert.deepEqual(answer.json.results.map(fate), ['accepted', `rejected ${expected}`, 'accepted'])
    assert.equal(answer.json.results[1].line, 2)
    assert.ok(answer.json.results[1].detail.length > 0)
    const [kept, ...others] = await listRejected(app.pool, id, 10)
    assert.equal(others.length, 0)
    assert.deepEqual([kept?.line, kept?.code, kept?.record], [2, answer.json.results[1].code, own.toString('utf8')])
    assert.deepEqual(JSON.parse(kept?.errors ?? ''), answer.json.results[1].errors)
    await assertSound(app.pool, id)
  })
}

test('every fault of a record is reported at once', async () => {
  const wrong = { total: 'x', guests: 1.5, extra: 1, createdAt: '' }
  const { answer } = await fates(`${changed(wrong)}\n${good(2)}`)
  const pointers = answer.results[0].errors.map(({ pointer }: { pointer: string }) => pointer)
  assert.deepEqual(pointers.toSorted(), ['/data/createdAt', '/data/extra', '/data/guests', '/data/total'])
})

test('a rejected record is reported with its type and id if they are valid', async () => {
  const { answer } = await fates(`${changed({ total: 'x' })}\n{"type":"order","data":{"id":5}}\n{"type":5}\n${good(1)}`)
  const named = answer.results.map(({ type, id }: RecordResult) => [type, id])
  assert.deepEqual(named.slice(0, 3), [
    ['order', idOf('order', 1)],
    ['order', undefined],
    [undefined, undefined],
  ])
})

test('200 if all records are stored or known, 207 if some are not, 400 if none is', async () => {
  const statuses = [
    (await fates(good(1))).status,
    (await fates(`${good(1)}\n${good(1)}`)).status,
    (await fates(`${good(1)}\nx`)).status,
    (await fates('x\ny')).status,
  ]
  assert.deepEqual(statuses, [200, 200, 207, 400])
})

test('a 400 states the first fault, and contains the results', async () => {
  const { answer } = await fates(`x\n${changed({ total: 'x' })}`)
  assert.match(answer.detail, /^line 1: /)
  assert.deepEqual([answer.rejected, answer.results.length, answer.errors.length], [2, 2, 2])
})

test('a body without records is 400: an empty body, blank lines, an empty list', async () => {
  for (const body of ['', '\n', ' \r\n\t\n\n', '\ufeff', '\ufeff\n', ' '.repeat(500)]) {
    const answer = await app.push(body)
    assertProblem(answer, { status: 400, code: 'nothing_usable' })
    assert.deepEqual([answer.json.results, answer.json.rejected], [[], 0], JSON.stringify(body.slice(0, 20)))
  }
  assertProblem(await app.push('[]', { type: 'application/json' }), { status: 400, code: 'nothing_usable' })
})

test('CRLF or LF, blank lines, a byte order mark and a missing final newline make no difference', async () => {
  const variants = [
    `${good(1)}\n${good(2)}`,
    `${good(1)}\r\n${good(2)}\r\n`,
    `\n\n${good(1)}\n \n\t\r\n${good(2)}\n\n`,
    `\ufeff${good(1)}\n${good(2)}\n`,
    `  ${good(1)}  \n\t${good(2)}`,
  ]
  for (const body of variants)
    assert.deepEqual((await fates(body)).fates, ['accepted', 'accepted'], JSON.stringify(body))
})

test('line numbers include blank lines', async () => {
  const { answer } = await fates(`\n\n${good(1)}\n\nx\n`)
  assert.deepEqual(
    answer.results.map(({ line }: RecordResult) => line),
    [3, 5],
  )
})

test('a JSON body is one record or a list of records, each with its own result', async () => {
  const { id, key } = await app.addLocation()
  const asJson = { key, type: 'application/json' }
  assert.deepEqual((await app.push(good(1, id), asJson)).json.results.map(fate), ['accepted'])
  const list = `[${good(2, id)}, {"type":"order"},\n 7, ${good(3, id).replace('"total":0', '"total":0.00')}]`
  const answer = await app.push(list, asJson)
  assert.equal(answer.status, 207)
  const expected = ['accepted', 'rejected missing /data', 'rejected invalid_type ', 'accepted']
  assert.deepEqual(answer.json.results.map(fate), expected)
  assert.deepEqual(
    answer.json.results.map(({ line }: RecordResult) => line),
    [1, 2, 3, 4],
  )
  assert.match((await app.get(`/v1/orders/${idOf('order', 3)}`, { key })).text, /"total":0\.00,/)
  await assertSound(app.pool, id)
})

test('a body that is not valid JSON is one rejected record', async () => {
  for (const body of ['{', '[1,', '', 'null x', `[${good(1)},]`]) {
    const answer = await app.push(body, { type: 'application/json' })
    assertProblem(answer, { status: 400, code: 'nothing_usable' })
    assert.equal(answer.json.rejected, 1)
    assert.equal(answer.json.errors[0].code, 'invalid_json')
  }
  const twice = await app.push(spelled('"guests":2', '"guests":2,"guests":2'), { type: 'application/json' })
  assert.equal(twice.json.errors[0].code, 'duplicate_key')
})

test('the content type selects the format of the body, in any case and with parameters', async () => {
  for (const type of [
    'application/x-ndjson',
    'application/ndjson',
    'application/jsonl',
    'APPLICATION/X-NDJSON; charset=utf-8',
    'application/json;charset=utf-8',
    'Application/JSON',
  ]) {
    const answer = await app.push(good(1), { type })
    assert.equal(answer.status, 200, `${type}: ${answer.text}`)
  }
  for (const type of [
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'x',
    '',
    'application/json, text/plain',
  ]) {
    const answer = await app.push(good(1), { type })
    assertProblem(answer, { status: 415, code: 'media_type_unsupported' })
    assert.match(answer.json.detail, / is not supported: send application\/x-ndjson or application\/json$/)
  }
  const untyped = await app.request('POST', '/v1/ingest/', { body: good(1) })
  assertProblem(untyped, { status: 415, code: 'media_type_unsupported' })
  assertProblem(await app.request('POST', '/v1/ingest/'), { status: 415, code: 'media_type_unsupported' })
})

test('an order without type and data gets an error that first states the missing envelope', async () => {
  const { json } = await app.push(JSON.stringify(smallOrderOf(location, 1)), { type: 'application/json' })
  assert.match(json.detail, /^line 1: a record must be \{"type": …, "data": …\}: type must be one of order, /)
  const pointers = json.errors.map(({ pointer }: { pointer: string }) => pointer)
  assert.deepEqual(pointers.slice(0, 3), ['/type', '/data', '/id'])
})

test('the error for JSON in the wrong form states the right form; for a wrong content type it names both supported types', async () => {
  const pretty = JSON.stringify(order(smallOrderOf(location, 1)), null, 2)
  const asLines = await app.push(pretty)
  assert.match(asLines.json.detail, /^line 1: .*not valid JSON.*; a line must be a complete record.*application\/json$/)
  const asJson = await app.push(`${good(1)}\n${good(2)}\n`, { type: 'application/json' })
  assert.match(asJson.json.detail, /send records with one line each as application\/x-ndjson$/)
  for (const type of ['application/x-ndjson', 'application/json']) {
    const joined = await app.push(`${good(1)}${good(2)}`, { type })
    assert.match(joined.json.detail, /not valid JSON.*; records must be on separate lines; curl --data-binary keeps/)
  }
  const array = await app.push(`[${good(1)}]`)
  assert.match(
    array.json.detail,
    /^line 1: a record must be an object .*; send an array of records as application\/json$/,
  )
  for (const body of ['', ' \n ']) {
    const { status, json } = await app.push(body, { type: 'application/json' })
    assert.equal(status, 400)
    assert.match(json.detail, /; the body is empty: send one record, or an array of them$/)
  }
  for (const [body, type] of [
    ['{"type":', 'application/x-ndjson'],
    ['{"type":\n', 'application/json'],
  ] as const) {
    assert.doesNotMatch((await app.push(body, { type })).json.detail, /sent as/)
  }
  const typed = await app.push(good(1), { type: 'text/csv' })
  assert.match(typed.json.detail, /^text\/csv is not supported: send application\/x-ndjson or application\/json$/)
})

test('query parameters are refused', async () => {
  const headers = { 'content-type': 'application/x-ndjson' }
  const answer = await app.request('POST', '/v1/ingest/?dry=1', { headers, body: good(1) })
  assertProblem(answer, { status: 400, code: 'validation_failed', pointers: ['/dry'] })
})
