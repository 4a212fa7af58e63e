/** Text that a spreadsheet would run as a formula gets an apostrophe before it. */
const guarded = (cell: string) =>
  /^[=+\-@\t\r\n＝＋－＠]/.test(cell) && !/^-?[\d.,\s\u00a0\u202f]+\D{0,4}$/.test(cell) ? `'${cell}` : cell

const quoted = (cell: string) => (/[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

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
