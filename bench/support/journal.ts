import { openCopy } from './copy.ts'
import type { Pool } from '../../src/core/store/db/database.ts'
import type { Order } from '../../src/core/contract/orders/schema.ts'

const zeros = '0'.repeat(64)

/** Returns a line of COPY's text format: a journal entry as a push writes it, without the chain, which is not read. */
function entryLine(line: string, seq: number): string {
  const document = line.slice(line.indexOf('"data":') + '"data":'.length, line.lastIndexOf('}'))
  const { locationId, id, closedAt } = JSON.parse(document) as Order
  const entry = [locationId, seq, closedAt, 'order', id, '\\N', '{order.created,order.paid}']
  return `${[...entry, document.replaceAll('\\', '\\\\'), zeros.slice(32), zeros, zeros].join('\t')}\n`
}

function* partsOf(lines: Iterable<string>, after: number, onEntry: () => void): Generator<string> {
  let part = ''
  let seq = after
  for (const line of lines) {
    part += entryLine(line, ++seq)
    onEntry()
    if (part.length < 1_048_576) continue
    yield part
    part = ''
  }
  yield part
}

/**
 * Writes entries after the last one of a journal directly into the database, the fastest way to a long history for
 * readers of the journal, which must vacuum it first. It does not write the latest state. Resolves to the last number.
 */
export async function copyJournal(sql: Pool, locationId: string, lines: Iterable<string>, after = 0): Promise<number> {
  const columns = 'location_id, seq, accepted_at, kind, id, prev_seq, types, document, salt, commitment, hash'
  const stream = await openCopy(sql, `copy journal (${columns}) from stdin`)
  let last = after
  let failure: Error | undefined
  stream.on('error', (error: Error) => (failure = error))
  for (const part of partsOf(lines, after, () => (last += 1))) {
    if (failure) throw failure
    if (!stream.write(part)) await new Promise((resolve) => stream.once('drain', resolve))
  }
  await new Promise<void>((resolve, reject) => {
    stream.on('error', reject).on('finish', resolve).end()
  })
  await sql`update location_seq set last_seq = ${last} where location_id = ${locationId}`
  return last
}
