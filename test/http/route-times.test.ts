import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { RouteTimes } from '../../src/http/route-times.ts'

test('a route tells how its requests ended, and the steps within which half and 95 percent of them lie', async () => {
  const times = new RouteTimes(new Registry())
  for (let n = 0; n < 18; n += 1) times.observe('GET', '/a', 200, 0.002)
  times.observe('GET', '/a', 404, 0.3)
  times.observe('GET', '/a', 503, 30)
  times.observe('GET', '/b', 200, 30)
  assert.deepEqual(await times.routes(), [
    { method: 'GET', route: '/a', requests: 20, refused: 1, failed: 1, medianMs: 2.5, p95Ms: 500 },
    { method: 'GET', route: '/b', requests: 1, refused: 0, failed: 0, medianMs: null, p95Ms: null },
  ])
})
