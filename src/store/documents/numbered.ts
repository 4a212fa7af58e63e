import type { ByKey, Reader } from '../db/reader/reader.ts'
import { numberAt } from '../db/reader/wire.ts'

/** Something read of a location, and a number of its journal up to which every change is in it. */
export type Numbered = { sequence: number }

/** A document as bytes, and the number of the entry that wrote it; undefined and 0 when there is none. */
export type NumberedDocument = Numbered & { document: Buffer | undefined; version: number }

/** Selects the head of the location `$1`. */
export const headText = 'select last_seq::text as answer from location_seq where location_id = $1'

/**
 * Makes the statements that find documents of the location `$1`, each behind the head of its journal. `select` selects the number
 * of the entry that wrote the document and right after it the document, as `answer`, for an expression of the key, of that type.
 */
export function numberedBy(type: 'uuid' | 'text', select: (key: string) => string): ByKey {
  return {
    before: headText,
    one: select(`$2::${type}`),
    many: `select k.at || ' ' || found.answer
      from unnest($2::${type}[]) with ordinality k(key, at) cross join lateral (${select('k.key')}) found`,
  }
}

/** Reads the head of a journal and, after it, one document of its location: every change up to that number is in it. */
export async function readNumbered(
  reader: Reader,
  by: ByKey,
  location: string,
  key: string,
): Promise<NumberedDocument> {
  const read: NumberedDocument = { sequence: 0, document: undefined, version: 0 }
  await reader.find({
    by,
    location,
    key,
    before: (chunk, from, to) => (read.sequence = numberAt(chunk, from, to).number),
    row: (chunk, from, to) => {
      const { number, end } = numberAt(chunk, from, to)
      read.version = number
      read.document = Buffer.from(chunk.subarray(end, to))
    },
  })
  return read
}
