/**
 * A lease that ends more than this many milliseconds from now was written by a wrong clock, and is ignored. Twice the
 * maximum of the setting, since the clocks of two workers may differ a little.
 */
export const longestLeaseMs = 600_000

export const later = (at: Date, ms: number): Date => new Date(at.getTime() + ms)
