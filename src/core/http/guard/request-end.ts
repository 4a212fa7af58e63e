import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiKey } from '../../store/accounts/api-keys.ts'
import type { HttpMetrics } from '../metrics.ts'
import type { AccessLog } from './access-log.ts'
import type { App } from '../server-types.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Work to do when the request has ended. */
    ends: (() => void)[]
  }
}

/**
 * Does some work once the answer is sent or its client has disconnected; at once if that has already happened. A
 * listener for each piece of work would cost every request more than the work itself.
 */
export function atEnd(request: FastifyRequest, { raw }: FastifyReply, work: () => void): void {
  // `close` is not emitted again.
  if (raw.destroyed) work()
  else request.ends.push(work)
}

/** Counts every request for the metrics, and with a key for the access log. A stream is counted when it ends. */
export function countRequests(app: App, { metrics, access }: { metrics: HttpMetrics; access: AccessLog }): void {
  app.decorateRequest('handedOut', null)
  app.decorateRequest('written', null)
  app.decorateRequest('ends', null as unknown as FastifyRequest['ends'])
  app.addHook('onRequest', (request, reply, done) => {
    request.ends = []
    metrics.began()
    // Fastify's `onResponse` is not called for clients that have disconnected. `close` is emitted once, and `on` is cheaper than `once`.
    reply.raw.on('close', () => {
      metrics.ended(request, reply)
      if ((request.key as ApiKey | null) !== null) access.count(request, reply.raw.statusCode)
      for (const work of request.ends) work()
    })
    done()
  })
}
