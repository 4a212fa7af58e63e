import { isUtf8 } from 'node:buffer'
import { visit, type JSONPath } from 'jsonc-parser'

/** A number whose text is not what JavaScript would write (`12.50`): kept so that the stored bytes are the till's. */
export type WrittenNumber = { path: JSONPath; text: string }

export type JsonText =
  | { ok: true; value: unknown; written: WrittenNumber[] }
  | {
      ok: false
      code: 'invalid_json' | 'invalid_utf8' | 'duplicate_key' | 'invalid_text'
      pointer: string
      detail: string
    }

const nameLimit = 100

/** A name as it is told back: a key may be as long as its record. */
export function shortName(name: string): string {
  return name.length > nameLimit ? `${name.slice(0, nameLimit)}…`.toWellFormed() : name
}

/** JSON Pointer (RFC 6901); names that are very long are cut. */
export function toPointer(path: JSONPath): string {
  return path.map((part) => `/${shortName(String(part)).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

function fault(code: Exclude<JsonText, { ok: true }>['code'], pointer: string, detail: string): JsonText {
  return { ok: false, code, pointer, detail }
}

/** Finds what `JSON.parse` passes over in silence: a key given twice, and how a number was written. */
function inspect(text: string): { duplicate?: JSONPath; written: WrittenNumber[] } {
  const written: WrittenNumber[] = []
  const open: Set<string>[] = []
  let duplicate: JSONPath | undefined
  visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty(key, _offset, _length, _line, _column, path) {
      const keys = open.at(-1)
      if (keys?.has(key)) duplicate ??= [...path(), key]
      keys?.add(key)
    },
    onLiteralValue(value, offset, length, _line, _column, path) {
      if (typeof value !== 'number') return
      const source = text.slice(offset, offset + length)
      if (source !== String(value)) written.push({ path: path(), text: source })
    },
  })
  return duplicate ? { duplicate, written } : { written }
}

/** PostgreSQL text holds no NUL, and a lone surrogate has no UTF-8: both can hide behind a `\u` escape. */
function findBadText(value: unknown, path: JSONPath): JSONPath | undefined {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0') ? undefined : path
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, child] of Object.entries(value)) {
    const here = [...path, Array.isArray(value) ? Number(key) : key]
    const bad = findBadText(key, here) ?? findBadText(child, here)
    if (bad) return bad
  }
  return undefined
}

/**
 * Reads one JSON text strictly: UTF-8, no duplicate keys, no NUL, no lone surrogate. Text that `JSON.stringify` would
 * write the same way needs no second look, and tills that write compact JSON take that path.
 */
export function readJson(bytes: Buffer): JsonText {
  if (!isUtf8(bytes)) return fault('invalid_utf8', '', 'the text is not valid UTF-8')
  const text = bytes.toString('utf8')
  try {
    const value: unknown = JSON.parse(text)
    if (JSON.stringify(value) === text.trim() && !text.includes('\\u')) return { ok: true, value, written: [] }
    const { duplicate, written } = inspect(text)
    if (duplicate) {
      return fault(
        'duplicate_key',
        toPointer(duplicate),
        `the key ${JSON.stringify(shortName(String(duplicate.at(-1))))} is given twice`,
      )
    }
    const bad = findBadText(value, [])
    if (bad) return fault('invalid_text', toPointer(bad), 'text must not hold NUL characters or lone surrogates')
    return { ok: true, value, written }
  } catch (error) {
    if (error instanceof RangeError) return fault('invalid_json', '', 'the JSON is nested too deeply')
    return fault('invalid_json', '', `the text is not valid JSON: ${(error as Error).message}`)
  }
}
