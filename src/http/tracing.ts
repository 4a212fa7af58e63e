import { SpanStatusCode, type Span } from '@opentelemetry/api'
import { beginRequest } from '../tracing.ts'
import type { App } from './context.ts'

declare module 'fastify' {
  interface FastifyRequest {
    span?: Span
  }
}

/** A span for each request, by route and never by its URL: tracing systems must not see ids of documents. */
export function traceRequests(app: App): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const begun = beginRequest(request.headers, {
      'http.request.method': request.method,
      'http.route': request.routeOptions.url ?? 'none',
      'tillgate.request_id': request.id,
    })
    if (!begun) return done()
    request.span = begun.span
    begun.within(done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { span } = request
    span?.setAttribute('http.response.status_code', reply.statusCode)
    if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
    span?.end()
    done()
  })
}
