import { collectDefaultMetrics, type Registry } from 'prom-client'

/** Gauges that are named like counters, which `promtool check metrics` refuses; the same values exist by type. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

/** Measures the process itself: processor, memory, event loop, garbage collection. */
export function measureNode(registry: Registry): void {
  collectDefaultMetrics({ register: registry })
  for (const name of misnamed) registry.removeSingleMetric(name)
}
