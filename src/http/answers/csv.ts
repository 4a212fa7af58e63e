/** A spreadsheet takes a text that begins so for a formula, and runs it; full-width signs count in some languages. */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/

/** French spreadsheets separate cells by semicolons, so text after one starts a new cell, even inside quotes within a line. */
const formulaAfterSemicolon = /(;\s*)(?=[=+\-@＝＋－＠])/g

/** Writes one field by RFC 4180; null is empty. A text that a spreadsheet would run as a formula is marked as text. */
function toField(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = (formulaStart.test(value) ? `'${value}` : value).replaceAll(formulaAfterSemicolon, "$1'")
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
