import { secondMs, minuteMs, hourMs, dayMs } from '../days/time-units.ts'

/** Waits after the 1st, 2nd, … failure of an event, before jitter (decision 0018): the example of Standard Webhooks 1.0. */
export const standardWaitsMs: readonly number[] = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
]

const jitter = 0.2

/** A probe may wait this long even if its receiver has been failing for a shorter time. */
const shortestProbeWaitMs = 30 * secondMs

/** Maximum wait for a `Retry-After`; a longer one counts as this. */
export const retryAfterCapMs = 10 * hourMs

/** After this many consecutive failures, a webhook stops reading the journal and sends only probes. */
export const breakerThreshold = 5

/** A webhook is disabled after this long with only failures. */
export const disableAfterMs = 5 * dayMs

/** Why a webhook was disabled: `gone` by a 410, `failing` by five days of only failures. */
export type DisableReason = 'gone' | 'failing'

export type RetryFacts = {
  /** Number of failed attempts of the event, at least 1. */
  failures: number
  /** In [0, 1). */
  random: number
  /** The wait that the receiver requested; null if none. */
  retryAfterMs: number | null
  /** For a probe: how long its receiver has been failing. Null while the breaker is closed. */
  outageMs: number | null
}

export type RetrySchedule = {
  /** Milliseconds to wait before the next attempt. */
  waitMs(facts: RetryFacts): number
  /** Maximum wait. */
  longestMs: number
}

/**
 * Makes the schedule with these waits; the last one repeats, since an event is never given up and only its webhook is
 * disabled.
 *
 *     wait(failures) × (0.8 + 0.4 × random), and at least min(Retry-After, 10 h)
 *
 * With the standard waits that is 5 s (4–6 s), 5 min (4–6 min), 30 min (24–36 min), 2 h, 5 h, 10 h, 14 h, 20 h, 24 h. A
 * probe waits at most as long as its receiver has been failing (or 30 s), so that short outages end soon.
 */
export function retrySchedule(waitsMs: readonly number[] = standardWaitsMs): RetrySchedule {
  const lastMs = waitsMs.at(-1) ?? 0
  return {
    waitMs({ failures, random, retryAfterMs, outageMs }) {
      const ownMs = waitsMs[failures - 1] ?? lastMs
      const middleMs = outageMs === null ? ownMs : Math.min(ownMs, Math.max(shortestProbeWaitMs, outageMs))
      const spreadMs = middleMs * (1 - jitter + 2 * jitter * random)
      return Math.round(Math.max(spreadMs, Math.min(retryAfterMs ?? 0, retryAfterCapMs)))
    },
    longestMs: Math.max(Math.max(0, ...waitsMs) * (1 + jitter), retryAfterCapMs),
  }
}

/** Returns whether a webhook sends only probes and reads no further. One success ends this. */
export function isBreakerOpen(failuresInARow: number): boolean {
  return failuresInARow >= breakerThreshold
}

/**
 * Returns why a failed attempt disables its webhook; null if it does not. `status` is 0 if no answer came;
 * `failingSinceMs` is the time of the first failure since the last success (this failure, if it is the first).
 */
export function disableReason(status: number, failingSinceMs: number, nowMs: number): DisableReason | null {
  if (status === 410) return 'gone'
  return nowMs - failingSinceMs >= disableAfterMs ? 'failing' : null
}
