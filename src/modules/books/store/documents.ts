import type { Sql } from '../../../core/store/db/database.ts'

/** Returns the documents of batches, or of closings, by their numbers in the journal. */
export async function listBookDocuments(
  sql: Sql,
  locationId: string,
  kind: 'batch' | 'closing',
  seqs: readonly number[],
): Promise<Map<number, string>> {
  if (seqs.length === 0) return new Map()
  const rows = await sql<{ seq: number; document: string }[]>`
    select seq, document from journal
    where location_id = ${locationId} and kind = ${kind} and seq = any(${[...seqs]}::bigint[])`
  return new Map(rows.map(({ seq, document }) => [seq, document]))
}
