import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { EngineEvents } from '../../../src/core/delivery/engine-events.ts'
import { JournalTail } from '../../../src/core/delivery/journal-tail.ts'
import { Recorder } from '../../../src/core/delivery/recorder.ts'
import { Session } from '../../../src/core/delivery/session.ts'
import { breakerThreshold, retrySchedule } from '../../../src/core/domain/journal/retry-schedule.ts'
import { claimWebhooks, type Progress } from '../../../src/core/store/webhooks/leases.ts'
import { getWebhook } from '../../../src/core/contract/webhooks/rows.ts'
import { many } from '../../support/events.ts'
import { startDelivery } from '../../support/delivery.ts'
import { counting, keepEvents } from '../../support/engine.ts'
import { eventually, gate } from '../../support/waiting.ts'

const site = await startDelivery()
const { app, receiver } = site
const { pool } = app

describe('a session', () => {
  /** Creates a leased webhook with this number of pending events, and a session that delivers them. */
  async function leased(events: number, sessionLeaseMs: number, recorder = new Recorder(pool)) {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    await app.store(many(place.id, 1, events), place.key)
    const token = randomUUID()
    const [row] = await claimWebhooks(pool, place.id, {
      now: new Date(),
      breakerThreshold,
      longestRetryMs: retrySchedule().longestMs,
      token,
      leaseMs: sessionLeaseMs,
    })
    assert.ok(row)
    const sender = counting(app.context.sender)
    const engineEvents = new EngineEvents()
    const session = new Session(row, token, {
      pool,
      tail: new JournalTail(pool),
      recorder,
      sender,
      clock: () => new Date(),
      random: () => 0.5,
      schedule: retrySchedule(),
      leaseMs: sessionLeaseMs,
      inFlight: 8,
      events: engineEvents,
      isWellAgain: () => {},
    })
    return { place, webhook, sender, engineEvents, session }
  }

  test('that lost its lease stops by itself at the next report', async () => {
    const { webhook, sender, engineEvents, session, place } = await leased(300, 10_000)
    const [stolen, refused] = [gate(), gate()]
    // Requests after the first eight are only answered when the session knows that its lease is lost.
    receiver.answer(webhook.path, (_receipt, earlier) => (earlier < 8 ? stolen : refused).opened.then(() => 200))
    engineEvents.once('leaseLost', refused.open)
    const running = session.run()
    await receiver.waitFor(webhook.path, 8)
    const thief = randomUUID()
    await pool`update webhooks set lease_token = ${thief}, lease_until = ${new Date(Date.now() + 60_000)} where id = ${webhook.id}`
    stolen.open()
    await running
    // Eight requests before the report, and at most eight that were running while it was written.
    assert.ok(sender.sent.length <= 16, `sent ${sender.sent.length}`)
    assert.equal((await getWebhook(pool, place.id, webhook.id)).cursor, 0)
    const [row] = await pool`
      select lease_token, (select count(*) from webhook_attempts where webhook_id = ${webhook.id}) as attempts
      from webhooks where id = ${webhook.id}`
    assert.deepEqual(row, { lease_token: thief, attempts: sender.sent.length })
  })

  test('renews its lease while a receiver is slow, so that no other worker sends the same event', async () => {
    const { webhook, engineEvents, session, place } = await leased(1, 600)
    const { opened, open } = gate()
    receiver.answer(webhook.path, () => opened.then(() => 200))
    const renewed = keepEvents(engineEvents, 'reported')
    const lease = async () => {
      const [row] = await pool`select lease_token, lease_until from webhooks where id = ${webhook.id}`
      return row as { lease_token: string | null; lease_until: Date | null }
    }
    const before = await lease()
    const running = session.run()
    await receiver.waitFor(webhook.path, 1)
    await eventually(() => renewed.length >= 4, 'the lease is renewed four times')
    const after = await lease()
    // Four renewals, each after a third of the lease: the first lease would have ended.
    assert.ok(after.lease_until!.getTime() > before.lease_until!.getTime() + 600)
    assert.notEqual(after.lease_token, before.lease_token)
    assert.ok(renewed.every(({ attempts }) => attempts === 0))
    open()
    await running
    assert.deepEqual(await lease(), { lease_token: null, lease_until: null })
    assert.equal((await getWebhook(pool, place.id, webhook.id)).cursor, 1)
  })

  test('writes nothing after a failed report, whose commit is uncertain', async () => {
    const lost = gate()
    /** The real recorder, but its first commit is lost. */
    class Losing extends Recorder {
      reports = 0
      override async record(locationId: string, progress: Progress) {
        this.reports += 1
        if (this.reports > 1) return super.record(locationId, progress)
        lost.open()
        throw new Error('the disk is full')
      }
    }
    const recorder = new Losing(pool)
    const { webhook, session, place } = await leased(2, 10_000, recorder)
    // The second request gets its response only when the report of the first is lost, so another report follows.
    receiver.answer(webhook.path, (_receipt, earlier) => (earlier === 0 ? 200 : lost.opened.then(() => 200)))
    await session.run()
    assert.deepEqual([session.outcome, recorder.reports], ['failed', 1])
    // The next session sends both events again, because the cursor of the webhook did not move.
    assert.equal((await getWebhook(pool, place.id, webhook.id)).cursor, 0)
  })

  test('sends no more events than one report holds while the database has not stored the previous one', async () => {
    const [reached, taken] = [gate(), gate()]
    const attempts: number[] = []
    /** The real recorder, but its first commit waits until the gate opens. */
    class Slow extends Recorder {
      override async record(locationId: string, progress: Progress) {
        attempts.push(progress.attempts.length)
        reached.open()
        if (attempts.length === 1) await taken.opened
        return super.record(locationId, progress)
      }
    }
    const { webhook, session } = await leased(520, 60_000, new Slow(pool))
    const running = session.run()
    await reached.opened
    const [first = 0] = attempts
    await receiver.waitFor(webhook.path, first + 200)
    // If the session continued, it would send the other events during these queries.
    for (let n = 0; n < 100; n++) await pool`select ${n}`
    taken.open()
    await running
    assert.equal(
      attempts.reduce((a, b) => a + b, 0),
      520,
    )
    // A full report, and at most eight requests that were running when it was full.
    assert.ok(Math.max(...attempts.slice(1)) <= 208, attempts.join())
  })
})
