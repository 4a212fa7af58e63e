import type { Checkpoint } from '../../schemas/checkpoints.ts'
import type { Sql } from '../db/database.ts'

export type CheckpointRow = { size: number; seq: number; origin: string }

export async function findLastCheckpoint(sql: Sql, locationId: string): Promise<CheckpointRow | undefined> {
  const [row] = await sql<CheckpointRow[]>`
    select size, seq, origin from checkpoints where location_id = ${locationId} order by size desc limit 1`
  return row
}

export async function findCheckpoint(sql: Sql, locationId: string, size: number): Promise<CheckpointRow | undefined> {
  const [row] = await sql<CheckpointRow[]>`
    select size, seq, origin from checkpoints where location_id = ${locationId} and size = ${size}`
  return row
}

/** Lists a page of checkpoints, the newest first. */
export async function listCheckpoints(
  sql: Sql,
  locationId: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: CheckpointRow[]; total: number }> {
  const [rows, [count]] = await Promise.all([
    sql<CheckpointRow[]>`
      select size, seq, origin from checkpoints
      where location_id = ${locationId} order by size desc limit ${limit} offset ${offset}`,
    sql<{ n: number }[]>`select count(*)::int as n from checkpoints where location_id = ${locationId}`,
  ])
  return { rows, total: count?.n ?? 0 }
}

/** Reads checkpoints that are known to be there. Throws where the journal has one no more. */
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
  return rows.map(({ seq }) => {
    const document = documents.get(seq)
    if (document === undefined) throw new Error(`the journal of ${locationId} has no checkpoint at ${seq}`)
    return JSON.parse(document) as Checkpoint
  })
}

/** Writes what follows from the entry of the journal of a checkpoint. The caller holds the head's lock. */
export async function putCheckpoint(sql: Sql, locationId: string, seq: number, document: string): Promise<void> {
  const { size, origin } = JSON.parse(document) as Checkpoint
  await sql`
    insert into checkpoints (location_id, size, seq, origin) values (${locationId}, ${size}, ${seq}, ${origin})`
}

/** Lists all checkpoints with their documents, for verify. It reads the whole journal of the location. */
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
