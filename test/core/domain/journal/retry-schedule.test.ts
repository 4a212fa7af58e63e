import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  breakerThreshold,
  disableAfterMs,
  disableReason,
  isBreakerOpen,
  retryAfterCapMs,
  retrySchedule,
  type RetryFacts,
} from '../../../../src/core/domain/journal/retry-schedule.ts'
import { secondMs, minuteMs, hourMs } from '../../../../src/core/domain/days/time-units.ts'

const failures = fc.integer({ min: 1, max: 40 })
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

const schedule = retrySchedule()

function waitMs(failed: number, chance: number, changes: Partial<RetryFacts> = {}): number {
  return schedule.waitMs({ failures: failed, random: chance, retryAfterMs: null, outageMs: null, ...changes })
}

test('the waits are those of decision 0018: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h', () => {
  const waits = Array.from({ length: 9 }, (_, failed) => waitMs(failed + 1, 0.5))
  const hours = [2, 5, 10, 14, 20, 24].map((count) => count * hourMs)
  assert.deepEqual(waits, [5 * secondMs, 5 * minuteMs, 30 * minuteMs, ...hours])
})

test('after the tenth attempt the longest wait repeats: no event is dropped', () => {
  for (const failed of [10, 11, 100, 10_000]) assert.equal(waitMs(failed, 0.5), 24 * hourMs)
})

test('the jitter is at most 20 % below and above', () => {
  assert.equal(waitMs(1, 0), 4 * secondMs)
  assert.equal(waitMs(1, 1), 6 * secondMs)
  fc.assert(
    fc.property(failures, random, (failed, chance) => {
      const wait = waitMs(failed, chance)
      const middle = waitMs(failed, 0.5)
      assert.ok(wait >= Math.floor(middle * 0.8) && wait <= Math.ceil(middle * 1.2), `${wait}`)
    }),
  )
})

test('Retry-After makes a wait longer, up to ten hours, and never shorter', () => {
  assert.equal(waitMs(1, 0.5, { retryAfterMs: 60 * secondMs }), 60 * secondMs)
  assert.equal(waitMs(1, 0.5, { retryAfterMs: secondMs }), 5 * secondMs)
  assert.equal(waitMs(1, 0.5, { retryAfterMs: 1e15 }), retryAfterCapMs)
  fc.assert(
    fc.property(failures, random, fc.option(fc.integer({ min: 0 })), (failed, chance, retryAfterMs) => {
      const wait = waitMs(failed, chance, { retryAfterMs })
      assert.equal(wait, Math.max(waitMs(failed, chance), Math.min(retryAfterMs ?? 0, 10 * hourMs)))
    }),
  )
})

test('a probe waits no longer than the outage has lasted, or 30 s, and never longer than the schedule', () => {
  assert.equal(waitMs(2, 0.5, { outageMs: 6 * secondMs }), 30 * secondMs)
  assert.equal(waitMs(2, 0.5, { outageMs: 3 * minuteMs }), 3 * minuteMs)
  assert.equal(waitMs(2, 0.5, { outageMs: hourMs }), 5 * minuteMs)
  assert.equal(waitMs(1, 0.5, { outageMs: hourMs }), 5 * secondMs)
  assert.equal(waitMs(2, 0.5, { outageMs: 0, retryAfterMs: hourMs }), hourMs)
})

test('the waits are configurable; none is longer than the configured maximum', () => {
  const own = retrySchedule([100, 200])
  const facts = { random: 0.5, retryAfterMs: null, outageMs: null }
  assert.deepEqual(
    [1, 2, 3].map((failed) => own.waitMs({ ...facts, failures: failed })),
    [100, 200, 200],
  )
  fc.assert(
    fc.property(failures, random, fc.option(fc.nat()), (failed, chance, retryAfterMs) => {
      assert.ok(waitMs(failed, chance, { retryAfterMs }) <= schedule.longestMs)
    }),
  )
})

test('the breaker opens after five consecutive failures', () => {
  assert.equal(breakerThreshold, 5)
  assert.deepEqual([0, 1, 4, 5, 6].map(isBreakerOpen), [false, false, false, true, true])
})

test('410 disables at once, and five days of only failures disable', () => {
  assert.equal(disableAfterMs, 5 * 24 * hourMs)
  assert.equal(disableReason(410, 1000, 1000), 'gone')
  assert.equal(disableReason(500, 1000, 1000), null)
  assert.equal(disableReason(0, 1000, 1000 + disableAfterMs - 1), null)
  assert.equal(disableReason(0, 1000, 1000 + disableAfterMs), 'failing')
  assert.equal(disableReason(410, 1000, 1000 + disableAfterMs), 'gone')
})

test('a webhook that only fails is disabled while its schedule still runs', () => {
  let atMs = 0
  let attempts = 0
  while (disableReason(500, 0, atMs) === null) atMs += waitMs(++attempts, 0.5, { outageMs: atMs })
  assert.ok(attempts > 10 && attempts < 30, `${attempts} attempts`)
})
