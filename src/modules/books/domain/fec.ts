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

/** Characters of ISO 8859-15 whose byte is another character's code. */
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

/** All whose code is not their byte: those, those in whose place they stand, and those that ISO 8859-15 lacks. */
const otherwise = /[^\0-£¥§©-³µ-·¹-»¿-ÿ]/gu

/** As the character that has the code of its byte. What ISO 8859-15 lacks is decomposed, and `?` where its parts are not in it either. */
function asByte(character: string): string {
  const byte = moved.get(character)
  if (byte !== undefined) return String.fromCharCode(byte)
  const parts = character.normalize('NFKD').replaceAll(/\p{M}/gu, '')
  return parts === '' || parts.search(otherwise) >= 0 ? '?' : parts
}

/** Bytes of ISO 8859-15. */
export const toLatin9 = (text: string): Buffer =>
  Buffer.from(text.normalize('NFC').replaceAll(otherwise, asByte), 'latin1')
