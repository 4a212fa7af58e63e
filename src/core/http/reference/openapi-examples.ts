import { problems, type ProblemCode } from '../../contract/errors/errors.ts'
import { sampleTime } from '../../domain/documents/sample-ids.ts'
import type { Json } from './openapi-components.ts'

/** Refers to an example by the name of its component. */
const exampleRef = (name: string) => ({ $ref: `#/components/examples/${name}` })

/** Returns the last part of a reference, which is the name of its component. */
const nameOf = (ref: unknown) => String(ref).split('/').at(-1) as string

/** Examples of texts by format, for schemas without an example. */
const byFormat: Record<string, unknown> = {
  'date-time': sampleTime,
  date: sampleTime.slice(0, 10),
  uri: 'https://pos.example/v1/orders/',
}

/** The plainest value of each type, for fields without an example. */
const emptyOf: Record<string, unknown> = { integer: 0, number: 0, boolean: false, null: null, string: '' }

/** Makes a value of the schema from the examples of its parts. */
function toExample(schema: Json, schemas: Json): unknown {
  const { $ref, examples, default: byDefault, const: only, enum: values, type, format } = schema
  if ($ref !== undefined) return toExample(schemas[nameOf($ref)], schemas)
  if (only !== undefined) return only
  if (examples?.length > 0) return examples[0]
  if (byDefault !== undefined) return byDefault
  if (values) return values[0]
  const choices = schema['oneOf'] ?? schema['anyOf']
  if (choices) return toExample(choices[0], schemas)
  const kind = [type].flat()[0]
  if (kind === 'array') return schema['items'] ? [toExample(schema['items'], schemas)] : []
  if (kind === 'object') return toObject(schema, schemas)
  const text = schema['minLength'] > 0 ? 'Bistro' : undefined
  return byFormat[format] ?? schema['minimum'] ?? text ?? emptyOf[kind] ?? {}
}

/** Makes an object with every documented member, so that an example hides no field. */
function toObject({ properties = {}, additionalProperties }: Json, schemas: Json): Json {
  const fields = Object.entries(properties as Json).map(([name, part]) => [name, toExample(part, schemas)])
  if (fields.length === 0 && typeof additionalProperties === 'object') {
    return additionalProperties['type'] === 'string' ? {} : { 'order.paid': toExample(additionalProperties, schemas) }
  }
  return Object.fromEntries(fields) as Json
}

/** Id of the order in the guides, so that examples and guides match. */
const id = '6a0e0f2e-4f0b-4f4c-9b1e-1f2a3b4c5d6e'
const stored = { line: 1, status: 'accepted', type: 'order', id, sequence: 7 }
/** A fault of a record in the examples. */
const unknownField = { code: 'unknown_field', detail: 'color is not a known field' }
const refused = {
  line: 2,
  status: 'rejected',
  type: 'order',
  ...unknownField,
  errors: [{ in: 'body', pointer: '/data/color', ...unknownField }],
}
/** The complete answer to a push of one good record. */
const verdicts = { accepted: 1, unchanged: 0, stale: 0, rejected: 0, warned: 0, results: [stored], resultsOmitted: 0 }
/** Message of the test operation for an endpoint that accepted its event. */
const message = 'The endpoint answered 204 No Content.'

/** Examples written by hand, because generated ones would be empty or contradict themselves. */
const written: Json = {
  ingest: verdicts,
  ingest207: { ...verdicts, rejected: 1, results: [stored, refused] },
  replayWebhookBody: { sequence: 42 },
  testWebhook: {
    'order.paid': { status: 204, success: true, message, response: { headers: {}, body: '', durationMs: 12 } },
  },
}

/** Makes the example document of each error code, by code. */
function problemExamples(): Json {
  const documents = (Object.keys(problems) as ProblemCode[]).map((code) => {
    const [status, title, detail] = problems[code]
    const type = `https://pos.example/docs/errors/${code}`
    const value = { type, title, status, detail, instance: '/v1/orders/', code, requestId: 'req-1' }
    const errors = [{ in: 'query', pointer: '/size', code: 'out_of_range', detail: 'size must be at least 1' }]
    const complete = code === 'validation_failed' ? { ...value, detail: errors[0]?.detail, errors } : value
    return [code, { summary: title, value: complete }]
  })
  return Object.fromEntries(documents) as Json
}

/** Finds the codes named in the description of an answer. */
const codesOf = (description: string) => [...description.matchAll(/`([a-z_]+)`/g)].map((match) => match[1] as string)

/**
 * Gives every JSON body of the operations an example: an answer gets one generated from its schema, an error the
 * document of each of its codes. Each example is written once, in `examples`, which become `components.examples`.
 */
export class Examples {
  readonly examples: Json = {}
  readonly #problems = problemExamples()
  readonly #schemas: Json

  constructor(schemas: Json) {
    this.#schemas = schemas
  }

  add(operation: Json): void {
    const id = String(operation['operationId'])
    for (const [status, response] of Object.entries(operation['responses'] as Json)) {
      const problem = response.content?.['application/problem+json']
      if (problem) problem.examples = this.#refuse(codesOf(response.description))
      this.#show(response.content?.['application/json'], status === '200' ? id : `${id}${status}`)
    }
    this.#show(operation['requestBody']?.content?.['application/json'], `${id}Body`)
  }

  #refuse(codes: readonly string[]): Json {
    for (const code of codes) this.examples[code] = this.#problems[code]
    return Object.fromEntries(codes.map((code) => [code, exampleRef(code)]))
  }

  #show(media: Json | undefined, name: string): void {
    if (!media?.['schema'] || media['examples']) return
    this.examples[name] ??= { value: written[name] ?? toExample(media['schema'] as Json, this.#schemas) }
    media['examples'] = { example: exampleRef(name) }
  }
}
