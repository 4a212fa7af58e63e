import type { Checkpoint } from '../schemas/checkpoints.ts'
import type { Sql } from '../../../core/store/db/database.ts'

export type CheckpointRow = { size: number; seq: number; origin: string }

export type StoredCheckpoint = { seq: number; checkpoint: Checkpoint }

/** Finds the checkpoint of a size, or the last one. Throws if the journal no longer has it. */
export async function findCheckpoint(
  sql: Sql,
  locationId: string,
  size?: number,
): Promise<StoredCheckpoint | undefined> {
  const [row] = await sql<{ seq: number; document: string | null }[]>`
    select c.seq, j.document from checkpoints c
    left join journal j on j.location_id = c.location_id and j.seq = c.seq and j.kind = 'checkpoint'
    where c.location_id = ${locationId} ${size === undefined ? sql`` : sql`and c.size = ${size}`}
    order by c.size desc limit 1`
  if (!row) return undefined
  return { seq: row.seq, checkpoint: read(locationId, row) }
}

function read(locationId: string, { seq, document }: { seq: number; document: string | null | undefined }): Checkpoint {
  if (typeof document !== 'string') throw new Error(`the journal of ${locationId} has no checkpoint at ${seq}`)
  return JSON.parse(document) as Checkpoint
}

/**
 * Lists a page of checkpoints, the newest first; with `covers`, only the first checkpoint that covers this journal
 * number.
 */
export async function listCheckpoints(
  sql: Sql,
  locationId: string,
  { offset, limit, covers }: { offset: number; limit: number; covers?: number | undefined },
): Promise<{ rows: CheckpointRow[]; total: number }> {
  if (covers !== undefined) {
    const found = await sql<CheckpointRow[]>`
      select size, seq, origin from checkpoints
      where location_id = ${locationId} and seq > ${covers} order by size limit 1`
    return { rows: offset === 0 ? found : [], total: found.length }
  }
  const [rows, [count]] = await Promise.all([
    sql<CheckpointRow[]>`
      select size, seq, origin from checkpoints
      where location_id = ${locationId} order by size desc limit ${limit} offset ${offset}`,
    sql<{ n: number }[]>`select count(*)::int as n from checkpoints where location_id = ${locationId}`,
  ])
  return { rows, total: count?.n ?? 0 }
}

/** Reads known checkpoints. Throws if the journal no longer has one. */
export async function readCheckpoints(
  sql: Sql,
  locationId: string,
  rows: readonly CheckpointRow[],
): Promise<Checkpoint[]> {
  if (rows.length === 0) return []
  const found = await sql<{ seq: number; document: string }[]>`
    select seq, document from journal
    where location_id = ${locationId} and kind = 'checkpoint' and seq = any(${rows.map(({ seq }) => seq)}::bigint[])`
  const documents = new Map(found.map(({ seq, document }) => [seq, document]))
  return rows.map(({ seq }) => read(locationId, { seq, document: documents.get(seq) }))
}

/** Writes a checkpoint from its journal entry. The caller holds the head's lock. */
export async function putCheckpoint(sql: Sql, locationId: string, seq: number, document: string): Promise<void> {
  const { size, origin } = JSON.parse(document) as Checkpoint
  await sql`
    insert into checkpoints (location_id, size, seq, origin) values (${locationId}, ${size}, ${seq}, ${origin})`
}

/** Lists all checkpoints with their documents, for verify. Reads the whole journal of the location. */
export async function listAllCheckpoints(
  sql: Sql,
  locationId: string,
): Promise<{ rows: CheckpointRow[]; entries: { seq: number; document: string }[] }> {
  const [rows, entries] = await Promise.all([
    sql<CheckpointRow[]>`
      select size, seq, origin from checkpoints where location_id = ${locationId} order by size`,
    sql<{ seq: number; document: string }[]>`
      select seq, document from journal where location_id = ${locationId} and kind = 'checkpoint' order by seq`,
  ])
  return { rows, entries }
}
