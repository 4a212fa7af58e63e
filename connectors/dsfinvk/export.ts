import type { Mapping, minorReader, Profile } from '../../src/modules/sources/adapters/adapter.ts'
import type { TableRow, Tables } from './tables.ts'

export const cashPoint = (row: TableRow) => `${row.text('Z_KASSE_ID')}:${row.text('Z_NR')}`

export type Rate = { name: string; rate: number }

export type Export = {
  profile: Profile
  minor: ReturnType<typeof minorReader>
  toTime: (text: string) => string
  mapping: Mapping
  tables: Tables
  rates: Map<string, Rate>
}

/** Adds a column up as decimals, and rounds it once. */
export const sumOf = (rows: readonly TableRow[], column: string, { minor }: Pick<Export, 'minor'>): number =>
  minor(rows.reduce((all, row) => all + Math.round(row.number(column) * 1e5), 0) / 1e5)

export const nameOf = (type: string, name: string) => name || (type === 'Bar' ? 'Bargeld' : type)
