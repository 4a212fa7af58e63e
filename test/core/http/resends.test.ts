import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import {
  DeliveryDetail,
  PendingPage,
  ReplayAnswer,
  WebhookStatistics,
  type Delivery,
} from '../../../src/core/contract/webhooks/schema.ts'
import { assertProblem, okay } from '../conformance/contract.ts'
import type { Site } from '../../support/app.ts'
import { startDelivery, type Registered } from '../../support/delivery.ts'
import { order, versionOf } from '../../support/records.ts'
import { eventually, gate } from '../../support/waiting.ts'

const site = await startDelivery()
const { app, receiver, forward } = site
site.startEngine()

const json = { 'content-type': 'application/json' }
const one = (locationId: string, n: number) => order(versionOf(locationId, n, 1))
const post = (path: string, key: string, body: object = {}) =>
  app.request('POST', path, { key, headers: json, body: JSON.stringify(body) })
const logOf = async ({ id }: { id: string }, { key }: Site): Promise<Delivery[]> =>
  (await app.get(`/v1/webhooks/${id}/deliveries?size=100`, { key })).json.data
const replay = ({ id }: { id: string }, { key }: Site, body: object) => post(`/v1/webhooks/${id}/replay`, key, body)

/** Creates a location with a webhook that gets orders 1 to `n`; those that `fails` selects fail once. */
async function delivered(n: number, fails: (n: number) => boolean = () => false) {
  const place = await app.addLocation()
  const webhook = await site.register(['order.paid'], place)
  receiver.answer(webhook.path, ({ body }, earlier) => {
    const { sequence } = JSON.parse(body.toString()) as { sequence: number }
    return { status: earlier < n && fails(sequence) ? 500 : 200, headers: {}, body: 'said' }
  })
  for (let i = 1; i <= n; i++) {
    await app.store([one(place.id, i)], place.key)
    await site.attempted(webhook, i)
  }
  return { place, webhook }
}

const sentTo = (webhook: Registered) =>
  receiver.at(webhook.path).map(({ body }) => JSON.parse(body.toString()).sequence as number)

describe('one delivery', () => {
  test('has the sent bytes and all attempts of its event', async () => {
    const { place, webhook } = await delivered(1, () => true)
    forward(60_000)
    await site.attempted(webhook, 2)
    const [last, first] = (await logOf(webhook, place)) as [Delivery, Delivery]
    const path = `/v1/webhooks/${webhook.id}/deliveries/${first.id}`
    const detail = okay(await app.get(path, { key: place.key }), DeliveryDetail)
    assert.equal(detail.request.body, receiver.at(webhook.path)[0]?.body.toString())
    assert.equal(detail.request.isExact, true)
    assert.deepEqual(
      detail.attempts.map(({ id, attempt, success }: any) => [id, attempt, success]),
      [
        [last.id, 2, true],
        [first.id, 1, false],
      ],
    )
    const { headers } = detail.request
    assert.deepEqual({ ...detail, request: { headers }, attempts: undefined }, { ...first, attempts: undefined })
  })

  test('of another location or webhook, or with an unknown id, is 404, and needs the scope', async () => {
    const { place, webhook } = await delivered(1)
    const other = await site.register(['order.paid'], place)
    const [delivery] = (await logOf(webhook, place)) as [Delivery]
    const path = (webhookId: string, id: string) => `/v1/webhooks/${webhookId}/deliveries/${id}`
    for (const method of ['GET', 'POST']) {
      const end = method === 'GET' ? '' : '/resend'
      const call = (address: string, key: string | null) => app.request(method, address + end, { key })
      const own = path(webhook.id, delivery.id)
      assertProblem(await call(own, app.other.key), { status: 404, code: 'webhook_not_found' })
      assertProblem(await call(path(other.id, delivery.id), place.key), { status: 404, code: 'delivery_not_found' })
      assertProblem(await call(path(webhook.id, randomUUID()), place.key), { status: 404, code: 'delivery_not_found' })
      assertProblem(await call(path(webhook.id, 'x'), place.key), { status: 400, code: 'validation_failed' })
      assertProblem(await call(own, null), { status: 401, code: 'key_missing' })
      const { key } = await app.addKey(place.id, { scopes: ['read'] })
      assertProblem(await call(own, key), { status: 403, code: 'scope_missing' })
      const { key: stranger } = await app.addKey(place.id, { recipientId: randomUUID() })
      assertProblem(await call(own, stranger), { status: 404, code: 'webhook_not_found' })
    }
  })

  test('is resent once, with the same id and bytes, and the cursor does not move', async () => {
    const { place, webhook } = await delivered(3)
    const second = (await logOf(webhook, place)).find(({ sequence }) => sequence === 2) as Delivery
    const before = await site.status(webhook, place.key)
    const answer = await post(`/v1/webhooks/${webhook.id}/deliveries/${second.id}/resend`, place.key)
    assert.deepEqual(
      [answer.status, answer.json],
      [202, { messageId: second.messageId, sequence: 2, event: 'order.paid' }],
    )
    await site.attempted(webhook, 4)
    await site.settled(webhook)
    assert.deepEqual(sentTo(webhook), [1, 2, 3, 2])
    const [original, again] = receiver
      .at(webhook.path)
      .filter(({ headers }) => headers['webhook-id'] === second.messageId)
    assert.deepEqual(again?.body, original?.body)
    assert.equal((await site.status(webhook, place.key)).sequence, before.sequence)
    assert.equal((await logOf(webhook, place))[0]?.attempt, 2)
  })

  test('is resent at once while another delivery hangs', async () => {
    const { place, webhook } = await delivered(1)
    const [first] = (await logOf(webhook, place)) as [Delivery]
    const { opened, open } = gate()
    receiver.answer(webhook.path, async ({ event: { sequence } }) => {
      if (sequence === 2) await opened
      return 200
    })
    await app.store([one(place.id, 2)], place.key)
    await receiver.waitFor(webhook.path, 2)
    const answer = await post(`/v1/webhooks/${webhook.id}/deliveries/${first.id}/resend`, place.key)
    assert.equal(answer.status, 202)
    await receiver.until(() => sentTo(webhook).filter((n) => n === 1).length === 2, 'it is sent again meanwhile')
    assert.equal(receiver.at(webhook.path).find(({ event }) => event.sequence === 2)?.status, 0)
    const ended = (await logOf(webhook, place)).filter(({ sequence }) => sequence === 2)
    assert.deepEqual(ended, [], 'and not only when the one that hangs was given up')
    open()
    await site.settled(webhook)
  })

  test('of a disabled webhook is not resent', async () => {
    const { place, webhook } = await delivered(1)
    const [delivery] = (await logOf(webhook, place)) as [Delivery]
    await app.pool`update webhooks set state = 'disabled', disabled_reason = 'operator' where id = ${webhook.id}`
    const answer = await post(`/v1/webhooks/${webhook.id}/deliveries/${delivery.id}/resend`, place.key)
    assertProblem(answer, { status: 409, code: 'webhook_disabled' })
  })
})

describe('a replay', () => {
  test('can have an end, event types or onlyFailed, and a dry run sends nothing', async () => {
    const { place, webhook } = await delivered(5)
    const times = (await app.pool`select accepted_at from journal where location_id = ${place.id} order by seq`).map(
      ({ accepted_at: at }) => (at as Date).toISOString(),
    )
    const shapes: [object, number][] = [
      [{ sequence: 2, untilSequence: 3 }, 2],
      [{ sequence: 1, until: times[3] }, 4],
      [{ sequence: 4, types: ['order.paid'] }, 2],
      [{ sequence: 1, types: ['order.updated'] }, 0],
      [{ sequence: 1, onlyFailed: true }, 0],
      [{ sequence: 1 }, 5],
    ]
    for (const [body, events] of shapes) {
      const answer = okay(await replay(webhook, place, { ...body, dryRun: true }), ReplayAnswer)
      assert.deepEqual([answer.events, answer.eventsAreCounted], [events, true], JSON.stringify(body))
    }
    assert.deepEqual(sentTo(webhook), [1, 2, 3, 4, 5])
    const sent = okay(await replay(webhook, place, { sequence: 2, untilSequence: 3 }), ReplayAnswer)
    assert.equal(sent.events, 2)
    await site.attempted(webhook, 7)
    await site.settled(webhook)
    assert.deepEqual(
      sentTo(webhook)
        .slice(5)
        .toSorted((a, b) => a - b),
      [2, 3],
    )
  })

  test('with onlyFailed sends the events without a success in the log', async () => {
    const { place, webhook } = await delivered(3, (sequence) => sequence === 2)
    await app.pool`delete from webhook_retries where webhook_id = ${webhook.id}`
    const answer = okay(await replay(webhook, place, { sequence: 1, onlyFailed: true }), ReplayAnswer)
    assert.equal(answer.events, 1)
    await site.attempted(webhook, 4)
    await site.settled(webhook)
    assert.deepEqual(sentTo(webhook), [1, 2, 3, 2])
    assert.equal(
      okay(await replay(webhook, place, { sequence: 1, onlyFailed: true, dryRun: true }), ReplayAnswer).events,
      0,
    )
  })

  test('keeps the order of each resource, and refuses an invalid end or too many events', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created', 'order.updated'], place)
    for (let version = 1; version <= 4; version++) await app.store([order(versionOf(place.id, 1, version))], place.key)
    await site.settled(webhook)
    const before = sentTo(webhook)
    okay(await replay(webhook, place, { sequence: 1, untilSequence: 4 }), ReplayAnswer)
    await eventually(() => sentTo(webhook).length === 2 * before.length, 'all are sent again')
    assert.deepEqual(sentTo(webhook).slice(before.length), before)
    assert.equal((await replay(webhook, place, { sequence: 1, until: 'soon' })).status, 400)
    assert.equal((await replay(webhook, place, { sequence: 1, until: '2026-01-01', untilSequence: 1 })).status, 400)
    await app.pool`
      insert into journal (location_id, seq, accepted_at, kind, id, types, document, salt, commitment, hash)
      select ${place.id}, n, now(), 'order', ${randomUUID()}, '{order.created}', '{}', '', '', '' from generate_series(5, 20100) n`
    await app.pool`update webhooks set cursor = 20100 where id = ${webhook.id}`
    await app.pool`update location_seq set last_seq = 20100 where location_id = ${place.id}`
    const tooMany = await replay(webhook, place, { sequence: 1, untilSequence: 20_100, dryRun: true })
    assertProblem(tooMany, { status: 400, code: 'too_many_events' })
    const upTo = (untilSequence: number, more = {}) =>
      replay(webhook, place, { sequence: 1, untilSequence, dryRun: true, ...more })
    const most = okay(await upTo(10_000), ReplayAnswer)
    assert.deepEqual([most.events, most.eventsAreCounted], [10_000, true])
    assertProblem(await upTo(10_001), { status: 400, code: 'too_many_events' })
    const few = { types: ['order.updated'] }
    assert.equal(okay(await upTo(20_000, few), ReplayAnswer).events, 3)
    assertProblem(await upTo(20_001, few), { status: 400, code: 'too_many_events' })
    const whole = okay(await replay(webhook, place, { sequence: 1, dryRun: true }), ReplayAnswer)
    assert.equal(whole.eventsAreCounted, false)
  })
})

describe('waiting events', () => {
  test('are listed by sequence, with the next attempt and the events that wait behind another', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created', 'order.updated'], place)
    receiver.answer(webhook.path, () => ({ status: 500 }))
    await app.store([order(versionOf(place.id, 1, 1))], place.key)
    await site.attempted(webhook, 1)
    await app.store([order(versionOf(place.id, 1, 2))], place.key)
    await app.store([one(place.id, 2)], place.key)
    const list = async (query = '') =>
      okay(await app.get(`/v1/webhooks/${webhook.id}/pending${query}`, { key: place.key }), PendingPage)
    await eventually(async () => (await list()).data.length === 3, 'three wait')
    const { data, meta } = await list()
    assert.deepEqual(
      data.map(({ sequence, event }: any) => [sequence, event]),
      [
        [1, 'order.created'],
        [2, 'order.updated'],
        [3, 'order.created'],
      ],
    )
    assert.equal(meta.next, null)
    assert.equal(data[0].attempts, 1)
    assert.notEqual(data[0].nextAttemptAt, null)
    assert.deepEqual([data[1].nextAttemptAt, data[0].resourceId], [null, data[1].resourceId])
    const [delivery] = await logOf(webhook, place)
    assert.ok(data.some(({ messageId }: any) => messageId === delivery?.messageId))
    const first = await list('?size=2')
    assert.deepEqual([first.data.length, (await list(`?size=2&cursor=${first.meta.next}`)).data.length], [2, 1])
    assertProblem(await app.get(`/v1/webhooks/${webhook.id}/pending`, { key: app.other.key }), {
      status: 404,
      code: 'webhook_not_found',
    })
    assert.equal((await app.get(`/v1/webhooks/${webhook.id}/pending?cursor=x`, { key: place.key })).status, 400)
  })
})

describe('webhook statistics', () => {
  test('count attempts by webhook and step, and failures by class, with durations', async () => {
    const { place, webhook } = await delivered(4, (sequence) => sequence > 3)
    const quiet = await site.register(['order.paid'], place)
    const read = async (query = '', key = place.key) =>
      okay(await app.get(`/v1/webhooks/statistics${query}`, { key }), WebhookStatistics)
    const { data, meta } = await read('?step=5m')
    const of = (id: string) => data.find(({ webhookId }: any) => webhookId === id).steps
    assert.deepEqual(of(quiet.id), [])
    const sum = (name: string) => of(webhook.id).reduce((n: number, step: any) => n + step[name], 0)
    assert.deepEqual([sum('successes'), sum('failures')], [3, 1])
    for (const step of of(webhook.id)) {
      assert.equal(Date.parse(step.from) % 300_000, 0)
      assert.ok(step.p50Ms > 0 && step.p95Ms >= step.p50Ms)
    }
    const classes = of(webhook.id).flatMap(({ failuresByClass }: any) => Object.entries(failuresByClass))
    assert.deepEqual(classes, [['http', 1]])
    assert.equal(meta.step, '5m')
    assert.equal(
      (await read('?step=1d&since=2020-01-01&until=2020-02-01')).data.every(({ steps }: any) => steps.length === 0),
      true,
    )
    assert.deepEqual((await read('', app.other.key)).data, [])
    const bound = await app.addKey(place.id, { recipientId: quiet.recipientId })
    assert.deepEqual(
      (await read('', bound.key)).data.map(({ webhookId }: any) => webhookId),
      [quiet.id],
    )
    assertProblem(await app.get('/v1/webhooks/statistics?step=5m&since=2020-01-01', { key: place.key }), {
      status: 400,
      code: 'validation_failed',
      pointers: ['/since'],
    })
    assertProblem(await app.get('/v1/webhooks/statistics', { key: app.keys.read }), {
      status: 403,
      code: 'scope_missing',
    })
    assertProblem(await app.get('/v1/webhooks/statistics', { key: null }), { status: 401, code: 'key_missing' })
  })
})
