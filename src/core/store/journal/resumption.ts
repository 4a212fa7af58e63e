import { acceptanceTime, type Head } from '../../domain/journal/chain.ts'
import { newEpoch, toLineage, type Lineage } from '../../domain/journal/lineage.ts'
import { readResumed, resumedAt, type Resumed } from '../../domain/journal/marks.ts'
import type { Expression, Sql } from '../db/database.ts'
import { appendChanges, toHead, type HeadRow } from './journal.ts'
import { recordLoss } from './losses.ts'

/**
 * The database is in an earlier state than this process has seen, on an unchanged server: an older copy of its files was
 * put in place. Writes are refused until the operator has checked and runs `tillgate resume`.
 */
export class JournalRewound extends Error {
  readonly locationId: string
  /** The highest number that this process has seen. */
  readonly seen: number
  /** The current end of the journal. */
  readonly head: number

  constructor(locationId: string, seen: number, head: number) {
    super(
      `the journal of location ${locationId} ends at ${head}, but this process has seen ${seen}: the database was restored ` +
        'to an earlier state. On another database server, the journal resumes with the next push. On the same database server, writes are refused until the operator runs ' +
        `tillgate resume --location ${locationId}`,
    )
    this.locationId = locationId
    this.seen = seen
    this.head = head
  }
}

type LockedRow = Omit<Head, 'acceptedAt'> & {
  acceptedAt: Date | null
  erasures: string | null
  timeline: string | null
  serverTimeline: string
}

/** The head that a writer locked; `erasures` are the stored rules that apply to what a till sends. */
export type TakenHead = Head & { erasures: string | null }

/** Input of a writer that takes the head. `seen` is the highest number seen before, 0 for none. */
export type Writing = { now: Date; seen?: number }

type Locked = { head: TakenHead; timeline: string | null; serverTimeline: string }

/** Locks the head by an update, which keeps the shard of the location on its node until the commit (SQL rule 17). */
async function lockHead(sql: Sql, locationId: string): Promise<Locked | undefined> {
  // Sent together and executed in this order.
  const [, [row]] = await Promise.all([
    sql`update location_seq set epoch = epoch where location_id = ${locationId}`,
    sql<LockedRow[]>`
      select epoch, last_seq as seq, last_hash as hash, last_accepted_at as "acceptedAt", erasures, timeline,
        left(pg_walfile_name(pg_current_wal_lsn()), 8) as "serverTimeline"
      from location_seq where location_id = ${locationId}`,
  ])
  if (!row) return undefined
  const { timeline, serverTimeline, acceptedAt, ...place } = row
  return { head: { ...place, acceptedAt: acceptedAt?.toISOString() ?? null }, timeline, serverTimeline }
}

async function keepTimeline(sql: Sql, locationId: string, { timeline, serverTimeline }: Locked): Promise<void> {
  if (timeline === serverTimeline) return
  await sql`update location_seq set timeline = ${serverTimeline} where location_id = ${locationId}`
}

/**
 * Locks the location's row until commit: writers of one location are serialized, so the numbers have no gap and the
 * versions read afterwards in this transaction are the latest. Undefined if the location does not exist; throws
 * `JournalRewound` if its journal ends before `seen`.
 *
 * A promoted replica continues on a timeline of its own, and may lack the last entries of the primary. If the server's
 * timeline is not that of the previous entry, the journal resumes first (docs/inside/03-journal.md), since this server
 * may not know all numbers that were used. Entries that this process knows to be missing are recorded as a loss.
 */
export async function takeHead(
  sql: Sql,
  locationId: string,
  { now, seen = 0 }: Writing,
): Promise<TakenHead | undefined> {
  const locked = await lockHead(sql, locationId)
  if (!locked) return undefined
  const { head, timeline, serverTimeline } = locked
  const isSame = timeline === null || timeline === serverTimeline
  if (head.seq < seen && isSame) throw new JournalRewound(locationId, seen, head.seq)
  await keepTimeline(sql, locationId, locked)
  if (isSame || head.seq === 0) return head
  const reason = `the database server changed from timeline ${timeline} to ${serverTimeline}`
  return { ...head, ...(await appendResumed(sql, locationId, head, { reason, now, acknowledged: seen })) }
}

/** Lists where a journal resumed, in order. Index: journal_marks. */
export async function listResumed(sql: Sql, locationId: string): Promise<(Resumed & { sequence: number })[]> {
  const rows = await sql<{ seq: number; kind: string; document: string }[]>`
    select seq, kind, document from journal where location_id = ${locationId} and kind = 'resumed' order by seq`
  return rows.flatMap((row) => {
    const resumed = readResumed(row)
    return resumed ? [{ ...resumed, sequence: row.seq }] : []
  })
}

type LineageRow = HeadRow & { resumedAt: number | null; document: string | null }

/** Reads the head of a journal with the numbers and epochs that it has, by one statement; undefined if the location does not exist. */
export async function findHeadWithLineage(
  sql: Sql,
  locationId: string,
): Promise<(Head & { lineage: Lineage }) | undefined> {
  const rows = await sql<LineageRow[]>`
    select s.epoch, s.last_seq as seq, s.last_hash as hash, s.last_accepted_at as "acceptedAt",
      r.seq as "resumedAt", r.document from location_seq s
    left join journal r on r.location_id = s.location_id and r.kind = 'resumed'
    where s.location_id = ${locationId} order by r.seq`
  const head = toHead(rows[0])
  if (!head) return undefined
  const resumed = rows.flatMap(({ resumedAt: sequence, document }) => {
    const mark = sequence === null ? undefined : readResumed({ kind: 'resumed', document })
    return mark && sequence !== null ? [{ ...mark, sequence }] : []
  })
  const { epoch, seq, hash, acceptedAt } = head
  return { epoch, seq, hash, acceptedAt, lineage: toLineage(epoch, resumed) }
}

/** Reads which numbers and epochs a journal has; undefined if the location does not exist. */
export async function readLineage(sql: Sql, locationId: string): Promise<Lineage | undefined> {
  return (await findHeadWithLineage(sql, locationId))?.lineage
}

/**
 * Returns why the epochs of event ids do not match those of the `resumed` entries; undefined if they do. Each epoch
 * must continue the one before and be new, and the head must name the last.
 */
export async function findEpochFault(
  sql: Sql,
  locationId: string,
): Promise<{ sequence: number | null; reason: string } | undefined> {
  const [head] = await sql<{ epoch: string; current: string | null; from: number | null }[]>`
    select epoch, current_epoch as current, current_from as from from location_seq where location_id = ${locationId}`
  if (!head) return undefined
  const had = [head.epoch]
  let from: number | null = null
  for (const { sequence, epoch, continues } of await listResumed(sql, locationId)) {
    if (epoch === undefined) continue
    const last = had.at(-1)
    if (continues !== last || had.includes(epoch)) {
      return { sequence, reason: `it starts epoch ${epoch} after ${continues}, but the journal was in epoch ${last}` }
    }
    had.push(epoch)
    from = sequence
  }
  const last = had.at(-1)
  if ((head.current ?? head.epoch) === last && head.from === from) return undefined
  const reason = `the head has epoch ${head.current ?? head.epoch} from sequence ${head.from ?? 1}, but the entries have epoch ${last} from sequence ${from ?? 1}`
  return { sequence: null, reason }
}

async function findLastResumed(sql: Sql, locationId: string): Promise<number | null> {
  const [row] = await sql<{ seq: number }[]>`
    select seq from journal where location_id = ${locationId} and kind = 'resumed' order by seq desc limit 1`
  return row?.seq ?? null
}

/** `past` is a number to exceed, `acknowledged` the last one confirmed to a caller: missing entries up to it are lost. */
export type Resuming = { reason: string; now: Date; past?: number; acknowledged?: number }

async function appendResumed(
  sql: Sql,
  locationId: string,
  head: Head,
  { reason, now, past = 0, acknowledged = 0 }: Resuming,
): Promise<Head> {
  const epoch = newEpoch()
  const [place] = await sql<{ epoch: string }[]>`
    select coalesce(current_epoch, epoch) as epoch from location_seq where location_id = ${locationId}`
  const lost = acknowledged > head.seq ? { from: head.seq + 1, to: acknowledged } : undefined
  const continues = place?.epoch ?? head.epoch
  const document: Resumed = { after: head.seq, epoch, continues, ...(lost && { lost }), reason }
  const change = {
    kind: 'resumed',
    id: locationId,
    prevSeq: await findLastResumed(sql, locationId),
    types: [],
    document: JSON.stringify(document),
  }
  // The entry takes the next number after the head, and the numbers in between are skipped.
  const seq = resumedAt(Math.max(head.seq, past, acknowledged), now)
  if (lost) await recordLoss(sql, { locationId, sequence: seq, ...lost, foundAt: now })
  const before = { ...head, seq: seq - 1 }
  const after = await appendChanges(sql, { locationId, head: before }, [change], acceptanceTime(head, now))
  await sql`update location_seq set current_epoch = ${epoch}, current_from = ${seq} where location_id = ${locationId}`
  return after
}

/**
 * Continues a journal in a new epoch, past every number that could have been used before the database was restored to
 * an earlier state: appends an entry of kind `resumed`, which says what it follows and why. All continuations of a
 * journal use this function. Runs in the caller's transaction. Resolves to the position that it followed and the number
 * of the new entry, which also exceeds `past`. Undefined if the location does not exist.
 */
export async function resumeJournal(
  sql: Sql,
  locationId: string,
  options: Resuming,
): Promise<{ after: number; sequence: number } | undefined> {
  const locked = await lockHead(sql, locationId)
  if (!locked) return undefined
  await keepTimeline(sql, locationId, locked)
  const { seq } = await appendResumed(sql, locationId, locked.head, options)
  return { after: locked.head.seq, sequence: seq }
}

/** Makes an SQL expression that counts the numbers after `after` that `resumed` entries skipped. Index: journal_marks. */
export function passedOver(sql: Sql, locationId: Expression, after: Expression): Expression {
  return sql`(
    select coalesce(sum(r.seq - 1 - greatest(substring(r.document from '^{"after":([0-9]{1,15})')::bigint, ${after})), 0)::bigint
    from journal r where r.location_id = ${locationId} and r.kind = 'resumed' and r.seq > ${after})`
}

/** Counts the entries of a journal after a number; without one, all of them. */
export async function countEntries(sql: Sql, locationId: string, after = 0): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select greatest(s.last_seq - ${after}::bigint - ${passedOver(sql, sql`s.location_id`, sql`${after}::bigint`)}, 0) as n
    from location_seq s where s.location_id = ${locationId}`
  return row?.n ?? 0
}
