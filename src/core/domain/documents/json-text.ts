import { isUtf8 } from 'node:buffer'
import { keepSpelling, type TextFault } from './json-spelling.ts'

/** No documented shape is deeper than 6; a text that is deeper than this was made to harm. */
export const depthLimit = 64

/** A text below this cannot be deep enough to cost more than a millisecond to parse, so its depth is not asked first. */
const cheapToParse = 16 * 1024

export type JsonText = { ok: true; value: unknown; text: string } | ({ ok: false } & TextFault)

const tooDeep: TextFault = {
  code: 'invalid_json',
  pointer: '',
  detail: `the JSON is nested more than ${depthLimit} levels deep`,
}

const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Returns whether brackets and braces outside strings are open more than `depthLimit` levels deep at any place. The
 * bytes need not be JSON. This reads each byte once, 5 ms for a MiB, and needs no memory: the parser would need both.
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

/**
 * Returns a text without its byte order mark, which programs on .NET write before JSON. RFC 8259, 8.1, lets a reader pass over
 * it.
 */
export const withoutMark = (bytes: Buffer): Buffer => (hasMark(bytes) ? bytes.subarray(3) : bytes)

/**
 * Reads the value of one JSON text. This is the first look: it costs about 40 ms for the worst MiB, and leaves what
 * `JSON.parse` passes over in silence to `findTextFault`, which is for values whose shape is known to be good.
 */
export function parseJson(given: Buffer): JsonText {
  const bytes = withoutMark(given)
  if (!isUtf8(bytes)) return { ok: false, code: 'invalid_utf8', pointer: '', detail: 'the text is not valid UTF-8' }
  if (bytes.length > cheapToParse && isTooDeep(bytes)) return { ok: false, ...tooDeep }
  const text = bytes.toString('utf8')
  try {
    return { ok: true, value: JSON.parse(text) as unknown, text }
  } catch (error) {
    const detail = `the text is not valid JSON: ${(error as Error).message}`
    return { ok: false, code: 'invalid_json', pointer: '', detail }
  }
}

/** Finds the fault of a text that was parsed but whose shape is wrong: depth, which explains the rest. */
export function findDepthFault(bytes: Uint8Array): TextFault | undefined {
  return isTooDeep(bytes) ? tooDeep : undefined
}

/**
 * Whether `JSON.stringify` writes the value as this text has it. Then the text has no key twice and each number as
 * JavaScript writes it. A text with `\\u` counts as not plain: what is escaped there has to be looked at.
 */
export function isPlainText(text: string, value: unknown): boolean {
  return !text.includes('\\u') && JSON.stringify(value) === text.trim()
}

/**
 * Looks a second time at a text whose `value` has passed its schema, so that the number of its parts and its depth are
 * those of a documented shape. It finds a key given twice, NUL, a lone surrogate, and a number of more than 40
 * characters. With `keepNumbers` the till's own spelling of numbers (`12.50`) is put into `value`, in place. Plain text
 * needs no second look, and tills that write compact JSON take that path.
 */
export function findTextFault(text: string, value: unknown, keepNumbers: boolean): TextFault | undefined {
  return isPlainText(text, value) ? undefined : keepSpelling(text, value, keepNumbers)
}

/**
 * Reads a text and looks at it closely, for bodies whose schema is asked afterwards. Their size is bounded by the
 * caller; the depth is asked for first, and the second look is linear in the text.
 */
export function readJson(bytes: Buffer): JsonText {
  const read = parseJson(bytes)
  if (!read.ok) return read
  const fault = findDepthFault(bytes) ?? findTextFault(read.text, read.value, false)
  return fault ? { ok: false, ...fault } : read
}

/**
 * The value of a document that we wrote, each number as it is spelled there, so that `JSON.stringify` writes the same
 * text again. Undefined for a text that cannot be read.
 */
export function readDocument(document: string): unknown {
  const read = parseJson(Buffer.from(document))
  if (!read.ok || findTextFault(read.text, read.value, true)) return undefined
  return read.value
}
