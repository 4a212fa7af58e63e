import type { Reader } from '../../store/db/reader/reader.ts'
import { numberAt } from '../../store/db/reader/wire.ts'

/** Data of a location, and a journal sequence: the data includes every change up to it. */
export type Numbered = { sequence: number }

/** A document as bytes, and the sequence that wrote it; if it does not exist, `document` is undefined and `version` 0. */
export type NumberedDocument = Numbered & { document: Buffer | undefined; version: number }

/** Selects the journal head of the location `$1`. */
export const headText = 'select last_seq::text as answer from location_seq where location_id = $1'

/**
 * Reads the journal head and then one document of the location, which includes every change up to that head. `text`
 * selects the sequence that wrote the document, then the document, for the location `$1` and the key `$2`.
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
