import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { Type } from 'typebox'
import { EventTypeDescription, eventTypes } from '../../../src/core/schemas/events.ts'
import {
  DeliveryPage,
  WebhookSecret,
  WebhookStatus,
  type Delivery,
} from '../../../src/core/contract/webhooks/schema.ts'
import { assertProblem, okay } from '../conformance/contract.ts'
import { one } from '../../support/events.ts'
import { startDelivery } from '../../support/delivery.ts'
import { eventually } from '../../support/waiting.ts'

const site = await startDelivery()
const { app, receiver, forward } = site
site.startEngine({ retentionMs: 30 * 86_400_000 })

const json = { 'content-type': 'application/json' }

const logOf = async (id: string, key: string, query = '') =>
  okay(await app.get(`/v1/webhooks/${id}/deliveries${query}`, { key }), DeliveryPage) as {
    data: Delivery[]
    meta: { next: string | null; keptDays: number }
  }

const numbersOf = (deliveries: readonly Delivery[]) => deliveries.map(({ sequence }) => sequence)

describe('the delivery log', () => {
  test('shows the request, address and response of an attempt, and the duration of each phase', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.paid'], place)
    receiver.answer(webhook.path, () => ({
      status: 503,
      headers: { 'x-reason': 'busy', 'retry-after': '200', 'set-cookie': 'session=secret' },
      body: 'come back later',
    }))
    await app.store([one(place.id, 1)], place.key)
    await site.attempted(webhook, 1)
    const { data } = await logOf(webhook.id, place.key)
    const [delivery] = data as [Delivery]
    const [receipt] = receiver.at(webhook.path)
    assert.deepEqual(Object.keys(delivery), [
      'id',
      'webhookId',
      'messageId',
      'event',
      'sequence',
      'attempt',
      'sentAt',
      'success',
      'status',
      'errorClass',
      'message',
      'nextAttemptAt',
      'durationMs',
      'phases',
      'address',
      'request',
      'response',
    ])
    const { webhookId, messageId, event, sequence, attempt, success, status, errorClass, address } = delivery
    assert.deepEqual(
      { webhookId, messageId, event, sequence, attempt, success, status, errorClass, address },
      {
        webhookId: webhook.id,
        messageId: receipt?.headers['webhook-id'],
        event: 'order.paid',
        sequence: 1,
        attempt: 1,
        success: false,
        status: 503,
        errorClass: 'http',
        address: '127.0.0.1',
      },
    )
    assert.match(delivery.message, /503/)
    assert.ok(Date.parse(String(delivery.nextAttemptAt)) - Date.parse(delivery.sentAt) >= 200_000)
    const sent = Object.entries({ ...receipt?.headers, 'webhook-signature': '[struck out]' })
    const ofConnection = new Set(['host', 'connection', 'content-length'])
    assert.deepEqual(delivery.request.headers, Object.fromEntries(sent.filter(([name]) => !ofConnection.has(name))))
    const phases = Object.entries(delivery.phases).filter(([, ms]) => ms !== null)
    assert.deepEqual(
      phases.map(([name]) => name),
      // The address is an IP address, and the connection has no TLS.
      ['connectMs', 'headersMs', 'bodyMs'],
    )
    const spentMs = phases.reduce((sum, [, ms]) => sum + Number(ms), 0)
    assert.ok(spentMs > 0 && spentMs <= delivery.durationMs + 1, JSON.stringify(delivery))
    assert.equal(delivery.response.body, 'come back later')
    assert.equal(delivery.response.headers['x-reason'], 'busy')
  })

  test('shows no secret: neither the signature nor cookies', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.paid'], place)
    receiver.answer(webhook.path, () => ({ status: 200, headers: { 'set-cookie': 'session=hush' } }))
    await app.store([one(place.id, 1)], place.key)
    await site.attempted(webhook, 1)
    const answer = await app.get(`/v1/webhooks/${webhook.id}/deliveries`, { key: place.key })
    const [{ request, response }] = answer.json.data
    assert.equal(request.headers['webhook-signature'], '[struck out]')
    assert.equal(response.headers['set-cookie'], '[struck out]')
    const signature = String(receiver.at(webhook.path)[0]?.headers['webhook-signature'])
    for (const secret of ['hush', signature, webhook.secret]) assert.ok(!answer.text.includes(secret))
  })

  test('states why an endpoint was not reached', async () => {
    const place = await app.addLocation()
    const input = { events: ['order.paid'], locationId: place.id, recipientId: randomUUID() }
    const body = JSON.stringify({ ...input, endpointUrl: 'http://127.0.0.1:1/' })
    const webhook = (await app.request('POST', '/v1/webhooks/', { key: place.key, headers: json, body })).json
    await app.store([one(place.id, 1)], place.key)
    await site.attempted(webhook, 1)
    const [delivery] = (await logOf(webhook.id, place.key)).data
    assert.deepEqual([delivery?.status, delivery?.success, delivery?.errorClass], [0, false, 'connect'])
    assert.deepEqual(delivery?.response, { headers: {}, body: '' })
  })

  test('lists the attempts of an event newest first, and the last page has no next', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.paid'], place)
    receiver.answer(webhook.path, (_receipt, earlier) => (earlier < 2 ? 500 : 200))
    await app.store([one(place.id, 1)], place.key)
    for (let count = 1; count <= 3; count++) {
      await site.attempted(webhook, count)
      forward(360_000)
    }
    const { data } = await logOf(webhook.id, place.key)
    assert.deepEqual(
      data.map(({ attempt, success, nextAttemptAt }) => [attempt, success, nextAttemptAt === null]),
      [
        [3, true, true],
        [2, false, false],
        [1, false, false],
      ],
    )
    assert.equal(new Set(data.map(({ messageId }) => messageId)).size, 1)
  })

  test('is filtered by event, outcome and time', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created', 'order.paid'], place)
    receiver.answer(webhook.path, ({ event }) => (event.type === 'order.paid' ? 500 : 200))
    await app.store([one(place.id, 1)], place.key)
    await site.attempted(webhook, 2)
    const middle = app.context.clock().toISOString()
    forward(1_000)
    await app.store([one(place.id, 2)], place.key)
    await site.attempted(webhook, 4)
    const listed = async (query: string) =>
      (await logOf(webhook.id, place.key, query)).data.map(({ sequence, event }) => `${sequence} ${event}`).toSorted()
    const all = ['1 order.created', '1 order.paid', '2 order.created', '2 order.paid']
    assert.deepEqual(await listed(''), all)
    assert.deepEqual(await listed('?event=order.paid'), ['1 order.paid', '2 order.paid'])
    assert.deepEqual(await listed('?outcome=success'), ['1 order.created', '2 order.created'])
    assert.deepEqual(await listed('?outcome=failure'), ['1 order.paid', '2 order.paid'])
    assert.deepEqual(await listed('?event=order.paid&outcome=success'), [])
    assert.deepEqual(await listed(`?since=${middle}`), all.slice(2))
    assert.deepEqual(await listed(`?until=${middle}&outcome=failure`), ['1 order.paid'])
    assert.deepEqual(await listed('?since=1999-01-01&until=1999-12-31'), [])
  })

  test('is paged by cursor to the end, without gaps or duplicates, while it grows', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    const orders = (from: number, count: number) => Array.from({ length: count }, (_, i) => one(place.id, from + i))
    await app.store(orders(1, 23), place.key)
    await site.settled(webhook)
    const whole = numbersOf((await logOf(webhook.id, place.key, '?size=100')).data)
    assert.equal(whole.length, 23)
    for (const size of [1, 5, 22, 23]) {
      const seen: number[] = []
      for (let cursor = ''; ;) {
        const { data, meta } = await logOf(webhook.id, place.key, `?size=${size}${cursor}`)
        assert.equal(data.length, Math.min(size, 23 - seen.length))
        seen.push(...numbersOf(data))
        if (meta.next === null) break
        cursor = `&cursor=${meta.next}`
      }
      assert.deepEqual(seen, whole)
    }
    const first = await logOf(webhook.id, place.key, '?size=10')
    await app.store(orders(24, 3), place.key)
    await site.settled(webhook)
    const rest = await logOf(webhook.id, place.key, `?size=100&cursor=${first.meta.next}`)
    assert.deepEqual([...numbersOf(first.data), ...numbersOf(rest.data)], whole)
  })

  test('refuses invalid parameters: 400 naming each', async () => {
    const webhook = await site.register(['order.created'])
    const wrong: [query: string, pointers: string[]][] = [
      ['event=order.eaten', ['/event']],
      ['outcome=maybe', ['/outcome']],
      ['since=yesterday', ['/since']],
      ['until=2026-02-30', ['/until']],
      ['since=2026-03-02&until=2026-03-01', ['/since']],
      ['size=0', ['/size']],
      ['index=1', ['/index']],
      ['cursor=x', ['/cursor']],
      ['cursor=', ['/cursor']],
      [`cursor=1_${'-'.repeat(36)}`, ['/cursor']],
      [`cursor=1_${'f'.repeat(36)}`, ['/cursor']],
      [`cursor=${'9'.repeat(15)}_${randomUUID()}`, ['/cursor']],
      [`cursor=${'9'.repeat(16)}_${randomUUID()}`, ['/cursor']],
    ]
    for (const [query, pointers] of wrong) {
      const answer = await app.get(`/v1/webhooks/${webhook.id}/deliveries?${query}`)
      assertProblem(answer, { status: 400, code: 'validation_failed', pointers })
    }
    assert.deepEqual((await logOf(webhook.id, app.key, `?cursor=1_${randomUUID()}`)).data, [])
  })

  test('drops attempts older than the retention, and no younger ones', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    await app.store([one(place.id, 1)], place.key)
    await site.settled(webhook)
    forward(29 * 86_400_000)
    await app.store([one(place.id, 2)], place.key)
    await site.settled(webhook)
    assert.deepEqual(numbersOf((await logOf(webhook.id, place.key)).data), [2, 1])
    forward(2 * 86_400_000)
    await eventually(async () => (await logOf(webhook.id, place.key)).data.length < 2, 'the first is forgotten')
    assert.deepEqual(numbersOf((await logOf(webhook.id, place.key)).data), [2])
    // The operator sets another retention.
    const { limits } = app.context
    const days = limits.deliveryDays
    limits.deliveryDays = 7
    assert.equal((await logOf(webhook.id, place.key)).meta.keptDays, 7)
    limits.deliveryDays = days
  })
})

describe('the secret', () => {
  test('is a Standard Webhooks secret, the same on each read, and not cacheable', async () => {
    const webhook = await site.register(['order.paid'])
    const answer = await app.get(`/v1/webhooks/${webhook.id}/secret`)
    const { secret } = okay(answer, WebhookSecret)
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.equal(answer.headers['cache-control'], 'no-store')
    assert.equal((await app.get(`/v1/webhooks/${webhook.id}/secret`)).json.secret, secret)
    assert.notEqual((await site.register(['order.paid'])).secret, secret)
  })

  test('differs after each rotation, also if several run at once', async () => {
    const webhook = await site.register(['order.paid'])
    const rotate = () => app.request('POST', `/v1/webhooks/${webhook.id}/secret/rotate`)
    const answers = await Promise.all([rotate(), rotate(), rotate()])
    const secrets = answers.map((answer) => okay(answer, WebhookSecret).secret)
    assert.equal(new Set([webhook.secret, ...secrets]).size, 4)
    for (const { headers } of answers) assert.equal(headers['cache-control'], 'no-store')
    const last = (await app.get(`/v1/webhooks/${webhook.id}/secret`)).json.secret
    assert.ok(secrets.includes(last))
  })
})

describe('the status', () => {
  test('shows the state of the webhook', async () => {
    const place = await app.addLocation()
    await app.store([one(place.id, 1)], place.key)
    const webhook = await site.register(['order.created'], place)
    const status = async () =>
      okay(await app.get(`/v1/webhooks/${webhook.id}/status`, { key: place.key }), WebhookStatus)
    const calm = { state: 'enabled', disabledReason: null, behind: 0, setAside: 0, failures: 0 }
    assert.deepEqual(await status(), { ...calm, sequence: 1, failingSince: null, nextAttemptAt: null })
    receiver.answer(webhook.path, () => 500)
    await app.store([one(place.id, 2)], place.key)
    await site.attempted(webhook, 1)
    const failing = await status()
    assert.deepEqual([failing.sequence, failing.setAside, failing.failures, failing.state], [2, 1, 1, 'enabled'])
    assert.ok(failing.nextAttemptAt > failing.failingSince)
  })
})

describe('the event types', () => {
  test('are all listed, each with a description, a schema and a sample', async () => {
    const list = okay(await app.get('/v1/webhooks/event-types/'), Type.Array(EventTypeDescription))
    assert.deepEqual(
      list.map(({ name }: { name: string }) => name),
      eventTypes,
    )
    for (const { name, description, schema, sample } of list) {
      assert.ok(description.length > 10)
      assert.equal(schema.title, name)
      assert.equal(sample.type, name)
      assert.equal(sample.locationId, app.location)
    }
  })
})
