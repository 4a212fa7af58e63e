/**
 * What an entry of kind `resumed` says: the numbers between `after` and its own were never given, or are given up.
 */
export type Resumed = {
  /** The last entry before it. */
  after: number
  reason: string
}

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
  /** The last day of which an order was put aside. */
  lastDay: string
}

/** What an entry of kind `returned` says: what was put aside between these numbers is there again. */
export type Returned = { from: number; to: number }

const stride = 1_000_000

/**
 * Returns the number of a `resumed` entry: a round million, and at least a million past every number that is known to
 * have been given out, so also past those of a lost tail that nobody knows.
 */
export function resumedAt(highest: number): number {
  return (Math.floor(highest / stride) + 2) * stride
}

/** Returns whether a `resumed` entry may lie after one number and up to another: they stand at round millions only. */
export function mayHaveResumed(from: number, to: number): boolean {
  return to < from || Math.floor(to / stride) !== Math.floor(from / stride)
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
