import type { Aside, Returned } from '../../domain/journal/marks.ts'
import type { Sql } from '../db/database.ts'

/** Archived documents, with the number of the journal entry about the archive. */
export type AsideRow = Aside & { seq: number }

/** Thrown if a request needs documents that are in an archive. */
export class DocumentsArchived extends Error {
  readonly locationId: string
  readonly asides: readonly AsideRow[]

  constructor(locationId: string, asides: readonly AsideRow[]) {
    const archives = [...new Set(asides.map(({ archive }) => archive))].join(', ')
    super(
      `documents of location ${locationId} up to sequence ${asides.at(-1)?.to ?? 0} are archived in ${archives}: ` +
        `tillgate year bring-back restores them`,
    )
    this.locationId = locationId
    this.asides = asides
  }

  /** The last archived number: all documents after it are present. */
  get upTo(): number {
    return this.asides.at(-1)?.to ?? 0
  }
}

/** Resolves as `reading` does, or to undefined if its data is archived. */
export async function whenThere<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch((error: unknown) => {
    if (error instanceof DocumentsArchived) return undefined
    throw error
  })
}

/** Lists the archived documents of a location, by sequence. */
export async function listAsides(sql: Sql, locationId: string): Promise<AsideRow[]> {
  return sql<AsideRow[]>`
    select seq, from_seq as "from", to_seq as "to", archive, sha256, documents, bytes, last_day::text as "lastDay"
    from asides where location_id = ${locationId} order by from_seq`
}

/** Throws `DocumentsArchived` if a document of a location from this number on is archived. */
export async function assertNotArchived(sql: Sql, locationId: string, from = 0): Promise<void> {
  const asides = (await listAsides(sql, locationId)).filter(({ to }) => to >= from)
  if (asides.length > 0) throw new DocumentsArchived(locationId, asides)
}

/** Makes the test of whether a number lies in an archived part of the journal. */
export const lyingIn = (asides: readonly Pick<Aside, 'from' | 'to'>[]) => (seq: number) =>
  asides.some(({ from, to }) => seq >= from && seq <= to)

/** Applies an entry of kind `aside`. The caller holds the head's lock. */
export async function archiveDocuments(sql: Sql, locationId: string, seq: number, document: string): Promise<void> {
  const { from, to, archive, sha256, documents, bytes, lastDay } = JSON.parse(document) as Aside
  await sql`
    insert into asides (location_id, from_seq, to_seq, seq, archive, sha256, documents, bytes, last_day)
    values (${locationId}, ${from}, ${to}, ${seq}, ${archive}, ${sha256}, ${documents}, ${bytes}, ${lastDay})
    on conflict (location_id, from_seq) do update set seq = excluded.seq, archive = excluded.archive, sha256 = excluded.sha256,
      documents = asides.documents + excluded.documents, bytes = asides.bytes + excluded.bytes,
      last_day = greatest(asides.last_day, excluded.last_day)`
}

/** Applies an entry of kind `returned`. */
export async function restoreDocuments(sql: Sql, locationId: string, document: string): Promise<void> {
  const { from, to } = JSON.parse(document) as Returned
  await sql`delete from asides where location_id = ${locationId} and from_seq = ${from} and to_seq = ${to}`
}

/**
 * Counts the archived documents of these parts of the journal, each once even if several parts contain it. Versions
 * that changed later are back in the journal.
 */
export async function countAside(sql: Sql, locationId: string, stretches: readonly AsideRow[]): Promise<number> {
  const [from, to] = [stretches[0]?.from ?? 0, stretches.at(-1)?.to ?? 0]
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from journal
    where location_id = ${locationId} and seq >= ${from} and seq <= ${to} and document is null`
  return row?.n ?? 0
}

/** Finds the first entry without a document that was not archived. Reads all keys of the journal: only for restores. */
export async function findMissing(sql: Sql, locationId: string): Promise<number | undefined> {
  const [row] = await sql<{ seq: number }[]>`
    select seq from journal j
    where location_id = ${locationId} and document is null and not exists (
      select 1 from asides a where a.location_id = ${locationId} and j.seq between a.from_seq and a.to_seq)
    order by seq limit 1`
  return row?.seq
}
