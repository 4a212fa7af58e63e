import { acceptanceTime } from '../../../core/domain/journal/chain.ts'
import type { BookAccountsOwn, BookAccountsVersion } from '../schemas/books-accounts.ts'
import { transact, type Pool } from '../../../core/store/db/database.ts'
import { getBookAccounts, putBookAccounts, type BookAccountsRow } from './book-accounts.ts'
import { appendChanges } from '../../../core/store/journal/journal.ts'
import { takeHead } from '../../../core/store/journal/resumption.ts'

type Setting = { now: Date; seen: number; holds: (current: BookAccountsRow) => boolean }

/**
 * Journals and stores the next version of a location's accounts, if `holds` accepts the current version; otherwise
 * resolves to the current version. Undefined for an unknown location; throws `JournalRewound`.
 */
export async function setBookAccounts(
  pool: Pool,
  locationId: string,
  own: BookAccountsOwn,
  { now, seen, holds }: Setting,
): Promise<{ set: BookAccountsRow; before: BookAccountsRow } | { current: BookAccountsRow } | undefined> {
  return transact(pool, async (tx) => {
    const head = await takeHead(tx, locationId, { now, seen })
    if (!head) return undefined
    const before = await getBookAccounts(tx, locationId)
    if (!holds(before)) return { current: before }
    const document: BookAccountsVersion = { version: before.version + 1, own }
    const change = {
      kind: 'accounts',
      id: locationId,
      prevSeq: before.version === 0 ? null : before.seq,
      types: ['accounts.updated'],
      document: JSON.stringify(document),
    }
    const { seq } = await appendChanges(tx, { locationId, head }, [change], acceptanceTime(head, now))
    await putBookAccounts(tx, locationId, seq, change.document)
    return { set: { version: document.version, seq, own }, before }
  })
}
