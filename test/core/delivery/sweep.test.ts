import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { DeliveryEngine } from '../../../src/core/delivery/engine.ts'
import { retrySchedule } from '../../../src/core/domain/journal/retry-schedule.ts'
import { openPool } from '../../../src/core/store/db/database.ts'
import { Hints } from '../../../src/core/store/db/hints.ts'
import { findDueLocations } from '../../../src/core/store/webhooks/leases.ts'
import { startDelivery } from '../../support/delivery.ts'
import { atEnd } from '../../support/database.ts'
import { order, smallOrderOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'

const site = await startDelivery()
const { app, receiver } = site
const due = { breakerThreshold: 5, longestRetryMs: 86_400_000 }

/** Resolves to the delays between the sweeps of an engine with these hints, once `isSeen` accepts them. */
async function waitsOf(hints: Hints, isSeen: (waits: readonly number[]) => boolean): Promise<number[]> {
  const engine = new DeliveryEngine({ pool: app.pool, hints, sender: app.context.sender, sweepMs: 20 })
  const waits: number[] = []
  engine.events.on('swept', ({ nextMs }) => waits.push(nextMs))
  engine.start()
  try {
    await eventually(() => isSeen(waits), 'it has swept often enough')
  } finally {
    await engine.stop()
  }
  return waits
}

test('while hints arrive an engine sweeps a fifth as often, otherwise at its set interval', async () => {
  const { direct: _, ...past } = app.database.connection
  const heard = new Hints(app.pool)
  await heard.listen()
  const deaf = new Hints(openPool({ ...past, pooler: 'plain' }, { connections: 1, pipelining: true }))
  await deaf.listen()
  atEnd(() => Promise.all([heard.close(), deaf.close()]))
  // On a busy machine an echo arrives some sweeps later.
  const waits = await waitsOf(heard, (all) => all.includes(100))
  assert.equal(waits[0], 20, 'it trusts hints before it has heard one')
  assert.deepEqual([...new Set(waits)], [20, 100])
  const deafly = await waitsOf(deaf, (all) => all.length >= 20)
  assert.deepEqual([...new Set(deafly)], [20])
})

test('missing hints are noticed', async () => {
  const hints = new Hints(app.pool)
  assert.equal(hints.isHearing(), false)
  await hints.listen()
  hints.isHearing()
  await eventually(() => hints.isHearing(), 'the echo is heard')
  await hints.close()
  assert.equal(hints.isHearing(), false)
})

test('an echo is not a hint: no subscriber is called', async () => {
  const [asking, other] = [new Hints(app.pool), new Hints(app.pool)]
  await Promise.all([asking.listen(), other.listen()])
  const hinted: string[] = []
  for (const hints of [asking, other]) hints.subscribe({ committed: (id) => hinted.push(id) })
  asking.isHearing()
  await eventually(() => asking.isHearing(), 'the echo is heard')
  assert.deepEqual(hinted, [])
  await Promise.all([asking.close(), other.close()])
})

test('a sweep returns the retries and lease ends due before the next sweep, and their delays', async () => {
  const webhook = await site.register(['order.created'])
  const now = new Date()
  const in4 = new Date(now.getTime() + 4_000)
  const find = async () => {
    const found = await findDueLocations(app.pool, { ...due, now }, 5_000)
    return found.find(({ locationId }) => locationId === app.location)?.inMs
  }
  assert.equal(await find(), undefined)
  await app.pool`update webhooks set retry_at = ${in4} where location_id = ${app.location} and id = ${webhook.id}`
  assert.equal(await find(), 4_000)
  const past = new Date(now.getTime() - 1)
  const held = { until: in4, token: randomUUID() }
  await app.pool`
    update webhooks set retry_at = ${past}, lease_until = ${held.until}, lease_token = ${held.token}
    where location_id = ${app.location} and id = ${webhook.id}`
  assert.equal(await find(), 4_000)
  await app.pool`
    update webhooks set lease_until = null, lease_token = null where location_id = ${app.location} and id = ${webhook.id}`
  assert.equal(await find(), 0)
  const beyond = new Date(now.getTime() + 5_001)
  await app.pool`update webhooks set retry_at = ${beyond} where location_id = ${app.location} and id = ${webhook.id}`
  assert.equal(await find(), undefined)
  await app.pool`delete from webhooks where location_id = ${app.location} and id = ${webhook.id}`
})

test('a sweep returns each time at which webhooks of one location are due, and one time for those due together', async () => {
  const place = await app.addLocation()
  const now = new Date()
  const ids = []
  for (let i = 0; i < 4; i++) ids.push((await site.register(['order.created'], place)).id)
  for (const [i, inMs] of [-60_000, -1, 1_500, 4_000].entries()) {
    const at = new Date(now.getTime() + inMs)
    await app.pool`update webhooks set retry_at = ${at} where location_id = ${place.id} and id = ${ids[i] as string}`
  }
  const found = await findDueLocations(app.pool, { ...due, now }, 5_000)
  const moments = found.filter(({ locationId }) => locationId === place.id).map(({ inMs }) => inMs)
  assert.deepEqual(
    moments.toSorted((a, b) => a - b),
    [0, 1_500, 4_000],
  )
  await app.pool`delete from webhooks where location_id = ${place.id}`
})

test('a retry is sent when it is due, also between two sweeps that are far apart', async () => {
  const place = await app.addLocation()
  const webhook = await site.register(['order.created'], place)
  let failures = 1
  receiver.answer(webhook.path, () => ({ status: failures-- > 0 ? 500 : 200 }))
  const engine = site.startEngine({ sweepMs: 60_000, schedule: retrySchedule([50]) })
  await app.store([order(smallOrderOf(place.id, 1))], place.key)
  await receiver.waitFor(webhook.path, 2)
  await engine.stop()
})

test('webhooks of one location are retried each at its own time, and not with the first of them', async () => {
  const place = await app.addLocation()
  const failed = new Set<string>()
  const waits = [100, 600, 1_100]
  const webhooks = []
  for (const _ of waits) webhooks.push(await site.register(['order.created'], place))
  for (const { path } of webhooks)
    receiver.answer(path, () => {
      const status = failed.has(path) ? 200 : 500
      failed.add(path)
      return { status }
    })
  let next = 0
  // The waits have no jitter: each webhook has its own wait.
  const schedule = { ...retrySchedule([50]), waitMs: () => waits[next++ % waits.length] as number }
  site.startEngine({ sweepMs: 60_000, schedule })
  await app.store([order(smallOrderOf(place.id, 1))], place.key)
  for (const { path } of webhooks) await receiver.waitFor(path, 2)
})
