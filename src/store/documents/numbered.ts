import type { Led, Query, Reader } from '../db/reader/reader.ts'

/** Something read of a location, and a number of its journal up to which every change is in it. */
export type Numbered = { sequence: number }

/** A document as bytes, and the number of the entry that wrote it; undefined and 0 when there is none. */
export type NumberedDocument = Numbered & { document: Buffer | undefined; version: number }

/** Selects the head of the location `$1`, as a statement whose answer comes before that of another one. */
export const headText = 'select last_seq::text as answer from location_seq where location_id = $1'

const [zero, nine] = [0x30, 0x39]

/** A statement for a document, with the head of its journal and without. */
export type NumberedText = { text: string; alone: string }

/**
 * Makes a statement for a document and the head of its journal, so that both are of one state. `alone` selects the number of
 * the document's entry and right after it the document, in one column; its first parameter is the location. Make it once: a
 * text put together for each read costs as much as finding its prepared statement by it.
 */
export const withHead = (alone: string): NumberedText => ({ text: `${headText} union all (${alone})`, alone })

type Reading = Query & NumberedDocument

/**
 * Reads one document and the head of its journal by a statement of `withHead`. Both rows begin with a number, which a bracket
 * follows in that of the document, so the order in which they come does not matter. Of several in one transaction only the first
 * of a location reads the head: the documents after it are no older.
 */
export async function readNumbered(
  reader: Reader,
  { text, alone }: NumberedText,
  parameters: readonly string[],
): Promise<NumberedDocument> {
  const led: Led = { text: alone, locationId: parameters[0] ?? '', by: undefined }
  const reading: Reading = {
    text,
    parameters,
    led,
    sequence: 0,
    document: undefined,
    version: 0,
    row: (chunk, from, to) => {
      let at = from
      let number = 0
      for (let digit = chunk[at] as number; at < to && digit >= zero && digit <= nine; digit = chunk[++at] as number)
        number = 10 * number + digit - zero
      if (at === to) {
        reading.sequence = number
        return
      }
      reading.version = number
      reading.document = Buffer.from(chunk.subarray(at, to))
    },
  }
  await reader.query(reading)
  const { sequence } = (led.by ?? reading) as Reading
  return { sequence, document: reading.document, version: reading.version }
}
