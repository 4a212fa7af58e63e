import type { AccessPage, JournalEntry, JournalHead, ListAccessQuery } from './api.ts'
import type { Caching } from './etags.ts'
import type { Transport } from './transport.ts'

type Options = { signal?: AbortSignal }

/** Where the journal ends: its last number, and the hash that all before it leads to. */
export function getJournalHead(caching: Caching, { signal }: Options = {}): Promise<JournalHead> {
  return caching.json({ path: '/v1/journal/head', signal })
}

/** One entry of the journal with its place in the chain. Throws `TillgateError` with the code `entry_not_found`. */
export function getJournalEntry(
  transport: Transport,
  sequence: number,
  { signal }: Options = {},
): Promise<JournalEntry> {
  return transport.json({ path: `/v1/events/${sequence}`, signal })
}

/** Who read what of the location, and what was done by hand: every entry after a number, oldest first. */
export async function* listAccess(
  transport: Transport,
  { signal, ...query }: ListAccessQuery & Options = {},
): AsyncGenerator<AccessPage['data'][number]> {
  for (let { after } = query; ;) {
    const page = await transport.json<AccessPage>({
      path: '/v1/access/',
      query: { limit: 1000, ...query, after },
      signal,
    })
    yield* page.data
    if (page.data.length === 0 || page.meta.next === after) return
    after = page.meta.next
  }
}
