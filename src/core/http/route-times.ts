import type { Registry } from 'prom-client'
import { registerHistogram, Steps } from '../histogram.ts'

/** How often a route was called, with which results, and how long it took. */
export type RouteMetrics = {
  method: string
  route: string
  requests: number
  refused: number
  failed: number
  medianMs: number | null
  p95Ms: number | null
}

const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Measurements of one method of one route, by the first digit of the status. */
type Measured = { method: string; route: string; byStatus: Map<number, Steps> }

/** Returns the histogram step in milliseconds that contains this percentile; null if it is above the last step. */
function quantile({ byStatus }: Measured, percent: number): number | null {
  const all = [...byStatus.values()]
  const wanted = (all.reduce((sum, { count }) => sum + count, 0) * percent) / 100
  const within = all.map((steps) => steps.upTo())
  const at = bounds.findIndex((_, step) => within.reduce((sum, one) => sum + (one[step]?.count ?? 0), 0) >= wanted)
  const bound = bounds[at]
  return bound === undefined ? null : bound * 1000
}

/** Measures the time of requests, by method, route and class of status. */
export class RouteTimes {
  /** By route, then by method: a combined key would be built for each request. */
  readonly #measured = new Map<string, Map<string, Measured>>()

  constructor(registry: Registry) {
    const about = {
      name: 'tillgate_http_request_duration_seconds',
      help: 'Time from the request to the end of the response.',
    }
    registerHistogram(registry, about, () => this.#labelled())
  }

  /** Counts a request that ended with this status. */
  observe(method: string, route: string, status: number, seconds: number): void {
    const { byStatus } = this.#of(method, route)
    const kind = Math.trunc(status / 100)
    let steps = byStatus.get(kind)
    if (!steps) byStatus.set(kind, (steps = new Steps(bounds)))
    steps.observe(seconds)
  }

  /** Lists the calls of each route in this process, most requests first. */
  routes(): RouteMetrics[] {
    return [...this.#all()]
      .map((one) => {
        const { method, route, byStatus } = one
        const count = (kind: number) => byStatus.get(kind)?.count ?? 0
        const requests = [...byStatus.values()].reduce((sum, steps) => sum + steps.count, 0)
        const times = { medianMs: quantile(one, 50), p95Ms: quantile(one, 95) }
        return { method, route, requests, refused: count(4), failed: count(5), ...times }
      })
      .toSorted((a, b) => b.requests - a.requests)
  }

  #of(method: string, route: string): Measured {
    let methods = this.#measured.get(route)
    if (!methods) this.#measured.set(route, (methods = new Map()))
    let measured = methods.get(method)
    if (!measured) methods.set(method, (measured = { method, route, byStatus: new Map() }))
    return measured
  }

  *#all(): Iterable<Measured> {
    for (const methods of this.#measured.values()) yield* methods.values()
  }

  *#labelled(): Iterable<[{ method: string; route: string; status: string }, Steps]> {
    for (const { method, route, byStatus } of this.#all())
      for (const [kind, steps] of byStatus) yield [{ method, route, status: `${kind}xx` }, steps]
  }
}
