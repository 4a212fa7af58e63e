import { escapeSteering, steering } from '../../domain/documents/steering.ts'

/** Formats one line of JSON without terminal control characters. */
export function jsonLine(value: unknown): string {
  return escapeSteering(JSON.stringify(value))
}

export function printJson(value: unknown): void {
  process.stdout.write(`${jsonLine(value)}\n`)
}

/**
 * Replaces terminal control characters with U+FFFD: names from tills and answers of receivers appear on the operator's
 * screen, and an escape sequence in them must not clear the screen or rename the window. Line breaks and tabs stay.
 */
export function harmless(text: string): string {
  return text.replaceAll(steering, '\ufffd')
}

/** Replaces control characters, line breaks and tabs: a line break could fake a line of Tillgate's output. */
export function oneLine(text: string): string {
  return harmless(text).replaceAll(/[\n\t]/g, ' ')
}

export function print(text: string): void {
  process.stdout.write(`${harmless(text)}\n`)
}

/** Prints text with Tillgate's colors; foreign text in it must have passed `harmless`. */
export function printPainted(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Writes a message to the user, separate from the result on stdout. */
export function note(text: string): void {
  process.stderr.write(`${harmless(text)}\n`)
}

/** Formats rows under their headings, in columns as wide as their longest cell. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  // A cell with a line break would look like a row of its own.
  const lines = [headings, ...rows].map((cells) => cells.map(oneLine))
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

/** Formats a number as `21,350`. */
export function count(n: number): string {
  return String(n).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

/** `1 order`, `21,350 orders`. */
export function some(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`
}

/** Returns the first characters of a text on one line. */
export function excerpt(text: string, length: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > length ? `${line.slice(0, length - 1)}…` : line
}
