import { minuteMs } from './time-units.ts'

/**
 * How far a till's clock may be ahead of the server's. Beyond this, a time causes a warning, a version gives way to a
 * later one with a believable time (decision 0012), a status is refused, and a Z report closes no day until its time
 * has come (docs/modules/figures.md).
 */
export const clockAheadMs = 5 * minuteMs
