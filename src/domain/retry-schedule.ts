const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Wait before the 1st, 2nd, … attempt, before jitter (decision 0018; the example of Standard Webhooks 1.0). */
const waitsMs = [
  0,
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
] as const

const longestWaitMs = waitsMs[waitsMs.length - 1] ?? 0

const jitter = 0.2

/** A longer `Retry-After` counts as this much. */
export const retryAfterCapMs = 10 * hourMs

/** Failures in a row after which a webhook stops reading the journal and only probes. */
export const breakerThreshold = 5

/** Time of only failures after which a webhook is disabled. */
export const disableAfterMs = 5 * dayMs

/** Why a webhook was disabled: `gone` by a 410, `failing` by five days of only failures. */
export type DisableReason = 'gone' | 'failing'

/**
 * Milliseconds to wait before the next attempt, after `failures` failed ones:
 *
 *     wait(failures) × (0.8 + 0.4 × random), and at least min(Retry-After, 10 h)
 *
 * The first waits are 0 s, 5 s (4–6 s), 5 min (4–6 min), 30 min (24–36 min), 2 h, 5 h, 10 h, 14 h, 20 h, 24 h. After the
 * tenth the 24 hours repeat: an event is never given up, only its webhook is disabled. `random` is in [0, 1).
 * `retryAfterMs` only lengthens a wait; null when the receiver asked for nothing.
 */
export function retryWaitMs(failures: number, random: number, retryAfterMs: number | null = null): number {
  const waitMs = (waitsMs[failures] ?? longestWaitMs) * (1 - jitter + 2 * jitter * random)
  return Math.round(Math.max(waitMs, Math.min(retryAfterMs ?? 0, retryAfterCapMs)))
}

/** Open means: probe on the schedule, read no further. One success closes it. */
export function isBreakerOpen(failuresInARow: number): boolean {
  return failuresInARow >= breakerThreshold
}

/**
 * Whether a failed attempt disables its webhook; null when it does not. `status` is 0 when no answer came;
 * `failingSinceMs` is the time of the first failure after the last success, this one included.
 */
export function disableReason(status: number, failingSinceMs: number, nowMs: number): DisableReason | null {
  if (status === 410) return 'gone'
  return nowMs - failingSinceMs >= disableAfterMs ? 'failing' : null
}
