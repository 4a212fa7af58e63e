declare global {
  // ES2026 "JSON.parse source text access"; TypeScript's library does not have it yet.
  interface JSON {
    rawJSON(text: string): { rawJSON: string }
    isRawJSON(value: unknown): value is { rawJSON: string }
  }
}

export type TextFault = {
  code: 'invalid_json' | 'invalid_utf8' | 'duplicate_key' | 'invalid_text' | 'invalid_number' | 'out_of_range'
  pointer: string
  detail: string
}

const nameLimit = 100

/** Maximum characters of a number; the longest number that JavaScript writes has 25 characters. */
const numberLimit = 40

/** Shortens a name for an error message, because a key may be as long as its record. */
export function shortName(name: string): string {
  return name.length > nameLimit ? `${name.slice(0, nameLimit)}…`.toWellFormed() : name
}

/** Formats a JSON Pointer (RFC 6901); very long names are cut. */
export function toPointer(path: readonly (string | number)[]): string {
  return path.map((part) => `/${shortName(String(part)).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

type Holder = Record<string | number, unknown>

/** An open object or array of the text, with its parsed counterpart. */
type Open = {
  holder: Holder
  isArray: boolean
  /** The index or key of the current value. */
  key: string | number
  /**
   * Keys of the parsed object. Until `seen` is set, the text has had the first `count` of them, in this order and once
   * each.
   */
  names: string[]
  count: number
  /** All keys so far, once the text has left the order of `names`. */
  seen: Set<string> | undefined
}

const [quote, comma, minus, zero, nine] = [0x22, 0x2c, 0x2d, 0x30, 0x39]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Returns the offset of the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  for (;;) {
    let escapes = 0
    while (text[end - 1 - escapes] === '\\') escapes += 1
    if (escapes % 2 === 0) return end
    end = text.indexOf('"', end + 1)
  }
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1
  // + - . 0–9 E e
  for (let code = text.charCodeAt(end); ; code = text.charCodeAt(++end)) {
    const isPart = (code >= zero && code <= nine) || code === 0x2e || code === minus || code === 0x2b
    if (!isPart && code !== 0x45 && code !== 0x65) return end
  }
}

const most = Number.MAX_SAFE_INTEGER

/** Whether a number is beyond the range (decision 0008) although its double is not: 9007199254740991.4. */
function isJustBeyond(source: string): boolean {
  if (Math.abs(Number(source)) !== most) return false
  const [mantissa = ''] = source.split(/e/i)
  // The number has as many whole digits as `most`, so comparing texts compares the numbers.
  return mantissa.replaceAll(/[-.]/g, '').replaceAll(/^0+|0+$/g, '') > String(most)
}

/** Returns whether PostgreSQL can store a text: one without NUL and lone surrogates, which JSON contains as `\u` escapes. */
const isGoodText = (decoded: string) => decoded.isWellFormed() && !decoded.includes('\0')

class Reader {
  readonly #text: string
  readonly #keepNumbers: boolean
  readonly #open: Open[] = []
  #value: unknown
  #isKeyNext = false

  constructor(text: string, value: unknown, keepNumbers: boolean) {
    this.#text = text
    this.#value = value
    this.#keepNumbers = keepNumbers
  }

  read(): TextFault | undefined {
    const text = this.#text
    let at = 0
    while (at < text.length) {
      const code = text.charCodeAt(at)
      const isNumber = code === minus || (code >= zero && code <= nine)
      if (code === quote || isNumber) {
        const end = isNumber ? endOfNumber(text, at) : endOfString(text, at) + 1
        const source = text.slice(at, end)
        const fault = isNumber ? this.#number(source) : this.#string(source)
        if (fault) return fault
        at = end
      } else {
        // White space, colons and the letters of true, false and null are ignored.
        if (code === openBrace || code === openBracket) this.#begin(code === openBracket)
        else if (code === closeBrace || code === closeBracket) this.#end()
        else if (code === comma) this.#next()
        at += 1
      }
    }
    return undefined
  }

  #begin(isArray: boolean): void {
    const parent = this.#open.at(-1)
    const given = parent ? parent.holder[parent.key] : this.#value
    // If a key is repeated, the parsed value is the last one, so an earlier value has no counterpart.
    const fits = typeof given === 'object' && given !== null && Array.isArray(given) === isArray
    const holder = (fits ? given : {}) as Holder
    const names = isArray ? [] : Object.keys(holder)
    this.#open.push({ holder, isArray, key: 0, names, count: 0, seen: undefined })
    this.#isKeyNext = !isArray
  }

  #end(): void {
    this.#open.pop()
    this.#isKeyNext = false
  }

  #next(): void {
    const open = this.#open.at(-1) as Open
    if (open.isArray) open.key = (open.key as number) + 1
    else this.#isKeyNext = true
  }

  #string(source: string): TextFault | undefined {
    const isKey = this.#isKeyNext
    this.#isKeyNext = false
    const isEscaped = source.includes('\\')
    if (!isKey && !isEscaped) return undefined
    const decoded = isEscaped ? (JSON.parse(source) as string) : source.slice(1, -1)
    const open = this.#open.at(-1)
    if (isKey && open) {
      open.key = decoded
      if (this.#isSecond(open, decoded)) {
        const detail = `the key ${JSON.stringify(shortName(decoded))} is repeated: send it once`
        return { code: 'duplicate_key', pointer: this.#pointer(), detail }
      }
    }
    if (isGoodText(decoded)) return undefined
    const detail = 'text must not contain NUL characters or lone surrogates'
    return { code: 'invalid_text', pointer: this.#pointer(), detail }
  }

  /**
   * Returns whether the key is a repetition in this object. Parsed objects keep the order of the text, except for keys
   * that look like an index, so until a key differs it is enough to compare it with the next parsed key.
   */
  #isSecond(open: Open, key: string): boolean {
    const { names, count } = open
    open.count += 1
    if (open.seen === undefined) {
      if (names[count] === key) return false
      open.seen = new Set(names.slice(0, count))
    }
    if (open.seen.has(key)) return true
    open.seen.add(key)
    return false
  }

  #number(source: string): TextFault | undefined {
    if (source.length > numberLimit) {
      const detail = `a number must have at most ${numberLimit} characters`
      return { code: 'invalid_number', pointer: this.#pointer(), detail }
    }
    if (isJustBeyond(source)) {
      const detail = `a number must lie within ±${most}`
      return { code: 'out_of_range', pointer: this.#pointer(), detail }
    }
    const open = this.#open.at(-1)
    if (this.#keepNumbers && open && source !== String(Number(source))) open.holder[open.key] = JSON.rawJSON(source)
    return undefined
  }

  #pointer(): string {
    return toPointer(this.#open.map(({ key }) => key))
  }
}

/**
 * Walks the text along with its parsed value, in linear time, and returns the first fault that `JSON.parse` accepted.
 * With `keepNumbers`, each number that JavaScript would write differently (`12.50`) is replaced in `value` with its
 * original spelling, so that the stored bytes are the till's. The text must be valid JSON.
 */
export function keepSpelling(text: string, value: unknown, keepNumbers: boolean): TextFault | undefined {
  return new Reader(text, value, keepNumbers).read()
}
