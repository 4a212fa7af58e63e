import { within } from '../store/db/patience.ts'

/** Resolves to the result of the work, or to undefined if it fails or the time is over; the rest of the work is ignored. */
export const tryWithin = <T>(ms: number, work: Promise<T>): Promise<T | undefined> =>
  within(ms, work).catch(() => undefined)
