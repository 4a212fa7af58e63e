/**
 * A lease that ends later than this was written by a clock that was wrong, and holds nothing up. Twice the longest that
 * the setting allows: the clocks of two workers may differ a little.
 */
export const longestLeaseMs = 600_000

export const later = (at: Date, ms: number): Date => new Date(at.getTime() + ms)
