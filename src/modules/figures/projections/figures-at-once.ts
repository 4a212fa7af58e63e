import { AtOnce } from '../../../core/projections/at-once.ts'

/**
 * Computes one answer of figures at a time for each location: a table of sales may have 5,000 names a day, and a year
 * of days blocks the process for 100 ms. Other requests of the location wait without a connection.
 */
export const figuresAtOnce = new AtOnce(1)
