import { readDocument } from '../documents/json-text.ts'
import type { Fault } from '../../contract/errors/errors.ts'
import { digestsOf, redact, type Rule } from './redaction.ts'

/**
 * What a redaction looks for in texts other than stored documents: rejected records, responses, warnings. `patterns`
 * select candidates in a database, by lower-case text: at least all texts in which `standsIn` or `isNamedIn` finds a
 * match.
 */
export type Sought = {
  patterns: string[]
  /** Finds references as words, and names only as a complete JSON string: inside a longer text the same word may mean something else. */
  standsIn: (text: string) => boolean
  /** Also finds names as words. For sentences of Tillgate that quote a field or value of a record. */
  isNamedIn: (text: string) => boolean
}

/** Formats a text as inside a JSON string. */
const inJson = (text: string) => JSON.stringify(text).slice(1, -1)

/**
 * Returns the possible spellings of a text: unchanged, as JSON writes it, and with the escapes of writers that use
 * ASCII only or escape slashes.
 */
function spellingsOf(text: string): string[] {
  const isPlain = /^[ -~]*$/.test(text)
  // Which letters SQL's `lower` changes depends on the database.
  const cases = isPlain ? [text.toLowerCase()] : [text, text.toLowerCase(), text.toUpperCase()]
  const spelled = cases.flatMap((one) => {
    const json = inJson(one)
    const escape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
    return [one, json, json.replaceAll(/[^ -~]/g, escape)]
  })
  return [...new Set(spelled.flatMap((one) => [one, one.replaceAll('/', String.raw`\/`)]))]
}

/** Finds a text that is not part of a longer word or number: `K-1` is not in `K-17`. A JSON escape before it is not a letter. */
function asWord(text: string): RegExp {
  const before = /^[\p{L}\p{N}]/u.test(text) ? String.raw`(?<=^|[^\p{L}\p{N}]|\\[bfnrt]|\\u[0-9a-f]{4})` : ''
  const after = /[\p{L}\p{N}]$/u.test(text) ? String.raw`(?![\p{L}\p{N}])` : ''
  return new RegExp(`${before}${text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)}${after}`, 'iu')
}

/** Makes the search for references, such as ids, and for names. */
export function seek(references: readonly string[], names: readonly string[]): Sought {
  const referred = references.flatMap(spellingsOf)
  const named = names.flatMap(spellingsOf)
  const quoted = named.map((spelled) => `"${spelled}"`)
  const [words, nameWords] = [referred.map(asWord), named.map(asWord)]
  return {
    // The answer of a receiver is stored as a JSON string, in which quotes and escapes are escaped once more.
    patterns: [...new Set([...referred, ...named].flatMap((text) => [text, inJson(text)]))],
    standsIn(text) {
      const folded = text.toLowerCase()
      return words.some((word) => word.test(text)) || quoted.some((one) => folded.includes(one.toLowerCase()))
    },
    isNamedIn: (text) => [...words, ...nameWords].some((word) => word.test(text)),
  }
}

type Means = (text: string) => boolean

/** Blanks matching strings, and removes fields with matching names; a number as `customerId` can match too. */
function blankStrings(value: unknown, key: string, means: Means): unknown {
  if (typeof value === 'string') return value !== '' && means(value) ? '' : value
  const number = JSON.isRawJSON(value) ? value.rawJSON : typeof value === 'number' ? String(value) : undefined
  if (number !== undefined) return key === 'customerId' && means(number) ? '' : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one) => blankStrings(one, key, means))
  const kept = Object.entries(value).filter(([name]) => !means(name))
  return Object.fromEntries(kept.map(([name, one]) => [name, blankStrings(one, name, means)]))
}

/** Returns the digests of the persons in the rules. */
function personsOf(rules: readonly Rule[]): Set<string> {
  return new Set(
    rules.flatMap((rule) => {
      if ('operator' in rule) return [rule.operator, ...rule.names]
      return 'customer' in rule ? [rule.customer] : []
    }),
  )
}

const isOneOf = (persons: ReadonlySet<string>, locationId: string, text: string): boolean =>
  digestsOf(locationId, text).some((digest) => persons.has(digest))

/** Returns whether an unreadable text may contain what a rule matches; always true for rules about persons. */
function mayHold(record: string, rule: Rule): boolean {
  if ('operator' in rule || 'customer' in rule) return true
  const id = 'order' in rule ? rule.order : 'report' in rule ? rule.report : rule.location
  return record.toLowerCase().includes(id)
}

/**
 * Blanks the fields that the rules name in a rejected record, and every other string that names one of their persons.
 * Returns an empty text if the record is unreadable and may contain a match.
 */
export function redactRecord(locationId: string, record: string, rules: readonly Rule[], sought?: Sought): string {
  const value = readDocument(record)
  if (value === undefined) return rules.some((rule) => mayHold(record, rule)) ? '' : record
  let read: unknown = value
  const { type, data } = (typeof value === 'object' && value !== null ? value : {}) as {
    type?: unknown
    data?: unknown
  }
  if (typeof type === 'string' && typeof data === 'object' && data !== null) {
    const id = String((data as { id?: unknown }).id).toLowerCase()
    const blanked = redact({ locationId, kind: type, id, document: JSON.stringify(data) }, rules)
    if (blanked) read = { ...value, data: readDocument(blanked.document) }
  }
  const persons = personsOf(rules)
  if (persons.size > 0) {
    read = blankStrings(read, '', (text) => isOneOf(persons, locationId, text) || sought?.standsIn(text) === true)
  }
  const text = JSON.stringify(read)
  return text === JSON.stringify(value) ? record : text
}

const namesOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))

/**
 * Blanks the pointer and the text of a fault that contains a match, or in whose pointer a part is an id or name of a
 * person in the rules. The fault and its code stay.
 */
export function redactFaults(
  locationId: string,
  faults: readonly Fault[],
  rules: readonly Rule[],
  sought?: Sought,
): Fault[] {
  const persons = personsOf(rules)
  const names = ({ pointer, detail }: Fault) =>
    namesOf(pointer).some((name) => isOneOf(persons, locationId, name)) ||
    sought?.isNamedIn(`${pointer} ${detail}`) === true
  return faults.map((fault) => (names(fault) ? { ...fault, pointer: '', detail: '' } : fault))
}
