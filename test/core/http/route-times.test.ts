import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { AggregatorRegistry, Histogram, Registry } from 'prom-client'
import { RouteTimes } from '../../../src/core/http/route-times.ts'
import { Steps } from '../../../src/core/histogram.ts'

const name = 'tillgate_http_request_duration_seconds'
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const requests = fc.array(
  fc.record({
    method: fc.constantFrom('GET', 'HEAD', 'POST'),
    route: fc.constantFrom('/v1/orders/', '/v1/orders/:id', 'a "route"\\'),
    status: fc.constantFrom(200, 204, 304, 404, 500),
    seconds: fc.oneof(fc.constantFrom(0, ...bounds), fc.double({ min: 0, max: 20, noNaN: true })),
  }),
)

/** Returns the lines in a fixed order: the library lists sets of labels in the order of their first observation. */
const linesOf = async (registry: Registry) => (await registry.metrics()).split('\n').toSorted()

test('a histogram by steps has the same output as that of the library, and adds up over processes in the same way', async () => {
  await fc.assert(
    fc.asyncProperty(requests, async (all) => {
      const [registry, expected] = [new Registry(), new Registry()]
      const times = new RouteTimes(registry)
      const library = new Histogram({
        name,
        help: 'Time from the request to the end of the response.',
        labelNames: ['method', 'route', 'status'],
        buckets: bounds,
        registers: [expected],
      })
      for (const { method, route, status, seconds } of all) {
        times.observe(method, route, status, seconds)
        library.observe({ method, route, status: `${Math.trunc(status / 100)}xx` }, seconds)
      }
      assert.deepEqual(await linesOf(registry), await linesOf(expected))
      const twice = async (one: Registry) => {
        const parts = [await one.getMetricsAsJSON(), await one.getMetricsAsJSON()]
        return linesOf(AggregatorRegistry.aggregate(parts as never))
      }
      assert.deepEqual(await twice(registry), await twice(expected))
    }),
    { numRuns: 50 },
  )
})

test('a histogram without labels is in the output before the first observation', async () => {
  const steps = new Steps([1, 2])
  assert.deepEqual(
    steps.values('waits', {}).map(({ metricName, value }) => [metricName, value]),
    [
      ['waits_bucket', 0],
      ['waits_bucket', 0],
      ['waits_bucket', 0],
      ['waits_sum', 0],
      ['waits_count', 0],
    ],
  )
})

test('a route reports how its requests ended, and the steps that contain the median and the 95th percentile', () => {
  const times = new RouteTimes(new Registry())
  for (let n = 0; n < 18; n += 1) times.observe('GET', '/a', 200, 0.002)
  times.observe('GET', '/a', 404, 0.3)
  times.observe('GET', '/a', 503, 30)
  times.observe('GET', '/b', 200, 30)
  assert.deepEqual(times.routes(), [
    { method: 'GET', route: '/a', requests: 20, refused: 1, failed: 1, medianMs: 2.5, p95Ms: 500 },
    { method: 'GET', route: '/b', requests: 1, refused: 0, failed: 0, medianMs: null, p95Ms: null },
  ])
})
