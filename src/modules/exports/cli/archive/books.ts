import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { toFec, toLatin9 } from '../../../books/domain/fec.ts'
import { localDateOf } from '../../../../core/domain/days/local-date.ts'
import { moneyOf } from '../../../../core/contract/money/currency.ts'
import type { BookBatch, BookingEntry } from '../../../books/schemas/books.ts'
import type { Sql } from '../../../../core/store/db/database.ts'
import { listBatches } from '../../../books/store/batches.ts'
import { listBookDocuments } from '../../../books/store/documents.ts'
import { listBookAccounts } from '../../../books/store/book-accounts.ts'

type Year = { first: string; last: string }

const padded = (number: number) => String(number).padStart(4, '0')

/** Returns the journal of a year in FEC format: entries dated in it, batch by batch under one header. */
function toYearFec(batches: readonly BookBatch[], { first, last }: Year): string {
  const isOfYear = ({ date }: BookingEntry) => date >= first && date <= last
  const texts = batches.map(({ entries, createdAt, timeZone, currency }) => {
    const { decimals } = moneyOf(currency)
    return toFec({
      entries: entries.filter(isOfYear),
      validDate: localDateOf(Date.parse(createdAt), timeZone),
      decimals,
    })
  })
  return texts.map((text, i) => (i === 0 ? text : text.slice(text.indexOf('\r\n') + 2))).join('')
}

/**
 * Writes what was issued for a year: its batches, the versions of the accounts, and an FEC file if all batches are in
 * euros. Resolves to the journal numbers of these batches and accounts.
 */
export async function writeBooks(
  sql: Sql,
  locationId: string,
  { folder, year }: { folder: string; year: Year },
): Promise<number[]> {
  const { rows } = await listBatches(sql, locationId, { offset: 0, limit: 1_000_000 })
  const batches: BookBatch[] = []
  const seqs: number[] = []
  await mkdir(join(folder, 'books'), { recursive: true })
  for (const { seq, number } of rows.toReversed()) {
    const document = (await listBookDocuments(sql, locationId, 'batch', [seq])).get(seq) as string
    const batch = JSON.parse(document) as BookBatch
    if (!batch.entries.some(({ date }) => date >= year.first && date <= year.last)) continue
    batches.push(batch)
    seqs.push(seq)
    await writeFile(join(folder, `books/batch-${padded(number)}.json`), document)
  }
  const versions = [...new Set(batches.flatMap(({ entries }) => entries.map(({ accountsVersion }) => accountsVersion)))]
  for (const [version, { own, seq }] of await listBookAccounts(sql, locationId, versions)) {
    if (version > 0) seqs.push(seq)
    await writeFile(join(folder, `books/accounts-v${version}.json`), JSON.stringify({ version, own }))
  }
  const [first] = batches
  if (first === undefined || batches.some(({ currency }) => currency !== 'EUR')) return seqs
  const name = `${first.siren ?? '000000000'}FEC${year.last.replaceAll('-', '')}.txt`
  await writeFile(join(folder, 'books', name), toLatin9(toYearFec(batches, year)))
  return seqs
}
