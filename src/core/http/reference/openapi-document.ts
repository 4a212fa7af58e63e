import { eventSchema, eventTypes, type EventType } from '../../schemas/events.ts'
import { madeShapes, pushedShape } from '../../schemas/ingest.ts'
import { Type, type TSchema } from 'typebox'
import { partials, partialTypes, Removal } from '../../schemas/partials.ts'
import { eventData, recordSchemas, recordTypes } from '../../contract/resources.ts'
import { describeAnswers, headers } from './openapi-answers.ts'
import { Examples } from './openapi-examples.ts'
import { Components, inUsualForms, refTo, distinguishIds, type Json } from './openapi-components.ts'

/** The members of a path that are operations; the others are parameters and text. */
const methods = ['get', 'post', 'put', 'patch', 'delete']

/** Turns `order.paid` into `OrderPaid`. */
const pascal = (name: string) => name.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())

/** `order.paid` becomes `OrderPaidEvent`. */
const eventName = (type: EventType) => `${pascal(type)}Event`
/** `catalog.taxes` becomes `CatalogTaxesRecord`. */
const recordName = (type: string) => `${pascal(type)}Record`

/** Makes a union of these schemas, discriminated by `type`. */
function byType(title: string, description: string, parts: readonly [type: string, name: string][]): Json {
  return {
    title,
    description,
    oneOf: parts.map(([, name]) => refTo(name)),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(parts.map(([type, name]) => [type, refTo(name)['$ref']])),
    },
  }
}

/**
 * Adds a schema for each type of event and record, and the unions `Event` and `IngestRecord`; for Fastify, `data` is
 * `unknown`.
 */
function addUnions(components: Components): void {
  const { schemas } = components
  for (const type of eventTypes) {
    const title = eventName(type)
    schemas[title] = components.nameParts({ ...eventSchema(type, eventData[type]), title }, '', title)
  }
  const events = eventTypes.map((type): [string, string] => [type, eventName(type)])
  schemas['Event'] = byType('Event', 'Any event; `type` determines the schema of `data`.', events)
  const pushed: [string, TSchema][] = [
    ...recordTypes.map((type): [string, TSchema] => [type, pushedShape(recordSchemas[type])]),
    ...partialTypes.map((type): [string, TSchema] => [type, Type.Union([partials[type].schema, Removal])]),
    ...madeShapes,
  ]
  for (const [type, data] of pushed) {
    const title = recordName(type)
    const record = {
      type: 'object',
      required: ['type', 'data'],
      properties: { type: { type: 'string', const: type }, data },
      additionalProperties: false,
      title,
    }
    schemas[title] = components.nameParts(JSON.parse(JSON.stringify(record)), 'Pushed', title)
  }
  const records = pushed.map(([type]): [string, string] => [type, recordName(type)])
  schemas['IngestRecord'] = byType('IngestRecord', 'A pushed record; `type` determines the schema of `data`.', records)
  Object.assign(schemas['HistoryEntry'].properties.data, refTo('Order'))
  Object.assign(schemas['ReportHistoryEntry'].properties.data, refTo('Report'))
}

/** Removes examples of query parameters: the reference would use them in its first request and find nothing. */
function exampleParameters(operation: Json): void {
  for (const parameter of (operation['parameters'] ?? []) as Json[]) {
    // Tools that send requests from the document need a value for each path parameter.
    if (parameter['in'] === 'path') parameter['example'] ??= parameter['schema'].examples?.[0]
    if (parameter['in'] !== 'query') continue
    delete parameter['schema'].examples
    delete parameter['example']
    delete parameter['examples']
  }
}

/** Describes the answers of one operation, and gives the parts of its bodies the names from which generators make types. */
function finishOperation(operation: Json, components: Components): void {
  exampleParameters(operation)
  describeAnswers(operation)
  for (const part of [...Object.values(operation['responses'] as Json), operation['requestBody']]) {
    for (const media of Object.values((part?.content ?? {}) as Json)) media.schema = components.nameParts(media.schema)
  }
}

const sorted = (members: Json): Json =>
  Object.fromEntries(Object.entries(members).toSorted(([one], [other]) => (one < other ? -1 : 1)))

/** Converts what Fastify collected to the served document. */
export function finishDocument(document: Json): Json {
  // Independent of the order in which modules add their operations.
  document['paths'] = sorted(document['paths'])
  document['webhooks'] = sorted(document['webhooks'])
  const components = new Components(document['components'].schemas as Json)
  for (const [name, schema] of Object.entries(components.schemas)) {
    components.schemas[name] = components.nameParts(schema, '', name)
  }
  addUnions(components)
  for (const path of Object.values(document['paths'] as Json)) {
    for (const method of methods) if (path[method]) finishOperation(path[method], components)
  }
  for (const type of eventTypes) {
    document['webhooks'][type].post.requestBody.content = {
      'application/json': { schema: refTo(eventName(type)) },
    }
  }
  const schemas = sorted(components.schemas)
  for (const [name, schema] of Object.entries(schemas)) distinguishIds(schema as Json, name)
  document['components'].schemas = inUsualForms(schemas)
  document['paths'] = inUsualForms(document['paths'])
  const examples = new Examples(document['components'].schemas as Json)
  for (const path of Object.values(document['paths'] as Json)) {
    for (const method of methods) if (path[method]) examples.add(path[method])
  }
  document['components'].examples = examples.examples
  document['components'].headers = headers
  return document
}
