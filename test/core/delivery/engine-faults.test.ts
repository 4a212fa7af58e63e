import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { createSender } from '../../../src/core/delivery/sender/send.ts'
import { toAddressRange } from '../../../src/core/domain/addresses/addresses.ts'
import { Delivery } from '../../../src/core/contract/webhooks/schema.ts'
import { assertSchema } from '../conformance/contract.ts'
import { atEnd } from '../../support/database.ts'
import { startDelivery } from '../../support/delivery.ts'
import { faultModes, type FaultMode } from '../../support/fault-modes.ts'
import { startFaultReceiver } from '../../support/fault-receiver.ts'
import { order, versionOf } from '../../support/records.ts'

const site = await startDelivery()
const { app, receiver } = site
const faults = await startFaultReceiver()
atEnd(() => faults.close())

const sender = createSender({ allowHttp: true, allowAddresses: ['127.0.0.0/8'].map(toAddressRange), deadlineMs: 800 })
site.startEngine({ sender })
atEnd(() => sender.close())

const classes = new Set(['dns', 'connect', 'tls', 'timeout', 'reset', 'http', 'blocked'])

test('every fault of a receiver is logged as an attempt, is retried, and delays no other webhook', async () => {
  const place = await app.addLocation()
  const headers = { 'content-type': 'application/json' }
  const endpoints: [name: string, url: string][] = [
    ...(Object.keys(faultModes) as FaultMode[]).map((mode): [string, string] => [mode, faults.url(mode)]),
    ...Object.entries(faults.wrongTls).map(([name, url]): [string, string] => [`wrong TLS: ${name}`, `${url}/ok`]),
  ]
  const webhooks = await Promise.all(
    endpoints.map(async ([name, endpointUrl]) => {
      const input = { events: ['order.paid'], endpointUrl, locationId: place.id, recipientId: randomUUID() }
      const body = JSON.stringify(input)
      const made = await app.request('POST', '/v1/webhooks/', { key: place.key, headers, body })
      assert.equal(made.status, 201, made.text)
      return { name, id: made.json.id as string }
    }),
  )
  const healthy = await site.register(['order.paid'], place)
  await app.store([order(versionOf(place.id, 1, 1))], place.key)
  await receiver.waitFor(healthy.path, 1)
  for (const { name, id } of webhooks) {
    await site.attempted({ id }, 1)
    const attempts = await site.log({ id }, place.key)
    const [attempt] = attempts
    assert.ok(attempt, name)
    assertSchema(Delivery, attempt)
    assert.ok(attempt.message.length > 0, name)
    const { state } = await site.status({ id }, place.key)
    if (attempt.success) {
      assert.ok(attempt.status >= 200 && attempt.status < 300, name)
      assert.deepEqual([attempt.errorClass, attempt.nextAttemptAt], [null, null], name)
    } else {
      assert.ok(classes.has(String(attempt.errorClass)), `${name}: ${attempt.errorClass}`)
      assert.equal(attempt.nextAttemptAt === null, attempt.status === 410, name)
    }
    // On a slow machine the first attempt may have timed out.
    assert.equal(state, attempts.some(({ status }) => status === 410) ? 'disabled' : 'enabled', name)
  }
})
