/** Milliseconds of the units in which waits and spans are written. A day here has 24 hours: calendar days are `business-time.ts`. */
export const secondMs = 1_000
export const minuteMs = 60 * secondMs
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs
