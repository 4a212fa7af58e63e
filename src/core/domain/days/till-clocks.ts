import { minuteMs } from './time-units.ts'

/**
 * Milliseconds that a till's clock may be ahead of the server's. Beyond this, a time causes a warning, a later version
 * with a believable time replaces the version (decision 0012), a status is refused, and a Z report closes no day until
 * its time has come (docs/modules/figures.md).
 */
export const clockAheadMs = 5 * minuteMs
