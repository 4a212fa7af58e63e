import { minuteMs } from './time-units.ts'

/**
 * A till's clock may be ahead so far: its status of a later moment is refused, and a Z report of a later moment closes nothing until
 * then (docs/figures.md).
 */
export const clockAheadMs = 5 * minuteMs
