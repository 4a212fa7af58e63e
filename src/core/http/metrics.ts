import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Counter, Gauge, type Registry } from 'prom-client'
import { problems, type ProblemCode } from '../contract/errors/errors.ts'
import { RouteTimes } from './route-times.ts'

/** Counts what the HTTP layer does. Labels have a bounded number of values: never a location, a key or a webhook. */
export class HttpMetrics {
  /** Requests and delivery jobs that failed because the database was unreachable or full. */
  readonly unavailable: Counter<'where'>
  readonly times: RouteTimes
  readonly #authFailures: Counter<'code'>
  readonly #rateLimited: Counter
  #inFlight = 0
  #streams = 0

  constructor(registry: Registry) {
    const registers = [registry]
    this.times = new RouteTimes(registry)
    this.#authFailures = new Counter({
      name: 'tillgate_auth_failures_total',
      help: 'Requests refused because of their key.',
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
      help: 'Requests and delivery jobs that failed because the database was unreachable or full.',
      labelNames: ['where'],
      registers,
    })
    const inFlight = () => this.#inFlight
    void new Gauge({
      name: 'tillgate_http_requests_in_flight',
      help: 'Requests in progress, including streams.',
      registers,
      collect() {
        this.set(inFlight())
      },
    })
    const streams = () => this.#streams
    void new Gauge({
      name: 'tillgate_streams_open',
      help: 'Open event streams.',
      registers,
      collect() {
        this.set(streams())
      },
    })
  }

  /** Counts a request that begins. Call `ended` when it is over, whatever its result. */
  began(): void {
    this.#inFlight += 1
  }

  /** Measures the time to the end of the answer, unless the client disconnected before it. */
  ended({ method, route }: FastifyRequest, reply: FastifyReply): void {
    this.#inFlight -= 1
    if (!reply.raw.writableFinished) return
    this.times.observe(method, route.url ?? 'none', reply.statusCode, reply.elapsedTime / 1000)
  }

  /** Counts an event stream until its connection ends. */
  watchStream(raw: ServerResponse): void {
    this.#streams += 1
    raw.once('close', () => (this.#streams -= 1))
  }

  /** Counts every refused request, including those that the log omits. */
  refused(code: ProblemCode): void {
    if (code.startsWith('key_')) this.#authFailures.inc({ code })
    else if (problems[code][0] === 429) this.#rateLimited.inc()
    else if (code === 'database_unavailable') this.unavailable.inc({ where: 'http' })
  }
}
