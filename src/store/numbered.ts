import type { Led, Query, Reader } from './reader/reader.ts'

/** Something read of a location, and a number of its journal up to which every change is in it. */
export type Numbered = { sequence: number }

/** Holds a document as bytes; undefined when there is none. */
export type NumberedDocument = Numbered & { document: Buffer | undefined }

/** Selects the head of the location `$1`, as a statement whose answer comes before that of another one. */
export const headText = 'select last_seq::text as answer from location_seq where location_id = $1'

const [zero, nine] = [0x30, 0x39]

/** Holds a statement for a document, with the head of its journal and without. */
export type NumberedText = { text: string; alone: string }

/**
 * Makes a statement for a document and the head of its journal, so that both are of one state. `alone` selects the
 * document and nothing else; its first parameter is the location. Make it once: a text put together for each read costs
 * as much as finding its prepared statement by it.
 */
export const withHead = (alone: string): NumberedText => ({ text: `${headText} union all (${alone})`, alone })

type Reading = Query & NumberedDocument

/**
 * Reads one document and the head of its journal by a statement of `withHead`. A document begins with a bracket and the head
 * with a digit, so the order in which they come does not matter. Of several in one transaction only the first of a location reads
 * the head: the documents after it are no older.
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
    row: (chunk, from, to) => {
      const first = chunk[from] as number
      if (first >= zero && first <= nine) reading.sequence = Number(chunk.toString('latin1', from, to))
      else reading.document = Buffer.from(chunk.subarray(from, to))
    },
  }
  await reader.query(reading)
  const { sequence } = (led.by ?? reading) as Reading
  return { sequence, document: reading.document }
}
