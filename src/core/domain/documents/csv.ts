/** A spreadsheet takes a text that begins so for a formula, and runs it; full-width signs count in some languages. */
const formulaStart = /^\s*[=+\-@\t\r\n＝＋－＠]/

/** Where cells are separated by semicolons or tabs, what follows one is a cell of its own, and so is what follows a line's end. */
const formulaWithin = /([;\t\r\n][^\S;\t\r\n]*)(?=[=+\-@＝＋－＠])/g

/** A text without any of these stands as it is. */
const toCareFor = /[",;\t\r\n=+\-@＝＋－＠]/

/** Writes one field by RFC 4180; null is empty. A text that a spreadsheet would run as a formula is marked as text. */
export function toField(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  if (!toCareFor.test(value)) return value
  const text = (formulaStart.test(value) ? `'${value}` : value).replaceAll(formulaWithin, "$1'")
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The answers of `toCsv` have this type: RFC 4180 defines a parameter for the line of names. */
export const csvType = 'text/csv; charset=utf-8; header=present'

/**
 * Writes rows as CSV (RFC 4180) under a line of their field names. Texts that a spreadsheet would run get a quote
 * before them.
 */
export function toCsv(
  fields: readonly string[],
  rows: readonly Readonly<Record<string, string | number | null>>[],
): string {
  const lines = rows.map((row) => fields.map((field) => toField(row[field] ?? null)).join(','))
  return [fields.join(','), ...lines].map((line) => `${line}\r\n`).join('')
}
