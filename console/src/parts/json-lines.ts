/** A line of a JSON text: a value with its key, or the end of values that began further up. */
export type Line = {
  depth: number
  /** The key as written, with its quotes; null for a value without one. */
  key: string | null
  /** A value as written; for an object or an array its opening or closing bracket. */
  text: string
  kind: 'string' | 'number' | 'word' | 'mark'
  /** Whether another value follows. */
  comma: boolean
  /** Index of the last line of the value; of this line if the value has only one. */
  end: number
  /** The number of values in an object or array. */
  size: number
  /** The path, such as `items[0].tax`. */
  path: string
  /** Start and end of the value in the text. */
  from: number
  to: number
}

/** Maximum number of lines shown. Longer texts are better read in a file; copying still copies all of it. */
const linesAtMost = 3000

const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]/y
const space = /\s*/y
const keyAhead = /\s*:/y

const kindOf = (text: string): Line['kind'] => {
  if (text.startsWith('"')) return 'string'
  if (/^[-\d]/.test(text)) return 'number'
  return /^[tfn]/.test(text) ? 'word' : 'mark'
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

/**
 * Returns the lines of a JSON text, one for each value. Numbers are not parsed: 1.50 stays 1.50. Null for invalid JSON;
 * `isComplete` is false if it has more lines than are shown.
 */
export function linesOf(json: string): { lines: Line[]; isComplete: boolean } | null {
  const lines: Line[] = []
  const open: Line[] = []
  let key: string | null = null
  const add = (text: string, from: number, to: number): Line => {
    const parent = open.at(-1)
    const place = parent?.text === '[' ? `[${parent.size}]` : (key?.slice(1, -1) ?? '')
    const path =
      parent?.text === '{' && parent.path !== '' ? `${parent.path}.${place}` : `${parent?.path ?? ''}${place}`
    const line: Line = {
      depth: open.length, key, text, kind: kindOf(text), comma: false, end: lines.length, size: 0, path, from, to,
    } // prettier-ignore
    if (parent !== undefined) parent.size += 1
    key = null
    lines.push(line)
    return line
  }
  for (let at = matchAt(space, json, 0)?.length ?? 0; at < json.length; at += matchAt(space, json, at)?.length ?? 0) {
    if (lines.length >= linesAtMost) return { lines, isComplete: false }
    const from = at
    const text = matchAt(token, json, at)
    if (text === undefined) return null
    at += text.length
    if (text === ',') {
      const before = lines.at(-1)
      if (before !== undefined) before.comma = true
    } else if (text === '{' || text === '[') open.push(add(text, from, json.length))
    else if (text === '}' || text === ']') {
      const begun = open.pop()
      if (begun === undefined) return null
      begun.to = at
      if (begun.size === 0) begun.text += text
      else {
        begun.end = lines.length
        lines.push({ ...begun, key: null, text, size: 0, from, to: at })
      }
    } else if (text !== ':') {
      const isKey =
        text.startsWith('"') && open.at(-1)?.text === '{' && key === null && matchAt(keyAhead, json, at) !== undefined
      if (isKey) key = text
      else add(text, from, at)
    }
  }
  return lines.length === 0 || open.length > 0 ? null : { lines, isComplete: true }
}
