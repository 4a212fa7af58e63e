import type { Sql } from '../../../core/store/db/database.ts'
import { findHead } from '../../../core/store/journal/journal.ts'
import { hasMoreEntries, type ProjectionRow, type StretchSize } from '../store/projections.ts'
import { findLive } from './projection.ts'
import { readStretch, type Stretch } from './stretches.ts'

/** The live generation and the entries after its cursor; `epoch` and `reached` are from the head of the journal. */
export type Pending = { generation: ProjectionRow; stretch: Stretch; epoch: string; reached: number }

const nothing: Omit<Stretch, 'reached'> = {
  changes: [],
  versions: new Map(),
  reports: [],
  entries: 0,
  isLast: true,
  redactedAt: 0,
}

/**
 * Reads the entries that a read folds itself, in the caller's snapshot. Undefined if no generation is live, or if the
 * projection must be moved on first: more entries or bytes than `size` are unfolded, or a document was redacted after
 * the generation began.
 */
export async function readPending(
  sql: Sql,
  locationId: string,
  name: string,
  size: StretchSize,
): Promise<Pending | undefined> {
  const [generation, head] = await Promise.all([findLive(sql, locationId, name), findHead(sql, locationId)])
  if (!generation || !head) return undefined
  // The difference of numbers is not enough: a resumed journal has skipped numbers.
  const mayBeMore = head.seq - generation.seq > size.entries
  if (mayBeMore && (await hasMoreEntries(sql, locationId, generation.seq, size.entries))) return undefined
  const isAtHead = head.seq <= generation.seq
  const stretch = isAtHead
    ? { ...nothing, reached: generation.seq }
    : await readStretch(sql, locationId, generation.seq, size)
  if (!stretch.isLast) return undefined
  if (stretch.redactedAt > generation.begunAtSeq) return undefined
  return { generation, stretch, epoch: head.epoch, reached: stretch.reached }
}
