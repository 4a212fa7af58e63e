import type { Segment } from './manifest.ts'

/** A segment ends after this many entries, or bytes of text before compression. It is then never rewritten. */
export const entriesAtMost = 10_000

export const textAtMost = 16 * 1024 * 1024

/** This many segments of about one size become one of the next size. */
const fanOut = 8

const levelOf = (entries: number) => Math.floor(Math.log(entries) / Math.log(fanOut) + 1e-9)

const isFull = ({ entries, text = 0 }: Segment) => entries >= entriesAtMost || text >= textAtMost

/**
 * Returns the index from which the last segments are merged with `added` new entries; the number of segments if none is
 * merged. Sizes fall towards the end, with fewer than eight of each level, so a journal has at most 35 segments that
 * are not full. An entry is rewritten only when its segment reaches the next level: a logarithmic number of times.
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
    // A segment that is not full never stays before a full one, where later runs would not look at it.
    const level = entries >= entriesAtMost ? Infinity : levelOf(entries)
    const smaller = reaches(from, level - 1)
    const same = reaches(smaller, level)
    const next = smaller - same >= fanOut - 1 ? same : smaller
    if (next === from) return from
    entries += segments.slice(next, from).reduce((sum, one) => sum + one.entries, 0)
    from = next
  }
}
