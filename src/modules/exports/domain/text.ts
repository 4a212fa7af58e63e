import { toField } from '../../../core/domain/documents/csv.ts'
import { decimalText } from '../../books/domain/texts.ts'
import type { Column, ColumnType, Value } from './columns.ts'
import { repeated } from './repeated.ts'

export const tableDialects = ['rfc4180', 'excel-fr'] as const

export type TableDialect = (typeof tableDialects)[number]

/** Returns the decimal places of a column type; undefined if the type is not a decimal. */
export function placesOf(type: ColumnType, places: number): number | undefined {
  if (type === 'money') return places
  if (type === 'thousandths') return 3
  return type === 'rate' ? 4 : undefined
}

const iso = (ms: number) => new Date(ms).toISOString()

const frenchTime = (text: string) =>
  `${text.slice(8, 10)}/${text.slice(5, 7)}/${text.slice(0, 4)} ${text.slice(11, 16)}`
const frenchDate = (text: string) => text.split('-').toReversed().join('/')

type Write = (value: Exclude<Value, null>) => string

/** Returns how cells of a column are written in a dialect; text that looks like a formula is marked as text. */
function cellOf([, type]: Column, dialect: TableDialect, places: number): Write {
  const isFrench = dialect === 'excel-fr'
  const decimals = placesOf(type, places)
  if (decimals !== undefined) return (value) => decimalText(value as number, decimals, isFrench ? ',' : '.')
  if (type === 'time') return (value) => (isFrench ? frenchTime(iso(value as number)) : iso(value as number))
  if (type === 'date') return (value) => (isFrench ? frenchDate(value as string) : (value as string))
  if (type === 'local') return (value) => (isFrench ? frenchTime(value as string) : (value as string))
  if (type === 'text') return (value) => toField(value as string)
  return String
}

export type TableText = { head: string; row: (values: readonly Value[]) => string }

/** Writes a table as CSV: RFC 4180, or for French spreadsheets. */
export function toTableCsv(columns: readonly Column[], dialect: TableDialect, places: number): TableText {
  const separator = dialect === 'excel-fr' ? ';' : ','
  const writers = columns.map((column) => repeated(cellOf(column, dialect, places)))
  const names = columns.map(([name]) => name).join(separator)
  return {
    head: `${dialect === 'excel-fr' ? '\uFEFF' : ''}${names}\r\n`,
    row: (values) => {
      let line = ''
      for (let i = 0; i < writers.length; i++) {
        const value = values[i] ?? null
        if (i > 0) line += separator
        if (value !== null) line += (writers[i] as Write)(value)
      }
      return `${line}\r\n`
    },
  }
}

/** Writes a table as NDJSON: one object per line, decimals as numbers with all their places. */
export function toTableNdjson(columns: readonly Column[], places: number): TableText {
  const write = (type: ColumnType, value: Value): string => {
    if (value === null) return 'null'
    const decimals = placesOf(type, places)
    if (decimals !== undefined) return decimalText(value as number, decimals)
    return JSON.stringify(type === 'time' ? iso(value as number) : value)
  }
  return {
    head: '',
    row: (values) => `{${columns.map(([name, type], i) => `"${name}":${write(type, values[i] ?? null)}`).join(',')}}\n`,
  }
}
