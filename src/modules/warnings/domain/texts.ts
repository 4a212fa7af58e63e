import type { Warnings } from './known.ts'

/** Lists what programs write where they had nothing to write, and what generators of examples write. */
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

/** White space is at most 32, or 160 and more, as are many letters. */
const mayBeBlank = (code: number) => code <= 32 || code >= 160

/**
 * Marks by their codes the first letters of all placeholders, and what may be white space; above the table every
 * character may be.
 */
const unusual = Array.from({ length: 160 }, (_, code) => mayBeBlank(code))
for (const text of placeholders) unusual[text.charCodeAt(0)] = true

/** Returns whether a text may be one to warn of: asked first, since it costs much less than the answer. */
export const isUnusual = (text: string): boolean =>
  text === '' || (unusual[text.charCodeAt(0)] ?? true) || mayBeBlank(text.charCodeAt(text.length - 1))

/** Quotes a text in a sentence; never one that may name a person, since warnings are kept. */
export const quoted = (text: string): string => `“${text.slice(0, 100)}”`

/** Warns of a text that is no text, or that is not the same as the one without its blanks. */
export function warnOfText(found: Warnings, pointer: string, text: string): void {
  if (placeholders.has(text)) {
    found.add(pointer, 'text_placeholder', `“${text}” is a placeholder for a missing value`)
  } else if (text.trim() !== text) {
    found.add(pointer, 'text_padded', 'the text begins or ends with spaces')
  }
}

/** Warns of the same in a text that must say something. */
export function warnOfName(found: Warnings, pointer: string, text: string): void {
  if (text === '') found.add(pointer, 'text_placeholder', 'the text is empty')
  else warnOfText(found, pointer, text)
}

const noId = /^(?:0{8}-(?:0{4}-){3}0{12}|f{8}-(?:f{4}-){3}f{12})$/i

/** Warns of the nil and max UUIDs (RFC 9562), which are not ids. */
export function warnOfId(found: Warnings, pointer: string, id: string): void {
  if (noId.test(id)) found.add(pointer, 'id_placeholder', `${id} is a placeholder, not an id`)
}

/** Warns of ids that a list has twice: the second hides the first, or is hidden by it. */
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
