import { Type } from 'typebox'
import type { Process, Shown } from '../context.ts'
import type { App } from '../server-types.ts'
import { operation } from '../reference/route-schema.ts'

/** The answer is not JSON, so only its media type is described. */
const text = Type.Unsafe({
  description: 'Prometheus text format.',
  content: { 'text/plain': { schema: { type: 'string' } } },
})

/** Adds `/metrics` of this process for Prometheus. The operations address has the metrics of all processes together. */
export function metricsRoutes(app: App, { operations, registry }: Process & Shown): void {
  if (!operations) return
  app.get(
    '/metrics',
    {
      schema: operation({
        tags: ['Health'],
        operationId: 'getMetrics',
        answer: 'Metrics in Prometheus text format.',
        summary: 'Read metrics for Prometheus',
        description: 'For the operator of this server. It contains no data of locations and needs no key.',
        answers: { 200: text },
        open: true,
      }),
    },
    async (_request, reply) => reply.header('content-type', registry.contentType).send(await registry.metrics()),
  )
}
