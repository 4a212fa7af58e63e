import { existsSync } from 'node:fs'

/** Debian's library that changes the clock of a process; undefined if it is not installed. */
export const faketime = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1',
].find((path) => existsSync(path))

/**
 * Returns the environment with which libfaketime sets the clock of a process ahead by `seconds`. Timers use the
 * monotonic clock and stay correct.
 */
export function wrongTime(seconds: number): Record<string, string> {
  if (seconds === 0 || faketime === undefined) return {}
  const offset = `${seconds > 0 ? '+' : ''}${seconds}s`
  return { LD_PRELOAD: faketime, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1', FAKETIME_NO_CACHE: '1' }
}

/** Seconds by which the clock of this run is ahead (`scripts/check-console-at.ts`). */
export const aheadS = Number(/^\+?(-?\d+)s$/.exec(process.env['FAKETIME'] ?? '')?.[1] ?? 0)
