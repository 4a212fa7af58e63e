import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDelivery } from '../../support/delivery.ts'
import { order, versionOf } from '../../support/records.ts'

const site = await startDelivery()
const { app, receiver, forward } = site
site.startEngine()

test('the log keeps 1 KiB of the response to a success, all that was read of a failure, and 4 KiB of headers', async () => {
  const place = await app.addLocation()
  const webhook = await site.register(['order.created'], place)
  const body = '\u{1f355}'.repeat(4_000)
  const headers = { 'x-small': 'kept', 'x-large': 'x'.repeat(5_000) }
  receiver.answer(webhook.path, (_receipt, earlier) => ({ status: earlier === 0 ? 500 : 200, headers, body }))
  await app.store([order(versionOf(place.id, 1, 1))], place.key)
  await site.attempted(webhook, 1)
  forward(60_000)
  await site.settled(webhook)
  const [failure, success] = (await site.log(webhook, place.key)).map(({ response }) => response)
  assert.equal(failure?.body, body)
  assert.ok(success && success.body.length <= 1_024 && body.startsWith(success.body) && success.body.length >= 1_022)
  for (const response of [failure, success]) {
    assert.equal(response?.headers['x-small'], 'kept')
    assert.ok(!('x-large' in (response?.headers ?? {})))
  }
})
