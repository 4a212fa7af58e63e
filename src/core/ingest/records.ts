import type { DocumentText } from '../domain/documents/document-text.ts'
import { keepSpelling, shortName, toPointer, type TextFault } from '../domain/documents/json-spelling.ts'
import { findDepthFault, isPlainText, parseJson } from '../domain/documents/json-text.ts'
import { usualRules, type MoneyRules } from '../contract/money/paid.ts'
import { documentWriter, openShape, type DocumentWriter } from '../domain/documents/serialize.ts'
import { checker, faultLimit, validator } from '../domain/documents/validation.ts'
import type { Fault } from '../contract/errors/errors.ts'
import type { FaultCode } from '../contract/errors/faults.ts'
import { madeTypes, pushedShape } from '../schemas/ingest.ts'
import { partials, partialTypes, type PartialType } from '../schemas/partials.ts'
import { recordSchemas, recordTypes, type RecordType } from '../contract/resources.ts'
import type { Warning } from '../schemas/warnings.ts'
import { resourceOf } from '../contract/all-resources.ts'
import type { Resource } from '../contract/resource.ts'
import { longList } from './long-list.ts'
import { keptOfRejected, listBegun, pagedLimit, recordLimit, recordLimits, type ListBegun } from './record-limits.ts'
import { partialTypeOf, readPartial, type PartialChange } from './partials.ts'
import { offSentence } from '../modules.ts'
import { madeReader, type Made } from './made-records.ts'

/** Fields that a till may leave out; the server then sets them. */
export type Times = Partial<Record<'createdAt' | 'updatedAt', string>>

/** A valid record, ready to be compared with what is stored. */
export type Incoming = {
  line: number
  type: RecordType
  /** In lower case. If a location has only one resource of the type, this is the id of the location. */
  id: string
  times: Times
  /** The facts on which its row and its events depend, made and read by the descriptor of the resource. */
  facts: unknown
  /** Money rules of its location, used for `facts`. */
  rules?: MoneyRules | undefined
  /** Historical: journaled and readable, but without events. */
  isHistory?: boolean
  /** Makes the document in the documented key order; these times replace times that the till left out. */
  document: (times: Times) => DocumentText
  /** Set if the till pushed one entry of the list that `type` and `id` name; `document` is then a list with only this entry. */
  partial?: PartialChange
  /** Shown to the till although the record is stored. */
  warnings: Warning[]
  /** Input of the comparison after the commit, for the module that warns. */
  compared?: unknown
}

/** A record that cannot be stored, with the beginning of what the till sent. */
export type Rejection = {
  line: number
  type?: string
  id?: string
  code: FaultCode
  detail: string
  errors: Fault[]
  record: string
  /** The id under which the record is stored, if its sender must be able to find it. */
  keptAs?: string
}

type Form = {
  writer: DocumentWriter
  faultsOf: (data: unknown) => Fault[]
  /** Whether data is valid and already in the documented order: the common and cheapest case. */
  isArranged: (data: unknown) => boolean
}

function formOf(type: RecordType): Form {
  const shape = pushedShape(recordSchemas[type])
  const writer = documentWriter(recordSchemas[type])
  const isGood = checker(openShape(shape))
  return {
    writer,
    faultsOf: validator(shape, 'body', 'data'),
    isArranged: (data) => isGood(data) && writer.isArranged(data),
  }
}

const forms = new Map(recordTypes.map((type) => [type, formOf(type)] as const))

const isRecordType = (type: unknown): type is RecordType => recordTypes.some((known) => known === type)

function under(data: Fault[]): Fault[] {
  return data.map((fault) => ({ ...fault, pointer: `/data${fault.pointer}` }))
}

function bodyFault(pointer: string, code: FaultCode, detail: string): Fault {
  return { in: 'body', pointer, code, detail }
}

const typeDetail = `type must be one of ${[...recordTypes, ...partialTypes, ...madeTypes].join(', ')}`

/** Identical faults share one object, because the verdicts of a push stay in memory until its end. */
const frameFault = {
  notObject: [bodyFault('', 'invalid_type', 'a record must be an object {"type": …, "data": …}')],
  type: {
    missing: bodyFault('/type', 'missing', `a record must be {"type": …, "data": …}: ${typeDetail}`),
    unknown: bodyFault('/type', 'unknown_type', typeDetail),
  },
  data: bodyFault('/data', 'missing', 'data is required'),
}

/** Returns the fault of a type that is missing, unknown, or from a module that is off. */
function typeFault(record: Record<string, unknown>): Fault {
  const { type } = record
  const off = typeof type === 'string' ? offSentence(type) : undefined
  if (off !== undefined) return bodyFault('/type', 'unknown_type', `type: ${off}`)
  return frameFault.type['type' in record ? 'unknown' : 'missing']
}

/** Returns the faults of the frame `{"type": …, "data": …}` around the resource. */
function frameFaults(value: unknown): Fault[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return frameFault.notObject
  const record = value as Record<string, unknown>
  const faults: Fault[] = []
  if (!isRecordType(record['type'])) faults.push(typeFault(record))
  if (!('data' in record)) faults.push(frameFault.data)
  // Checked last, so that the sender of a bare order first sees the fault of the missing frame.
  const extra = Object.keys(record).filter((key) => key !== 'type' && key !== 'data')
  for (const key of extra.slice(0, faultLimit)) {
    faults.push(
      bodyFault(
        toPointer([key]),
        'unknown_field',
        `${shortName(key)} is not a field of a record: send only type and data`,
      ),
    )
  }
  return faults
}

function locationFaults({ locationField }: Resource, data: unknown, locationId: string): Fault[] {
  if (locationField === null) return []
  const id = (data as Record<string, string>)[locationField] as string
  if (id.toLowerCase() === locationId) return []
  const detail = `${locationField} must be ${locationId}, the location of the push`
  return [bodyFault(`/data/${locationField}`, 'wrong_location', detail)]
}

/** The context of reading a record: its line in the body, the location that it must belong to, and the check for warnings, if any. */
export type Circumstances = {
  line: number
  locationId: string
  warner?: Warns | undefined
  now?: Date
  /** Records are historical. */
  isHistory?: boolean
}

/** Checks valid records for mistakes that are not a reason to refuse a record. */
export type Warns = {
  rules?: MoneyRules
  warn(type: RecordType, data: unknown): Warning[]
  /** Returns the input of the comparison after the commit, or undefined for none. Numbers are still numbers. */
  compared(type: RecordType, data: unknown, id: string): unknown
  /** Warns about one entry of a list of this type. */
  warnOfEntry(type: RecordType, entry: unknown): Warning[]
}

function timesOf(data: Partial<Record<keyof Times, string>>): Times {
  const { createdAt, updatedAt } = data
  return { ...(createdAt === undefined ? {} : { createdAt }), ...(updatedAt === undefined ? {} : { updatedAt }) }
}

/** Returns the faults of a record's shape and location. The spelling of its JSON is checked later. */
function shapeFaults(
  value: unknown,
  bytes: Buffer,
  { locationId, now = new Date() }: Omit<Circumstances, 'line'>,
): { faults: Fault[]; isArranged: boolean } {
  const wrong = (faults: Fault[]) => ({ faults, isArranged: false })
  const framing = frameFaults(value)
  if (framing.length > 0) return wrong(framing)
  const { type, data } = value as { type: RecordType; data: unknown }
  const limit = recordLimits[type] ?? Infinity
  if (bytes.length > limit)
    return wrong([bodyFault('', 'line_too_long', `a record of type ${type} must be at most ${limit / 1024} KiB`)])
  const form = forms.get(type) as Form
  const isArranged = form.isArranged(data)
  const faults = isArranged ? [] : form.faultsOf(data)
  if (faults.length > 0) return wrong(under(faults))
  const resource = resourceOf(type)
  return { faults: resource.faults?.(data, now) ?? locationFaults(resource, data, locationId), isArranged }
}

const toFault = ({ code, pointer, detail }: TextFault): Fault => bodyFault(pointer, code, detail)

/** Describes a record that cannot be stored. `value` is its parsed content, if it is JSON. */
export function reject(bytes: Buffer, line: number, errors: Fault[], value?: unknown): Rejection {
  const { type, data } = (value ?? {}) as { type?: unknown; data?: { id?: unknown } | null }
  const { code, detail } = errors[0] as Fault
  return {
    line,
    ...(isRecordType(type) ? { type } : {}),
    ...(typeof data?.id === 'string' ? { id: shortName(data.id) } : {}),
    code,
    detail,
    errors: errors.length > faultLimit ? errors.slice(0, faultLimit) : errors,
    record: bytes.toString('utf8', 0, keptOfRejected),
  }
}

const closingBrace = 0x7d

/**
 * Returns the bytes of a plain record's data, if the record begins with its type. If the data is arranged too, these
 * bytes equal the result of `write`, which is then not needed.
 */
function documentIn(bytes: Buffer, text: string, type: RecordType): Buffer | undefined {
  const before = `{"type":"${type}","data":`
  if (!text.startsWith(before)) return undefined
  const end = bytes.lastIndexOf(closingBrace)
  // A copy, since the bytes are part of a piece of the body, or of a buffer that is reused.
  return Buffer.from(bytes.subarray(before.length, end))
}

/** Makes a constant function outside the reader of a record, so that the parsed value does not stay in memory. */
const always = (document: DocumentText) => () => document

/**
 * Reads one record from its bytes: first the shape, because the schemas are closed and limit what can follow, then
 * the spelling, only if the shape is valid. So the cost depends only on the length of a record. Yields between parts,
 * none of which takes longer than parsing the JSON.
 */
export function* recordParts(bytes: Buffer, circumstances: Circumstances): Generator<void, Incoming | Rejection> {
  const { line, locationId, warner } = circumstances
  const list = bytes.length > recordLimit ? listBegun(bytes) : undefined
  if (list) return yield* longListParts(list, bytes, circumstances)
  const read = parseJson(bytes)
  if (!read.ok) return reject(bytes, line, [toFault(read)])
  const { value, text } = read
  if (!isRecordType((value as { type?: unknown } | null)?.type)) {
    const ticket = madeReader()?.typeOf(value)
    if (ticket !== undefined) return yield* ticketParts(ticket, { bytes, text, value }, circumstances)
    const partial = partialTypeOf(value)
    if (partial !== undefined) return partialRecord(partial, { bytes, text, value }, circumstances)
  }
  yield
  const { faults, isArranged } = shapeFaults(value, bytes, circumstances)
  if (faults.length > 0) {
    const depth = findDepthFault(bytes)
    return reject(bytes, line, depth ? [toFault(depth)] : faults, value)
  }
  yield
  const { type, data } = value as { type: RecordType; data: object }
  const resource = resourceOf(type)
  const { writer } = forms.get(type) as Form
  const id = resource.idOf(data, locationId)
  // First, while numbers are still numbers: `facts` calculates with them. `keepSpelling` turns them into the till's text.
  const rules = warner?.rules
  const facts: unknown = resource.facts(data, rules)
  const warnings = warner?.warn(type, data) ?? []
  // Also before `keepSpelling`, while numbers are numbers.
  const compared = warner?.compared(type, data, id)
  yield
  const isPlain = isPlainText(text, value)
  const fault = isPlain ? undefined : keepSpelling(text, value, true)
  if (fault) return reject(bytes, line, [toFault(fault)], value)
  yield
  const times = resource.dated ? timesOf(data) : {}
  const hasTimes = !resource.dated || (times.createdAt !== undefined && times.updatedAt !== undefined)
  const asSent = isPlain && hasTimes && isArranged ? documentIn(bytes, text, type) : undefined
  const document = hasTimes
    ? always(asSent ?? writer.write(data))
    : (given: Times) => writer.write({ ...data, ...given })
  const history = circumstances.isHistory ? { isHistory: true } : {}
  return { line, type, id, times, facts, rules, document, warnings, ...history, compared }
}

/** Reads a ticket or closing as the order or report that it is converted to. A rejection keeps what was pushed. */
function* ticketParts(
  type: string,
  read: { bytes: Buffer; text: string; value: unknown },
  circumstances: Circumstances,
): Generator<void, Incoming | Rejection> {
  const { bytes, value } = read
  const { line, locationId, warner } = circumstances
  const refuse = (faults: Fault[]) => {
    const { key } = (value as { data: { key?: unknown } }).data
    return { ...reject(bytes, line, faults), type, ...(typeof key === 'string' ? { id: shortName(key) } : {}) }
  }
  if (bytes.length > pagedLimit) {
    return refuse([bodyFault('', 'line_too_long', `a record of type ${type} must be at most ${pagedLimit / 1024} KiB`)])
  }
  const { decimals } = (warner?.rules ?? usualRules).money
  const made = madeReader()?.read(type, read, { locationId, decimals }) ?? { faults: [] }
  yield
  if ('faults' in made) {
    const depth = findDepthFault(bytes)
    return refuse(depth ? [toFault(depth)] : made.faults)
  }
  const record = madeRecord(made, circumstances)
  return 'faults' in record ? refuse(record.faults) : record
}

/** Prepares an order or report that was converted here; JSON writes its numbers. */
function madeRecord(
  { type, data }: Made,
  { line, locationId, warner, isHistory }: Circumstances,
): Incoming | { faults: Fault[] } {
  const { writer, isArranged, faultsOf } = forms.get(type) as Form
  const asItIs = isArranged(data)
  const faults = asItIs ? [] : faultsOf(data)
  if (faults.length > 0) return { faults: under(faults) }
  const document = Buffer.from(asItIs ? JSON.stringify(data) : writer.write(data))
  if (document.length > (recordLimits[type] ?? Infinity))
    return {
      faults: [bodyFault('', 'line_too_long', `the resulting ${type} must be at most ${pagedLimit / 1024} KiB`)],
    }
  const resource = resourceOf(type)
  const id = resource.idOf(data, locationId)
  const rules = warner?.rules
  return {
    line,
    type,
    id,
    times: timesOf(data),
    facts: resource.facts(data, rules) as unknown,
    rules,
    document: always(document),
    warnings: warner?.warn(type, data) ?? [],
    ...(isHistory ? { isHistory } : {}),
    compared: warner?.compared(type, data, id),
  }
}

/** Reads one entry of a list. */
function partialRecord(
  type: PartialType,
  read: { bytes: Buffer; text: string; value: unknown },
  { line, locationId, warner, isHistory }: Circumstances,
): Incoming | Rejection {
  const { bytes, value } = read
  const { of } = partials[type]
  const warnings: Warning[] = []
  const made = readPartial(type, read, (entry) => warnings.push(...(warner?.warnOfEntry(of, entry) ?? [])))
  if ('faults' in made) {
    const depth = findDepthFault(bytes)
    return { ...reject(bytes, line, depth ? [toFault(depth)] : made.faults, value), type }
  }
  const alone = `[${made.text ?? ''}]`
  const document = always(of === 'location' ? `{"deviceList":${alone}}` : alone)
  const history = isHistory ? { isHistory } : {}
  return { line, type: of, id: locationId, times: {}, facts: null, document, warnings, partial: made, ...history }
}

/** Reads a list of a catalog that is too long to be read at once. */
function* longListParts(
  { type, at }: ListBegun,
  bytes: Buffer,
  { line, locationId, warner, isHistory }: Circumstances,
): Generator<void, Incoming | Rejection> {
  const read = yield* longList(type, bytes.subarray(at))
  if ('faults' in read) return reject(bytes, line, read.faults, { type })
  const { entries, document } = read
  const warnings = warner?.warn(type, entries) ?? []
  yield
  const { idOf, facts } = resourceOf(type)
  const made = {
    line,
    type,
    id: idOf(entries, locationId),
    times: {},
    facts: facts(entries),
    document: always(document),
  }
  return { ...made, warnings, ...(isHistory ? { isHistory } : {}) }
}

/** Reads one record from its bytes at once. */
export function readRecord(bytes: Buffer, circumstances: Circumstances): Incoming | Rejection {
  const parts = recordParts(bytes, circumstances)
  for (;;) {
    const { done, value } = parts.next()
    if (done) return value
  }
}

export function isRejection(record: Incoming | Rejection): record is Rejection {
  return 'record' in record
}
