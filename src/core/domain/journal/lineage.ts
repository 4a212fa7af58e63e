import { randomBytes } from 'node:crypto'
import { ownNumbers, type Lost, type Resumed } from './marks.ts'

/** Entries `from` to `to` of a journal, without a gap, and the epoch of their events. */
export type Stretch = { epoch: string; from: number; to: number }

/** The stretches of a journal in order. The first begins at 0, the position before the first entry; the last has no end yet. */
export type Lineage = readonly Stretch[]

/** Makes a random epoch for a journal that begins or continues: short, and never used before for this location. */
export const newEpoch = (): string => randomBytes(4).toString('hex')

/** Returns the lineage of a journal from the epoch in which it began and its `resumed` entries, in order. */
export function toLineage(firstEpoch: string, resumed: readonly (Resumed & { sequence: number })[]): Lineage {
  const stretches: Stretch[] = [{ epoch: firstEpoch, from: 0, to: Infinity }]
  for (const { sequence, after, epoch } of resumed) {
    const last = stretches.at(-1) as Stretch
    last.to = after
    stretches.push({ epoch: epoch ?? last.epoch, from: sequence, to: Infinity })
  }
  return stretches
}

/** Returns the epoch of the entry with a number, or of a reader at that position. */
export function epochAt(lineage: Lineage, seq: number): string {
  return lineage.findLast(({ from }) => from <= seq)?.epoch ?? ''
}

/** A position in a journal: after an entry, in an epoch if the reader knows it. */
export type Position = { epoch: string | undefined; after: number }

/** Why a position is not in a journal, and the last entry that the reader certainly shares with it. */
export type Stray = { because: 'ahead' | 'left' | 'unknown'; after: number }

/**
 * Returns why a position is not in this journal, and where its reader continues; undefined if it is. A reader that
 * names an epoch of this journal shares all of that epoch. A reader without an epoch shares the last stretch that
 * begins at or before its number, if the number is so close to that beginning (`ownNumbers`) that it must come from
 * this stretch; otherwise it begins again at 0.
 */
export function findStray(lineage: Lineage, head: number, { epoch, after }: Position): Stray | undefined {
  const at = epoch === undefined ? lineage.length - 1 : lineage.findLastIndex((one) => one.epoch === epoch)
  if (at < 0) return { because: 'unknown', after: 0 }
  const own = lineage.slice(0, at + 1).map((one) => ({ ...one, to: Math.min(one.to, head) }))
  if (own.some(({ from, to }) => from <= after && after <= to)) return undefined
  const because = after > head ? 'ahead' : 'left'
  const before = own.findLast(({ from }) => from <= after) as Stretch
  const isOfBefore = after < before.from + ownNumbers && own.find((one) => one.epoch === before.epoch) === before
  return { because, after: epoch !== undefined || isOfBefore ? before.to : 0 }
}

/**
 * Returns which entries up to an acknowledged number are missing, and the number of the `resumed` entry after them.
 * Undefined if the acknowledged number is in the journal, or beyond its end.
 */
export function findLost(lineage: Lineage, acknowledged: number): (Lost & { sequence: number }) | undefined {
  const at = lineage.findIndex(({ to }, i) => to < acknowledged && acknowledged < (lineage[i + 1]?.from ?? 0))
  const [before, after] = [lineage[at], lineage[at + 1]]
  return before && after && { from: before.to + 1, to: acknowledged, sequence: after.from }
}
