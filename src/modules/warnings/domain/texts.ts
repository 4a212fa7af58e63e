import type { Warnings } from './known.ts'

/** Placeholders that programs write for missing values, and placeholders of example generators. */
const placeholders = new Set([
  'undefined',
  'null',
  'None',
  'NaN',
  'nil',
  'string',
  '(null)',
  '[object Object]',
  'null null',
  'undefined undefined',
])

/** Codes of white space are at most 32 or at least 160; many letters are at least 160 too. */
const mayBeBlank = (code: number) => code <= 32 || code >= 160

/**
 * Marks the characters that begin a placeholder or may be white space, by their code. Characters above the table always
 * count as marked.
 */
const unusual = Array.from({ length: 160 }, (_, code) => mayBeBlank(code))
for (const text of placeholders) unusual[text.charCodeAt(0)] = true

/** Returns whether a text may need a warning: a cheap check before the exact one. */
export const isUnusual = (text: string): boolean =>
  text === '' || (unusual[text.charCodeAt(0)] ?? true) || mayBeBlank(text.charCodeAt(text.length - 1))

/** Quotes a text in a sentence. Never quote a text that may name a person, because warnings are stored. */
export const quoted = (text: string): string => `“${text.slice(0, 100)}”`

/** Warns about a placeholder, or about a text with surrounding spaces. */
export function warnOfText(found: Warnings, pointer: string, text: string): void {
  if (placeholders.has(text)) {
    found.add(pointer, 'text_placeholder', `“${text}” is a placeholder for a missing value`)
  } else if (text.trim() !== text) {
    found.add(pointer, 'text_padded', 'the text begins or ends with spaces')
  }
}

/** Warns about an empty text, and like `warnOfText` about any other. */
export function warnOfName(found: Warnings, pointer: string, text: string): void {
  if (text === '') found.add(pointer, 'text_placeholder', 'the text is empty')
  else warnOfText(found, pointer, text)
}

const noId = /^(?:0{8}-(?:0{4}-){3}0{12}|f{8}-(?:f{4}-){3}f{12})$/i

/** Warns about the nil UUID and the max UUID (RFC 9562): placeholders, not ids. */
export function warnOfId(found: Warnings, pointer: string, id: string): void {
  if (noId.test(id)) found.add(pointer, 'id_placeholder', `${id} is a placeholder, not an id`)
}

/** Warns about placeholders and duplicate ids in a list: one of two entries with the same id hides the other. */
export function warnOfIdsTwice(found: Warnings, at: string, entries: readonly { id: string }[]): void {
  const seen = new Map<string, number>()
  for (const [i, { id }] of entries.entries()) {
    const key = id.toLowerCase()
    const first = seen.get(key)
    warnOfId(found, `${at}/${i}/id`, id)
    if (first === undefined) seen.set(key, i)
    else found.add(`${at}/${i}/id`, 'id_twice', `${id} is also the id of entry ${first}`)
  }
}
