import { createHash } from 'node:crypto'

/** What the chain covers of one journal entry: everything but the hash itself and `prev_seq`, which follows from the rest. */
export type Link = {
  locationId: string
  seq: number
  acceptedAt: string
  kind: string
  id: string
  types: readonly string[]
  document: string
}

/** The hash before the first entry of every location. */
export const genesis = '0'.repeat(64)

/**
 * SHA-256 in hex over the hash before and the entry, one field a line and the document last (docs/journal.md).
 * Changing, removing or reordering an entry breaks every later hash.
 */
export function chainHash(previous: string, link: Link): string {
  const head = [previous, link.locationId, link.seq, link.acceptedAt, link.kind, link.id, link.types.join(',')]
  return createHash('sha256')
    .update(`${head.join('\n')}\n`)
    .update(link.document)
    .digest('hex')
}
