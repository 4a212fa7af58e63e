export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >>> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/**
 * Returns the confidence interval of the median: in at least 95 of 100 cases, the median of many more such measurements
 * is between these values. It uses only the order of the values, whatever their distribution. With fewer than six
 * values it is the complete range.
 */
export function medianInterval(values: readonly number[]): [number, number] {
  const sorted = values.toSorted((a, b) => a - b)
  const count = sorted.length
  // The probability that this many of the values, or fewer, are below the median.
  let below = 2 ** -count
  let [rank, atMost] = [0, below]
  while (atMost <= 0.025) {
    rank += 1
    below *= (count - rank + 1) / rank
    atMost += below
  }
  const first = Math.max(rank - 1, 0)
  return [sorted[first] ?? Number.NaN, sorted[count - 1 - first] ?? Number.NaN]
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN
}

/** Resolves to the milliseconds that some work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/**
 * Lets contestants work in turn, round after round, so that a slower machine affects all of them. The first rounds are
 * a warm-up and not counted. Resolves to the results of each contestant by round: what it returned, or otherwise its
 * time in ms. `tell` receives each result immediately.
 */
export async function interleave<Name extends string>(
  contestants: Record<Name, () => Promise<number | object>>,
  rounds: number,
  warmup = Math.ceil(rounds / 10),
  tell: (name: Name, result: number) => void = () => {},
): Promise<Record<Name, number[]>> {
  const names = Object.keys(contestants) as Name[]
  const results = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>
  for (let round = -warmup; round < rounds; round++) {
    for (const name of names) {
      const start = performance.now()
      const given = await contestants[name]()
      const result = typeof given === 'number' ? given : performance.now() - start
      if (round < 0) continue
      results[name].push(result)
      tell(name, result)
    }
  }
  return results
}

/** Limits the time of some work; rejects with a description of the work. */
export async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms / 1000} s`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
