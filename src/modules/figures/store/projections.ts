import type { Sql } from '../../../core/store/db/database.ts'
import type { Reader } from '../../../core/store/db/reader/reader.ts'

/** The state of a generation of a projection. Several may exist while a new one is built; one of them is live. */
export type ProjectionRow = {
  generation: number
  version: string
  /** The rows follow from the journal up to this sequence. */
  seq: number
  /** Head of the journal when it began: redactions up to it were made before anything was read. */
  begunAtSeq: number
  live: boolean
}

/** Identifies a generation of a location, unique within a projection. */
export type Generation = { locationId: string; generation: number }

/** Lists every generation of a projection of a location, the oldest first. */
export async function listGenerations(sql: Sql, locationId: string, name: string): Promise<ProjectionRow[]> {
  return sql<ProjectionRow[]>`
    select generation, version, seq, begun_at_seq as "begunAtSeq", live from projections
    where location_id = ${locationId} and name = ${name} order by generation`
}

/** Begins a generation at the start of the journal; false if another worker has begun it. */
export async function beginGeneration(
  sql: Sql,
  locationId: string,
  { name, generation, version, begunAtSeq }: Omit<ProjectionRow, 'seq' | 'live'> & { name: string },
): Promise<boolean> {
  const begun = await sql`
    insert into projections (location_id, name, generation, version, seq, begun_at_seq, live)
    values (${locationId}, ${name}, ${generation}, ${version}, 0, ${begunAtSeq}, false)
    on conflict (location_id, name, generation) do nothing returning 1`
  return begun.length === 1
}

export type Step = { name: string; generation: number; from: number; to: number }

/**
 * Moves the cursor if it has not moved since it was read; false if another worker moved it, and then nothing may be
 * written.
 */
export async function advanceGeneration(sql: Sql, locationId: string, step: Step): Promise<boolean> {
  const { name, generation, from, to } = step
  const moved = await sql`
    update projections set seq = ${to}
    where location_id = ${locationId} and name = ${name} and generation = ${generation} and seq = ${from} returning 1`
  return moved.length === 1
}

/** Makes a generation live, and deletes the earlier ones. */
export async function makeLive(sql: Sql, locationId: string, name: string, generation: number): Promise<void> {
  await sql`
    delete from projections where location_id = ${locationId} and name = ${name} and generation < ${generation}`
  await sql`
    update projections set live = true
    where location_id = ${locationId} and name = ${name} and generation = ${generation}`
}

/**
 * Stops the cursors of the projection until the end of the transaction, so that everything read from it is of one
 * state. Uses an update (SQL rule 17).
 */
export async function lockProjection(sql: Sql, locationId: string, name: string): Promise<void> {
  await sql`update projections set live = live where location_id = ${locationId} and name = ${name}`
}

export type JournalOrder = { seq: number; document: string; before: string | null }

/** A stretch of the journal: its entries, its end, and the last redaction in it, 0 without one. */
export type JournalStretch = {
  changes: JournalOrder[]
  /** Ids of the reports in it, each once. */
  reports: string[]
  reached: number
  entries: number
  isLast: boolean
  redactedAt: number
}

/** How much of a journal is read at once: entries of any kind, and bytes of the orders among them. */
export type StretchSize = { entries: number; bytes: number }

/**
 * Reads the versions of orders after a sequence, in order, each with the previous version. At most `entries` entries
 * are read, and reading stops after the entry with which the orders exceed `bytes`. `reached` is the last entry read:
 * continue after it. If an order is archived, only its latest version is returned, as if it were the first: the sums
 * are the same. The previous version is a subquery: with a join PostgreSQL may read the whole journal of the location for
 * each entry while it has no statistics of the table.
 */
export async function readOrderChanges(
  sql: Sql,
  locationId: string,
  after: number,
  { entries, bytes }: StretchSize,
): Promise<JournalStretch> {
  type Row = {
    seq: number
    kind: string
    id: string
    document: string | null
    before: string | null
    next: number | null
  }
  const rows = await sql<Row[]>`
    select seq, kind, id, document, before, next from (
      select entry.*, lead(seq) over so_far as next,
        coalesce(sum(coalesce(octet_length(document), 0) + coalesce(octet_length(before), 0)) over so_far, 0) as earlier
      from (
        select j.seq, j.kind, j.id, case when j.kind = 'order' then (
          select b.document from journal b where b.location_id = ${locationId} and b.seq = j.prev_seq) end as before,
          case when j.kind = 'order' then coalesce(j.document, (
          select o.document from orders o where o.location_id = ${locationId} and o.id = j.id and o.seq = j.seq)) end as document
        from journal j where j.location_id = ${locationId} and j.seq > ${after} order by j.seq limit ${entries + 1}
      ) entry
      window so_far as (order by seq rows between unbounded preceding and 1 preceding)
    ) sized where earlier < ${bytes} order by seq`
  const taken = rows.slice(0, entries)
  const changes = taken.flatMap(({ seq, kind, document, before }) =>
    kind === 'order' && document !== null ? [{ seq, document, before }] : [],
  )
  const redactedAt = taken.findLast(({ kind }) => kind === 'redaction')?.seq ?? 0
  const reports = [...new Set(taken.flatMap(({ kind, id }) => (kind === 'report' ? [id] : [])))]
  const isLast = (taken.at(-1)?.next ?? null) === null
  return { changes, reports, reached: taken.at(-1)?.seq ?? after, entries: taken.length, isLast, redactedAt }
}

/**
 * Resolves to whether more than `limit` entries follow a sequence, from their keys alone, without reading documents.
 */
export async function hasMoreEntries(sql: Sql, locationId: string, after: number, limit: number): Promise<boolean> {
  const [beyond] = await sql`
    select 1 from journal where location_id = ${locationId} and seq > ${after} order by seq offset ${limit} limit 1`
  return beyond !== undefined
}

/**
 * Lists the locations with journal entries that a projection has not folded, or whose rows were made by other rules or
 * settings. On Citus it queries every shard: for sweeps only.
 */
export async function listLagging(sql: Sql, name: string, rules: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select s.location_id as id from location_seq s join locations l on l.id = s.location_id
    where s.last_seq > 0 and not exists (
      select 1 from projections p
      where p.location_id = s.location_id and p.name = ${name} and p.live and p.seq >= s.last_seq
        and (p.version = concat_ws(' ', ${String(rules)}::text, l.time_zone, l.day_starts_at)
          or starts_with(p.version, concat_ws(' ', ${String(rules)}::text, l.time_zone, l.day_starts_at, l.currency,
            md5(l.payment_kinds), '')))
    )`
  return rows.map(({ id }) => id)
}

/**
 * The version of the figures, for their `ETag`: it changes with the journal, the generation in use, and the
 * currency.
 */
export type ProjectionMark = { epoch: string; seq: number; version: string; currency: string }

/** Finds the mark of the live generation; undefined while no generation is live. */
export async function findProjectionMark(
  reader: Reader,
  locationId: string,
  name: string,
): Promise<ProjectionMark | undefined> {
  let head: string[] = []
  let version: string | undefined
  let currency: string | undefined
  // One statement, so that all parts are of one state; not a join, which Citus cannot plan here. A version contains
  // spaces and a currency only letters, which tells the two apart.
  await reader.query({
    text: `select last_seq || ':' || epoch as answer from location_seq where location_id = $1
      union all select version from projections where location_id = $1 and name = $2 and live
      union all select currency from locations where id = $1`,
    parameters: [locationId, name],
    limit: 3,
    row: (chunk, from, to) => {
      const answer = chunk.toString('utf8', from, to)
      if (answer.includes(' ')) version = answer
      else if (answer.includes(':')) head = answer.split(':')
      else currency = answer
    },
  })
  const [seq, epoch] = head
  return seq === undefined || epoch === undefined || version === undefined || currency === undefined
    ? undefined
    : { epoch, seq: Number(seq), version, currency }
}
