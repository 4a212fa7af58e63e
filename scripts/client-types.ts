import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** The subset of JSON Schema that openapi.json uses. */
type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  description?: string
}

type Content = { content?: Record<string, { schema?: Schema }> }
type Parameter = { name: string; in: string; required?: boolean; schema: Schema; description?: string }
type Operation = {
  operationId?: string
  parameters?: Parameter[]
  requestBody?: Content
  responses?: Record<string, Content>
}

type Description = {
  components: { schemas: Record<string, Schema> }
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: { requestBody: Content; 'x-resource': { kind: string; key: string | null } } }>
}

const root = resolve(import.meta.dirname, '..')

const capitalised = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

const primitives: Record<string, string> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

function comment(text: string | undefined): string {
  return text === undefined ? '' : `/** ${text.replaceAll('*/', '* /')} */\n`
}

function toObject({ properties = {}, required = [], additionalProperties }: Schema): string {
  const fields = Object.entries(properties).map(([name, child]) => {
    const mark = required.includes(name) ? '' : '?'
    return `${comment(child.description)}${/^\w+$/.test(name) ? name : JSON.stringify(name)}${mark}: ${toType(child)}`
  })
  if (fields.length > 0) return `{\n${fields.join('\n')}\n}`
  const value = typeof additionalProperties === 'object' ? toType(additionalProperties) : 'unknown'
  return `Record<string, ${value}>`
}

/** Returns the TypeScript type of a schema. Throws for an unknown form of schema instead of dropping it silently. */
function toType(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) as string
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return choices.map(toType).join(' | ')
  if (Array.isArray(schema.type)) return schema.type.map((type) => toType({ ...schema, type })).join(' | ')
  if (schema.type === undefined) return 'unknown'
  if (schema.type === 'array') return `Array<${schema.items ? toType(schema.items) : 'unknown'}>`
  if (schema.type === 'object') return toObject(schema)
  const primitive = primitives[schema.type]
  if (primitive === undefined) throw new Error(`no type for the schema ${JSON.stringify(schema)}`)
  return primitive
}

const jsonSchema = (body: Content | undefined) => body?.content?.['application/json']?.schema

function toOperation({ operationId, parameters = [], requestBody, responses = {} }: Operation): string[] {
  if (operationId === undefined) return []
  const query = parameters.filter((parameter) => parameter.in === 'query')
  const properties = Object.fromEntries(
    query.map(({ name, schema, description }) => [name, { ...schema, ...(description ? { description } : {}) }]),
  )
  const required = query.filter((parameter) => parameter.required).map(({ name }) => name)
  const body = jsonSchema(requestBody)
  const isRecord = operationId === 'ingest'
  const answer = jsonSchema(responses['200'])
  return [
    ...(query.length > 0
      ? [`export type ${capitalised(operationId)}Query = ${toObject({ properties, required })}`]
      : []),
    ...(body && !isRecord ? [`export type ${capitalised(operationId)}Body = ${toType(body)}`] : []),
    ...(answer?.properties ? [`export type ${capitalised(operationId)}Answer = ${toType(answer)}`] : []),
  ]
}

/** Returns the text of `client/src/api.ts`: types of resources, queries, bodies and answers in the OpenAPI document. */
export function clientTypes(description: Description): string {
  const { components, paths, webhooks } = description
  const resources = Object.entries(components.schemas).map(
    ([name, schema]) => `${comment(schema.description)}export type ${name} = ${toType(schema)}`,
  )
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(toOperation))
  const data = Object.entries(webhooks).map(([type, { post }]) => {
    const event = jsonSchema(post.requestBody)?.$ref?.split('/').at(-1) ?? ''
    const schema = components.schemas[event]?.properties?.['data']
    return `${JSON.stringify(type)}: ${toType(schema ?? {})}`
  })
  const kinds = Object.fromEntries(Object.entries(webhooks).map(([type, { post }]) => [type, post['x-resource']]))
  return [
    '// This file is made from openapi.json by `npm run make -- openapi`.',
    ...resources,
    `/** What \`data\` of each event is. */\nexport type EventData = {\n${data.join('\n')}\n}`,
    `/** What each event is about: the kind of its resource, and the member of \`data\` that identifies the resource; null if a location has only one. */\nexport const eventResources = ${JSON.stringify(kinds)} as const satisfies Record<keyof EventData, { kind: string; key: string | null }>`,
    ...operations,
  ].join('\n\n')
}

export const clientTypesPath = resolve(root, 'client/src/api.ts')

if (import.meta.main) {
  writeFileSync(
    clientTypesPath,
    `${clientTypes(JSON.parse(readFileSync(resolve(root, 'openapi.json'), 'utf8')) as Description)}\n`,
  )
}
