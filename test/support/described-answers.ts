import { readFileSync } from 'node:fs'
import { Compile } from 'typebox/compile'
import '../../src/core/contract/scalars.ts'

type Json = Record<string, any>

type Answer = { status: number; headers: { 'content-type'?: string | undefined }; json: unknown }

type Check = { Check(value: unknown): boolean; Errors(value: unknown): unknown[] }

/** Problem codes that any path can return, whichever its operation. */
const anywhere = new Set([
  'route_not_found',
  'version_unsupported',
  'method_not_allowed',
  'request_malformed',
  'headers_too_large',
  'request_timeout',
  'shutting_down',
])

const document = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as Json

const operations = Object.entries(document['paths'] as Json).map(([path, methods]) => ({
  path,
  methods: methods as Json,
  // Paths work with and without a trailing slash.
  form: new RegExp(`^${path.replace(/\/$/, '').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
}))

/** Fixed paths are matched first: `/v1/webhooks/event-types/` does not contain an id. */
operations.sort((one, other) => one.path.split('{').length - other.path.split('{').length)

/** Returns the schema with its references resolved. */
function withoutReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutReferences)
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...rest } = value as Json
  if (typeof $ref === 'string') return withoutReferences(document['components'].schemas[$ref.split('/').at(-1) ?? ''])
  return Object.fromEntries(Object.entries(rest).map(([key, child]) => [key, withoutReferences(child)]))
}

const compiled = new Map<string, Check>()

function checkOf(name: string, schema: unknown): Check {
  const known = compiled.get(name) ?? (Compile(withoutReferences(schema) as never) as Check)
  compiled.set(name, known)
  return known
}

/**
 * Throws if a response differs from `openapi.json`: an unlisted status, a problem with an unlisted code, or a body of
 * another shape. With this check, the whole suite verifies the document.
 */
export function assertDescribed(method: string, target: string, { status, headers, json }: Answer): void {
  const path = target.split('?', 1)[0] ?? ''
  const operation = operations.find(({ form }) => form.test(path))?.methods[method.toLowerCase()] as Json | undefined
  const code = (json as { code?: string } | undefined)?.code
  const name = `${method} ${path.slice(0, 80)} ${status}`
  if (!operation || (status >= 400 && anywhere.has(code ?? ''))) return
  const described = operation['responses'][status] as Json | undefined
  if (!described) throw new Error(`${name} ${code ?? ''}: openapi.json does not list this status`)
  const type = (headers['content-type'] ?? '').split(';', 1)[0] ?? ''
  const media = described['content']?.[type] as Json | undefined
  if (method === 'HEAD' || (type === '' && described['content'] === undefined)) return
  if (!media) throw new Error(`${name}: openapi.json does not list ${type}`)
  if (status >= 400 && !described['description'].includes(`\`${code}\``)) {
    throw new Error(`${name}: openapi.json does not name the code ${code}`)
  }
  if (json === undefined) return
  const check = checkOf(`${operation['operationId']} ${status}`, media['schema'])
  if (check.Check(json)) return
  throw new Error(`${name} is not as openapi.json says: ${JSON.stringify(check.Errors(json)[0])}`)
}
