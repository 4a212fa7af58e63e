/** The types of a statement's parameters. */
export type Value = string | number | bigint | boolean | Date | Buffer | null | readonly (string | number)[]

/** Writes a list in PostgreSQL's own notation: `{a,"b c"}`. */
function toArrayText(values: readonly (string | number)[]): string {
  const elements = values.map((value) =>
    typeof value === 'number' ? String(value) : `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`,
  )
  return `{${elements.join(',')}}`
}

/** Writes a parameter as the server reads it: as text, or as bytes in binary form. Throws for unsupported values. */
export function toParameter(value: unknown): string | Buffer | null {
  if (typeof value === 'string' || value === null || Buffer.isBuffer(value)) return value
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return toArrayText(value as (string | number)[])
  throw new TypeError(`a value of type ${typeof value} cannot be a parameter of a statement`)
}

/** Returns the cast of a parameter whose text the server might take for another type. */
export function castOf(value: unknown): '' | '::timestamptz' | '::boolean' {
  if (value instanceof Date) return '::timestamptz'
  return typeof value === 'boolean' ? '::boolean' : ''
}

type Parse = (text: string) => unknown

const parseArray: Parse = (text) =>
  (text.slice(1, -1).match(/"(?:[^"\\]|\\.)*"|[^,]+/g) ?? []).map((part) =>
    part.startsWith('"') ? part.slice(1, -1).replaceAll(/\\(.)/g, '$1') : part,
  )

/** PostgreSQL writes `2026-03-14 12:34:56.789+00`; `Date` reads years before 100 only in the ISO form. */
const parseTimestamp: Parse = (text) => new Date(`${text.replace(' ', 'T')}:00`)

const asText: Parse = (text) => text

/**
 * Parsers of results, by type number in `pg_type`; other types stay text. The integers of this program, sequences and
 * counts, stay far below 2^53. Results come as text, because `pg` reads some types wrongly in binary form.
 */
const parsers = new Map<number, Parse>([
  [16, (text) => text === 't'],
  ...[20, 21, 23, 26, 700, 701].map((oid): [number, Parse] => [oid, Number]),
  ...[114, 3802].map((oid): [number, Parse] => [oid, (text) => JSON.parse(text)]),
  ...[1009, 2951].map((oid): [number, Parse] => [oid, parseArray]),
  [1184, parseTimestamp],
])

/** The parsers in the form that `pg` expects. */
export const types = { getTypeParser: (oid: number): any => parsers.get(oid) ?? asText }
