/** One line of JSON on stdout: what `--json` prints. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** For the person at the terminal, beside the result that stdout carries. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** Rows under their headings, in columns as wide as their longest cell. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows]
  const widths = headings.map((_, i) => Math.max(...lines.map((cells) => (cells[i] ?? '').length)))
  return lines
    .map((cells) =>
      cells
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** `21,350`. */
export function count(n: number): string {
  return n.toLocaleString('en-US')
}

/** The first characters of a text on one line. */
export function excerpt(text: string, length: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > length ? `${line.slice(0, length - 1)}…` : line
}
