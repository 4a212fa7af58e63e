import { SpanStatusCode } from '@opentelemetry/api'
import { beginRequest } from '../tracing.ts'
import type { App } from './server-types.ts'
import { atEnd } from './guard/request-end.ts'

/** Makes a span for each request, named by route and never by URL: tracing systems must not see ids of documents. */
export function traceRequests(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    const begun = beginRequest(request.headers, () => ({
      'http.request.method': request.method,
      'http.route': request.route.url ?? 'none',
      'tillgate.request_id': request.id,
    }))
    if (!begun) return done()
    const { span, within } = begun
    atEnd(request, reply, () => {
      span.setAttribute('http.response.status_code', reply.statusCode)
      if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    })
    within(done)
  })
}
