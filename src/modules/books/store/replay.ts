import type { ChainedEntry } from '../../../core/domain/journal/chain.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { putAside, takeBack } from '../../../core/store/journal/asides.ts'
import { putBookAccounts } from './book-accounts.ts'
import { putBatch } from './batches.ts'
import { putCheckpoint } from '../../proofs/store/checkpoints.ts'
import { putClosing } from '../../proofs/store/closings.ts'

/** Writes what follows from entries of the journal about books, and about itself, in their order. */
export async function replayBooks(sql: Sql, locationId: string, entries: readonly ChainedEntry[]): Promise<void> {
  for (const { kind, seq, document } of entries) {
    if (document === null) continue
    if (kind === 'accounts') await putBookAccounts(sql, locationId, seq, document)
    if (kind === 'batch') await putBatch(sql, locationId, seq, document)
    if (kind === 'closing') await putClosing(sql, locationId, seq, document)
    if (kind === 'checkpoint') await putCheckpoint(sql, locationId, seq, document)
    if (kind === 'aside') await putAside(sql, locationId, seq, document)
    if (kind === 'returned') await takeBack(sql, locationId, document)
  }
}
