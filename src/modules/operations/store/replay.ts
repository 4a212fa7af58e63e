import type { ChainedEntry } from '../../../core/domain/journal/chain.ts'
import { dayOf } from '../../../core/domain/days/day-ranges.ts'
import type { EventType, RecordType } from '../../../core/contract/resources.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { addDayCounts, type DayChange } from '../../../core/contract/paging/day-counts.ts'
import { loadAllData } from '../../../core/modules.ts'
import { archiveDocuments, restoreDocuments } from '../../../core/store/journal/asides.ts'
import { appendJournal } from '../../../core/store/journal/journal.ts'
import { listResources, resourceOf } from '../../../core/contract/all-resources.ts'
import type { StoredRow } from '../../../core/contract/resource.ts'

declare module '../../../core/modules.ts' {
  interface ModuleData {
    /** By kind: writes the rows that follow from an entry, when a journal is replayed. */
    replay?: Record<string, (sql: Sql, locationId: string, entry: { seq: number; document: string }) => Promise<void>>
  }
}

type Dated = { createdAt?: string; updatedAt?: string }

/**
 * Writes entries of a journal unchanged, and the rows that follow from them: the latest state and the day counts. The
 * entries continue the existing head of the location; the caller has verified them and is the only writer.
 */
export async function replayEntries(sql: Sql, locationId: string, entries: readonly ChainedEntry[]): Promise<void> {
  if (entries.length > 0) await appendJournal(sql, locationId, entries)
  await replayState(sql, locationId, entries)
}

/**
 * Resolves to whether earlier, archived versions of an order already caused `order.paid`; undefined for a first
 * version. Walks along `prev_seq`, by primary keys.
 */
async function findPaidBefore(
  sql: Sql,
  locationId: string,
  { kind, id, prevSeq }: Pick<ChainedEntry, 'kind' | 'id' | 'prevSeq'>,
): Promise<StoredRow | undefined> {
  if (kind !== 'order' || prevSeq === null) return undefined
  const [row] = await sql<{ paid: boolean | null }[]>`
    with recursive versions as (
      select location_id, prev_seq, types from journal where location_id = ${locationId} and seq = ${prevSeq}
      union all
      select j.location_id, j.prev_seq, j.types from versions v
      cross join lateral (select * from journal where location_id = ${locationId} and seq = v.prev_seq limit 1) j
      where v.location_id = ${locationId}
    )
    select bool_or('order.paid' = any(types)) as paid from versions where location_id = ${locationId}`
  const found: Paid = { id, seq: prevSeq, document: '', paid: row?.paid ?? false }
  return found
}

type Paid = StoredRow & { paid: boolean }

/**
 * Writes what follows from entries about the journal itself and from entries of modules, in order. Modules that are off
 * are included, so that nothing is missing when they are switched on.
 */
async function replayKinds(sql: Sql, locationId: string, entries: readonly ChainedEntry[]): Promise<void> {
  const replays = new Map((await loadAllData()).flatMap(({ replay = {} }) => Object.entries(replay)))
  for (const { kind, seq, document } of entries) {
    if (document === null) continue
    if (kind === 'aside') await archiveDocuments(sql, locationId, seq, document)
    if (kind === 'returned') await restoreDocuments(sql, locationId, document)
    await replays.get(kind)?.(sql, locationId, { seq, document })
  }
}

/**
 * Writes the rows that follow from entries that are in the journal already; takes all entries, in order, from the first
 * on.
 */
export async function replayState(sql: Sql, locationId: string, entries: readonly ChainedEntry[]): Promise<void> {
  const last = entries.at(-1)
  if (!last) return
  const days = new Map<string, DayChange>()
  const count = ({ kind, createdAt }: { kind: string; createdAt: string }, n: 1 | -1) => {
    const day = dayOf(Date.parse(createdAt))
    const change = days.get(`${kind} ${day}`) ?? { kind, day, n: 0 }
    days.set(`${kind} ${day}`, { ...change, n: change.n + n })
  }
  await replayKinds(sql, locationId, entries)
  const types = new Set<string>(listResources().map(({ type }) => type))
  const byKind = Map.groupBy(entries, ({ kind }) => kind)
  for (const [kind, of] of byKind) {
    // Entries about the journal itself change no resource.
    if (!types.has(kind)) continue
    const resource = resourceOf(kind as RecordType)
    const rows = await resource.find(sql, locationId, [...new Set(of.map(({ id }) => id))])
    const changed = new Map<string, StoredRow>()
    for (const { id, seq, document, acceptedAt, types, prevSeq } of of) {
      // For an archived order, only the latest version has its document, which is enough.
      if (document === null) continue
      const before = rows.get(id)
      const data = JSON.parse(document) as Dated
      const version = {
        id,
        seq,
        document,
        createdAt: data.createdAt ?? acceptedAt,
        updatedAt: data.updatedAt ?? acceptedAt,
      }
      const facts: unknown = resource.facts(data)
      const row: StoredRow = resource.row(version, {
        facts,
        types: types as EventType[],
        before: before ?? (await findPaidBefore(sql, locationId, { kind, id, prevSeq })),
      })
      if (resource.counts) {
        if (before) count(resource.counts.of(before), -1)
        count(resource.counts.of(row), 1)
      }
      rows.set(id, row)
      changed.set(id, row)
    }
    await resource.yield?.(sql, locationId, [...changed.values()])
    await resource.upsert(sql, locationId, [...changed.values()])
  }
  await addDayCounts(
    sql,
    locationId,
    [...days.values()].filter(({ n }) => n !== 0),
    last.seq,
  )
}
