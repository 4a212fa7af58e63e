import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { getWebhook } from '../../../src/core/contract/webhooks/rows.ts'
import { startDelivery, type Registered } from '../../support/delivery.ts'
import { about, keepEvents, nextEvent } from '../../support/engine.ts'
import { startProcess } from '../../support/processes.ts'
import type { DeliveryProcessOptions } from '../../support/processes/delivery.ts'
import type { Answering } from '../../support/receiver.ts'
import { idOf, order, orderOf, timeOf, versionOf } from '../../support/records.ts'
import { eventually, gate } from '../../support/waiting.ts'

const site = await startDelivery()
const { app, receiver, forward } = site

const watched = idOf('order', 1)

/**
 * Returns the options of a worker whose leases end soon after it is killed. It uses the clock of the test, so that the
 * same deliveries are due.
 */
const processOptions = (): DeliveryProcessOptions => ({
  connection: app.database.connection,
  leaseMs: 400,
  sweepMs: 20,
  aheadMs: app.context.clock().getTime() - Date.now(),
})

/** Returns order 1, its update, and seven other orders: nine entries of one push, the first two for one resource. */
const change = (locationId: string) => [
  order(versionOf(locationId, 1, 1)),
  order(versionOf(locationId, 1, 2)),
  ...[2, 3, 4, 5, 6, 7, 8].map((n) => order(versionOf(locationId, n, 1))),
]

/**
 * Responds as `answering` does, and records order 1 like its partner: `overtakers` lists each event of that order that
 * arrived before all earlier ones of `events` were accepted.
 */
function watch(webhook: Registered, events: readonly string[], answering: Answering) {
  const accepted = new Set<string>()
  const overtakers: string[] = []
  receiver.answer(webhook.path, async (receipt, earlier) => {
    const { event } = receipt
    const name = `${event.sequence} ${event.type}`
    const before = event.data.id === watched ? events.slice(0, events.indexOf(name)) : []
    for (const missing of before.filter((one) => !accepted.has(one))) overtakers.push(`${name} before ${missing}`)
    const reply = await answering(receipt, earlier)
    if (reply === 200) accepted.add(name)
    return reply
  })
  return { overtakers, accepted }
}

/** Lets order 1 hang at its first request, and fails all other requests until `isWell`. */
function hangFirst(webhook: Registered) {
  const { opened, open } = gate()
  const state = { isWell: false, open }
  const watching = watch(webhook, ['1 order.created', '2 order.updated'], async ({ event }, earlier) => {
    if (earlier === 0) {
      assert.equal(event.sequence, 1)
      await opened
      return 500
    }
    return state.isWell ? 200 : 500
  })
  return Object.assign(state, watching)
}

/** Checks that this many events were accepted, each once. */
function assertOnce({ path }: Registered, count: number): void {
  const accepted = receiver.at(path).filter(({ status }) => status === 200)
  assert.equal(accepted.length, count)
  assert.equal(new Set(accepted.map(({ event }) => event.id)).size, count)
}

const enable = async (webhook: Registered, key: string) => {
  const answer = await app.request('POST', `/v1/webhooks/${webhook.id}/enable`, { key })
  assert.equal(answer.status, 200, answer.text)
}

const isProbing = (webhook: Registered) =>
  eventually(async () => (await getWebhook(app.pool, webhook.locationId, webhook.id)).failures >= 5, 'it only probes')

describe('events of one resource stay in order when another session takes over while the first is in flight', () => {
  test('after `enable`', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created', 'order.updated'], place)
    const state = hangFirst(webhook)
    const engine = site.startEngine()
    await app.store(change(place.id), place.key)
    await isProbing(webhook)
    state.isWell = true
    await enable(webhook, place.key)
    await receiver.until(() => state.accepted.has('2 order.updated'), 'the update is accepted')
    state.open()
    await site.settled(webhook)
    await engine.stop()
    assert.deepEqual(state.overtakers, [])
    assertOnce(webhook, 9)
  })

  test('after the worker was killed', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created', 'order.updated'], place)
    const state = hangFirst(webhook)
    const options = processOptions()
    const killed = await startProcess('delivery', options)
    try {
      await app.store(change(place.id), place.key)
      await isProbing(webhook)
    } finally {
      await killed.kill()
    }
    state.isWell = true
    forward(60_000)
    const engine = site.startEngine()
    await site.settled(webhook)
    await engine.stop()
    state.open()
    assert.deepEqual(state.overtakers, [])
    assertOnce(webhook, 9)
  })

  test('after `enable`, when the worker that took over was killed too: no deferred event is lost', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created', 'order.updated'], place)
    const { opened, open } = gate()
    let [isFirstWell, areOthersWell] = [false, false]
    const state = watch(webhook, ['1 order.created', '2 order.updated'], async ({ event }) => {
      if (event.sequence === 1 && !isFirstWell) return opened.then(() => 500)
      return event.data.id === watched || areOthersWell ? 200 : 500
    })
    const options = processOptions()
    const killed = await startProcess('delivery', options)
    try {
      await app.store(change(place.id), place.key)
      await isProbing(webhook)
      areOthersWell = true
      await enable(webhook, place.key)
      await eventually(async () => {
        const rows = await app.pool`select seq from webhook_retries where webhook_id = ${webhook.id}`
        return rows.length === 1 && rows[0]?.['seq'] === 2
      }, 'only the update is set aside, behind the first that hangs again')
    } finally {
      await killed.kill()
    }
    isFirstWell = true
    forward(60_000)
    const engine = site.startEngine()
    await site.settled(webhook)
    await engine.stop()
    open()
    assert.deepEqual(state.overtakers, [])
    assert.deepEqual([...state.accepted].filter((name) => /^[12] /.test(name)).toSorted(), [
      '1 order.created',
      '2 order.updated',
    ])
  })

  test('after a rotation of the secret, and after a change of the webhook', async () => {
    for (const how of ['rotate', 'upsert'] as const) {
      const place = await app.addLocation()
      const webhook = await site.register(['order.created', 'order.updated'], place)
      const state = hangFirst(webhook)
      const engine = site.startEngine()
      await app.store(change(place.id), place.key)
      await isProbing(webhook)
      state.isWell = true
      const { id, events, endpointUrl, locationId, recipientId } = webhook
      const body = JSON.stringify({ id, events, endpointUrl, locationId, recipientId })
      const headers = { 'content-type': 'application/json' }
      const answer =
        how === 'rotate'
          ? await app.request('POST', `/v1/webhooks/${id}/secret/rotate`, { key: place.key })
          : await app.request('POST', '/v1/webhooks/', { key: place.key, headers, body })
      assert.equal(answer.status, 200, answer.text)
      await receiver.until(() => state.accepted.has('1 order.created'), 'the first is sent again and accepted')
      state.open()
      await site.settled(webhook)
      await engine.stop()
      assert.deepEqual(state.overtakers, [], how)
      assertOnce(webhook, 9)
    }
  })

  test('while the receiver keeps failing: every request is in the log, and the webhook keeps its schedule', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created', 'order.updated'], place)
    const state = hangFirst(webhook)
    const engine = site.startEngine()
    const attempts = keepEvents(engine.events, 'attempted', about(webhook))
    await app.store(change(place.id), place.key)
    await isProbing(webhook)
    const again = nextEvent(engine.events, 'probing', about(webhook))
    await enable(webhook, place.key)
    await again
    state.open()
    // The first session had the hanging request, so it ends last; the log is complete after that.
    await eventually(async () => {
      const [row] = await app.pool`
        select count(*) as n, (select failures from webhooks where location_id = ${place.id} and id = ${webhook.id}) as failures
        from webhook_attempts where location_id = ${place.id} and webhook_id = ${webhook.id}`
      return row?.['n'] === receiver.at(webhook.path).length && row['n'] === attempts.length && row['failures'] >= 5
    }, 'every request is in the log')
    const status = await site.status(webhook, place.key)
    assert.equal(status.state, 'failing')
    assert.ok(Date.parse(String(status.nextAttemptAt)) > app.context.clock().getTime())
    assert.deepEqual(state.overtakers, [])
    await engine.stop()
  })
})

describe('an event deferred beyond the cursor', () => {
  /**
   * Creates a webhook whose worker was killed while it sent the second event; all other events had failed, and most
   * wait for an hour.
   */
  async function killedWebhook() {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    const { opened, open } = gate()
    const state = { isWell: false, open }
    receiver.answer(webhook.path, async ({ event }) => {
      if (state.isWell) return 200
      if (event.sequence === 2) return opened.then(() => 500)
      return event.sequence === 1 ? 500 : { status: 503, headers: { 'retry-after': '3600' } }
    })
    const options = processOptions()
    const killed = await startProcess('delivery', options)
    try {
      const records = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => order(versionOf(place.id, n, 1)))
      await app.store(records, place.key)
      await eventually(async () => {
        const rows = await app.pool`select seq from webhook_retries where webhook_id = ${webhook.id}`
        return rows.length === 7
      }, 'all but the second are set aside')
    } finally {
      await killed.kill()
    }
    forward(60_000)
    return { place, webhook, state }
  }

  test('is sent at once by the session that finds the receiver recovered, however late it was due', async () => {
    const { webhook, state } = await killedWebhook()
    state.isWell = true
    const engine = site.startEngine()
    await site.settled(webhook)
    await engine.stop()
    state.open()
    assertOnce(webhook, 8)
  })

  test('is dropped if the webhook is no longer registered for such events', async () => {
    const { place, webhook, state } = await killedWebhook()
    const sent = receiver.at(webhook.path).length
    const { id, endpointUrl, locationId, recipientId } = webhook
    const body = JSON.stringify({ id, events: ['order.canceled'], endpointUrl, locationId, recipientId })
    const headers = { 'content-type': 'application/json' }
    assert.equal((await app.request('POST', '/v1/webhooks/', { key: place.key, headers, body })).status, 200)
    const engine = site.startEngine()
    await site.settled(webhook)
    await engine.stop()
    state.open()
    assert.equal(receiver.at(webhook.path).length, sent)
  })
})

describe('the events of one change', () => {
  test('are retried in the order of the feed', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created', 'order.updated', 'order.paid'], place)
    const events = ['1 order.created', '2 order.updated', '2 order.paid']
    const { overtakers, accepted } = watch(webhook, events, ({ event }) =>
      event.type === 'order.updated' && !accepted.has('tried') ? (accepted.add('tried'), 500) : 200,
    )
    const engine = site.startEngine()
    const open = orderOf(place.id, 1, { closedAt: null, payments: [] })
    await app.store([order(open)], place.key)
    await site.settled(webhook)
    await app.store([order(orderOf(place.id, 1, { updatedAt: timeOf(2) }))], place.key)
    await site.attempted(webhook, 2)
    forward(60_000)
    await site.settled(webhook)
    await engine.stop()
    const received = receiver.at(webhook.path).map(({ event }) => `${event.sequence} ${event.type}`)
    assert.deepEqual(received, ['1 order.created', '2 order.updated', '2 order.updated', '2 order.paid'])
    assert.deepEqual(overtakers, [])
  })
})
