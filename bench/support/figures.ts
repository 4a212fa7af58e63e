export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >>> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/**
 * The least and the greatest value between which the median of many more such measurements lies, in 95 of 100 cases at least: by order
 * alone, whatever their distribution. With fewer than six values nothing can be said, and it is all of them.
 */
export function medianInterval(values: readonly number[]): [number, number] {
  const sorted = values.toSorted((a, b) => a - b)
  const count = sorted.length
  // How likely it is that so many of the values, or fewer, lie below the median.
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

/** Milliseconds that a piece of work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/**
 * Lets contestants work in turn, round after round, so that a machine that slows down slows all of them; the first
 * rounds warm up and are not counted. Resolves to what each round of each gave, or took in ms where it gives nothing; `tell`
 * hears it at once.
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

/** The time that something bounded may take; rejects with what it waited for. */
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
