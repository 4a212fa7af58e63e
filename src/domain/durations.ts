const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** `3 days 4 hours 12 minutes`: the largest unit and at most two smaller ones; `0 seconds` for less than one. */
export function formatDuration(ms: number): string {
  let rest = Math.max(Math.floor(ms / 1000), 0)
  const parts: string[] = []
  for (const [name, seconds] of units) {
    const n = Math.floor(rest / seconds)
    rest -= n * seconds
    if (n > 0 && parts.length < 3) parts.push(`${n} ${name}${n === 1 ? '' : 's'}`)
  }
  return parts.join(' ') || '0 seconds'
}
