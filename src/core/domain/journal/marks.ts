import { stride } from './chain.ts'

/** The content of a `resumed` entry: the numbers between `after` and its own were never used or are lost. */
export type Resumed = {
  /** Number of the last entry before this one. */
  after: number
  /** The epoch that begins with this entry, and the one that it continues. Versions before 2026-11-28 wrote neither: the epoch stayed. */
  epoch?: string
  continues?: string
  /** The missing entries beyond `after` that the writer knew to be acknowledged. */
  lost?: Lost
  reason: string
}

/** The first and the last of the lost numbers of a journal. */
export type Lost = { from: number; to: number }

/** Writes lost numbers; a range of a million or more probably spans a resumption. */
export const writeLost = ({ from, to }: Lost): string =>
  `${from} to ${to}${to - from < stride ? '' : ' (some of these numbers may never have been used)'}`

/** The content of a `redaction` entry. */
export type Redaction = {
  reason: string
  /** The entries whose documents were blanked, the places, and the commitments to the new content. */
  entries: { sequence: number; pointers: string[]; commitment: string }[]
}

/** The content of an `aside` entry: the documents of orders from one number to another, inclusive, are archived. */
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

/** The content of a `returned` entry: the archived documents between these numbers are back. */
export type Returned = { from: number; to: number }

/** Numbers that exceed a stretch's first number by less than this can only come from the writer of that `Stretch`. */
export const ownNumbers = 2 * stride

const clockBegins = Date.UTC(2020, 0, 1)

/** Last valid second since 2020 (in 2051), so that numbers have at most 15 digits. A later clock counts as wrong. */
const lastClockSecond = 999_999_999

/**
 * Returns the number of a `resumed` entry: a round million, at least a million past every number known to have been
 * assigned, and at least a million for each second since 2020. So two journals that continue the same state at
 * different moments get different numbers without knowing of each other. Even with a wrong clock, the epochs differ.
 */
export function resumedAt(highest: number, now: Date): number {
  const seconds = Math.floor((now.getTime() - clockBegins) / 1_000)
  const ofClock = seconds > 0 && seconds <= lastClockSecond ? seconds * stride : 0
  return Math.max((Math.floor(highest / stride) + 2) * stride, ofClock)
}

/** Reads a `resumed` entry; undefined for any other entry, and if its document cannot be read. */
export function readResumed({ kind, document }: { kind: string; document: string | null }): Resumed | undefined {
  if (kind !== 'resumed' || document === null) return undefined
  try {
    return JSON.parse(document) as Resumed
  } catch {
    return undefined
  }
}
