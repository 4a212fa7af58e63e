import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Compile } from 'typebox/compile'
import { eventTypes, type EventType } from '../../../src/core/schemas/events.ts'
import { recordTypes } from '../../../src/core/schemas/ingest.ts'
import { partialTypes } from '../../../src/core/schemas/partials.ts'
import { startApp, type Answer } from '../../support/app.ts'
import { order, orderOf, report, reportOf } from '../../support/records.ts'

type Json = Record<string, any>

const app = await startApp()
const document: Json = (await app.get('/openapi.json', { key: null })).json
const { schemas } = document['components']

/** Returns the schema with its references resolved. */
function whole(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(whole)
  if (typeof value !== 'object' || value === null) return value
  const { $ref, discriminator: _, ...rest } = value as Json
  if (typeof $ref === 'string') return whole(schemas[$ref.split('/').at(-1) ?? ''])
  return Object.fromEntries(Object.entries(rest).map(([key, child]) => [key, whole(child)]))
}

function assertDescribed(schema: Json, value: unknown): void {
  const compiled = Compile(whole(schema) as never)
  assert.deepEqual(compiled.Check(value) ? [] : compiled.Errors(value), [])
}

/** Compares a response with the document: its body, and its documented headers except those of limits. */
function assertAnswer(path: string, answer: Answer): void {
  const response = document['paths'][path].get.responses[answer.status]
  assertDescribed(response.content['application/json'].schema, answer.json)
  for (const name of Object.keys(response.headers)) {
    // Limits are off here, and completeness is unknown, so these headers are absent.
    if (!/^ratelimit|^tillgate-complete-until$/.test(name))
      assert.ok(answer.headers[name] !== undefined, `${path} has ${name}`)
  }
}

const pushed = orderOf(app.location, 1)
const zReport = reportOf(app.location, 1)
await app.store([order(pushed), report(zReport)])

test('answers match the document, bodies and headers', async () => {
  const { id } = pushed as unknown as { id: string }
  assertAnswer('/v1/orders/', await app.get('/v1/orders/'))
  assertAnswer('/v1/orders/{id}', await app.get(`/v1/orders/${id}`))
  assertAnswer('/v1/orders/{id}/history', await app.get(`/v1/orders/${id}/history`))
  assertAnswer('/v1/reports/', await app.get('/v1/reports/'))
  const feed = await app.get('/v1/events/?after=0')
  assert.ok(feed.json.data.length > 1)
  assertAnswer('/v1/events/', feed)
})

test('the document distinguishes events by their type, and accepts no data of another type', async () => {
  const { data } = (await app.get('/v1/events/?after=0')).json
  const { mapping } = schemas.Event.discriminator
  assert.deepEqual(Object.keys(mapping).toSorted(), eventTypes.toSorted())
  for (const name of ['Event', 'IngestRecord']) {
    const { discriminator, oneOf } = schemas[name]
    assert.equal(discriminator.propertyName, 'type')
    const named = new Set(oneOf.map(({ $ref }: Json) => $ref))
    assert.deepEqual(named, new Set(Object.values(discriminator.mapping)))
  }
  for (const event of data as { type: EventType }[]) {
    assertDescribed({ $ref: mapping[event.type] }, event)
    const webhook = document['webhooks'][event.type].post.requestBody.content['application/json'].schema
    assert.deepEqual(webhook, { $ref: mapping[event.type] })
  }
  const [first] = data as { type: string }[]
  const other = first?.type === 'report.created' ? 'order.created' : 'report.created'
  assert.throws(() => assertDescribed({ $ref: mapping[other] }, { ...first, type: other }))
})

test('the document describes the pushed records, and which fields may be left out', () => {
  // A ticket becomes an order, and a closing a report; partial types are entries of lists.
  const types = [...recordTypes, ...partialTypes, 'ticket', 'closing']
  assert.deepEqual(Object.keys(schemas.IngestRecord.discriminator.mapping).toSorted(), types.toSorted())
  assertDescribed(schemas.IngestRecord, order(pushed))
  assertDescribed(schemas.IngestRecord, report(zReport))
  const { createdAt: _, reportId: __, ...short } = order(pushed).data as Json
  assertDescribed(schemas.IngestRecord, { type: 'order', data: short })
  assert.throws(() => assertDescribed(schemas.IngestRecord, { type: 'report', data: short }))
  const device = { type: 'device', data: { id: short.deviceId, removed: true } }
  assertDescribed(schemas.IngestRecord, device)
  assert.throws(() => assertDescribed(schemas.IngestRecord, { ...device, data: { ...device.data, name: 'Caisse' } }))
})

test('the server of the document is the requested host, or the public URL', async () => {
  assert.deepEqual(document['servers'], [{ url: app.url }])
  const named = await app.get('/openapi.json', { key: null, headers: { host: 'pos.example:8080' } })
  assert.deepEqual(named.json.servers, [{ url: 'http://pos.example:8080' }])
  const publicUrl = 'https://pos.example/till'
  const proxied = await startApp({ database: app.database, publicUrl })
  assert.deepEqual((await proxied.get('/openapi.json', { key: null })).json.servers, [{ url: publicUrl }])
})

test('requests with invented host names do not fill the memory with documents', async () => {
  const fresh = await startApp({ database: app.database })
  const serversOf = async (host: string) =>
    (await fresh.get('/openapi.json', { key: null, headers: { host } })).json.servers[0].url
  for (let i = 0; i < 8; i += 1) assert.equal(await serversOf(`h${i}.example`), `http://h${i}.example`)
  // An additional address replaces the least recently requested one, and no other within a minute.
  assert.equal(await serversOf('h8.example'), 'http://h8.example')
  for (let i = 9; i < 12; i += 1) assert.equal(await serversOf(`h${i}.example`), './')
  assert.equal(await serversOf('h1.example'), 'http://h1.example')
})
