import type { AccessPage, JournalEntry, JournalHead, ListAccessQuery } from './api.ts'
import type { Caching } from './etags.ts'
import { listByNumber } from './pages.ts'
import type { Transport } from './transport.ts'

type Options = { signal?: AbortSignal }

/** Gets the end of the journal: its last number, and the hash that covers all entries. */
export function getJournalHead(caching: Caching, { signal }: Options = {}): Promise<JournalHead> {
  return caching.json({ path: '/v1/journal/head', signal })
}

/**
 * Gets one entry of the journal with its place in the chain. Throws `TillgateError` with the code `entry_not_found`.
 */
export function getJournalEntry(
  transport: Transport,
  sequence: number,
  { signal }: Options = {},
): Promise<JournalEntry> {
  return transport.json({ path: `/v1/events/${sequence}`, signal })
}

/** Lists who read which data of the location, and manual actions: every entry after a number, oldest first. */
export function listAccess(
  transport: Transport,
  query: ListAccessQuery & Options = {},
): AsyncGenerator<AccessPage['data'][number]> {
  return listByNumber(transport, '/v1/access/', query)
}
