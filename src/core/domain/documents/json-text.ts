import { isUtf8 } from 'node:buffer'
import { keepSpelling, type TextFault } from './json-spelling.ts'

/** Maximum number of nested levels of JSON. Documented shapes have at most 6, so a deeper text is an attack. */
export const depthLimit = 64

/** Bytes up to which a text is parsed without checking its depth: it takes less than a millisecond at any depth. */
const cheapToParse = 16 * 1024

export type JsonText = { ok: true; value: unknown; text: string } | ({ ok: false } & TextFault)

const tooDeep: TextFault = {
  code: 'invalid_json',
  pointer: '',
  detail: `the JSON is nested more than ${depthLimit} levels deep`,
}

const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Returns whether brackets and braces outside strings are nested more than `depthLimit` levels deep. The bytes need not
 * be JSON. Reads each byte once, in 5 ms for a MiB, and allocates nothing; the parser would need more time and memory.
 */
export function isTooDeep(bytes: Uint8Array): boolean {
  let depth = 0
  let inString = false
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (inString) {
      if (byte === backslash) i += 1
      else if (byte === quote) inString = false
    } else if (byte === quote) inString = true
    else if (byte === openBracket || byte === openBrace) {
      depth += 1
      if (depth > depthLimit) return true
    } else if (byte === closeBracket || byte === closeBrace) depth -= 1
  }
  return false
}

const hasMark = (bytes: Buffer): boolean => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf

/** Returns a text without its byte order mark, which .NET programs write, and readers may ignore (RFC 8259, 8.1). */
export const withoutMark = (bytes: Buffer): Buffer => (hasMark(bytes) ? bytes.subarray(3) : bytes)

/**
 * Reads the value of one JSON text. This first pass takes about 40 ms for the worst text of 1 MiB. Faults that
 * `JSON.parse` accepts are left to `findTextFault`, for values that passed their schema.
 */
export function parseJson(given: Buffer): JsonText {
  const bytes = withoutMark(given)
  if (!isUtf8(bytes))
    return { ok: false, code: 'invalid_utf8', pointer: '', detail: 'the text is not valid UTF-8: encode it as UTF-8' }
  if (bytes.length > cheapToParse && isTooDeep(bytes)) return { ok: false, ...tooDeep }
  const text = bytes.toString('utf8')
  try {
    return { ok: true, value: JSON.parse(text) as unknown, text }
  } catch (error) {
    const detail = `the text is not valid JSON: ${(error as Error).message}`
    return { ok: false, code: 'invalid_json', pointer: '', detail }
  }
}

/** Returns the fault of a text that is nested too deeply. Use it if a schema refuses the text: the depth explains its other faults. */
export function findDepthFault(bytes: Uint8Array): TextFault | undefined {
  return isTooDeep(bytes) ? tooDeep : undefined
}

/**
 * Returns whether `JSON.stringify` of the value writes exactly this text. Then no key occurs twice, and each number is
 * spelled as JavaScript spells it. A text with `\\u` is not plain: its escapes must be checked.
 */
export function isPlainText(text: string, value: unknown): boolean {
  return !text.includes('\\u') && JSON.stringify(value) === text.trim()
}

/**
 * Checks the text of a `value` that already passed its schema, which bounds its depth and number of parts. Finds
 * repeated keys, NUL, lone surrogates, and numbers of more than 40 characters. With `keepNumbers`, numbers in `value`
 * get the till's spelling (`12.50`), in place. Compact JSON needs no second pass.
 */
export function findTextFault(text: string, value: unknown, keepNumbers: boolean): TextFault | undefined {
  return isPlainText(text, value) ? undefined : keepSpelling(text, value, keepNumbers)
}

/**
 * Reads and checks a text, for bodies whose schema is checked afterwards. The caller bounds the size of the body; depth
 * is checked first, and the second pass is linear in the text.
 */
export function readJson(bytes: Buffer): JsonText {
  const read = parseJson(bytes)
  if (!read.ok) return read
  const fault = findDepthFault(bytes) ?? findTextFault(read.text, read.value, false)
  return fault ? { ok: false, ...fault } : read
}

/**
 * Reads a document that Tillgate wrote, keeping the spelling of each number, so that `JSON.stringify` writes the same
 * text again. Undefined for an unreadable text.
 */
export function readDocument(document: string): unknown {
  const read = parseJson(Buffer.from(document))
  if (!read.ok || findTextFault(read.text, read.value, true)) return undefined
  return read.value
}
