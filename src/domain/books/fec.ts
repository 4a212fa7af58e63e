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

/** Where ISO 8859-15 differs from ISO 8859-1. */
const own = new Map([
  ['€', 0xa4],
  ['Š', 0xa6],
  ['š', 0xa8],
  ['Ž', 0xb4],
  ['ž', 0xb8],
  ['Œ', 0xbc],
  ['œ', 0xbd],
  ['Ÿ', 0xbe],
])

const replaced = new Set([0xa4, 0xa6, 0xa8, 0xb4, 0xb8, 0xbc, 0xbd, 0xbe])

function byteOf(character: string): number | undefined {
  const code = character.codePointAt(0) as number
  return own.get(character) ?? (code < 0x100 && !replaced.has(code) ? code : undefined)
}

/** Bytes of ISO 8859-15. What it lacks is decomposed, and `?` where its parts are not in it either. */
export function toLatin9(text: string): Buffer {
  const bytes: number[] = []
  for (const character of text.normalize('NFC')) {
    const byte = byteOf(character)
    if (byte !== undefined) {
      bytes.push(byte)
      continue
    }
    const parts = Array.from(character.normalize('NFKD').replaceAll(/\p{M}/gu, ''), byteOf)
    if (parts.length === 0 || parts.includes(undefined)) bytes.push(0x3f)
    else bytes.push(...(parts as number[]))
  }
  return Buffer.from(bytes)
}
