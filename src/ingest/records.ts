import { documentWriter, restoreNumbers } from '../domain/serialize.ts'
import { readJson, shortName, toPointer, type JsonText, type WrittenNumber } from '../domain/json-text.ts'
import { validator } from '../domain/validation.ts'
import type { Fault } from '../errors.ts'
import { pushedShape, recordSchemas, recordTypes, type RecordType } from '../schemas/ingest.ts'
import type { Location } from '../schemas/locations.ts'
import type { Order } from '../schemas/orders.ts'
import type { Report } from '../schemas/reports.ts'

/** What a till may leave to the server. */
export type Times = Partial<Record<'createdAt' | 'updatedAt', string>>

type Written<Type extends RecordType, Facts> = {
  line: number
  type: Type
  /** Lower case. For a catalog list the location's. */
  id: string
  times: Times
  facts: Facts
  /** The serialised document in the documented key order, with these times where the till gave none. */
  document: (times: Times) => string
}

export type OrderFacts = Pick<
  Order,
  'closedAt' | 'reportId' | 'isCanceled' | 'isTransferred' | 'isTraining' | 'total'
> & { payments: { paymentAmount: number }[] }

/** A valid record, ready to be compared with what is stored. */
export type Incoming =
  | Written<'order', OrderFacts>
  | Written<'report', null>
  | Written<'location', { hasDevices: boolean }>
  | Written<Exclude<RecordType, 'order' | 'report' | 'location'>, null>

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

function orderFacts(order: Order): OrderFacts {
  const { isCanceled, isTransferred, isTraining, total } = order
  const payments = order.payments.map(({ paymentAmount }) => ({ paymentAmount }))
  // Nullable fields may be absent in a push.
  const nullable = { closedAt: order.closedAt ?? null, reportId: order.reportId ?? null }
  return { ...nullable, isCanceled, isTransferred, isTraining, total, payments }
}

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

function locationFaults(type: RecordType, data: unknown, locationId: string): Fault[] {
  const key = type === 'location' ? 'id' : 'locationId'
  if (type.startsWith('catalog.')) return []
  const id = (data as Record<string, string>)[key] as string
  if (id.toLowerCase() === locationId) return []
  return [bodyFault(`/data/${key}`, 'wrong_location', `${key} must be the location of the key, ${locationId}`)]
}

/**
 * Checks one parsed record and makes it ready to be stored. `written` are the numbers whose spelling is kept, with
 * paths inside the record. `text` gives what the till sent, for the list of rejected records.
 */
export function prepareRecord(
  value: unknown,
  written: WrittenNumber[],
  line: number,
  locationId: string,
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
  const { type, data } = value as { type: RecordType; data: unknown }
  const faults = validators.get(type)?.(data) ?? []
  if (faults.length > 0) return reject(under(faults))
  const elsewhere = locationFaults(type, data, locationId)
  if (elsewhere.length > 0) return reject(elsewhere)

  const write = writers.get(type) as (value: unknown) => string
  const facts = type === 'order' ? orderFacts(data as Order) : null
  restoreNumbers(value, written)
  if (type === 'order' || type === 'report') {
    const resource = data as Order | Report
    const times: Times = {}
    if (resource.createdAt !== undefined) times.createdAt = resource.createdAt
    if (resource.updatedAt !== undefined) times.updatedAt = resource.updatedAt
    const whole = times.createdAt !== undefined && times.updatedAt !== undefined
    const ready = whole ? write(resource) : undefined
    const document = (given: Times) => ready ?? write({ ...resource, ...given })
    const common = { line, id: resource.id.toLowerCase(), times, document }
    return facts ? { ...common, type: 'order', facts } : { ...common, type: 'report', facts: null }
  }
  const ready = write(data)
  const common = { line, id: locationId, times: {}, document: () => ready }
  if (type === 'location') {
    return { ...common, type, facts: { hasDevices: (data as Location).deviceList !== undefined } }
  }
  return { ...common, type, facts: null }
}

/** The same from the bytes of one line. */
export function readRecord(bytes: Buffer, line: number, locationId: string): Incoming | Rejection {
  return toRecord(readJson(bytes), bytes, line, locationId)
}

/** The same from what was read of the bytes. */
export function toRecord(read: JsonText, bytes: Buffer, line: number, locationId: string): Incoming | Rejection {
  if (read.ok) return prepareRecord(read.value, read.written, line, locationId, () => bytes.toString('utf8'))
  const { code, pointer, detail } = read
  return { line, code, detail, errors: [bodyFault(pointer, code, detail)], record: bytes.toString('utf8') }
}

export function isRejection(record: Incoming | Rejection): record is Rejection {
  return 'record' in record
}
