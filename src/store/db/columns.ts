import { toText, type DocumentText } from '../../domain/documents/document-text.ts'
import type { Sql } from './database.ts'

/** Is what a row has in a column. */
export type Cell = DocumentText | number | boolean | null

/**
 * Holds one column of many rows as one parameter: its name, the type of its elements, and these. `read` is the
 * expression that reads a row's value in the statement, where that is not the element itself.
 */
export type Column = { name: string; type: string; values: readonly Cell[]; read?: string }

/** How parameters are written: by the driver as text, by a connection of our own in the bytes of the server (`binary-columns.ts`). */
export type Form = 'text' | 'binary'

/** Makes a column of numbers, truth values, or short values with a text form, such as times. */
export function column(name: string, type: string, values: readonly Cell[]): Column {
  return { name, type, values }
}

/** Lists of names that have no comma. */
export function namesColumn(name: string, values: readonly (readonly string[])[]): Column {
  const joined = values.map((names) => names.join(','))
  return { ...column(name, 'text', joined), read: `string_to_array(t.${name}, ',')` }
}

/**
 * The separator is repeated so often because PostgreSQL compares a single character with each of the text, and of
 * sixteen the last one with every sixteenth.
 */
const separatorLength = 16
const separator = '\u0001'.repeat(separatorLength)

/**
 * Makes a column of JSON texts, each sent once and as it is: no escapes to write and none to read. As text they are
 * told apart by control characters, which no JSON text has in itself. One that had them would leave a row without its
 * other columns, which is refused.
 */
export function documentColumn(name: string, values: readonly DocumentText[]): Column {
  return { name, type: 'documents', values }
}

function element(value: Cell): string {
  if (typeof value !== 'string') return String(value)
  return `"${/["\\]/.test(value) ? value.replaceAll(/["\\]/g, String.raw`\$&`) : value}"`
}

/** Writes the parameter of a column as text. */
export function textOf({ type, values }: Column): string {
  return type === 'documents'
    ? (values as readonly DocumentText[]).map(toText).join(separator)
    : `{${values.map(element).join(',')}}`
}

function source(type: string, n: number, form: Form): string {
  if (form === 'binary') return `$${n}::${type === 'documents' ? 'text' : type}[]`
  return type === 'documents'
    ? `string_to_array($${n}::text, repeat(chr(1), ${separatorLength}))`
    : `$${n}::text::${type}[]`
}

/**
 * Makes the rows of some columns as `unnest(…) as t(…)`, whose parameters begin with `$2`, where `$1` is the location.
 */
export function unnest(columns: readonly Column[], first = 2, form: Form = 'text'): string {
  const sources = columns.map(({ type }, i) => source(type, i + first, form))
  return `unnest(${sources.join(', ')}) as t(${columns.map(({ name }) => name).join(', ')})`
}

/**
 * Makes the same rows without keeping them first, which a function in `from` does with each column by itself. Citus,
 * which plans such a query otherwise, never sees it.
 */
export function inStep(columns: readonly Column[], first: number, form: Form): string {
  const made = columns.map(({ name, type }, i) => `unnest(${source(type, i + first, form)}) as ${name}`)
  return `(select ${made.join(', ')}) as t`
}

export function namesOf(columns: readonly Column[]): string {
  return columns.map(({ name }) => name).join(', ')
}

/** Lists the expressions for these columns of a row. */
export function cells(columns: readonly Column[]): string {
  return columns.map(({ name, read }) => read ?? `t.${name}`).join(', ')
}

/**
 * Runs a statement over columns: one parameter for each, however many rows there are. So it is prepared once, and neither
 * side handles a parameter for each cell.
 */
export async function runOver(sql: Sql, text: string, locationId: string, columns: readonly Column[]): Promise<void> {
  await sql.unsafe(text, [locationId, ...columns.map(textOf)], { prepare: true })
}
