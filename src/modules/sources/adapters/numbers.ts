// Numbers as tills and their exports write them.

/** How numbers are written; without `groups` they have no group separators. */
export type NumberForm = { decimal: '.' | ','; groups?: string | undefined }

/** Currency marks other than symbols, before or after an amount. */
const marks = String.raw`[A-Z]{1,3}\p{Sc}|[A-Z]{3}|[Kk]r\.?|Kč|zł|Ft|[Ll]ei|лв\.?|SFr\.?|Fr\.?|Rs\.?|Rp|RM|\p{Sc}`

const leading = new RegExp(String.raw`^(?:${marks})\s*(?=[-+(\d.,])`, 'u')
const trailing = new RegExp(String.raw`(?<=[-)\d.,])\s*(?:${marks})$`, 'u')

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

const blanks = /^[\s\u00a0\u2009\u202f]$/

/**
 * Returns a pattern of the separators that are accepted for the given one. For a space, any kind of space; for an
 * apostrophe, both of its forms. No-break and thin spaces are always accepted.
 */
function groupPattern(groups: string | undefined): string {
  const always = String.raw`\u00a0\u202f\u2009`
  if (!groups) return `[${always}]`
  if (blanks.test(groups)) return String.raw`[ ${always}]`
  if (groups === "'" || groups === '’') return `['’${always}]`
  return `(?:${escaped(groups)}|[${always}])`
}

const patterns = new Map<string, { number: RegExp; group: RegExp }>()

function patternOf({ decimal, groups }: NumberForm) {
  const key = `${decimal}${groups ?? ''}`
  let known = patterns.get(key)
  if (!known) {
    const [group, point] = [groupPattern(groups), escaped(decimal)]
    // Groups have three digits, or in Indian notation two before the last group.
    const whole = String.raw`\d+|\d{1,3}(?:${group}\d{3})+|\d{1,2}(?:${group}\d{2})+${group}\d{3}`
    known = {
      number: new RegExp(String.raw`^(?:(?:${whole})(?:${point}\d*)?|${point}\d+)$`, 'u'),
      group: new RegExp(group, 'gu'),
    }
    patterns.set(key, known)
  }
  return known
}

/** Removes a sign from either end; brackets mean minus. */
function unsigned(text: string): { bare: string; isNegative: boolean } {
  if (text.startsWith('(') && text.endsWith(')')) return { bare: text.slice(1, -1).trim(), isNegative: true }
  const behind = /^(.*[^-+\s])\s*([-+])$/u.exec(text)
  if (behind) return { bare: behind[1] as string, isNegative: behind[2] === '-' }
  const before = /^([-+])\s*(.*)$/u.exec(text)
  return before ? { bare: before[2] as string, isNegative: before[1] === '-' } : { bare: text, isNegative: false }
}

const unmarked = (text: string) => text.replace(leading, '').replace(trailing, '').trim()

/**
 * Reads a number with signs and currency marks on either side: `-$12.00`, `($12.00)`, `12.00-`, `R$ 12,00`. A group must have the right
 * number of digits. Returns the decimal as JSON text; undefined if it is not a number, or empty.
 */
export function readNumber(text: string, form: NumberForm): string | undefined {
  const trimmed = text.replaceAll('\u2212', '-').trim()
  const outer = unsigned(unmarked(trimmed))
  const inner = unsigned(unmarked(outer.bare))
  const signs = [trimmed, outer.bare].filter((part) => /^[-+(]|[-+)]$/.test(unmarked(part))).length
  const { number, group } = patternOf(form)
  if (signs > 1 || !number.test(inner.bare)) return undefined
  const plain = inner.bare.replaceAll(group, '').replace(form.decimal, '.')
  const isNegative = outer.isNegative || inner.isNegative
  return `${isNegative ? '-' : ''}${plain}`
}
