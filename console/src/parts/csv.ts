import type { Language } from '../i18n/language.tsx'

/** A figure is a number with decimals, a date is ISO 8601; null is an empty cell. */
export type FileCell = string | number | null

/** The reader of a file: a spreadsheet in the user's language, or a program. */
export type FileForm = 'spreadsheet' | 'program'

export const fileForms = ['spreadsheet', 'program'] as const

/** A spreadsheet runs a text that begins like this as a formula; full-width signs count in some languages. */
const formulaStart = /^\s*[=+\-@\t\r\n＝＋－＠]/

/** The text after a semicolon, which separates cells in French, or after a line break is a cell of its own. */
const formulaWithin = /([;\t\r\n]\s*)(?=[=+\-@＝＋－＠])/g

/** A figure as the console writes it: an amount with its currency before or after it, a share, a count. */
const figure = /^-?(?:[A-Z]{0,3}\p{Sc})?\d[\d.,\s\u00a0\u202f]*(?:\p{Sc}|[A-Z]{3}|%|k?g|ms|s)?$/u

/** Puts an apostrophe in front of a text that a spreadsheet would run as a formula; figures stay unchanged. */
function guarded(cell: string): string {
  if (figure.test(cell)) return cell
  return (formulaStart.test(cell) ? `'${cell}` : cell).replaceAll(formulaWithin, "$1'")
}

const quoted = (cell: string) => (/[",;\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/** French spreadsheets use a decimal comma, and separate cells by semicolons. */
const dialects: Record<Language, { separator: string; point: string }> = {
  en: { separator: ',', point: '.' },
  fr: { separator: ';', point: ',' },
}

/** Formats rows as CSV (RFC 4180): for spreadsheets in the dialect of a language, for programs in the English one. */
function toCsv(rows: readonly (readonly FileCell[])[], form: FileForm, language: Language): string {
  const { separator, point } = dialects[form === 'program' ? 'en' : language]
  const written = (cell: FileCell) => {
    if (cell === null) return ''
    return typeof cell === 'string' ? quoted(guarded(cell)) : String(cell).replace('.', point)
  }
  return `${rows.map((row) => row.map(written).join(separator)).join('\r\n')}\r\n`
}

/** Saves a text as a file. */
export function saveText(name: string, text: string, type = 'text/plain'): void {
  saveBlob(name, new Blob([text], { type: `${type};charset=utf-8` }))
}

/** Saves bytes as a file. */
export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 1000)
}

/** Saves rows as a file; the byte order mark of UTF-8 is for spreadsheets. */
export function saveCsv(
  name: string,
  rows: readonly (readonly FileCell[])[],
  { form, language }: { form: FileForm; language: Language },
): void {
  saveText(`${name}.csv`, (form === 'spreadsheet' ? '\ufeff' : '') + toCsv(rows, form, language), 'text/csv')
}
