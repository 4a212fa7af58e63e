import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transact } from '../../../src/core/store/db/database.ts'
import { resumeJournal } from '../../../src/core/store/journal/resumption.ts'
import { upsertRetries } from '../../../src/core/store/webhooks/webhook-retries.ts'
import { startDelivery } from '../../support/delivery.ts'
import { idOf, order, versionOf } from '../../support/records.ts'

const site = await startDelivery()
const { app, receiver } = site

/**
 * Before a failover, a session had read sequences that the journal no longer has, and had scheduled retries for them:
 * some up to its cursor, some after it.
 */
test('events lost with an older state of the journal do not block delivery', async () => {
  const place = await app.addLocation()
  const webhook = await site.register(['order.created', 'order.updated'], place)
  await app.store([order(versionOf(place.id, 1, 1)), order(versionOf(place.id, 2, 1))], place.key)
  const first = site.startEngine()
  await site.settled(webhook)
  await first.stop()

  const now = app.context.clock()
  const gone = (seq: number, n: number, nextAt: Date | null) => {
    return { seq, type: 'order.updated' as const, kind: 'order', resourceId: idOf('order', n), attempts: 1, nextAt }
  }
  const setAside = [gone(5, 1, now), gone(6, 1, null), gone(8, 2, null), gone(9, 2, null)]
  await upsertRetries(app.pool, place.id, [{ webhookId: webhook.id, setAside }])
  await app.pool`update webhooks set cursor = 7, retry_at = ${now} where id = ${webhook.id}`
  await transact(app.pool, (tx) => resumeJournal(tx, place.id, { reason: 'a replica was promoted', now }))
  await app.store([order(versionOf(place.id, 1, 2)), order(versionOf(place.id, 2, 2))], place.key)

  const second = site.startEngine()
  await site.settled(webhook)
  await second.stop()
  const updates = receiver.at(webhook.path).filter(({ event }) => event.type === 'order.updated')
  assert.deepEqual(new Set(updates.map(({ event }) => event.data.id)), new Set([idOf('order', 1), idOf('order', 2)]))
})

test('lost events do not block delivery, even if nothing was pushed since', async () => {
  const place = await app.addLocation()
  const webhook = await site.register(['order.created', 'order.updated'], place)
  await app.store([order(versionOf(place.id, 1, 1))], place.key)
  const now = app.context.clock()
  const ahead = {
    type: 'order.updated' as const,
    kind: 'order',
    resourceId: idOf('order', 1),
    attempts: 1,
    nextAt: now,
  }
  await upsertRetries(app.pool, place.id, [{ webhookId: webhook.id, setAside: [{ ...ahead, seq: 3 }] }])
  await app.pool`update webhooks set retry_at = ${now} where id = ${webhook.id}`
  const engine = site.startEngine()
  await site.settled(webhook)
  await engine.stop()
  assert.equal(receiver.at(webhook.path).length, 1)
})
