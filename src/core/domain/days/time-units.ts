/** Units of waits and spans, in milliseconds. A day here has 24 hours: calendar days are in `business-time.ts`. */
export const secondMs = 1_000
export const minuteMs = 60 * secondMs
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs
