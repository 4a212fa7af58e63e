const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Bytes after which the scan yields to other requests; scanning them takes a third of a millisecond. */
export const pauseEvery = 64 * 1024

/** JSON's own blanks: tab, line feed, carriage return, space. */
const isBlank = (byte: number | undefined) => byte === 0x20 || (byte !== undefined && byte >= 9 && byte <= 13)

/** The bytes between two places, without the blanks around them. */
function trimmed(bytes: Buffer, from: number, to: number): Buffer {
  let [start, end] = [from, to]
  while (start < end && isBlank(bytes[start])) start += 1
  while (end > start && isBlank(bytes[end - 1])) end -= 1
  return bytes.subarray(start, end)
}

/** Whether a body is to be read as an array: its first byte that is no blank is a bracket. */
export function isArrayText(body: Buffer): boolean {
  return body[body.findIndex((byte) => !isBlank(byte))] === openBracket
}

/** Why the text is no array, in words for its sender. */
export class ArrayBroken extends Error {}

/**
 * Cuts the text of a JSON array into the texts of its elements, in order, by one walk over the bytes that knows
 * strings and depth. What an element holds is not looked at: whether it is JSON, its own reader finds out. Yields
 * undefined now and then, a pause. Throws `ArrayBroken` where the array itself is not one.
 */
export function* cutArray(body: Buffer): Generator<Buffer | undefined> {
  let depth = 0
  let start = 0
  let count = 0
  let inString = false
  let at = body.indexOf(openBracket)
  const element = (end: number) => {
    const bytes = trimmed(body, start, end)
    if (bytes.length === 0) throw new ArrayBroken(`the array has nothing where element ${count + 1} should be`)
    count += 1
    start = end + 1
    return bytes
  }
  for (let pause = at + pauseEvery; at < body.length; at++) {
    const byte = body[at]
    if (at >= pause) {
      pause = at + pauseEvery
      yield undefined
    }
    if (inString) {
      if (byte === backslash) at += 1
      else if (byte === quote) inString = false
    } else if (byte === quote) inString = true
    else if (byte === openBracket || byte === openBrace) {
      depth += 1
      if (depth === 1) start = at + 1
    } else if (byte === comma && depth === 1) yield element(at)
    else if (byte === closeBracket || byte === closeBrace) {
      depth -= 1
      if (depth === 0) break
    }
  }
  if (depth !== 0 || inString) throw new ArrayBroken('the array does not end')
  if (count > 0 || trimmed(body, start, at).length > 0) yield element(at)
  if (trimmed(body, at + 1, body.length).length > 0) throw new ArrayBroken('something follows the end of the array')
}
