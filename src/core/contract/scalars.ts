import { Type, type Static, type TSchema } from 'typebox'
import { Format } from 'typebox/format'

// Each digit is written out: V8 matches `{4}` half as fast, and each record of a push has about ten UUIDs.
const hex = (digits: number) => '[0-9a-fA-F]'.repeat(digits)
const uuidForm = new RegExp(`^${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}$`)
const datetimeForm = /^\d\d\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d\d\dZ$/

/** Accepts a UUID of any version, in either case, without braces or a `urn:uuid:` prefix (specification 2.1). */
export function isUuid(text: string): boolean {
  return uuidForm.test(text)
}

/** Accepts exactly `YYYY-MM-DDTHH:MM:SS.sssZ` for a moment that exists, years 0001 to 9999 (specification 2.2). */
export function isDatetime(text: string): boolean {
  if (!datetimeForm.test(text) || text.startsWith('0000')) return false
  // Every month has 28 days. Later days are checked by `Date`, which turns 31 April into 1 May.
  return text.slice(8, 10) <= '28' || new Date(text).toISOString() === text
}

/** Accepts `YYYY-MM-DD` for a day that exists, in the years 0001 to 9999. */
export const isDate = (text: string): boolean => isDatetime(`${text}T00:00:00.000Z`)

Format.Set('uuid', isUuid)
Format.Set('date', isDate)
Format.Set('date-time', isDatetime)
// The caller checks the URL (`checkEndpointUrl`), with more specific messages than a format can give.
Format.Set('uri', () => true)

/** Closes an object: an undocumented field is refused with its pointer (decision 0012). */
export const closed = { additionalProperties: false } as const

type Note = { description?: string; examples?: unknown[]; [key: string]: unknown }

const safeRange = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }

export const Uuid = (note: Note = {}) =>
  Type.String({ format: 'uuid', examples: ['7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11'], ...note })

export const Datetime = (note: Note = {}) =>
  Type.String({ format: 'date-time', examples: ['2026-03-14T12:34:56.000Z'], ...note })

/** A decimal amount in major units of the location's currency, tax included (decision 0008). */
export const Amount = (note: Note = {}) => Type.Number({ ...safeRange, examples: [12.5], ...note })

/** An integer: an amount in minor units of the currency, or hundredths of a percent (decision 0008). */
export const Minor = (note: Note = {}) => Type.Integer({ ...safeRange, examples: [1250], ...note })

export const Count = (note: Note = {}) => Type.Integer({ ...safeRange, examples: [2], ...note })

export const Choice = <T extends string>(values: readonly T[], note: Note = {}) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], ...note })

/** Makes a schema that also allows null: `type` becomes a pair, as in JSON Schema 2020-12 and OpenAPI 3.1. */
export function Nullable<T extends TSchema>(schema: T, note: Note = {}) {
  const { type } = schema as unknown as { type: string }
  return Type.Unsafe<Static<T> | null>({ ...schema, ...note, type: [type, 'null'] })
}

export const NullableChoice = <T extends string>(values: readonly T[], note: Note = {}) =>
  Type.Unsafe<T | null>({ type: ['string', 'null'], enum: [...values, null], ...note })
