import { readTimestamp } from './rows.ts'

/**
 * Yields rows in the order of a key, in batches, so that a whole table is read in constant memory. `read` returns at most
 * `batch` rows after a key.
 */
export async function* walkRows<Row, Key>(
  first: Key,
  read: (after: Key, batch: number) => Promise<Row[]>,
  keyOf: (row: Row) => Key,
  batch = 500,
): AsyncGenerator<Row[]> {
  for (let after = first; ;) {
    const rows = await read(after, batch)
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < batch) return
    after = keyOf(last)
  }
}

type DatedKey = { at: string; id: string }

/** Yields documents in the order of a moment and of their ids, as bytes, in batches. */
export async function* walkDated(
  first: string,
  read: (after: DatedKey, batch: number) => Promise<(DatedKey & { document: string })[]>,
  batch?: number,
): AsyncGenerator<Buffer[]> {
  const start = { at: first, id: '00000000-0000-0000-0000-000000000000' }
  const keyOf = ({ at, id }: DatedKey) => ({ at: readTimestamp(at), id })
  for await (const rows of walkRows(start, read, keyOf, batch)) yield rows.map(({ document }) => Buffer.from(document))
}
