import { collectDefaultMetrics, Histogram } from 'prom-client'
import { Type } from 'typebox'
import type { App, Context } from '../context.ts'
import { operation } from '../route-schema.ts'

/** `/metrics` for Prometheus: the process, and the duration of requests by route and status. */
export function metricsRoutes(app: App, context: Context): void {
  if (!context.operations) return
  const { registry: register } = context
  collectDefaultMetrics({ register })
  const durations = new Histogram({
    name: 'tillgate_http_request_duration_seconds',
    help: 'Time from the request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [register],
  })

  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    durations.observe({ method: request.method, route, status: String(reply.statusCode) }, reply.elapsedTime / 1000)
    done()
  })
  app.get(
    '/metrics',
    {
      schema: operation({
        tags: ['Health'],
        operationId: 'getMetrics',
        summary: 'Metrics for Prometheus',
        answers: { 200: Type.String({ description: 'Prometheus text format.' }) },
        open: true,
      }),
    },
    async (_request, reply) => reply.header('content-type', register.contentType).send(await register.metrics()),
  )
}
