import { LRUCache } from 'lru-cache'
import type { StretchSize } from '../store/projections.ts'

/**
 * The usual size of a step: enough entries to fold many changes of one cell into one write, and no more bytes than are
 * read in some 20 ms.
 */
const usual: StretchSize = { entries: 1_000, bytes: 2 * 1024 ** 2 }

/** Entries per step, by projection and location, if smaller than usual. */
const fewer = new LRUCache<string, number>({ max: 10_000 })

/** The size of the next step of one projection of one location. */
export type StepSizes = {
  now: StretchSize
  /**
   * After a step that was too large or failed: halves the entries of the next step. False if the step had only one
   * entry.
   */
  halve(entries: number): boolean
  /** After a successful step: doubles the entries of the next step, up to the usual size. */
  grow(): void
}

/**
 * Returns the step sizes of a projection of a location. The cost of an entry is known only after folding: a few hundred
 * orders can make millions of sums. A step that made too many sums, or did not end in time, is never retried at the
 * same size.
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
