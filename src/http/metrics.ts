import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { problems, type ProblemCode } from '../errors.ts'

/** How often a route was called, how that ended and how long it took. */
export type RouteMetrics = {
  method: string
  route: string
  requests: number
  refused: number
  failed: number
  medianMs: number | null
  p95Ms: number | null
}

/** Holds the measurements of one route, with the number of requests per histogram step. */
type Measured = Omit<RouteMetrics, 'medianMs' | 'p95Ms'> & { steps: Map<number, number> }

/**
 * Returns the step of the histogram, in milliseconds, within which so many percent of the requests lie; null when it is
 * above the last.
 */
function quantile({ requests, steps }: Measured, percent: number): number | null {
  const wanted = (requests * percent) / 100
  const [atMost] = [...steps].toSorted(([a], [b]) => a - b).find(([, n]) => n >= wanted) ?? []
  return atMost === undefined ? null : atMost * 1000
}

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

  /** A request has come; `ended` is to be called when it is over, whatever became of it. */
  began(): void {
    this.#inFlight += 1
  }

  /** Measures the time to the end of the answer, unless the client had gone before it had all of it. */
  ended({ method, route }: FastifyRequest, reply: FastifyReply): void {
    this.#inFlight -= 1
    if (!reply.raw.writableFinished) return
    const labels = { method, route: route.url ?? 'none', status: `${Math.trunc(reply.statusCode / 100)}xx` }
    this.#durations.observe(labels, reply.elapsedTime / 1000)
  }

  /** Lists what each route was called for in this process, most requests first. */
  async routes(): Promise<RouteMetrics[]> {
    const found = new Map<string, Measured>()
    const { values } = await this.#durations.get()
    for (const { metricName, labels, value } of values) {
      const { method, route, status, le } = labels as Record<'method' | 'route' | 'status', string> & {
        le?: number | string
      }
      const key = `${method} ${route}`
      const one = found.get(key) ?? {
        method,
        route,
        requests: 0,
        refused: 0,
        failed: 0,
        steps: new Map<number, number>(),
      }
      found.set(key, one)
      if (metricName?.endsWith('_count')) {
        one.requests += value
        if (status === '4xx') one.refused += value
        if (status === '5xx') one.failed += value
      } else if (typeof le === 'number') one.steps.set(le, (one.steps.get(le) ?? 0) + value)
    }
    return [...found.values()]
      .map(({ steps, ...one }) => ({
        ...one,
        medianMs: quantile({ ...one, steps }, 50),
        p95Ms: quantile({ ...one, steps }, 95),
      }))
      .toSorted((a, b) => b.requests - a.requests)
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
