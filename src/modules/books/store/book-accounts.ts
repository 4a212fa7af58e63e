import type { BookAccountsOwn, BookAccountsVersion } from '../schemas/books-accounts.ts'
import type { Sql } from '../../../core/store/db/database.ts'

/** A version of the account mapping of a location; version 0 has no settings. */
export type BookAccountsRow = { version: number; seq: number; own: BookAccountsOwn }

type Row = { version: number; seq: number; document: string }

const nothingSet: BookAccountsRow = { version: 0, seq: 0, own: {} }

const toRow = ({ version, seq, document }: Row): BookAccountsRow => ({
  version,
  seq,
  own: (JSON.parse(document) as BookAccountsVersion).own,
})

export async function getBookAccounts(sql: Sql, locationId: string): Promise<BookAccountsRow> {
  const [row] = await sql<Row[]>`
    select version, seq, document from book_accounts where location_id = ${locationId} order by version desc limit 1`
  return row ? toRow(row) : nothingSet
}

/** Lists these versions by number; version 0 is always among them. */
export async function listBookAccounts(
  sql: Sql,
  locationId: string,
  versions: readonly number[],
): Promise<Map<number, BookAccountsRow>> {
  const found = new Map([[0, nothingSet]])
  if (versions.every((version) => version === 0)) return found
  const rows = await sql<Row[]>`
    select version, seq, document from book_accounts
    where location_id = ${locationId} and version = any(${[...versions]}::int[])`
  for (const row of rows) found.set(row.version, toRow(row))
  return found
}

/** Writes a version from its journal entry; the caller holds the head's lock. */
export async function putBookAccounts(sql: Sql, locationId: string, seq: number, document: string): Promise<void> {
  const { version } = JSON.parse(document) as BookAccountsVersion
  await sql`
    insert into book_accounts (location_id, version, seq, document)
    values (${locationId}, ${version}, ${seq}, ${document}) on conflict (location_id, version) do nothing`
}
