import type { Query, Reader } from '../db/reader/reader.ts'

/** Something read of a location, and a number of its journal up to which every change is in it. */
export type Numbered = { sequence: number }

/** A document as bytes, and the number of the entry that wrote it; undefined and 0 when there is none. */
export type NumberedDocument = Numbered & { document: Buffer | undefined; version: number }

/** Selects the head of the location `$1`. */
export const headText = 'select last_seq::text as answer from location_seq where location_id = $1'

const [zero, nine] = [0x30, 0x39]

function endOfDigits(chunk: Buffer, from: number, to: number): number {
  let at = from
  while (at < to && (chunk[at] as number) >= zero && (chunk[at] as number) <= nine) at += 1
  return at
}

function numberIn(chunk: Buffer, from: number, to: number): number {
  let number = 0
  for (let at = from; at < to; at += 1) number = 10 * number + (chunk[at] as number) - zero
  return number
}

/**
 * Reads the head of a journal and, after it, one document of its location: every change up to that number is in it. `text` selects
 * the number of the document's entry and right after it the document, in one column; its first parameter is the location.
 */
export async function readNumbered(
  reader: Reader,
  text: string,
  parameters: readonly string[],
): Promise<NumberedDocument> {
  const read: NumberedDocument = { sequence: 0, document: undefined, version: 0 }
  const head: Query = {
    text: headText,
    parameters: [parameters[0] ?? ''],
    isShared: true,
    row: (chunk, from, to) => (read.sequence = numberIn(chunk, from, to)),
  }
  await reader.query(head, {
    text,
    parameters,
    row: (chunk, from, to) => {
      const end = endOfDigits(chunk, from, to)
      read.version = numberIn(chunk, from, end)
      read.document = Buffer.from(chunk.subarray(end, to))
    },
  })
  return read
}
