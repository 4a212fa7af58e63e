import { isUtf8 } from 'node:buffer'

// What can be detected from the beginning of a file.

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/** Detects an encoding by its byte order mark and by the zeros of UTF-16. */
export function encodingByHead(bytes: Buffer): Encoding | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const head = bytes.subarray(0, 4_000)
  const zeros = [0, 1].map((odd) => head.filter((byte, i) => i % 2 === odd && byte === 0).length)
  const half = head.length / 4
  if ((zeros[1] as number) > half) return 'utf-16le'
  if ((zeros[0] as number) > half) return 'utf-16be'
  return undefined
}

/**
 * Detects the encoding of a text by its byte order mark, by the zeros of UTF-16, and by whether it is valid UTF-8;
 * otherwise it is Windows-1252, the only one-byte encoding that tills use.
 */
export const detectEncoding = (bytes: Buffer): Encoding =>
  encodingByHead(bytes) ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252')

/** Guesses the delimiter: the most frequent candidate in the first line. */
export function guessDelimiter(head: string): string {
  const counts = [';', ',', '\t', '|'].map((delimiter) => [delimiter, head.split(delimiter).length] as const)
  return counts.reduce((best, one) => (one[1] > best[1] ? one : best))[0]
}
