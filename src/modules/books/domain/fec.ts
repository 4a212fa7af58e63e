import { decimalText } from './texts.ts'
import type { Rendered } from './rendered.ts'

const columns = [
  'JournalCode',
  'JournalLib',
  'EcritureNum',
  'EcritureDate',
  'CompteNum',
  'CompteLib',
  'CompAuxNum',
  'CompAuxLib',
  'PieceRef',
  'PieceDate',
  'EcritureLib',
  'Debit',
  'Credit',
  'EcritureLet',
  'DateLet',
  'ValidDate',
  'Montantdevise',
  'Idevise',
]

const dateText = (date: string) => date.replaceAll('-', '')

/**
 * Writes entries in the format of the *fichier des écritures comptables* (article A47 A-1 of the LPF): 18 columns, tabs, CRLF, a
 * decimal comma.
 */
export function toFec({ entries, validDate, decimals }: Rendered): string {
  const rows = entries.flatMap((entry) =>
    entry.lines.map((line) => [
      entry.journal.code,
      entry.journal.name,
      entry.number ?? '',
      dateText(entry.date),
      line.account,
      line.accountName,
      line.auxiliary ?? '',
      line.auxiliaryName ?? '',
      entry.pieceRef,
      dateText(entry.pieceDate),
      line.label,
      decimalText(line.debit, decimals, ','),
      decimalText(line.credit, decimals, ','),
      '',
      '',
      dateText(validDate ?? entry.date),
      '',
      '',
    ]),
  )
  return [columns, ...rows].map((cells) => `${cells.join('\t')}\r\n`).join('')
}

/** Characters that ISO 8859-15 has at a byte other than their code point. */
const moved = new Map([
  ['€', 0xa4],
  ['Š', 0xa6],
  ['š', 0xa8],
  ['Ž', 0xb4],
  ['ž', 0xb8],
  ['Œ', 0xbc],
  ['œ', 0xbd],
  ['Ÿ', 0xbe],
])

/** Characters whose code point is not their byte in ISO 8859-15, including those that it lacks. */
const otherwise = /[^\0-£¥§©-³µ-·¹-»¿-ÿ]/gu

/**
 * Returns the character whose code is the byte in ISO 8859-15. Characters that ISO 8859-15 lacks are decomposed, or `?`
 * if their parts are not in it either.
 */
function asByte(character: string): string {
  const byte = moved.get(character)
  if (byte !== undefined) return String.fromCharCode(byte)
  const parts = character.normalize('NFKD').replaceAll(/\p{M}/gu, '')
  return parts === '' || parts.search(otherwise) >= 0 ? '?' : parts
}

export const toLatin9 = (text: string): Buffer =>
  Buffer.from(text.normalize('NFC').replaceAll(otherwise, asByte), 'latin1')
