import { readTimestamp } from './rows.ts'

/**
 * Yields rows in the order of a key, in batches, so that a whole table is read in constant memory; the next batch is read
 * while the caller works on one. `read` returns at most `batch` rows after a key, and fewer only at the end.
 */
export async function* walkRows<Row, Key>(
  first: Key,
  read: (after: Key, batch: number) => Promise<Row[]>,
  keyOf: (row: Row) => Key,
  batch = 500,
): AsyncGenerator<Row[]> {
  for (let next: Promise<Row[]> | undefined = read(first, batch); next !== undefined;) {
    const rows: Row[] = await next
    next = rows.length < batch ? undefined : read(keyOf(rows.at(-1) as Row), batch)
    // A caller that stops early does not wait for the next batch.
    next?.catch(() => {})
    if (rows.length > 0) yield rows
  }
}

type DatedKey = { at: string; id: string }

/** Yields documents as bytes, sorted by a time and by id, in batches. */
export async function* walkDated(
  first: string,
  read: (after: DatedKey, batch: number) => Promise<(DatedKey & { document: string })[]>,
  batch?: number,
): AsyncGenerator<Buffer[]> {
  const start = { at: first, id: '00000000-0000-0000-0000-000000000000' }
  const keyOf = ({ at, id }: DatedKey) => ({ at: readTimestamp(at), id })
  for await (const rows of walkRows(start, read, keyOf, batch)) yield rows.map(({ document }) => Buffer.from(document))
}
