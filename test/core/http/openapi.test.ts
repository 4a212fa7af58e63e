import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { generateOpenapi } from '../../../scripts/write-openapi.ts'
import { problems } from '../../../src/core/contract/errors/errors.ts'

type Json = Record<string, any>

const generated = await generateOpenapi()
const document = JSON.parse(generated) as Json

const operations: [name: string, operation: Json][] = Object.entries(document['paths'] as Json).flatMap(
  ([path, methods]) =>
    Object.entries(methods as Json).map(([method, operation]): [string, Json] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
)

/** Yields every object inside a value, with its JSON Pointer. */
function* objectsOf(value: unknown, pointer = '#'): Generator<[string, Json]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [pointer, value]
  for (const [key, child] of Object.entries(value)) yield* objectsOf(child, `${pointer}/${key}`)
}

/** Returns the schema with its references resolved. */
function withoutReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutReferences)
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...rest } = value as Json
  if (typeof $ref === 'string') return withoutReferences(document['components'].schemas[$ref.split('/').at(-1) ?? ''])
  return Object.fromEntries(Object.entries(rest).map(([key, child]) => [key, withoutReferences(child)]))
}

// These need no key; the point-of-sale system signs the notification of a source instead.
const withoutKey = new Set(['GET /livez', 'GET /readyz', 'GET /metrics', 'POST /v1/sources/{id}/bell'])

test('openapi.json describes the current application (npm run make -- openapi writes it)', async () => {
  const committed = await readFile(new URL('../../../openapi.json', import.meta.url), 'utf8')
  assert.ok(committed === generated, 'openapi.json is stale: run npm run make -- openapi')
})

test('the document is valid OpenAPI 3.1', async () => {
  // The parser of the reference page at /docs.
  const require = createRequire(createRequire(import.meta.url).resolve('@scalar/fastify-api-reference'))
  const parserName = '@scalar/openapi-parser'
  const parser = (await import(pathToFileURL(require.resolve(parserName)).href)) as {
    validate(document: unknown): Promise<{ valid: boolean; version?: string; errors?: unknown[] }>
  }
  const { valid, version, errors } = await parser.validate(document)
  assert.deepEqual([valid, version, errors ?? []], [true, '3.1', []])
})

test('every request value with a pattern is also described in words', () => {
  const sent = operations.map(([name, { parameters, requestBody }]) => [name, { parameters, requestBody }] as const)
  const withoutWords = sent.flatMap(([name, of]) =>
    [...objectsOf(withoutReferences(of))]
      .filter(([, schema]) => typeof schema['pattern'] === 'string' && !schema['x-must'])
      .map(([pointer]) => `${name} ${pointer}`),
  )
  assert.deepEqual(withoutWords, [])
})

test('every reference in the document resolves', () => {
  let found = 0
  for (const [pointer, { $ref }] of objectsOf(document)) {
    if (typeof $ref !== 'string') continue
    found += 1
    assert.match($ref, /^#\//, pointer)
    const parts = $ref.slice(2).split('/')
    assert.ok(
      parts.reduce<Json | undefined>((value, part) => value?.[part], document),
      `${pointer} names ${$ref}`,
    )
  }
  assert.ok(found > 20)
})

test('every operation has a unique id, a summary and a described tag', () => {
  const ids = operations.map(([, operation]) => operation['operationId'])
  assert.equal(new Set(ids).size, ids.length)
  const tags = new Set((document['tags'] as Json[]).map((tag) => tag['name']))
  for (const [name, operation] of operations) {
    assert.ok(operation['operationId'], name)
    assert.ok(operation['summary'], name)
    assert.equal(operation['tags']?.length, 1, name)
    assert.ok(tags.has(operation['tags'][0]), name)
  }
  for (const tag of document['tags'] as Json[]) assert.ok(tag['description'], tag['name'])
})

test('every operation except the probes and the bell of a source accepts the key in either header', () => {
  const schemes = document['components'].securitySchemes
  assert.deepEqual([schemes.apiKey.type, schemes.apiKey.in, schemes.apiKey.name], ['apiKey', 'header', 'X-API-Key'])
  assert.deepEqual([schemes.bearer.type, schemes.bearer.scheme], ['http', 'bearer'])
  for (const [name, operation] of operations) {
    const expected = withoutKey.has(name) ? [] : [{ apiKey: [] }, { bearer: [] }]
    assert.deepEqual(operation['security'], expected, name)
  }
})

test('every operation describes its errors as problem documents, each with codes of the closed list', () => {
  for (const [name, operation] of operations) {
    const statuses = Object.keys(operation['responses'])
    const expected = ['400', '500', '503', ...(withoutKey.has(name) ? [] : ['401', '429'])]
    for (const status of expected) assert.ok(statuses.includes(status), `${name} says nothing of ${status}`)
    for (const [status, response] of Object.entries(operation['responses'] as Json)) {
      if (Number(status) < 400) continue
      const codes = [...response.description.matchAll(/`([a-z_]+)`/g)].map((match) => match[1] as keyof typeof problems)
      assert.ok(codes.length > 0, `${name} ${status}`)
      for (const code of codes) assert.equal(problems[code][0], Number(status), `${name} ${status} ${code}`)
      const content = response.content['application/problem+json']
      assert.deepEqual(content.schema, { $ref: '#/components/schemas/Problem' }, `${name} ${status}`)
    }
    assert.ok(
      statuses.some((status) => Number(status) < 300),
      name,
    )
  }
})

test('the codes of the problem schema are those of the table', () => {
  const { code } = document['components'].schemas.Problem.properties
  assert.deepEqual(code.enum, Object.keys(problems))
})

test('every parameter is described', () => {
  for (const [name, operation] of operations) {
    for (const parameter of (operation['parameters'] ?? []) as Json[]) {
      if (parameter['in'] === 'path') assert.equal(parameter['required'], true, name)
      else assert.ok(parameter['description'], `${name} ${parameter['name']}`)
      assert.ok(
        parameter['schema']?.type ?? parameter['schema']?.enum ?? parameter['schema']?.const !== undefined,
        `${name} ${parameter['name']}`,
      )
    }
  }
})

/** Returns whether a field is text or a number without a fixed value: a reader cannot guess its meaning. */
const isScalar = ({ type, enum: values, const: value }: Json) =>
  values === undefined &&
  value === undefined &&
  [type].flat().some((one) => ['string', 'number', 'integer'].includes(one))

test('every number and every text with a format has an example', () => {
  const missing: string[] = []
  for (const name of [
    'Order',
    'Report',
    'Location',
    'Health',
    'CatalogProduct',
    'CatalogModifierGroup',
    'CatalogPayment',
    'CatalogTax',
  ]) {
    for (const [pointer, { properties }] of objectsOf(document['components'].schemas[name], name)) {
      if (typeof properties !== 'object' || properties === null) continue
      for (const [key, shape] of Object.entries(properties as Json)) {
        const exempt =
          shape.description !== undefined && [shape.type].flat().includes('string') && shape.format === undefined
        const isPlainText = pointer.includes('reportHeaderInfo')
        if (isScalar(shape) && shape.examples === undefined && !exempt && !isPlainText)
          missing.push(`${pointer}/${key}`)
      }
    }
  }
  assert.deepEqual(missing, [])
})

test('every example is valid against its schema', async () => {
  const { Compile } = await import('typebox/compile')
  await import('../../../src/core/contract/scalars.ts')
  for (const [pointer, schema] of objectsOf(document['components'].schemas)) {
    if (!Array.isArray(schema['examples']) || schema['$ref'] !== undefined) continue
    const compiled = Compile(withoutReferences({ ...schema, $defs: undefined }) as never)
    for (const example of schema['examples'])
      assert.ok(compiled.Check(example), `${pointer}: ${JSON.stringify(example)}`)
  }
})

test('every JSON body has an example, every error code its own, and each is valid', async () => {
  const { Compile } = await import('typebox/compile')
  const shown = document['components'].examples as Json
  const used = new Set<string>()
  const bodies = operations.flatMap(([name, { responses, requestBody }]) =>
    [...Object.values(responses as Json), requestBody]
      .flatMap((part) => Object.entries((part?.content ?? {}) as Json))
      .map(([type, media]): [string, string, Json] => [name, type, media]),
  )
  for (const [name, type, media] of bodies) {
    if (!type.includes('json') || type.includes('ndjson')) continue
    const compiled = Compile(withoutReferences(media['schema']) as never)
    const examples = Object.values((media['examples'] ?? {}) as Json)
    assert.ok(examples.length > 0, `${name} ${type}`)
    for (const { $ref } of examples) {
      const example = $ref.split('/').at(-1)
      used.add(example)
      const { value } = shown[example] as { value: Json }
      assert.ok(compiled.Check(value), `${name}: ${example} ${JSON.stringify(compiled.Errors(value)[0])}`)
      if (type === 'application/problem+json')
        assert.equal(value['status'], problems[example as keyof typeof problems][0])
    }
  }
  assert.deepEqual(Object.keys(shown).toSorted(), [...used].toSorted())
})

test('null is written as a type, as JSON Schema 2020-12 has it', () => {
  for (const [pointer, schema] of objectsOf(document)) assert.ok(!('nullable' in schema), pointer)
  const { closedAt } = document['components'].schemas.Order.properties
  assert.deepEqual(closedAt.type, ['string', 'null'])
})

test('a named schema is defined once, among the components, and referred to', () => {
  const { schemas } = document['components']
  for (const [pointer, { title, type, $ref }] of objectsOf({ schemas, paths: document['paths'] })) {
    if (typeof title !== 'string' || typeof type !== 'string' || $ref !== undefined) continue
    assert.equal(pointer, `#/schemas/${title}`)
  }
  for (const [owner, field, name] of [
    ['Order', 'items', 'OrderItem'],
    ['OrderItem', 'tax', 'ItemTax'],
    ['OrderItem', 'discountsApplied', 'AppliedDiscount'],
    ['OrderItem', 'modifiers', 'AppliedModifier'],
    ['Order', 'payments', 'OrderPayment'],
    ['Order', 'tips', 'Tip'],
    ['OrderPage', 'meta', 'PageMeta'],
    ['OrderPage', 'links', 'PageLinks'],
    ['EventPage', 'data', 'Event'],
    ['DeliveryPage', 'data', 'Delivery'],
    ['Problem', 'errors', 'FieldError'],
    ['HistoryEntry', 'data', 'Order'],
    ['HistoryEntry', 'types', 'EventType'],
  ] as const) {
    const shape = schemas[owner].properties[field]
    assert.equal((shape.items ?? shape).$ref, `#/components/schemas/${name}`, `${owner}.${field}`)
  }
})

test('every answer has a description and lists its headers', () => {
  const texts: string[] = []
  for (const [name, { responses, security }] of operations) {
    for (const [status, { description, headers }] of Object.entries(responses as Json)) {
      assert.notEqual(description, 'Default Response', `${name} ${status}`)
      if (Number(status) < 300) texts.push(description)
      assert.ok(headers['x-request-id'], `${name} ${status}`)
      if (status === '429') assert.ok(headers['retry-after'], name)
      if (security.length > 0 && status === '200') assert.ok(headers['ratelimit'], name)
    }
  }
  assert.equal(new Set(texts).size, texts.length, 'no two say the same')
  assert.deepEqual(Object.keys(document['paths']['/metrics'].get.responses['200'].content), ['text/plain'])
})

test('the first request from the reference finds data: no optional filter has an example', () => {
  for (const [name, operation] of operations) {
    for (const { in: place, examples, example, schema } of (operation['parameters'] ?? []) as Json[]) {
      if (place === 'query') assert.equal(examples ?? example ?? schema.examples, undefined, name)
    }
  }
})

test('ids of different resources have different examples, and those of one resource the same', () => {
  const { Order, OrderItem, CatalogProduct, Location } = document['components'].schemas
  const idOf = (schema: Json, name: string) => schema['properties'][name].examples[0] as string
  const ids = ['id', 'deviceId', 'locationId', 'reportId', 'operatorId'].map((name) => idOf(Order, name))
  assert.equal(new Set(ids).size, ids.length)
  assert.equal(idOf(Order, 'locationId'), idOf(Location, 'id'))
  assert.equal(idOf(OrderItem, 'itemCatalogId'), idOf(CatalogProduct, 'id'))
})

test('the description of the list of orders mentions training orders, and how to leave them out', () => {
  const { description, parameters } = document['paths']['/v1/orders/'].get as Json
  assert.match(description, /Training orders are listed but cause no event: exclude orders with `isTraining`/)
  assert.ok(parameters.some(({ name }: Json) => name === 'isTraining'))
})

test('webhooks are named by their events', () => {
  for (const [name, { post }] of Object.entries(document['webhooks'] as Json)) {
    assert.equal(post.summary, name)
    assert.deepEqual(post.security, [])
  }
})

/** Yields every object of the document, with its path. */
function* partsOf(part: unknown, at = ''): Generator<[at: string, part: Json]> {
  if (typeof part !== 'object' || part === null) return
  yield [at, part as Json]
  for (const [key, child] of Object.entries(part)) yield* partsOf(child, `${at}/${key}`)
}

test('generators find no null in an enum, no constant without an enum, and no schema with a name that they use for an operation', () => {
  for (const [at, part] of partsOf({ paths: document['paths'], schemas: document['components'].schemas })) {
    assert.ok(!(Array.isArray(part['enum']) && part['enum'].includes(null)), at)
    if (typeof part['const'] === 'string') assert.deepEqual(part['enum'], [part['const']], at)
  }
  const schemas = new Set(Object.keys(document['components'].schemas).map((name) => name.toLowerCase()))
  for (const [name, { operationId }] of operations) {
    for (const made of ['', 'Result', 'Response', 'Params', 'Body', 'Request', 'Error', 'Query'])
      assert.ok(!schemas.has(`${operationId}${made}`.toLowerCase()), `${name}: ${operationId}${made}`)
  }
})

test('every path parameter has an example, so that an imported collection can be sent', () => {
  for (const [name, operation] of operations) {
    for (const { in: place, example } of (operation['parameters'] ?? []) as Json[])
      if (place === 'path') assert.ok(example !== undefined, name)
  }
})

test('a description names its subject: none begins with “Of”, and none has fewer than three words', () => {
  const described = [...objectsOf(document)].filter(
    ([pointer, { description }]) => typeof description === 'string' && !/\/examples?(\/|$)/.test(pointer),
  )
  assert.ok(described.length > 1_000)
  const unclear = described
    .map(([pointer, { description }]): [string, string] => [pointer, description])
    .filter(([, text]) => /^of\b/i.test(text) || text.trim().split(/\s+/).length < 3)
  assert.deepEqual(unclear, [])
})
