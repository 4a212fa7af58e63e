import type { Metric, Registry } from 'prom-client'

type Labels = Readonly<Record<string, string>>

/**
 * The observations of a histogram for one set of labels, counted by step. For each observation, prom-client builds a
 * string from the labels to find a counter; `Steps` avoids this.
 */
export class Steps {
  readonly #bounds: readonly number[]
  /** Observations per step, not cumulative. The last element counts the observations above the last bound. */
  readonly #counts: number[]
  #count = 0
  #sum = 0

  /** `bounds` are the upper bounds of the steps, ascending. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  get count(): number {
    return this.#count
  }

  observe(value: number): void {
    const bounds = this.#bounds
    let step = 0
    while (step < bounds.length && value > (bounds[step] as number)) step += 1
    this.#counts[step] = (this.#counts[step] as number) + 1
    this.#count += 1
    this.#sum += value
  }

  /** Lists each bound with the number of observations up to it. */
  upTo(): { bound: number; count: number }[] {
    let count = 0
    return this.#bounds.map((bound, step) => ({ bound, count: (count += this.#counts[step] as number) }))
  }

  /** Lists the values in the form and order of prom-client. */
  values(name: string, labels: Labels): { labels: object; value: number; metricName: string }[] {
    const metricName = `${name}_bucket`
    return [
      ...this.upTo().map(({ bound, count }) => ({ labels: { le: bound, ...labels }, value: count, metricName })),
      { labels: { le: '+Inf', ...labels }, value: this.#count, metricName },
      { labels, value: this.#sum, metricName: `${name}_sum` },
      { labels, value: this.#count, metricName: `${name}_count` },
    ]
  }
}

/** Adds a histogram to a registry; `all` lists the observations for each set of labels. */
export function registerHistogram(
  registry: Registry,
  { name, help }: { name: string; help: string },
  all: () => Iterable<[Labels, Steps]>,
): void {
  const get = async () => ({
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    values: [...all()].flatMap(([labels, steps]) => steps.values(name, labels)),
  })
  // A registry uses only these members of a metric, but its types require a class of prom-client.
  registry.registerMetric({ name, get, reset: () => {} } as unknown as Metric)
}
