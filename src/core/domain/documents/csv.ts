/** A spreadsheet treats text that begins like this as a formula, and runs it; full-width signs count in some languages. */
const formulaStart = /^\s*[=+\-@\t\r\n＝＋－＠]/

/** If cells are separated by semicolons or tabs, the text after a separator or a line break is a new cell. */
const formulaWithin = /([;\t\r\n][^\S;\t\r\n]*)(?=[=+\-@＝＋－＠])/g

/** Text without any of these characters is written unchanged. */
const toCareFor = /[",;\t\r\n=+\-@＝＋－＠]/

/** Formats one field (RFC 4180); null is empty. Text that a spreadsheet would run as a formula is marked as text. */
export function toField(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  if (!toCareFor.test(value)) return value
  const text = (formulaStart.test(value) ? `'${value}` : value).replaceAll(formulaWithin, "$1'")
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The media type of `toCsv`: RFC 4180 defines a parameter for the header line. */
export const csvType = 'text/csv; charset=utf-8; header=present'

/** Formats rows as CSV (RFC 4180) with a header line. Text that a spreadsheet would run begins with an apostrophe. */
export function toCsv(
  fields: readonly string[],
  rows: readonly Readonly<Record<string, string | number | null>>[],
): string {
  const lines = rows.map((row) => fields.map((field) => toField(row[field] ?? null)).join(','))
  return [fields.join(','), ...lines].map((line) => `${line}\r\n`).join('')
}
