/** Business days, as `YYYY-MM-DD`, both included. */
export type DayRange = { since: string; until: string }

/** Moments, in milliseconds since 1970, both included. */
export type MomentRange = { first: number; last: number }
