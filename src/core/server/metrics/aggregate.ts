import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue, type Registry } from 'prom-client'

/** The metrics of one process at one moment, as plain data. */
export type Snapshot = MetricObjectWithValues<MetricValue<string>>[]

export const takeSnapshot = (registry: Registry): Promise<Snapshot> => registry.getMetricsAsJSON()

/** Formats snapshots in Prometheus' text format as if they were of one process: sums, where sums make sense. */
export function writeMetrics(snapshots: readonly Snapshot[]): Promise<string> {
  return AggregatorRegistry.aggregate([...snapshots]).metrics()
}

export const metricsContentType = AggregatorRegistry.PROMETHEUS_CONTENT_TYPE

/**
 * Remembers the counters of processes that have ended. Without them a sum over processes would fall when one is
 * replaced; Prometheus would take that for a restart, and count the other processes again.
 */
export class Retired {
  readonly #latest = new Map<number, Snapshot>()
  #counters: Snapshot = []

  /** Stores the latest metrics of the process. */
  saw(processId: number, snapshot: Snapshot): void {
    this.#latest.set(processId, snapshot)
  }

  /** Called when a process has ended: its counters stay, its gauges do not. */
  async retire(processId: number): Promise<void> {
    const last = this.#latest.get(processId) ?? []
    this.#latest.delete(processId)
    const counters = last.filter(({ type }) => ['counter', 'histogram'].includes(String(type)))
    this.#counters = await AggregatorRegistry.aggregate([this.#counters, counters]).getMetricsAsJSON()
  }

  get counters(): Snapshot {
    return this.#counters
  }
}
