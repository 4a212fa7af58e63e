import { minuteMs } from './time-units.ts'

/**
 * How far a till's clock may be ahead of the server's. A time further ahead causes a warning, a version with it gives way to a later one
 * with a believable time (decision 0012), a status is refused, and a Z report closes nothing until that time (docs/modules/figures.md).
 */
export const clockAheadMs = 5 * minuteMs
