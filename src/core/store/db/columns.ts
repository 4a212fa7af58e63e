import type { DocumentText } from '../../domain/documents/document-text.ts'
import { binaryOf, type Cell, type Column } from './binary-columns.ts'
import type { Sql } from './database.ts'

export type { Cell, Column } from './binary-columns.ts'

/** Makes a column of numbers, booleans, or short values with a text form, such as times. */
export function column(name: string, type: string, values: readonly Cell[]): Column {
  return { name, type, values }
}

/** Makes a column of lists of names, which have no commas. */
export function namesColumn(name: string, values: readonly (readonly string[])[]): Column {
  const joined = values.map((names) => names.join(','))
  return { ...column(name, 'text', joined), read: `string_to_array(t.${name}, ',')` }
}

/** Makes a column of JSON texts, as texts or as bytes. */
export function documentColumn(name: string, values: readonly DocumentText[]): Column {
  return { name, type: 'documents', values }
}

const source = ({ type }: Column, n: number) => `$${n}::${type === 'documents' ? 'text' : type}[]`

/** Makes the rows of some columns as `unnest(…) as t(…)`, with parameters from `$2` on; `$1` is the location. */
export function unnest(columns: readonly Column[], first = 2): string {
  const sources = columns.map((one, i) => source(one, i + first))
  return `unnest(${sources.join(', ')}) as t(${columns.map(({ name }) => name).join(', ')})`
}

/**
 * Makes the same rows as `unnest`, but without materializing each column first, as PostgreSQL does for functions in
 * `from`. Not used with Citus, which plans such a query differently.
 */
export function inStep(columns: readonly Column[], first: number): string {
  const made = columns.map((one, i) => `unnest(${source(one, i + first)}) as ${one.name}`)
  return `(select ${made.join(', ')}) as t`
}

export function namesOf(columns: readonly Column[]): string {
  return columns.map(({ name }) => name).join(', ')
}

export function cells(columns: readonly Column[]): string {
  return columns.map(({ name, read }) => read ?? `t.${name}`).join(', ')
}

/**
 * Runs a statement over columns, with one parameter per column for any number of rows. It is prepared once, and neither
 * side handles a parameter per cell.
 */
export async function runOver(sql: Sql, text: string, locationId: string, columns: readonly Column[]): Promise<void> {
  await sql.unsafe(text, [locationId, ...columns.map(binaryOf)], { prepare: true })
}
