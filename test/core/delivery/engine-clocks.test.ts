import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { DeliveryEngine } from '../../../src/core/delivery/engine.ts'
import { DatabaseClock } from '../../../src/core/store/db/database-clock.ts'
import { one } from '../../support/events.ts'
import { startDelivery } from '../../support/delivery.ts'
import { gate } from '../../support/waiting.ts'
import { hourMs } from '../../../src/core/domain/days/time-units.ts'

const site = await startDelivery()
const { app, receiver } = site
const { pool } = app

describe('the clock of an engine', () => {
  test('is that of the database, whether the clock of the process is wrong or changed', async (t) => {
    const realNow = Date.now
    let aheadMs = hourMs
    t.mock.method(Date, 'now', () => realNow() + aheadMs)
    const clock = new DatabaseClock(pool)
    assert.equal(clock.offsetMs, null)
    await clock.measure()
    for (aheadMs of [hourMs, 0, -hourMs]) {
      const [row] = await pool<{ at: Date }[]>`select clock_timestamp() as at`
      const apartMs = clock.now().getTime() - Number(row?.at.getTime())
      assert.ok(Math.abs(apartMs) < hourMs / 2, `${apartMs} ms apart`)
      assert.ok(Math.abs(Number(clock.offsetMs) - aheadMs) < hourMs / 2)
    }
  })
})

describe('an engine on a machine whose clock is an hour ahead', () => {
  test('takes expired leases, and schedules due retries, by the clock of the database', async (t) => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    const { opened, open } = gate()
    receiver.answer(webhook.path, () => opened.then(() => 500))
    await app.store([one(place.id, 1)], place.key)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + hourMs })
    const { hints, sender } = app.context
    const engine = new DeliveryEngine({ pool, hints, sender, sweepMs: 20 })
    engine.start()
    await receiver.until(() => receiver.at(webhook.path).length === 1, 'the event is sent')
    const inHours = async (column: string) => {
      const [row] = await pool.unsafe<{ hours: number | null }[]>(
        `select (extract(epoch from ${column} - clock_timestamp()) / 3600)::float8 as hours from webhooks where id = $1`,
        [webhook.id],
      )
      return row?.hours
    }
    const lease = Number(await inHours('lease_until'))
    assert.ok(lease > -0.5 && lease < 0.5, `the lease ends in ${lease} h`)
    open()
    await engine.stop()
    const retry = Number(await inHours('retry_at'))
    assert.ok(retry > -0.5 && retry < 0.5, `the retry is due in ${retry} h`)
  })
})

describe('a time written by a wrong clock', () => {
  test('such as a lease that lasts a year delays nothing', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    await pool`
      update webhooks set lease_token = ${randomUUID()}, lease_until = now() + interval '1 year' where id = ${webhook.id}`
    const engine = site.startEngine()
    await app.store([one(place.id, 1)], place.key)
    await site.settled(webhook)
    await engine.stop()
    assert.equal(receiver.at(webhook.path).length, 1)
  })

  test('such as a retry in a year is sent at once, also if it is the probe', async () => {
    for (const failures of [1, 6]) {
      const place = await app.addLocation()
      const webhook = await site.register(['order.created'], place)
      receiver.answer(webhook.path, (_receipt, earlier) => (earlier === 0 ? 500 : 200))
      const first = site.startEngine()
      await app.store([one(place.id, 1)], place.key)
      await site.attempted(webhook, 1)
      await first.stop()
      await pool`update webhook_retries set next_at = now() + interval '1 year' where webhook_id = ${webhook.id}`
      await pool`
        update webhooks set retry_at = now() + interval '1 year', failures = ${failures} where id = ${webhook.id}`
      const engine = site.startEngine()
      await site.settled(webhook)
      await engine.stop()
      assert.equal(receiver.at(webhook.path).length, 2)
    }
  })
})
