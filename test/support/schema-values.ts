import fc from 'fast-check'

type Json = Record<string, any>

/**
 * `schemas` are the components of the document; `named` has values that the schema does not determine, by the name of
 * the member or parameter.
 */
export type Given = { schemas: Json; named: Record<string, fc.Arbitrary<unknown>> }

/** Generates values that match a JSON Schema, as far as its keywords are supported. */
export function fitting(schema: Json, given: Given): fc.Arbitrary<unknown> {
  const of = (part: Json) => fitting(part, given)
  const { schemas, named } = given
  const { $ref, enum: values, anyOf, oneOf, items, properties = {} } = schema
  if (typeof $ref === 'string') return of(schemas[$ref.split('/').at(-1) ?? ''])
  if (Array.isArray(values)) return fc.constantFrom(...(values as unknown[]))
  const union = (anyOf ?? oneOf) as Json[] | undefined
  if (union) return fc.oneof(...union.map(of))
  if (Array.isArray(schema['type'])) return fc.oneof(...schema['type'].map((type: string) => of({ ...schema, type })))
  switch (schema['type']) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
    case 'number': {
      const { minimum: min = -1e6, maximum: max = 1e6 } = schema
      const bounds = { min: Math.max(min, -1e9), max: Math.min(max, 1e9) }
      return schema['type'] === 'integer'
        ? fc.integer({ min: Math.ceil(bounds.min), max: Math.floor(bounds.max) })
        : fc.integer({ min: bounds.min * 100, max: bounds.max * 100 }).map((cents) => cents / 100)
    }
    case 'array': {
      const { minItems: minLength = 0, maxItems = 3 } = schema
      return fc.array(of(items ?? {}), { minLength, maxLength: Math.max(minLength, Math.min(maxItems, 3)) })
    }
    case 'object': {
      const parts = Object.entries(properties as Json).map(([name, part]) => [name, named[name] ?? of(part)] as const)
      return fc.record(Object.fromEntries(parts), { requiredKeys: (schema['required'] ?? []) as never[] })
    }
    case 'string':
      return textOf(schema)
    default:
      return fc.json().map((text) => JSON.parse(text) as unknown)
  }
}

const forms: Record<string, fc.Arbitrary<string>> = {
  uuid: fc.uuid(),
  date: fc.integer({ min: 0, max: 40 }).map((day) => new Date(Date.UTC(2026, 1, 20 + day)).toISOString().slice(0, 10)),
  'date-time': fc.integer({ min: 0, max: 40 * 24 }).map((hour) => new Date(Date.UTC(2026, 1, 20, hour)).toISOString()),
  uri: fc.constantFrom('https://partner.example/hooks', 'https://partner.example:8443/a?b=c'),
}

function textOf({ format, pattern, minLength = 0, maxLength = 20 }: Json): fc.Arbitrary<string> {
  const form = forms[format as string]
  if (form) return form
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern), { maxLength: 80 })
  return fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 20)) })
}

/** Odd values, to replace a value or a part of a value. */
const strange: fc.Arbitrary<unknown> = fc.constantFrom<unknown>(
  null,
  true,
  -1,
  1.5,
  1e300,
  '',
  'é\u0301',
  '9'.repeat(30),
  'x'.repeat(3_000),
  [],
  {},
  [[null]],
  { __proto__: null, a: 1 },
)

/** Generates the value with one part that is replaced, missing or added. */
export function broken(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return strange
  const names = Object.keys(value)
  const added = strange.map((more) => ({ ...value, strange: more }))
  if (names.length === 0) return fc.oneof(strange, added)
  const inside = fc
    .constantFrom(...names)
    .chain((name) => broken((value as Json)[name]).map((part) => ({ ...value, [name]: part })))
  const without = fc
    .constantFrom(...names)
    .map((name) => Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)))
  return fc.oneof({ weight: 3, arbitrary: inside }, without, added, strange)
}
