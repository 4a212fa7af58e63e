import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { parseRetryAfter } from '../../../../src/core/delivery/sender/retry-after.ts'

const nowMs = Date.UTC(2026, 2, 14, 12, 0, 0)
const tenHoursMs = 36_000_000

test('seconds are read, with spaces around them, up to ten hours', () => {
  assert.equal(parseRetryAfter('120', nowMs), 120_000)
  assert.equal(parseRetryAfter(' 7 ', nowMs), 7000)
  assert.equal(parseRetryAfter('0', nowMs), 0)
  assert.equal(parseRetryAfter('36001', nowMs), tenHoursMs)
  assert.equal(parseRetryAfter('9'.repeat(400), nowMs), tenHoursMs)
})

test('an HTTP date is read, its obsolete formats are not', () => {
  assert.equal(parseRetryAfter('Sat, 14 Mar 2026 12:30:00 GMT', nowMs), 1_800_000)
  for (const obsolete of ['Saturday, 14-Mar-26 12:30:00 GMT', 'Sat Mar 14 12:30:00 2026', 'Sun Mar  1 12:30:00 2026']) {
    assert.equal(parseRetryAfter(obsolete, nowMs), null)
  }
})

test('a date in the past means no wait, and one far ahead ten hours', () => {
  assert.equal(parseRetryAfter('Fri, 13 Mar 2026 12:00:00 GMT', nowMs), 0)
  assert.equal(parseRetryAfter('Fri, 31 Dec 9999 23:59:59 GMT', nowMs), tenHoursMs)
})

test('garbage is ignored', () => {
  const words = ['', '-5', '+5', '1.5', '1e3', '0x10', 'soon', '120, 60', '12 seconds', 'NaN', 'Infinity', 'null']
  const dates = [
    '2026-03-14T12:30:00Z',
    '14 Mar 2026 12:30:00 GMT',
    'Sat, 14 Mar 2026 12:30:00',
    'Sat, 14 Mar 2026 12:30:00 CET',
    'Sat, 31 Feb 2026 12:30:00 GMT',
    'Sat, 14 Foo 2026 12:30:00 GMT',
    'Sat, 14 Mar 2026 25:00:00 GMT',
  ]
  for (const value of [...words, ...dates]) assert.equal(parseRetryAfter(value, nowMs), null, JSON.stringify(value))
})

test('any text results in null or a whole wait of 0 to ten hours', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^-?\d{1,30}$/)), (value) => {
      const ms = parseRetryAfter(value, nowMs)
      assert.ok(ms === null || (Number.isInteger(ms) && ms >= 0 && ms <= tenHoursMs))
    }),
  )
})

test('every HTTP date that JavaScript writes can be read', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 36_000 }), (seconds) => {
      const value = new Date(nowMs + seconds * 1000).toUTCString()
      assert.equal(parseRetryAfter(value, nowMs), seconds * 1000)
    }),
  )
})
