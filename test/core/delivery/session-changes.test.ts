import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { EventType } from '../../../src/core/schemas/events.ts'
import { ascending, many, numbersOf } from '../../support/events.ts'
import { startDelivery, type Registered } from '../../support/delivery.ts'
import { idOf, order, versionOf } from '../../support/records.ts'
import { eventually, gate } from '../../support/waiting.ts'

const site = await startDelivery()
const { app, receiver, forward } = site
site.startEngine()

type Place = { id: string; key: string }

async function post(path: string, key: string, body?: unknown) {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const answer = await app.request('POST', path, { key, headers, ...sent })
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

const replay = (webhook: Registered, place: Place, from: { sequence: number } | { since: string }) =>
  post(`/v1/webhooks/${webhook.id}/replay`, place.key, from)

/** Updates the webhook with these changes. */
function change(webhook: Registered, place: Place, changes: { path?: string; events?: EventType[] }) {
  const { id, locationId, recipientId } = webhook
  const endpointUrl = receiver.url(changes.path ?? webhook.path)
  const body = { id, locationId, recipientId, endpointUrl, events: changes.events ?? webhook.events }
  return post('/v1/webhooks/', place.key, body)
}

describe('a replay', () => {
  test('from a sequence resends that event and all later ones, in order per resource', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created', 'order.updated'], place)
    const versions = [1, 2, 3].flatMap((v) => [1, 2].map((n) => order(versionOf(place.id, n, v))))
    await app.store(versions, place.key)
    await site.settled(webhook)
    const first = receiver.at(webhook.path).length
    assert.equal(first, 6)
    const status = await replay(webhook, place, { sequence: 3 })
    assert.ok(status.sequence >= 2)
    await receiver.waitFor(webhook.path, first + 4)
    await site.settled(webhook)
    const again = receiver.at(webhook.path).slice(first)
    assert.deepEqual(ascending(numbersOf(again)), [3, 4, 5, 6])
    for (const n of [1, 2]) {
      const own = again.filter(({ event }) => event.data.id === idOf('order', n))
      assert.deepEqual(
        own.map(({ event }) => event.data.guests),
        [2, 3],
      )
    }
  })

  test('from a time sends the events accepted from then on', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    await app.store(many(place.id, 1, 3), place.key)
    await site.settled(webhook)
    forward(60_000)
    const since = app.context.clock().toISOString()
    await app.store(many(place.id, 4, 2), place.key)
    await site.settled(webhook)
    await replay(webhook, place, { since })
    await receiver.waitFor(webhook.path, 7)
    await site.settled(webhook)
    assert.deepEqual(ascending(numbersOf(receiver.at(webhook.path).slice(5))), [4, 5])
  })

  test('from the future, or from beyond the head, is refused, sends nothing and skips nothing', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    await app.store(many(place.id, 1, 2), place.key)
    await site.settled(webhook)
    const headers = { 'content-type': 'application/json' }
    for (const [from, status] of [
      [{ since: '2999-01-01' }, 400],
      [{ sequence: Number.MAX_SAFE_INTEGER }, 409],
    ] as const) {
      const path = `/v1/webhooks/${webhook.id}/replay`
      const answer = await app.request('POST', path, { key: place.key, headers, body: JSON.stringify(from) })
      assert.equal(answer.status, status, answer.text)
    }
    await app.store(many(place.id, 3, 1), place.key)
    await receiver.waitFor(webhook.path, 3)
    await site.settled(webhook)
    assert.deepEqual(ascending(numbersOf(receiver.at(webhook.path))), [1, 2, 3])
  })

  test('can start before the webhook was created', async () => {
    const place = await app.addLocation()
    await app.store(many(place.id, 1, 3), place.key)
    const webhook = await site.register(['order.created'], place)
    await replay(webhook, place, { sequence: 1 })
    await receiver.waitFor(webhook.path, 3)
    assert.deepEqual(ascending(numbersOf(receiver.at(webhook.path))), [1, 2, 3])
  })

  test('of deferred events sends each once, in the order of the journal', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created', 'order.updated'], place)
    let isWell = false
    receiver.answer(webhook.path, () => (isWell ? 200 : 500))
    await app.store(
      [1, 2, 3].map((v) => order(versionOf(place.id, 1, v))),
      place.key,
    )
    await site.attempted(webhook, 1)
    assert.equal((await site.status(webhook, place.key)).setAside, 3)
    isWell = true
    await replay(webhook, place, { sequence: 2 })
    // Only the first event is deferred now; the later ones wait for it.
    await eventually(async () => (await site.status(webhook, place.key)).sequence === 3, 'the journal was read again')
    forward(60_000)
    await site.settled(webhook)
    const accepted = receiver.at(webhook.path).filter(({ status }) => status === 200)
    assert.deepEqual(numbersOf(accepted), [1, 2, 3])
  })
})

describe('a deleted webhook', () => {
  test('receives nothing more, and its sent events stay sent', async () => {
    const place = await app.addLocation()
    const [webhook, witness] = [
      await site.register(['order.created'], place),
      await site.register(['order.created'], place),
    ]
    const { opened, open } = gate()
    receiver.answer(webhook.path, () => opened.then(() => 200))
    await app.store(many(place.id, 1, 30), place.key)
    await receiver.waitFor(webhook.path, 8)
    const answer = await app.request('DELETE', `/v1/webhooks/${webhook.id}`, { key: place.key })
    assert.equal(answer.status, 204)
    await eventually(async () => {
      const [row] = await app.pool`
        select exists (select 1 from webhooks where location_id = ${place.id} and id = ${webhook.id})
          or exists (select 1 from webhook_retries where location_id = ${place.id} and webhook_id = ${webhook.id}) as is`
      return row?.['is'] === false
    }, 'its rows are gone')
    open()
    await app.store(many(place.id, 31, 1), place.key)
    await site.settled(witness)
    assert.equal(receiver.at(witness.path).length, 31)
    assert.equal(receiver.at(webhook.path).length, 8)
  })
})

describe('a changed webhook', () => {
  test('is called at its new endpoint, from the event at which the old one stopped', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    await app.store(many(place.id, 1, 3), place.key)
    await site.settled(webhook)
    const path = `/${randomUUID()}`
    await change(webhook, place, { path })
    await app.store(many(place.id, 4, 2), place.key)
    await receiver.waitFor(path, 2)
    await site.settled(webhook)
    assert.deepEqual(ascending(numbersOf(receiver.at(path))), [4, 5])
    assert.equal(receiver.at(webhook.path).length, 3)
  })

  test('sends deferred events to the new endpoint', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    receiver.answer(webhook.path, () => 500)
    await app.store(many(place.id, 1, 1), place.key)
    await site.attempted(webhook, 1)
    const path = `/${randomUUID()}`
    await change(webhook, place, { path })
    forward(60_000)
    await receiver.waitFor(path, 1)
    await site.settled(webhook)
    assert.equal(receiver.at(webhook.path).length, 1)
  })

  test('in the middle of a backlog neither loses nor reorders events over both endpoints', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created', 'order.updated'], place)
    const path = `/${randomUUID()}`
    const versions = Array.from({ length: 20 }, (_, v) => [1, 2, 3].map((n) => order(versionOf(place.id, n, v + 1))))
    await app.store(versions.flat(), place.key)
    await receiver.waitFor(webhook.path, 5)
    await change(webhook, place, { path })
    await site.settled(webhook)
    const all = [...receiver.at(webhook.path), ...receiver.at(path)]
    for (const n of [1, 2, 3]) {
      const own = all.filter(({ event }) => event.data.id === idOf('order', n)).map(({ event }) => event.data.guests)
      const firsts = own.filter((v, i) => own.indexOf(v) === i)
      assert.deepEqual(
        firsts,
        Array.from({ length: 20 }, (_, v) => v + 1),
      )
    }
  })

  test('gets no retry of an event that it is no longer registered for', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created', 'order.paid'], place)
    let isWell = false
    receiver.answer(webhook.path, () => (isWell ? 200 : 500))
    await app.store(many(place.id, 1, 2), place.key)
    await site.attempted(webhook, 2)
    assert.equal((await site.status(webhook, place.key)).setAside, 4)
    isWell = true
    await change(webhook, place, { events: ['order.paid'] })
    forward(60_000)
    await site.settled(webhook)
    const accepted = receiver.at(webhook.path).filter(({ status }) => status === 200)
    assert.deepEqual(
      accepted.map(({ event }) => event.type),
      ['order.paid', 'order.paid'],
    )
  })

  test('that was being probed resumes when it is no longer registered for any probe event', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    let isWell = false
    receiver.answer(webhook.path, () => (isWell ? 200 : 500))
    await app.store(many(place.id, 1, 5), place.key)
    for (let count = 1; count < 5; count++) {
      await site.attempted(webhook, count)
      forward(3_600_000)
    }
    await eventually(async () => (await site.status(webhook, place.key)).state === 'failing', 'only probes')
    isWell = true
    await change(webhook, place, { events: ['order.updated'] })
    await app.store([order(versionOf(place.id, 1, 2))], place.key)
    forward(86_400_000)
    await receiver.until(
      () => receiver.at(webhook.path).some(({ event }) => event.type === 'order.updated'),
      'the update',
    )
    await site.settled(webhook)
    assert.equal((await site.status(webhook, place.key)).state, 'enabled')
  })
})
