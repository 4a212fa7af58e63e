import { documentWriter, restoreNumbers } from '../domain/serialize.ts'
import { readJson, shortName, toPointer, type JsonText, type WrittenNumber } from '../domain/json-text.ts'
import { validator } from '../domain/validation.ts'
import type { Fault } from '../errors.ts'
import { pushedShape } from '../schemas/ingest.ts'
import { recordSchemas, recordTypes, type RecordType } from '../schemas/resources.ts'
import { resourceOf } from '../store/resources/all.ts'
import type { Resource } from '../store/resources/resource.ts'

/** What a till may leave to the server. */
export type Times = Partial<Record<'createdAt' | 'updatedAt', string>>

/** A valid record, ready to be compared with what is stored. */
export type Incoming = {
  line: number
  type: RecordType
  /** Lower case. For what a location has one of, the location's. */
  id: string
  times: Times
  /** What its row and its events depend on: the descriptor of the resource makes them and reads them. */
  facts: unknown
  /** The serialised document in the documented key order, with these times where the till gave none. */
  document: (times: Times) => string
}

/** A record that cannot be stored, with what the till sent. */
export type Rejection = {
  line: number
  type?: string
  id?: string
  code: string
  detail: string
  errors: Fault[]
  record: string
}

const validators = new Map(
  recordTypes.map((type) => [type, validator(pushedShape(recordSchemas[type]), 'body')] as const),
)

const writers = new Map(recordTypes.map((type) => [type, documentWriter(recordSchemas[type])] as const))

const isRecordType = (type: unknown): type is RecordType => recordTypes.some((known) => known === type)

function under(data: Fault[]): Fault[] {
  return data.map((fault) => ({ ...fault, pointer: `/data${fault.pointer}` }))
}

function bodyFault(pointer: string, code: string, detail: string): Fault {
  return { in: 'body', pointer, code, detail }
}

/** The faults of the frame `{"type": …, "data": …}` around the resource. */
function frameFaults(value: unknown): Fault[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [bodyFault('', 'invalid_type', 'a record is an object {"type": …, "data": …}')]
  }
  const record = value as Record<string, unknown>
  const extra = Object.keys(record).filter((key) => key !== 'type' && key !== 'data')
  const faults = extra.map((key) =>
    bodyFault(toPointer([key]), 'unknown_field', `${shortName(key)} is not a field of a record`),
  )
  if (!isRecordType(record['type'])) {
    const code = 'type' in record ? 'unknown_type' : 'missing'
    faults.push(bodyFault('/type', code, `type must be one of ${recordTypes.join(', ')}`))
  }
  if (!('data' in record)) faults.push(bodyFault('/data', 'missing', 'data is required'))
  return faults
}

function locationFaults({ locationField }: Resource, data: unknown, locationId: string): Fault[] {
  if (locationField === null) return []
  const id = (data as Record<string, string>)[locationField] as string
  if (id.toLowerCase() === locationId) return []
  const detail = `${locationField} must be the location of the key, ${locationId}`
  return [bodyFault(`/data/${locationField}`, 'wrong_location', detail)]
}

/** Which line of the body the record is, and the location that it must belong to. */
export type Place = { line: number; locationId: string }

/** A parsed record. `written` are the numbers whose spelling is kept, with paths inside the record. */
export type Parsed = { value: unknown; written: WrittenNumber[] }

function timesOf(data: Partial<Record<keyof Times, string>>): Times {
  const { createdAt, updatedAt } = data
  return { ...(createdAt === undefined ? {} : { createdAt }), ...(updatedAt === undefined ? {} : { updatedAt }) }
}

/**
 * Checks one parsed record and makes it ready to be stored. `text` gives what the till sent, for the list of rejected
 * records.
 */
export function prepareRecord(
  { value, written }: Parsed,
  { line, locationId }: Place,
  text: () => string,
): Incoming | Rejection {
  const reject = (errors: Fault[]): Rejection => {
    const record = (value ?? {}) as { type?: unknown; data?: { id?: unknown } | null }
    const first = errors[0] as Fault
    return {
      line,
      ...(isRecordType(record.type) ? { type: record.type } : {}),
      ...(typeof record.data?.id === 'string' ? { id: shortName(record.data.id) } : {}),
      code: first.code,
      detail: first.detail,
      errors,
      record: text(),
    }
  }
  const framing = frameFaults(value)
  if (framing.length > 0) return reject(framing)
  const { type, data } = value as { type: RecordType; data: object }
  const faults = validators.get(type)?.(data) ?? []
  if (faults.length > 0) return reject(under(faults))
  const resource = resourceOf(type)
  const elsewhere = locationFaults(resource, data, locationId)
  if (elsewhere.length > 0) return reject(elsewhere)

  const write = writers.get(type) as (value: unknown) => string
  const id = resource.idOf(data, locationId)
  // Before the numbers are put back as they were written: facts are calculated with.
  const facts: unknown = resource.facts(data)
  restoreNumbers(value, written)
  const times = resource.dated ? timesOf(data) : {}
  const isWhole = !resource.dated || (times.createdAt !== undefined && times.updatedAt !== undefined)
  const ready = isWhole ? write(data) : undefined
  const document = (given: Times) => ready ?? write({ ...data, ...given })
  return { line, type, id, times, facts, document }
}

/** The same from the bytes of one line. */
export function readRecord(bytes: Buffer, place: Place): Incoming | Rejection {
  return toRecord(readJson(bytes), bytes, place)
}

/** The same from what was read of the bytes. */
export function toRecord(read: JsonText, bytes: Buffer, place: Place): Incoming | Rejection {
  const text = () => bytes.toString('utf8')
  if (read.ok) return prepareRecord(read, place, text)
  const { code, pointer, detail } = read
  return { line: place.line, code, detail, errors: [bodyFault(pointer, code, detail)], record: text() }
}

export function isRejection(record: Incoming | Rejection): record is Rejection {
  return 'record' in record
}
