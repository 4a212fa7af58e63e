import type { DocumentText } from '../../domain/documents/document-text.ts'
import { dayMs } from '../../domain/days/time-units.ts'

/** The value of one column in a row. */
export type Cell = DocumentText | number | boolean | null

/**
 * One column of many rows as one parameter: its name, the type of its elements, and their values. `read` is the
 * expression for a row's value in the statement, if that is not the element itself.
 */
export type Column = { name: string; type: string; values: readonly Cell[]; read?: string }

/**
 * One type of elements in PostgreSQL's binary form: its number in `pg_type`, the maximum bytes of an element, and a
 * function that writes one and returns its length in bytes. The function refuses a value of another type, as the server
 * does with text.
 */
type ElementForm<Value> = {
  oid: number
  room: number | ((value: Value) => number)
  write: (to: Buffer, value: Value, at: number) => number
}

/** Bytes of the header of a one-dimensional array: with elements, and without. */
const [headerBytes, emptyBytes] = [20, 12]

/** PostgreSQL counts times from this moment. */
const epochMs = Date.UTC(2000, 0, 1)

/** The value of each hexadecimal digit by its code; other characters have a larger value than any digit. */
const digits = new Uint8Array(128).fill(255)
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16)
  for (const one of [digit, digit.toUpperCase()]) digits[one.charCodeAt(0)] = value
}

/** Writes a UUID: its digits come in pairs, and a dash precedes some of them. */
function writeUuid(to: Buffer, value: string, at: number): number {
  let all = value.length === 36 ? 0 : 255
  for (let n = 0, from = 0; n < 16; n++, from += 2) {
    if (from === 8 || from === 13 || from === 18 || from === 23) from += 1
    const high = digits[value.charCodeAt(from)] ?? 255
    const low = digits[value.charCodeAt(from + 1)] ?? 255
    all |= high | low
    to[at + n] = high * 16 + low
  }
  if (all > 15) throw new TypeError('a value of a uuid column is not a UUID')
  return 16
}

/** Writes a 64-bit integer: `value` times `factor`, which may exceed the safe integers. */
function writeInt64(to: Buffer, value: number, at: number, factor: number): number {
  // A sum larger than any real restaurant has may exceed the safe integers, but is an integer.
  if (!Number.isInteger(value) || Math.abs(value) >= 2 ** 63) throw new TypeError(`${value} is not a whole number`)
  const low = (value >>> 0) * factor
  const carried = Math.floor(low / 2 ** 32)
  to.writeInt32BE(Math.floor(value / 2 ** 32) * factor + carried, at)
  to.writeUInt32BE(low - carried * 2 ** 32, at + 4)
  return 8
}

function writeInt32(to: Buffer, value: number, at: number): number {
  if (!Number.isSafeInteger(value)) throw new TypeError(`${value} is not a whole number`)
  to.writeInt32BE(value, at)
  return 4
}

const bigint: ElementForm<number> = { oid: 20, room: 8, write: (to, value, at) => writeInt64(to, value, at, 1) }

const boolean: ElementForm<boolean> = {
  oid: 16,
  room: 1,
  write(to, value, at) {
    to[at] = value ? 1 : 0
    return 1
  },
}

const double: ElementForm<number> = {
  oid: 701,
  room: 8,
  write(to, value, at) {
    if (!Number.isFinite(value)) throw new TypeError(`${value} is not a number`)
    to.writeDoubleBE(value, at)
    return 8
  },
}

const text: ElementForm<string> = { oid: 25, room: Buffer.byteLength, write: (to, value, at) => to.write(value, at) }

const documents: ElementForm<DocumentText> = {
  oid: text.oid,
  room: Buffer.byteLength,
  write: (to, value, at) => (typeof value === 'string' ? to.write(value, at) : value.copy(to, at)),
}

const timestamptz: ElementForm<string> = {
  oid: 1184,
  room: 8,
  write: (to, value, at) => writeInt64(to, Date.parse(value) - epochMs, at, 1000),
}

const date: ElementForm<string> = {
  oid: 1082,
  room: 4,
  write: (to, value, at) => writeInt32(to, (Date.parse(value) - epochMs) / dayMs, at),
}

const forms: Record<string, ElementForm<any>> = {
  int: { oid: 23, room: 4, write: writeInt32 },
  bigint,
  boolean,
  'double precision': double,
  uuid: { oid: 2950, room: 16, write: writeUuid },
  timestamptz,
  date,
  text,
  documents,
}

/** Returns the maximum bytes of an array: its header, and its elements with their lengths. */
function roomFor({ room }: ElementForm<Cell>, values: readonly Cell[]): number {
  if (typeof room === 'number') return headerBytes + values.length * (4 + room)
  return values.reduce<number>((sum, value) => sum + 4 + (value === null ? 0 : room(value)), headerBytes)
}

/** Writes an array and returns its length in bytes. */
function writeArray({ oid, write }: ElementForm<Cell>, values: readonly Cell[], to: Buffer): number {
  to.writeInt32BE(values.length === 0 ? 0 : 1, 0)
  to.writeInt32BE(values.includes(null) ? 1 : 0, 4)
  to.writeInt32BE(oid, 8)
  if (values.length === 0) return emptyBytes
  to.writeInt32BE(values.length, 12)
  to.writeInt32BE(1, 16)
  let at = headerBytes
  for (const value of values) {
    const size = value === null ? -1 : write(to, value, at + 4)
    to.writeInt32BE(size, at)
    at += 4 + Math.max(size, 0)
  }
  return at
}

/**
 * Writes a column in PostgreSQL's binary form of an array: the server reads it without searching for the end of each
 * element, and documents are sent unchanged.
 */
export function binaryOf({ name, type, values }: Column): Buffer {
  const form = forms[type]
  if (!form) throw new Error(`column ${name} has the type ${type}, which has no binary form here`)
  const bytes = Buffer.allocUnsafe(roomFor(form, values))
  return bytes.subarray(0, writeArray(form, values, bytes))
}
