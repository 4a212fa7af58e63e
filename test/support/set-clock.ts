import { existsSync } from 'node:fs'

/** Debian's library that makes a process see another time; undefined where it is not installed. */
export const faketime = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1',
].find((path) => existsSync(path))

/** Seconds that the clock is wrong, as libfaketime wants it. Timers go by the clock that nobody sets, and stay right. */
export function wrongTime(seconds: number): Record<string, string> {
  if (seconds === 0 || faketime === undefined) return {}
  const offset = `${seconds > 0 ? '+' : ''}${seconds}s`
  return { LD_PRELOAD: faketime, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1', FAKETIME_NO_CACHE: '1' }
}

/** Seconds that the clock of this run is set ahead (`scripts/check-console-at.ts`). */
export const aheadS = Number(/^\+?(-?\d+)s$/.exec(process.env['FAKETIME'] ?? '')?.[1] ?? 0)
