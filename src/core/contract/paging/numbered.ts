import type { Reader } from '../../store/db/reader/reader.ts'
import { numberAt } from '../../store/db/reader/wire.ts'

/** Something read of a location, and a number of its journal up to which every change is in it. */
export type Numbered = { sequence: number }

/** A document as bytes with the sequence that wrote it; undefined and 0 if there is none. */
export type NumberedDocument = Numbered & { document: Buffer | undefined; version: number }

/** Selects the head of the location `$1`. */
export const headText = 'select last_seq::text as answer from location_seq where location_id = $1'

/**
 * Reads the head of a journal and, after it, one document of its location: every change up to that number is in it. `text` selects
 * the number of the entry that wrote the document and right after it the document, for the location `$1` and the key `$2`.
 */
export async function readNumbered(
  reader: Reader,
  text: string,
  location: string,
  key: string,
): Promise<NumberedDocument> {
  const read: NumberedDocument = { sequence: 0, document: undefined, version: 0 }
  await reader.query(
    {
      text: headText,
      parameters: [location],
      limit: 1,
      row: (chunk, from, to) => (read.sequence = numberAt(chunk, from, to).number),
    },
    {
      text,
      parameters: [location, key],
      limit: 1,
      row: (chunk, from, to) => {
        const { number, end } = numberAt(chunk, from, to)
        read.version = number
        read.document = Buffer.from(chunk.subarray(end, to))
      },
    },
  )
  return read
}
