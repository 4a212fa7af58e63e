export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >>> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
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
 * Times contestants in turn, round after round, so that a machine that slows down slows all of them; the first rounds
 * warm up and are not counted. Returns the times of each in ms.
 */
export async function interleave<Name extends string>(
  contestants: Record<Name, () => Promise<unknown>>,
  rounds: number,
  warmup = Math.ceil(rounds / 10),
): Promise<Record<Name, number[]>> {
  const names = Object.keys(contestants) as Name[]
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>
  for (let round = -warmup; round < rounds; round++) {
    for (const name of names) {
      const ms = await timed(contestants[name])
      if (round >= 0) times[name].push(ms)
    }
  }
  return times
}

export type Row = { what: string; value: string; note?: string }

export function printTable(title: string, rows: readonly Row[]): void {
  const width = Math.max(...rows.map(({ what }) => what.length))
  console.log(`\n${title}`)
  for (const { what, value, note } of rows) console.log(`  ${what.padEnd(width)}  ${value.padStart(10)}  ${note ?? ''}`)
}
