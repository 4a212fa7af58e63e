import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logDeliveries } from '../../../src/core/server/delivery-log.ts'
import { createLog } from '../../../src/core/server/log.ts'
import type { LogLine } from '../../support/app.ts'
import { startDelivery } from '../../support/delivery.ts'
import { order, versionOf } from '../../support/records.ts'

const site = await startDelivery()
const { app, receiver, forward } = site
const { events } = site.startEngine({ random: () => 0.5 })
const lines: LogLine[] = []
const detailed: LogLine[] = []
logDeliveries(
  events,
  createLog('info', { write: (line) => void lines.push(JSON.parse(line)) }),
  app.context.availability,
)
logDeliveries(
  events,
  createLog('debug', { write: (line) => void detailed.push(JSON.parse(line)) }),
  app.context.availability,
)

const of = (among: LogLine[], webhook: { id: string }) => among.filter(({ webhookId }) => webhookId === webhook.id)

test('a failed attempt is one line at info with the reason and the next time; a success is one at debug', async () => {
  const place = await app.addLocation()
  const webhook = await site.register(['order.created'], place)
  receiver.answer(webhook.path, (_receipt, earlier) => (earlier === 0 ? 503 : 200))
  await app.store([order(versionOf(place.id, 1, 1))], place.key)
  await site.attempted(webhook, 1)
  forward(60_000)
  await site.settled(webhook)
  const logged = of(lines, webhook)
  assert.equal(logged.length, 1, JSON.stringify(logged))
  const { level, msg, event, attempt, status, errorClass, locationId, nextAttemptAt, messageId, address } =
    logged[0] as LogLine
  assert.deepEqual(
    { level, event, attempt, status, errorClass, locationId, address },
    {
      level: 'info',
      event: 'order.created',
      attempt: 1,
      status: 503,
      errorClass: 'http',
      locationId: place.id,
      address: '127.0.0.1',
    },
  )
  assert.match(msg ?? '', /^delivery failed: .*503/)
  assert.ok(Date.parse(nextAttemptAt) > 0 && typeof messageId === 'string')
  const delivered = of(detailed, webhook).filter(({ msg }) => msg === 'delivered')
  assert.deepEqual(
    delivered.map(({ level, status, attempt }) => [level, status, attempt]),
    [['debug', 200, 2]],
  )
})

test('a disabled webhook is one line with the reason', async () => {
  const place = await app.addLocation()
  const webhook = await site.register(['order.created'], place)
  receiver.answer(webhook.path, () => 410)
  await app.store([order(versionOf(place.id, 2, 1))], place.key)
  await site.attempted(webhook, 1)
  const disabled = of(lines, webhook).filter(({ msg }) => msg.includes('disabled'))
  assert.deepEqual(
    disabled.map(({ level, reason }) => [level, reason]),
    [['warn', 'gone']],
  )
})

test('no line contains the URL of an endpoint', async () => {
  assert.ok(detailed.length > 0)
  assert.ok(!JSON.stringify([...lines, ...detailed]).includes('http://'))
})
