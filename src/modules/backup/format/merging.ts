import type { Segment } from './manifest.ts'

/**
 * A segment is full at this many entries, or this many bytes of text before compression, and is then not merged again.
 */
export const entriesAtMost = 10_000

export const textAtMost = 16 * 1024 * 1024

/** Number of segments of about the same size that are merged into one larger segment. */
const fanOut = 8

const levelOf = (entries: number) => Math.floor(Math.log(entries) / Math.log(fanOut) + 1e-9)

const isFull = ({ entries, text = 0 }: Segment) => entries >= entriesAtMost || text >= textAtMost

/**
 * Returns the index of the first segment to merge with the `added` new entries; the number of segments if none is
 * merged. The level of a segment is the base-8 logarithm of its number of entries. Levels fall towards the end of a
 * journal, with fewer than eight segments of each level, so at most 35 segments are not full. An entry is rewritten
 * only when its segment reaches the next level.
 */
export function mergeFrom(segments: readonly Segment[], added: number): number {
  let from = segments.length
  let entries = Math.min(added, entriesAtMost)
  const reaches = (start: number, level: number) => {
    let at = start
    for (let one = segments[at - 1]; one && !isFull(one) && levelOf(one.entries) <= level; one = segments[at - 1]) at--
    return at
  }
  for (;;) {
    // A segment that is not full never stays before a full segment: later runs would not merge it there.
    const level = entries >= entriesAtMost ? Infinity : levelOf(entries)
    const smaller = reaches(from, level - 1)
    const same = reaches(smaller, level)
    const next = smaller - same >= fanOut - 1 ? same : smaller
    if (next === from) return from
    entries += segments.slice(next, from).reduce((sum, one) => sum + one.entries, 0)
    from = next
  }
}
