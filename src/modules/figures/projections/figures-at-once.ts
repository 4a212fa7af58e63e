import { AtOnce } from '../../../core/projections/at-once.ts'

/**
 * Of a location one answer of figures is made at a time: a table of sales may have 5,000 names a day, and a year of days is 100 ms of work, in
 * which nobody else of the process is answered. Others of the location wait without a connection.
 */
export const figuresAtOnce = new AtOnce(1)
