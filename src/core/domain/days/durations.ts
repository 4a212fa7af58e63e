import { minuteMs, hourMs, dayMs } from './time-units.ts'

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** Formats `3 days 4 hours 12 minutes`: the largest unit and at most two smaller ones; `0 seconds` below a second. */
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

const waitUnitsMs: Record<string, number> = { s: 1_000, m: minuteMs, h: hourMs, d: dayMs }

/** Formats a wait of whole seconds in a short form: `90m`. */
export function writeWait(ms: number): string {
  const [unit, size] = Object.entries(waitUnitsMs).findLast(([, one]) => ms % one === 0) ?? ['s', 1_000]
  return `${ms / size}${unit}`
}

/** Parses a wait such as `30s`, `5m`, `2h` or `1d` into milliseconds; null for anything else, and above 7 days. */
export function parseWait(text: string): number | null {
  const match = /^([1-9]\d{0,5})([smhd])$/.exec(text)
  const ms = Number(match?.[1]) * (waitUnitsMs[match?.[2] ?? ''] ?? 0)
  return match && ms <= 7 * dayMs ? ms : null
}
