import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSender } from '../../../src/core/delivery/sender/send.ts'
import { toAddressRange } from '../../../src/core/domain/addresses/addresses.ts'
import { startDelivery } from '../../support/delivery.ts'
import { many } from '../../support/events.ts'
import { eventually, gate } from '../../support/waiting.ts'

const site = await startDelivery()
const { app, receiver } = site

test('hanging webhooks of one location leave connections to those of another', async () => {
  const allowAddresses = [toAddressRange('127.0.0.0/8')]
  const sender = createSender({ allowHttp: true, allowAddresses, maxSockets: 8, deadlineMs: 120_000 })
  site.startEngine({ sender })
  const [busy, other] = [await app.addLocation(), await app.addLocation()]
  const { opened, open } = gate()
  let hanging = 0
  const hung = await Promise.all(Array.from({ length: 3 }, () => site.register(['order.created'], busy)))
  for (const { path } of hung) {
    receiver.answer(path, () => {
      hanging += 1
      return opened.then(() => 200)
    })
  }
  const well = await site.register(['order.created'], other)
  await app.store(many(busy.id, 1, 5), busy.key)
  await eventually(() => hanging === 4, 'they have half of the connections')
  await app.store(many(other.id, 1, 1), other.key)
  await receiver.waitFor(well.path, 1)
  assert.equal(hanging, 4)
  open()
  for (const webhook of [...hung, well]) await site.settled(webhook)
  await sender.close()
})
