import type { FileCell } from './csv.ts'

/** Rows of a file with the fields of the API's answer as headings. */
export type Records = readonly Readonly<Record<string, FileCell>>[]

function* fieldsOf(path: string, value: unknown): Generator<[string, FileCell]> {
  if (Array.isArray(value))
    yield [path, value.map((one) => (typeof one === 'object' ? JSON.stringify(one) : String(one))).join(' ')]
  else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) yield* fieldsOf(path === '' ? name : `${path}.${name}`, inner)
  } else yield [path, typeof value === 'boolean' ? String(value) : ((value ?? null) as FileCell)]
}

/** Makes one row of an answer: the heading of a nested member is its path, and spaces separate entries of a list. */
export const asAnswered = (row: object): Records => [Object.fromEntries(fieldsOf('', row))]

/** Returns the cells under the headings of all records, in the order of their first use. */
export function toCells(records: Records): FileCell[][] {
  const heads = [...new Set(records.flatMap((record) => Object.keys(record)))]
  return [heads, ...records.map((record) => heads.map((head) => record[head] ?? null))]
}
