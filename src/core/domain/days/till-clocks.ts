import { minuteMs } from './time-units.ts'

/**
 * Milliseconds that a till's clock may be ahead of the server's. A time that is ahead by more causes a warning. A
 * version with such a time can be replaced by one with an earlier time (decision 0012). A status with such a time is
 * refused, and a Z report closes no day until its time has come (docs/modules/figures.md).
 */
export const clockAheadMs = 5 * minuteMs
