import { hash } from 'node:crypto'
import { isCash } from '../src/core/contract/money/payment-kinds.ts'
import { isDatetime, isUuid } from '../src/core/contract/scalars.ts'

/**
 * Texts of a malicious or careless till: markup, script addresses, characters that change the writing direction,
 * control characters, formulas, templates, and lengths that exceed every table. Each contains the original text, so
 * that different texts stay different.
 */
const forms: readonly ((text: string) => string)[] = [
  (text) => `<script>alert(1)</script>${text}`,
  (text) => `"><img src=x onerror=alert(1)>${text}`,
  (text) => `javascript:alert(1)//${text}`,
  (text) => `\u202e${text}\u2066\u200f`,
  (text) => `${text} ${'W'.repeat(1_200)}`,
  (text) => `\u0001\u0007\u001b[31m${text}\u007f\u0085\u2028\r\n\t`,
  (text) => `=HYPERLINK("javascript:alert(1)","${text}")`,
  (text) => `]]>{{7*7}}\${7*7}<!--${text}`,
  (text) => `'; drop table orders; --${text}`,
  (text) => `${text}${'\u0301'.repeat(80)}😀\ufeff`,
]

/** Fields with an address that software may open. */
const links = new Set(['url', 'headerUrl'])

/**
 * Returns whether a text stays unchanged: ids, times, empty texts, and the two texts that amounts depend on, the kind
 * of a cash entry and the name of a payment in cash.
 */
const isKept = (field: string, text: string): boolean =>
  text === '' || isUuid(text) || isDatetime(text) || field === 'entryType' || isCash(text)

/** Makes a text hostile. Equal texts stay equal everywhere: an order still agrees with its report and the catalog. */
function toHostileText(field: string, text: string): string {
  if (isKept(field, text)) return text
  if (links.has(field)) return `javascript:alert(document.domain)//${text}`
  const form = forms[hash('sha256', text, 'buffer').readUInt32BE() % forms.length]
  return form ? form(text) : text
}

/** Makes every text of a document hostile; ids, times, numbers and links between documents stay as they were. */
export function toHostile<T>(value: T, field = ''): T {
  if (typeof value === 'string') return toHostileText(field, value) as T
  if (Array.isArray(value)) return value.map((one: unknown) => toHostile(one, field)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, toHostile(part as unknown, name)])) as T
}
