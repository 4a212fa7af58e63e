import type { ServerResponse } from 'node:http'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { problems, type ProblemCode } from '../errors.ts'
import type { App } from './context.ts'

/** Counts what the HTTP layer does. Labels have a bounded number of values: never a location, a key or a webhook. */
export class HttpMetrics {
  /** Requests, and works of the delivery worker, that found the database away or full. */
  readonly unavailable: Counter<'where'>
  readonly #durations: Histogram<'method' | 'route' | 'status'>
  readonly #authFailures: Counter<'code'>
  readonly #rateLimited: Counter
  #inFlight = 0
  #streams = 0

  constructor(registry: Registry) {
    const registers = [registry]
    this.#durations = new Histogram({
      name: 'tillgate_http_request_duration_seconds',
      help: 'Time from the request to the end of its answer.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    })
    this.#authFailures = new Counter({
      name: 'tillgate_auth_failures_total',
      help: 'Requests refused for their key.',
      labelNames: ['code'],
      registers,
    })
    this.#rateLimited = new Counter({
      name: 'tillgate_rate_limited_total',
      help: 'Requests refused with 429.',
      registers,
    })
    this.unavailable = new Counter({
      name: 'tillgate_db_unavailable_total',
      help: 'Requests, and works of the delivery worker, that found the database away or full.',
      labelNames: ['where'],
      registers,
    })
    const inFlight = () => this.#inFlight
    void new Gauge({
      name: 'tillgate_http_requests_in_flight',
      help: 'Requests being answered, streams among them.',
      registers,
      collect() {
        this.set(inFlight())
      },
    })
    const streams = () => this.#streams
    void new Gauge({
      name: 'tillgate_streams_open',
      help: 'Event streams being written.',
      registers,
      collect() {
        this.set(streams())
      },
    })
  }

  /** Measures every request of the application. */
  watch(app: App): void {
    app.addHook('onRequest', (_request, reply, done) => {
      this.#inFlight += 1
      // Also when the client has left, of which `onResponse` is not told.
      reply.raw.once('close', () => (this.#inFlight -= 1))
      done()
    })
    app.addHook('onResponse', (request, reply, done) => {
      const route = request.routeOptions.url ?? 'none'
      const status = `${Math.trunc(reply.statusCode / 100)}xx`
      this.#durations.observe({ method: request.method, route, status }, reply.elapsedTime / 1000)
      done()
    })
  }

  /** Counts an event stream until its connection ends. */
  watchStream(raw: ServerResponse): void {
    this.#streams += 1
    raw.once('close', () => (this.#streams -= 1))
  }

  /** Counts a refused request; every one, whether the log had room for it or not. */
  refused(code: ProblemCode): void {
    if (code.startsWith('key_')) this.#authFailures.inc({ code })
    else if (problems[code][0] === 429) this.#rateLimited.inc()
    else if (code === 'database_unavailable') this.unavailable.inc({ where: 'http' })
  }
}
