import { toField } from '../../../core/domain/documents/csv.ts'
import type { Rendered } from './rendered.ts'
import { decimalText } from './texts.ts'

export const csvDialects = ['excel-fr', 'rfc4180'] as const

type Dialect = {
  separator: string
  point: string
  byteOrderMark: string
  names: readonly string[]
  date: (date: string) => string
}

const dialects: Record<(typeof csvDialects)[number], Dialect> = {
  'excel-fr': {
    separator: ';',
    point: ',',
    byteOrderMark: '\uFEFF',
    names: 'Date;Journal;Écriture;Pièce;Compte;Libellé du compte;Auxiliaire;Libellé;Débit;Crédit;Devise'.split(';'),
    date: (date) => date.split('-').toReversed().join('/'),
  },
  rfc4180: {
    separator: ',',
    point: '.',
    byteOrderMark: '',
    names: 'date,journal,number,piece,account,account_name,auxiliary,label,debit,credit,currency'.split(','),
    date: (date) => date,
  },
}

/**
 * Writes entries as CSV, one row per booking line; texts that a spreadsheet would run as a formula are marked as text.
 */
export function toBooksCsv({ entries, decimals }: Rendered, dialect: (typeof csvDialects)[number]): string {
  const { separator, point, byteOrderMark, names, date } = dialects[dialect]
  const rows = entries.flatMap((entry) =>
    entry.lines.map((line) => [
      date(entry.date),
      toField(entry.journal.code),
      toField(entry.number ?? ''),
      toField(entry.pieceRef),
      line.account,
      toField(line.accountName),
      toField(line.auxiliary),
      toField(line.label),
      decimalText(line.debit, decimals, point),
      decimalText(line.credit, decimals, point),
      entry.currency,
    ]),
  )
  return byteOrderMark + [names, ...rows].map((cells) => `${cells.join(separator)}\r\n`).join('')
}
