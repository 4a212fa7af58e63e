import { businessTime } from './business-time.ts'

/** Returns the calendar date of a moment in a time zone. */
export const localDateOf = (atMs: number, timeZone: string): string =>
  businessTime({ timeZone, dayStartsAt: '00:00' }).dayOf(atMs)
