import { LRUCache } from 'lru-cache'
import type { StretchSize } from '../store/projections.ts'

/** Enough entries to fold many changes of one cell into one write, and no more bytes than are read in some 20 ms. */
const usual: StretchSize = { entries: 1_000, bytes: 2 * 1024 ** 2 }

/** Entries of a step, by projection and location, where less than the usual is taken. */
const fewer = new LRUCache<string, number>({ max: 10_000 })

/** The size of the next step of one projection of one location. */
export type StepSizes = {
  now: StretchSize
  /** After a step that was too large or failed: the next one takes half of its entries. False where it was one entry. */
  halve(entries: number): boolean
  /** After a step that was written: the next one takes twice as many, up to the usual size. */
  grow(): void
}

/**
 * What an entry costs is known only when it was folded: a few hundred orders can make millions of sums. So a step that made
 * too much, or did not end in time, is never tried again as it was.
 */
export function stepSizes(name: string, locationId: string): StepSizes {
  const key = `${name} ${locationId}`
  const entries = fewer.get(key) ?? usual.entries
  return {
    now: { ...usual, entries },
    halve(taken) {
      if (taken <= 1) return false
      fewer.set(key, Math.ceil(taken / 2))
      return true
    },
    grow() {
      if (entries * 2 >= usual.entries) fewer.delete(key)
      else fewer.set(key, entries * 2)
    },
  }
}
