import { Histogram, type Registry } from 'prom-client'

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

const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Measurements of one method of one route: requests by the class of their status, and by the bounds that they are not above. */
type Measured = { method: string; route: string; byStatus: Map<string, number>; upTo: Map<number, number> }

/** Returns the bound, in milliseconds, within which so many percent of the requests lie; null when it is above the last. */
function quantile({ upTo }: Measured, percent: number, requests: number): number | null {
  const bound = bounds.find((one) => (upTo.get(one) ?? 0) >= (requests * percent) / 100)
  return bound === undefined ? null : bound * 1000
}

/** Measures how long requests take, by method, route and kind of status. */
export class RouteTimes {
  readonly #histogram: Histogram<'method' | 'route' | 'status'>

  constructor(registry: Registry) {
    this.#histogram = new Histogram({
      name: 'tillgate_http_request_duration_seconds',
      help: 'Time from the request to the end of its answer.',
      labelNames: ['method', 'route', 'status'],
      buckets: bounds,
      registers: [registry],
    })
  }

  /** Counts a request that ended with this status. */
  observe(method: string, route: string, status: number, seconds: number): void {
    this.#histogram.observe({ method, route, status: `${Math.trunc(status / 100)}xx` }, seconds)
  }

  /** Lists what each route was called for in this process, most requests first. */
  async routes(): Promise<RouteMetrics[]> {
    const all = new Map<string, Measured>()
    for (const { labels, metricName, value } of (await this.#histogram.get()).values) {
      const { method = '', route = '', status = '', le } = labels as Record<string, string | number>
      const id = `${method} ${route}`
      const one = all.get(id) ?? { method: `${method}`, route: `${route}`, byStatus: new Map(), upTo: new Map() }
      all.set(id, one)
      if (metricName?.endsWith('_count')) one.byStatus.set(`${status}`, value)
      if (typeof le === 'number') one.upTo.set(le, (one.upTo.get(le) ?? 0) + value)
    }
    return [...all.values()]
      .map((one) => {
        const { method, route, byStatus } = one
        const requests = byStatus.values().reduce((sum, count) => sum + count, 0)
        const ended = { refused: byStatus.get('4xx') ?? 0, failed: byStatus.get('5xx') ?? 0 }
        return {
          method,
          route,
          requests,
          ...ended,
          medianMs: quantile(one, 50, requests),
          p95Ms: quantile(one, 95, requests),
        }
      })
      .toSorted((a, b) => b.requests - a.requests)
  }
}
