import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { numbersOf, one } from '../../support/events.ts'
import { startDelivery } from '../../support/delivery.ts'
import { idOf, order, versionOf } from '../../support/records.ts'
import { secondMs, minuteMs, hourMs, dayMs } from '../../../src/core/domain/days/time-units.ts'
import { retrySchedule, standardWaitsMs } from '../../../src/core/domain/journal/retry-schedule.ts'

const site = await startDelivery()
const { app, receiver, forward } = site

/** By endpoint: for each request that started, the number of requests running at that moment, including itself. */
const underWay = new Map<string, number[]>()
const now = new Map<string, number>()
const { sender } = app.context
/** The standard waits, but with a longer first wait, because a step of a test may take seconds on a busy machine. */
const waits = [15 * secondMs, ...standardWaitsMs.slice(1)]
const firstMs = waits[0] as number
site.startEngine({
  random: () => 0.5,
  schedule: retrySchedule(waits),
  sender: {
    async send(request) {
      const { url } = request
      now.set(url, (now.get(url) ?? 0) + 1)
      underWay.set(url, [...(underWay.get(url) ?? []), now.get(url)!])
      return sender.send(request).finally(() => now.set(url, now.get(url)! - 1))
    },
    close: () => sender.close(),
  },
})

/** Checks that the time of the failure, computed from the next attempt, is between the start of the request and now. */
function assertWait(attempt: { sentAt: string; nextAttemptAt: string | null } | undefined, waitMs: number): void {
  assert.ok(attempt)
  const failedMs = Date.parse(String(attempt.nextAttemptAt)) - waitMs
  const isAfterSending = failedMs >= Date.parse(attempt.sentAt)
  assert.ok(isAfterSending && failedMs <= app.context.clock().getTime(), JSON.stringify({ attempt, waitMs }))
}

async function enable(webhook: { id: string }, key: string) {
  const answer = await app.request('POST', `/v1/webhooks/${webhook.id}/enable`, { key })
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

describe('a failed attempt', () => {
  test('is followed by the next one on the schedule', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    receiver.answer(webhook.path, (_receipt, earlier) => (earlier < 4 ? 500 : 200))
    await app.store([one(place.id, 1)], place.key)
    for (const [i, waitMs] of waits.slice(0, 4).entries()) {
      await site.attempted(webhook, i + 1)
      const last = (await site.log(webhook, place.key)).at(-1)
      assert.ok(last)
      assert.equal(last.attempt, i + 1)
      assertWait(last, waitMs)
      const status = await site.status(webhook, place.key)
      assert.equal(status.nextAttemptAt, last.nextAttemptAt)
      forward(waitMs)
    }
    await site.settled(webhook)
    assert.equal(receiver.at(webhook.path).length, 5)
  })

  test('with `Retry-After` waits at least that long', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    receiver.answer(webhook.path, (_receipt, earlier) =>
      earlier === 0 ? { status: 429, headers: { 'retry-after': '600' } } : 200,
    )
    await app.store([one(place.id, 1)], place.key)
    await site.attempted(webhook, 1)
    const [attempt] = await site.log(webhook, place.key)
    assertWait(attempt, 600 * secondMs)
    forward(590 * secondMs)
    // Another event is delivered in the meantime, which shows that the webhook was checked.
    await app.store([one(place.id, 2)], place.key)
    await site.attempted(webhook, 2)
    assert.deepEqual(numbersOf(receiver.at(webhook.path)), [1, 2])
    forward(10 * secondMs)
    await site.settled(webhook)
    assert.deepEqual(numbersOf(receiver.at(webhook.path)), [1, 2, 1])
  })

  test('with a `Retry-After` below the schedule waits for the schedule', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    receiver.answer(webhook.path, (_receipt, earlier) =>
      earlier === 0 ? { status: 503, headers: { 'retry-after': '1' } } : 200,
    )
    await app.store([one(place.id, 1)], place.key)
    await site.attempted(webhook, 1)
    const [attempt] = await site.log(webhook, place.key)
    assertWait(attempt, firstMs)
  })

  test('includes a redirect: the target is not called', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    const target = `${webhook.path}-target`
    receiver.answer(webhook.path, () => ({ status: 307, headers: { location: receiver.url(target) } }))
    await app.store([one(place.id, 1)], place.key)
    await site.attempted(webhook, 1)
    const [attempt] = await site.log(webhook, place.key)
    assert.deepEqual([attempt?.success, attempt?.status, attempt?.errorClass], [false, 307, 'http'])
    assert.equal(receiver.at(target).length, 0)
  })
})

describe('a failing receiver', () => {
  test('gets one request at a time until one succeeds', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    receiver.answer(webhook.path, (_receipt, earlier) => (earlier < 4 ? 500 : 200))
    await app.store([one(place.id, 1)], place.key)
    await site.attempted(webhook, 1)
    await app.store(
      Array.from({ length: 20 }, (_, i) => one(place.id, 2 + i)),
      place.key,
    )
    await site.attempted(webhook, 21)
    // The fifth request succeeds.
    assert.deepEqual(underWay.get(webhook.endpointUrl)?.slice(0, 5), [1, 1, 1, 1, 1])
  })

  test('that fails five times in a row is only probed, by one request each time, and nothing is lost', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    let isWell = false
    receiver.answer(webhook.path, () => (isWell ? 200 : 500))
    await app.store([one(place.id, 1)], place.key)
    await site.attempted(webhook, 1)
    await app.store(
      [2, 3, 4, 5].map((n) => one(place.id, n)),
      place.key,
    )
    await site.attempted(webhook, 5)
    let status = await site.status(webhook, place.key)
    assert.deepEqual([status.state, status.failures], ['failing', 5])

    await app.store(
      Array.from({ length: 100 }, (_, i) => one(place.id, 6 + i)),
      place.key,
    )
    status = await site.status(webhook, place.key)
    assert.deepEqual([status.sequence, status.behind], [5, 100])
    // The first event was tried once and is due after the first wait; the others follow the schedule of their own
    // attempts.
    for (const [i, waitMs] of waits.slice(0, 3).entries()) {
      forward(waitMs + 100)
      await site.attempted(webhook, 6 + i)
      status = await site.status(webhook, place.key)
      assert.deepEqual([status.state, status.failures, status.sequence], ['failing', 6 + i, 5])
    }
    assert.deepEqual(numbersOf(receiver.at(webhook.path)), [1, 2, 3, 4, 5, 1, 1, 1])

    isWell = true
    forward(2 * hourMs + 100)
    await site.settled(webhook)
    const accepted = receiver.at(webhook.path).filter((receipt) => receipt.status === 200)
    assert.equal(numbersOf(accepted)[0], 1)
    assert.deepEqual(
      numbersOf(accepted).toSorted((a, b) => a - b),
      Array.from({ length: 105 }, (_, i) => i + 1),
    )
    status = await site.status(webhook, place.key)
    assert.deepEqual([status.state, status.failures, status.failingSince], ['enabled', 0, null])
  })

  test('is probed after 30 s, and then after as long as it has been failing, but no later than its schedule', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    let isWell = false
    receiver.answer(webhook.path, () => (isWell ? 200 : 500))
    await app.store(
      [1, 2, 3, 4, 5].map((n) => one(place.id, n)),
      place.key,
    )
    await site.attempted(webhook, 5)
    const lastAttempt = async () => (await site.log(webhook, place.key)).at(-1)
    forward(firstMs + 100)
    await site.attempted(webhook, 6)
    assertWait(await lastAttempt(), 30 * secondMs)
    forward(minuteMs)
    await site.attempted(webhook, 7)
    const attempt = await lastAttempt()
    const { failingSince } = await site.status(webhook, place.key)
    // The wait is the time from the first failure to this one, so this failure is halfway to the next attempt.
    const failedMs = (Date.parse(String(failingSince)) + Date.parse(String(attempt?.nextAttemptAt))) / 2
    assertWait(attempt, Date.parse(String(attempt?.nextAttemptAt)) - failedMs)
    isWell = true
    forward(2 * minuteMs)
    await site.settled(webhook)
  })

  test('receives the versions of each resource in order after it has recovered', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created', 'order.updated'], place)
    let isWell = false
    receiver.answer(webhook.path, () => (isWell ? 200 : 500))
    for (let v = 1; v <= 4; v++) {
      await app.store(
        Array.from({ length: 10 }, (_, i) => order(versionOf(place.id, i + 1, v))),
        place.key,
      )
    }
    await site.attempted(webhook, 5)
    isWell = true
    forward(60_000)
    await site.settled(webhook)
    const accepted = receiver.at(webhook.path).filter((receipt) => receipt.status === 200)
    assert.equal(accepted.length, 40)
    for (let n = 1; n <= 10; n++) {
      const own = accepted.filter(({ event }) => event.data.id === idOf('order', n))
      assert.deepEqual(
        own.map(({ event }) => event.data.guests),
        [1, 2, 3, 4],
      )
    }
  })
})

describe('a webhook', () => {
  test('is disabled at once by a 410, keeps its position, and continues there when it is enabled', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    let isGone = true
    receiver.answer(webhook.path, () => (isGone ? 410 : 200))
    await app.store([one(place.id, 1)], place.key)
    await site.attempted(webhook, 1)
    let status = await site.status(webhook, place.key)
    assert.deepEqual([status.state, status.disabledReason, status.nextAttemptAt], ['disabled', 'gone', null])
    const [attempt] = await site.log(webhook, place.key)
    assert.equal(attempt?.nextAttemptAt, null)

    await app.store([one(place.id, 2), one(place.id, 3)], place.key)
    forward(dayMs)
    const witness = await site.register(['order.created'], place)
    await app.store([one(place.id, 4)], place.key)
    await site.settled(witness)
    assert.equal(receiver.at(webhook.path).length, 1)

    isGone = false
    status = await enable(webhook, place.key)
    assert.deepEqual([status.state, status.disabledReason, status.failures], ['enabled', null, 0])
    await site.settled(webhook)
    assert.deepEqual(
      numbersOf(receiver.at(webhook.path).slice(1)).toSorted((a, b) => a - b),
      // Sequence 2 is the entry that disabled the webhook.
      [1, 3, 4, 5],
    )
  })

  test('is disabled after five days of only failures, not earlier, and loses nothing', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    let isWell = false
    receiver.answer(webhook.path, () => (isWell ? 200 : 503))
    await app.store([one(place.id, 1), one(place.id, 2)], place.key)
    const began = app.context.clock().getTime()
    for (let count = 2; ; count++) {
      await site.attempted(webhook, count)
      const status = await site.status(webhook, place.key)
      if (status.state === 'disabled') {
        assert.equal(status.disabledReason, 'failing')
        break
      }
      assert.ok(app.context.clock().getTime() - began < 5 * dayMs)
      forward(Date.parse(String(status.nextAttemptAt)) - app.context.clock().getTime() + 10)
    }
    assert.ok(app.context.clock().getTime() - began >= 5 * dayMs)
    isWell = true
    await app.store([one(place.id, 3)], place.key)
    await enable(webhook, place.key)
    await site.settled(webhook)
    const accepted = receiver.at(webhook.path).filter((receipt) => receipt.status === 200)
    assert.deepEqual(
      numbersOf(accepted).toSorted((a, b) => a - b),
      // Sequence 3 is the entry that disabled the webhook.
      [1, 2, 4],
    )
  })

  test('that sometimes succeeds is never disabled, however long one event fails', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    receiver.answer(webhook.path, ({ event }) => (event.sequence === 1 ? 500 : 200))
    await app.store([one(place.id, 1)], place.key)
    const began = app.context.clock().getTime()
    let attempts = 1
    for (let n = 2; app.context.clock().getTime() - began < 7 * dayMs; n++) {
      await site.attempted(webhook, attempts)
      await app.store([one(place.id, n)], place.key)
      await site.attempted(webhook, (attempts += 1))
      const { nextAttemptAt, state } = await site.status(webhook, place.key)
      assert.equal(state, 'enabled')
      forward(Date.parse(String(nextAttemptAt)) - app.context.clock().getTime() + 10)
      attempts += 1
    }
    await site.attempted(webhook, attempts)
    assert.equal((await site.status(webhook, place.key)).state, 'enabled')
  })
})
