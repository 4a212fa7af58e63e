import type { Readable } from 'node:stream'
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { toPointer } from '../../domain/documents/json-spelling.ts'
import { readJson } from '../../domain/documents/json-text.ts'
import { faultLimit, validator } from '../../domain/documents/validation.ts'
import { Arrivals } from './arrivals.ts'
import { charsetRefusal } from './charset.ts'
import { AppError, validationFailed, type Fault } from '../../contract/errors/errors.ts'
import type { Writing } from '../context.ts'
import type { App } from '../server-types.ts'

/** The members of a parameter's schema that decide how its text is read. */
type Parameter = { type?: string; const?: unknown; maximum?: number; 'x-capped'?: boolean }

/** Fastify's names for the parts of a request, mapped to those of a fault. */
const places: Record<string, Fault['in']> = { querystring: 'query', params: 'path', headers: 'header', body: 'body' }

/** Reads text of a URL as the type in its schema. Text of another type stays text, and the validator reports it. */
function readParameter(text: unknown, schema: Parameter): unknown {
  if (typeof text !== 'string') return text
  if (schema.type === 'integer' && /^-?\d+$/.test(text)) {
    const value = Number(text)
    return schema['x-capped'] && schema.maximum !== undefined ? Math.min(value, schema.maximum) : value
  }
  if (schema.type === 'number' && /^-?\d{1,15}(\.\d{1,6})?$/.test(text)) return Number(text)
  if (schema.type === 'boolean' && text === 'true') return true
  // If only `true` is allowed, anything else stays text.
  if (schema.type === 'boolean' && text === 'false' && schema.const === undefined) return false
  return text
}

/**
 * Converts parameters to the types of their schema; one that cannot be converted stays text, for the validator to
 * report. Returns the faults of any parameter that is given twice, since its meaning is ambiguous, or that contains
 * NUL, which PostgreSQL cannot store in text.
 */
function readParameters(
  values: Record<string, unknown>,
  properties: Record<string, Parameter>,
  where: Fault['in'],
): Fault[] {
  const faults: Fault[] = []
  for (const name of Object.keys(values)) {
    const text = values[name]
    const schema = properties[name]
    if (schema) values[name] = readParameter(text, schema)
    // The validator reports an unknown parameter.
    if (Array.isArray(text) && schema)
      faults.push({
        in: 'query',
        pointer: toPointer([name]),
        code: 'repeated_parameter',
        detail: `${name} is repeated: send it once`,
      })
    else if (typeof text === 'string' && text.includes('\0'))
      faults.push({
        in: where,
        pointer: toPointer([name]),
        code: 'invalid_text',
        detail: `${name} must not contain U+0000`,
      })
  }
  return faults
}

/**
 * Refuses with 400 a URL whose percent-encoded bytes are not UTF-8. Decoded in another way they would match nothing,
 * and the answer would be an empty list.
 */
export function requireTextInAddresses(app: App): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { url } = request
    if (!url.includes('%') || isText(url)) return done()
    done(new AppError('request_malformed', 'the URL has percent-encoded bytes that are not UTF-8: encode it as UTF-8'))
  })
}

function isText(url: string): boolean {
  try {
    // A percent sign without two hex digits stands for itself in a query.
    decodeURIComponent(url.replaceAll(/%(?![0-9a-f]{2})/gi, '%25'))
    return true
  } catch {
    return false
  }
}

/** The form of a number as `readParameter` reads it. */
const numberForm = 'a number with at most 15 digits before and 6 after the decimal point, such as 30.50'

/** Returns a fault with a more specific sentence for a number, or for a parameter without a name. */
function inWords(fault: Fault, properties: Record<string, Parameter>): Fault {
  const name = fault.pointer.slice(1)
  const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
  if (fault.code === 'unknown_parameter' && name === '')
    return {
      ...fault,
      detail: fault.detail.replace(/^.* is not a known parameter/, 'a parameter has a value but no name'),
    }
  if (fault.code === 'invalid_type' && schema?.type === 'number')
    return { ...fault, detail: `${name} must be ${numberForm}` }
  return fault
}

/** Validates with the TypeBox schemas. All faults are reported at once, each with its pointer. */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const where = places[httpPart ?? 'body'] ?? 'body'
  const check = validator(schema, where)
  const properties = (schema as { properties?: Record<string, Parameter> }).properties ?? {}
  return (given: unknown) => {
    if (where === 'header') {
      const faults = check(given).map((fault) => inWords(fault, properties))
      // If the headers were returned, Fastify would copy them all at each access.
      return faults.length > 0 ? { error: validationFailed(faults) } : true
    }
    if (where === 'body') {
      const body = given ?? {}
      const faults = check(body)
      return faults.length > 0 ? { error: validationFailed(faults) } : { value: body }
    }
    const values = given as Record<string, unknown>
    const unreadable = readParameters(values, properties, where)
    const refused = check(values)
    if (unreadable.length === 0 && refused.length === 0) return true
    const unreadablePointers = new Set(unreadable.map(({ pointer }) => pointer))
    const remaining = refused.filter(({ pointer }) => !unreadablePointers.has(pointer))
    return { error: validationFailed([...unreadable, ...remaining.map((fault) => inWords(fault, properties))]) }
  }
}

/** Parts of a request with schemas, by Fastify's names, in the order in which their faults are listed. */
const parts = ['params', 'querystring', 'headers', 'body'] as const

const valuesOf = ({ params, query, headers, body }: FastifyRequest) => ({ params, querystring: query, headers, body })

/**
 * Adds the faults of the parts that Fastify did not check: all are returned together (decision 0003). Other errors
 * are returned unchanged.
 */
export function withFaultsOfAllParts(error: unknown, request: FastifyRequest): unknown {
  const { validationContext: refused } = error as { validationContext?: string }
  if (!(error instanceof AppError) || refused === undefined) return error
  const values = valuesOf(request)
  const faults = parts.flatMap((part) => {
    if (part === refused) return error.errors ?? []
    const result = request.getValidationFunction(part)?.(values[part]) as true | { error?: AppError } | undefined
    return typeof result === 'object' ? (result.error?.errors ?? []) : []
  })
  return validationFailed(faults.slice(0, faultLimit))
}

/** Refuses null like any other body that is not an object; Fastify treats it as no body, which many routes allow. */
function nullRefused(): AppError {
  const fault: Fault = { in: 'body', code: 'invalid_type', pointer: '', detail: 'the body must be an object, not null' }
  return Object.assign(validationFailed([fault]), { validationContext: 'body' })
}

/** Maximum size of a JSON body (decision 0013); ingest bodies are streams and have their own limits. */
const bodyLimit = 64 * 1024

/** Reads JSON bodies as strictly as pushed records: UTF-8, no duplicate keys, no NUL, no lone surrogates, limited depth. */
export function readBodies(app: App, { bodies }: Pick<Writing, 'bodies'>): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', async (request: FastifyRequest, body: Readable) => {
    const refusal = charsetRefusal(request)
    if (refusal) throw refusal
    const { 'content-encoding': encoding = 'identity' } = request.headers
    if (encoding.toLowerCase() !== 'identity')
      throw new AppError('media_type_unsupported', `content-encoding ${encoding} is not supported: omit the header`)
    const { bodyAtMost = bodyLimit } = request.route
    const tooLarge = `a JSON body must be at most ${bodyAtMost / 1024} KiB`
    if (Number(request.headers['content-length']) > bodyAtMost) throw new AppError('body_too_large', tooLarge)
    const share = bodies.budget.open(request.key?.id ?? '')
    const gather = () => bodies.gather(bodies.pieces(new Arrivals(body)), bodyAtMost, share, tooLarge)
    const bytes = (await gather().finally(() => share.close())).take()
    if (request.route.keepsBytes) request.bodyBytes = bytes
    // An operation without a body is often called with a content type anyway.
    if (bytes.length === 0) return undefined
    const read = readJson(bytes)
    if (read.ok) {
      if (read.value === null) throw nullRefused()
      return read.value
    }
    const { code, pointer, detail } = read
    throw new AppError('body_invalid', detail, { errors: [{ in: 'body', pointer, code, detail }] })
  })
}
