import { stride } from './chain.ts'

/**
 * What an entry of kind `resumed` says: the numbers between `after` and its own were never given, or are given up.
 */
export type Resumed = {
  /** The last entry before it. */
  after: number
  /** The epoch that begins with this entry, and the one that it continues. Versions before 2026-11-28 wrote neither: the epoch stayed. */
  epoch?: string
  continues?: string
  /** What was acknowledged beyond `after` as far as the writer of the entry knew, and is gone. */
  lost?: Lost
  reason: string
}

/** Numbers of a journal, both included. */
export type Lost = { from: number; to: number }

/** What an entry of kind `redaction` says. */
export type Redaction = {
  reason: string
  /** The entries whose documents were blanked, where, and the commitment to what stands there now. */
  entries: { sequence: number; pointers: string[]; commitment: string }[]
}

/** What an entry of kind `aside` says: documents of orders between two numbers, both included, lie in an archive. */
export type Aside = {
  from: number
  to: number
  /** Name of the archive, and its SHA-256 in hex. */
  archive: string
  sha256: string
  documents: number
  /** Bytes of these documents. */
  bytes: number
  /** The last day with an archived order. */
  lastDay: string
}

/** What an entry of kind `returned` says: what was put aside between these numbers is there again. */
export type Returned = { from: number; to: number }

/** Numbers this far after the first of a stretch can only come from the writer of that stretch. */
export const ownNumbers = 2 * stride

const clockBegins = Date.UTC(2020, 0, 1)

/** In seconds since 2020, until 2051: numbers of 15 digits are accepted wherever one is sent. A clock beyond it counts as broken. */
const lastClockSecond = 999_999_999

/**
 * Returns the number of a `resumed` entry: a round million, at least a million past every number that is known to
 * have been given out, and at least a million for each second since 2020. So journals that continue the same state at different
 * moments have different numbers, though none knows of the others. Where the clock is too far behind or broken their epochs
 * still differ (`newEpoch`).
 */
export function resumedAt(highest: number, now: Date): number {
  const seconds = Math.floor((now.getTime() - clockBegins) / 1_000)
  const ofClock = seconds > 0 && seconds <= lastClockSecond ? seconds * stride : 0
  return Math.max((Math.floor(highest / stride) + 2) * stride, ofClock)
}

/** Reads what a `resumed` entry says; undefined for every other, and where its document cannot be read. */
export function readResumed({ kind, document }: { kind: string; document: string | null }): Resumed | undefined {
  if (kind !== 'resumed' || document === null) return undefined
  try {
    return JSON.parse(document) as Resumed
  } catch {
    return undefined
  }
}
