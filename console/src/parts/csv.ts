/** A spreadsheet takes a text that begins so for a formula, and runs it; full-width signs count in some languages. */
const formulaStart = /^\s*[=+\-@\t\r\n＝＋－＠]/

/** Where cells are separated by semicolons, as in French, what follows one is a cell of its own, and so is what follows a line's end. */
const formulaWithin = /([;\t\r\n]\s*)(?=[=+\-@＝＋－＠])/g

/** A figure as we write it: an amount with its currency before or after it, a share, a count. */
const figure = /^-?(?:[A-Z]{0,3}\p{Sc})?\d[\d.,\s\u00a0\u202f]*(?:\p{Sc}|[A-Z]{3}|%|k?g|ms|s)?$/u

/** A text that a spreadsheet would run as a formula gets an apostrophe before it; a figure stays one. */
function guarded(cell: string): string {
  if (figure.test(cell)) return cell
  return (formulaStart.test(cell) ? `'${cell}` : cell).replaceAll(formulaWithin, "$1'")
}

const quoted = (cell: string) => (/[",;\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

function toCsv(rows: readonly (readonly string[])[]): string {
  return `${rows.map((row) => row.map((cell) => quoted(guarded(cell))).join(',')).join('\r\n')}\r\n`
}

/** Hands a text over as a file; the mark of UTF-8 is for spreadsheets. */
export function saveText(name: string, text: string, type = 'text/plain'): void {
  const url = URL.createObjectURL(
    new Blob([type === 'text/csv' ? '\ufeff' : '', text], { type: `${type};charset=utf-8` }),
  )
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 1000)
}

export function saveCsv(name: string, rows: readonly (readonly string[])[]): void {
  saveText(name, toCsv(rows), 'text/csv')
}
