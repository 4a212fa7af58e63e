import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { AppError } from '../../../src/core/contract/errors/errors.ts'
import { RateLimiter } from '../../../src/core/http/guard/rate-limit.ts'

/** Takes a token; false if there is none. */
function take(limiter: RateLimiter, key: string, nowMs: number): boolean {
  try {
    limiter.take(key, nowMs)
    return true
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === 'rate_limited')
    return false
  }
}

test('no interval admits more than the burst and the refill in that interval', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 30 }), gaps, (perSecond, burst, all) => {
      const limiter = new RateLimiter(perSecond, burst)
      const taken: number[] = []
      let now = 1_000_000
      for (const gap of all) {
        now += gap
        if (take(limiter, 'a', now)) taken.push(now)
      }
      taken.forEach((from, i) => {
        const seconds = (now - from) / 1000
        assert.ok(taken.length - i <= burst + seconds * perSecond + 1e-6)
      })
    }),
  )
})

test('a caller that waits for the time in Retry-After is admitted', () => {
  fc.assert(
    fc.property(fc.constantFrom(0.1, 0.5, 1, 3, 50), fc.integer({ min: 1, max: 10 }), (perSecond, burst) => {
      const limiter = new RateLimiter(perSecond, burst)
      for (let i = 0; i < burst; i++) assert.ok(take(limiter, 'a', 0))
      try {
        limiter.take('a', 0)
        assert.fail('more than the burst got through')
      } catch (error) {
        assert.ok(error instanceof AppError)
        const seconds = Number(error.headers['retry-after'])
        assert.ok(Number.isInteger(seconds) && seconds >= 1)
        assert.ok(take(limiter, 'a', seconds * 1000))
      }
    }),
  )
})

test('keys do not share their tokens, and a clock that is set back adds none', () => {
  const limiter = new RateLimiter(1, 1)
  assert.ok(take(limiter, 'a', 10_000))
  assert.ok(take(limiter, 'b', 10_000))
  assert.ok(!take(limiter, 'a', 5_000))
  assert.ok(!take(limiter, 'a', 5_500))
  assert.ok(take(limiter, 'a', 11_000))
})

test('the policy states the burst and the time to refill', () => {
  assert.equal(new RateLimiter(50, 100).policy, '"default";q=100;w=2')
  assert.equal(new RateLimiter(1000, 1).policy, '"default";q=1;w=1')
})
