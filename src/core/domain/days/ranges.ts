/** A range of business days (`YYYY-MM-DD`), inclusive. */
export type DayRange = { since: string; until: string }

/** A range of moments, in milliseconds since 1970, inclusive. */
export type MomentRange = { first: number; last: number }
