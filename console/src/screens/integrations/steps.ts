const lengthMs: Record<string, number> = { '1m': 60_000, '5m': 300_000, '1h': 3_600_000, '1d': 86_400_000 }

type Span = { since: string; until: string; step: string }

/**
 * Returns every step of an interval, including those without data in the answer: without them a chart would place
 * distant hours side by side. A step that began before the interval is left out.
 */
export function everyStep<S extends { from: string }>(
  steps: readonly S[],
  { since, until, step }: Span,
): { from: string; found: S | undefined }[] {
  const ms = lengthMs[step] ?? 3_600_000
  const first = Math.ceil(Date.parse(since) / ms) * ms
  const count = Math.max(0, Math.ceil((Date.parse(until) - first) / ms))
  const found = new Map(steps.map((one) => [Date.parse(one.from), one]))
  return Array.from({ length: count }, (_, at) => {
    const from = first + at * ms
    return { from: new Date(from).toISOString(), found: found.get(from) }
  })
}
