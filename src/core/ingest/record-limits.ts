import type { RecordType } from '../contract/resources.ts'

/**
 * Maximum bytes of a record in any form except lists: a line of NDJSON, an element of an array, a body of one record
 * (docs/inside/12-limits.md).
 */
export const recordLimit = 1024 * 1024

/**
 * Maximum bytes of a catalog list. With the frame of an event it is less than the 4 MiB that the receivers of this
 * repository accept.
 */
export const listLimit = 4_000 * 1024

/**
 * Maximum bytes of an order or a report as sent (docs/inside/12-limits.md). With the frame of an event, a complete
 * order or report is less than 1 MiB, so it fits into a webhook.
 */
export const pagedLimit = 1_000 * 1024
export const recordLimits: Partial<Record<RecordType, number>> = { order: pagedLimit, report: pagedLimit }

/** Bytes kept of a record that cannot be stored, to recognize it. */
export const keptOfRejected = 16 * 1024

const listBeginning =
  /^\s*\{\s*"type"\s*:\s*"(catalog\.(?:products|modifiers|payments|taxes))"\s*,\s*"data"\s*:\s*(?=\[)/

export type ListType = Extract<RecordType, `catalog.${string}`>

/** The type of a list, and where in its record the list itself begins. */
export type ListBegun = { type: ListType; at: number }

/** Returns the list that a record begins, if its first bytes show a catalog list. */
export function listBegun(bytes: Buffer): ListBegun | undefined {
  const match = listBeginning.exec(bytes.toString('latin1', 0, 200))
  return match ? { type: match[1] as ListType, at: match[0].length } : undefined
}

/** Returns whether the record exceeds the limit of its type, which its first bytes show. */
export const isTooLong = (bytes: Buffer): boolean =>
  bytes.length > recordLimit && (bytes.length > listLimit || listBegun(bytes) === undefined)

export const tooLongDetail =
  `the record is longer than ${recordLimit / 1024 / 1024} MiB; only a catalog list may have up to ${listLimit / 1024} KiB, ` +
  'and must begin with {"type":"catalog.…","data":['
