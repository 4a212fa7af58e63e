import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Webhook as Verifier } from 'standardwebhooks'
import { createSender, type Sender } from '../../../src/core/delivery/sender/send.ts'
import { toAddressRange } from '../../../src/core/domain/addresses/addresses.ts'
import { EventTypeDescription, eventTypes, type EventType, eventSchema } from '../../../src/core/schemas/events.ts'
import { TestResult, Webhook, WebhookSecret } from '../../../src/core/contract/webhooks/schema.ts'
import { startApp, type Site } from '../../support/app.ts'
import { atEnd } from '../../support/database.ts'
import { faultModes, type FaultMode } from '../../support/fault-modes.ts'
import { startFaultReceiver } from '../../support/fault-receiver.ts'
import { startReceiver } from '../../support/receiver.ts'
import { assertProblem, assertSchema, okay } from './contract.ts'

const receiver = await startReceiver()
const faults = await startFaultReceiver()
const allowed = { allowHttp: true, allowAddresses: ['127.0.0.0/8'].map(toAddressRange) }
const patient = createSender({ ...allowed, deadlineMs: 60_000 })
/** A sender for receivers that never respond: its deadline is short enough for a test. */
const hurried = createSender({ ...allowed, deadlineMs: 700 })
const sender: Sender = {
  send: (request) => (request.url.startsWith(receiver.url('/')) ? patient : hurried).send(request),
  close: async () => void (await Promise.all([patient.close(), hurried.close()])),
}
const app = await startApp({ sender })
atEnd(async () => {
  await receiver.close()
  await faults.close()
})

const json = { 'content-type': 'application/json' }
const endpointUrl = 'https://partner.example/hooks'

const inputFor = (site: Site, changes: Record<string, unknown> = {}) => ({
  events: ['order.paid'],
  endpointUrl,
  locationId: site.id,
  recipientId: randomUUID(),
  ...changes,
})

const post = (path: string, body: unknown, key = app.key) =>
  app.request('POST', path, { key, headers: json, body: typeof body === 'string' ? body : JSON.stringify(body) })

const upsert = (site: Site, changes: Record<string, unknown> = {}) =>
  post('/v1/webhooks/', inputFor(site, changes), site.key)

async function create(site: Site, changes: Record<string, unknown> = {}) {
  const answer = await upsert(site, changes)
  assert.equal(answer.status, 201, answer.text)
  assertSchema(Webhook, answer.json)
  return answer.json
}

const testOf = async (id: string, body: unknown = {}) => okay(await post(`/v1/webhooks/test/${id}`, body), TestResult)

const own: Site = { id: app.location, key: app.key }

test('[WEB-16] the test sends one payload per registered event and returns an entry for each, by event name', async () => {
  const { id } = await create(own, { endpointUrl: receiver.url('/every'), events: eventTypes })
  receiver.answer('/every', () => ({ status: 202, headers: { 'x-own': '1' }, body: 'thanks' }))
  const result = await testOf(id)
  assert.deepEqual(Object.keys(result), eventTypes)
  for (const entry of Object.values<any>(result)) {
    assert.deepEqual(Object.keys(entry), ['status', 'success', 'message', 'response'])
    assert.deepEqual([entry.status, entry.success, entry.response.body], [202, true, 'thanks'])
    assert.ok(entry.message.length > 0)
  }
  assert.deepEqual(
    receiver
      .at('/every')
      .map(({ event }) => event.type)
      .toSorted(),
    eventTypes.toSorted(),
  )
})

test('[WEB-17] each test payload is fake data that follows the published schema of its event', async () => {
  const types = okay(await app.get('/v1/webhooks/event-types/'), Type.Array(EventTypeDescription))
  const schemas = new Map<EventType, any>(types.map(({ name, schema }: any) => [name, schema]))
  const { id } = await create(own, { endpointUrl: receiver.url('/schemas'), events: eventTypes })
  await testOf(id)
  assert.equal(receiver.at('/schemas').length, eventTypes.length)
  for (const { event } of receiver.at('/schemas')) {
    const validator = Compile(schemas.get(event.type as EventType))
    assert.deepEqual(validator.Check(event) ? [] : validator.Errors(event), [])
  }
})

test('[WEB-18] test payloads are signed and marked; nothing is retried, counted, logged or journaled', async () => {
  const { id } = await create(own, { endpointUrl: receiver.url('/marked') })
  receiver.answer('/marked', () => 500)
  const secret = okay(await app.get(`/v1/webhooks/${id}/secret`), WebhookSecret).secret
  const head = async () => (await app.get('/v1/events/')).json.meta.head
  const before = await head()
  await testOf(id)
  const [receipt] = receiver.at('/marked')
  assert.equal(receipt?.headers['webhook-test'], 'true')
  new Verifier(secret).verify(receipt?.body ?? '', receipt?.headers as Record<string, string>)
  const status = (await app.get(`/v1/webhooks/${id}/status`)).json
  assert.deepEqual([status.failures, status.setAside], [0, 0])
  assert.deepEqual((await app.get(`/v1/webhooks/${id}/deliveries`)).json.data, [])
  assert.equal(await head(), before)
})

test('[WEB-19] an endpoint that cannot be reached has status 0, success false, a reason and an empty response', async () => {
  const unreachable = ['http://127.0.0.1:1/', ...Object.values(faults.wrongTls).map((url) => `${url}/ok`)]
  for (const url of unreachable) {
    const { id } = await create(own, { endpointUrl: url })
    const { 'order.paid': entry } = await testOf(id)
    assert.deepEqual([entry.status, entry.success, entry.response], [0, false, {}], url)
    assert.ok(entry.message.length > 0)
  }
})

test('[WEB-20] whatever an endpoint does, the test is 200 with an entry for it', async () => {
  const modes = Object.keys(faultModes) as FaultMode[]
  const made = await Promise.all(modes.map((mode) => create(own, { endpointUrl: faults.url(mode) })))
  const results = await Promise.all(made.map(({ id }) => testOf(id)))
  for (const [i, { 'order.paid': entry }] of results.entries()) {
    const isSuccess = entry.status >= 200 && entry.status < 300
    if (entry.success) assert.ok(isSuccess, String(modes[i]))
    if (entry.status === 0) assert.deepEqual(entry.response, {}, String(modes[i]))
    assert.ok(entry.message.length > 0, String(modes[i]))
  }
})

test('[WEB-21] locationId of the test is optional and must be the key’s, otherwise 403; an unknown webhook is 404', async () => {
  const { id } = await create(own, { endpointUrl: receiver.url('/location') })
  await testOf(id)
  await testOf(id, { locationId: app.location })
  assert.equal((await app.request('POST', `/v1/webhooks/test/${id}`)).status, 200)
  const forbidden = await post(`/v1/webhooks/test/${id}`, { locationId: app.other.id })
  assertProblem(forbidden, { status: 403, code: 'location_forbidden' })
  for (const [unknown, key] of [
    [randomUUID(), app.key],
    // The specification defines no format for the id of a webhook.
    ['x', app.key],
    [id.slice(1), app.key],
    [id, app.other.key],
  ] as const) {
    const answer = await post(`/v1/webhooks/test/${unknown}`, {}, key)
    assertProblem(answer, { status: 404, code: 'webhook_not_found' })
  }
})

test('[EVT-1] the events are listed with a schema and a sample each, order.paid among them', async () => {
  const list = okay(await app.get('/v1/webhooks/event-types/'), Type.Array(EventTypeDescription))
  assert.deepEqual(
    list.map(({ name }: { name: string }) => name),
    eventTypes,
  )
  assert.ok(eventTypes.includes('order.paid'))
  for (const { name, sample } of list) assertSchema(eventSchema(name), sample)
})
