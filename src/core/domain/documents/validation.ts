import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { offSentence } from '../../modules.ts'
import { Pointer } from 'typebox/value'
import type { Fault } from '../../contract/errors/errors.ts'
import type { FaultCode } from '../../contract/errors/faults.ts'
import { excerptOf } from './fault-excerpt.ts'
import { toPointer } from './json-spelling.ts'

/** Maximum number of faults reported for one value. */
export const faultLimit = 20

// The compiler may report a fault several times; repetitions are ignored below.
Settings.Set({ maxErrors: 4 * faultLimit })

type SchemaError = {
  keyword: string
  schemaPath: string
  instancePath: string
  params: Record<string, unknown>
  message: string
}

const codes: Record<string, FaultCode> = {
  type: 'invalid_type',
  minimum: 'out_of_range',
  maximum: 'out_of_range',
  enum: 'invalid_value',
  const: 'invalid_value',
  minItems: 'too_short',
  minLength: 'too_short',
  maxItems: 'too_long',
  maxLength: 'too_long',
  pattern: 'invalid_format',
}

const formats: Record<string, string> = {
  uuid: 'must be a UUID',
  date: 'must be a valid date (YYYY-MM-DD)',
  'date-time': 'must be a valid UTC datetime (YYYY-MM-DDTHH:MM:SS.sssZ)',
}

const formatCodes: Record<string, FaultCode> = {
  uuid: 'invalid_uuid',
  'date-time': 'invalid_datetime',
}

/** The names of text formats, for faults of values that are not text. */
const textNames: Record<string, string> = Object.fromEntries(
  Object.entries(formats).map(([format, words]) => [format, words.replace('must be ', '')]),
)

type Shape = { 'x-must'?: string; format?: string }

const typeNames: Record<string, string> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
}

/**
 * Describes the allowed values, in words that follow the field's name. `x-must` has the words for a rule that is a
 * regular expression. `message` is the library's, for keywords that none of our shapes uses.
 */
function ruleOf({ keyword, params, message }: SchemaError, { 'x-must': words, format }: Shape): string {
  const limit = String(params['limit'])
  const counted = (noun: string) => `${limit} ${noun}${limit === '1' ? '' : 's'}`
  const rules: Record<string, () => string> = {
    type: () =>
      `must be ${[params['type']]
        .flat()
        .map(
          (type) =>
            (type === 'string' ? textNames[String(format)] : undefined) ?? typeNames[String(type)] ?? String(type),
        )
        .join(' or ')}`,
    minimum: () => `must be ${limit} or more`,
    maximum: () => `must be ${limit} or less`,
    minItems: () => `must have ${counted('element')} or more`,
    maxItems: () => `must have ${counted('element')} or fewer`,
    minLength: () => `must have ${counted('character')} or more`,
    maxLength: () => `must have ${counted('character')} or fewer`,
    pattern: () => (words === undefined ? `must match ${String(params['pattern'])}` : `must be ${words}`),
    enum: () => `must be one of ${(params['allowedValues'] as unknown[]).join(', ')}`,
  }
  return rules[keyword]?.() ?? message
}

const nameOf = (pointer: string, whole: string) => pointer.slice(1).replaceAll('/', '.') || whole

function unknownParameter(known: readonly string[]): string {
  const names = known.length === 0 ? 'no parameters are allowed' : `allowed: ${known.join(', ')}`
  return `is not a known parameter; ${names}`
}

/** The context of a check: the shape, the part of the request, the name of the whole value, and the allowed names. */
type Checked = {
  schema: TSchema
  where: Fault['in']
  whole: string
  known: readonly string[]
  readOnly: readonly string[]
}

function toFaults(error: SchemaError, { schema, where, whole, known, readOnly }: Checked): Fault[] {
  const { keyword, schemaPath, instancePath: pointer, params } = error
  const under = (key: unknown) => pointer + toPointer([String(key)])
  const each = (keys: unknown, code: FaultCode, text: string | ((key: string) => string)) =>
    (keys as unknown[]).slice(0, faultLimit).map((key) => ({
      in: where,
      pointer: under(key),
      code,
      detail: `${nameOf(under(key), whole)} ${typeof text === 'string' ? text : text(String(key))}`,
    }))
  if (keyword === 'required') return each(params['requiredProperties'], 'missing', 'is required')
  if (keyword === 'additionalProperties') {
    const unknown = params['additionalProperties']
    if (where === 'query') return each(unknown, 'unknown_parameter', unknownParameter(known))
    const isReadOnly = (key: string) => pointer === '' && readOnly.includes(key)
    return each(unknown, 'unknown_field', (key) =>
      isReadOnly(key) ? 'is read-only: remove it' : 'is not a known field',
    )
  }
  // The parts of a union repeat the union's fault, and `boolean` repeats additionalProperties.
  if (keyword === 'boolean' || keyword === 'anyOf') return []
  const name = nameOf(pointer, whole)
  if (keyword === 'format') {
    const format = String(params['format'])
    return [
      {
        in: where,
        pointer,
        code: formatCodes[format] ?? 'invalid_format',
        detail: `${name} ${formats[format] ?? error.message}`,
      },
    ]
  }
  if (keyword === 'const') {
    return [{ in: where, pointer, code: 'invalid_value', detail: `${name} must be ${String(params['allowedValue'])}` }]
  }
  const shape = (Pointer.Get(schema, schemaPath.slice(1)) ?? {}) as Shape
  return [{ in: where, pointer, code: codes[keyword] ?? 'invalid_value', detail: `${name} ${ruleOf(error, shape)}` }]
}

/** Returns whether the fault is a JSON number too large for a double, such as `1e400`, which every schema refuses. */
const isEndless = (whole: unknown, { keyword, instancePath }: SchemaError): boolean =>
  keyword === 'type' && [Infinity, -Infinity].some((endless) => Pointer.Get(whole, instancePath) === endless)

function endlessFault({ instancePath: pointer }: SchemaError, { where, whole }: Checked): Fault[] {
  const detail = `${nameOf(pointer, whole)} must lie within ±${Number.MAX_SAFE_INTEGER}`
  return [{ in: where, pointer, code: 'out_of_range', detail }]
}

/** Returns the fault of a value that is unknown because its module is off. */
function offFault(whole: unknown, { keyword, instancePath: pointer }: SchemaError, { where, whole: called }: Checked) {
  if (keyword !== 'enum') return undefined
  const value: unknown = Pointer.Get(whole, pointer)
  const off = typeof value === 'string' ? offSentence(value) : undefined
  if (off === undefined) return undefined
  const fault: Fault = { in: where, pointer, code: 'invalid_value', detail: `${nameOf(pointer, called)}: ${off}` }
  return [fault]
}

/** Compiles a shape when it checks its first value: compiling all of them took a quarter of a command's start. */
function compiledWhenUsed(schema: TSchema): () => Validator {
  let compiled: Validator | undefined
  return () => (compiled ??= Compile(schema))
}

/** Makes a check of one shape, for callers that do not need the faults. */
export function checker(schema: TSchema): (value: unknown) => boolean {
  const compiled = compiledWhenUsed(schema)
  return (value) => compiled().Check(value)
}

/**
 * Makes the check of a shape: no faults means valid. The value is not changed. Returns at most twenty faults. `called`
 * is the name of the complete value in faults.
 */
export function validator(
  schema: TSchema,
  where: Fault['in'],
  called = where === 'body' ? 'the body' : 'the value',
): (value: unknown) => Fault[] {
  const compiled = compiledWhenUsed(schema)
  const { properties = {}, 'x-read-only': readOnly = [] } = schema as { properties?: object; 'x-read-only'?: string[] }
  const checked = { schema, where, whole: called, known: Object.keys(properties), readOnly }
  // Made at the first fault: most shapes never have one.
  let excerpt: ReturnType<typeof excerptOf> | undefined
  return (whole) => {
    if (compiled().Check(whole)) return []
    excerpt ??= excerptOf(schema, faultLimit)
    const { value, toWhole } = excerpt(whole)
    const errors = (compiled().Errors(value) as SchemaError[]).map((error) => ({
      ...error,
      instancePath: toWhole(error.instancePath),
    }))
    // The fault of a constant makes a fault of its type redundant.
    const constants = new Set(errors.filter(({ keyword }) => keyword === 'const').map((error) => error.instancePath))
    const faults = errors
      .filter(({ keyword, instancePath }) => keyword !== 'type' || !constants.has(instancePath))
      .flatMap((error) => {
        if (isEndless(whole, error)) return endlessFault(error, checked)
        return offFault(whole, error, checked) ?? toFaults(error, checked)
      })
    const places = new Map(faults.map((fault) => [fault.pointer + fault.code, fault]))
    if (places.size === 0)
      places.set('', { in: where, pointer: '', code: 'invalid_value', detail: `${called} is not valid` })
    return [...places.values()].slice(0, faultLimit)
  }
}
