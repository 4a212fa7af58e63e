import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { installationId } from '../../../src/core/domain/accounts/keys.ts'
import { problems } from '../../../src/core/contract/errors/errors.ts'
import { startApp } from '../../support/app.ts'
import { idOf, order, orderOf } from '../../support/records.ts'

type Json = Record<string, any>

const document = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')) as Json

/** Resolves a `$ref`. */
function resolve(value: Json): Json {
  const { $ref } = value
  if (typeof $ref !== 'string') return value
  const path = $ref.slice(2).split('/')
  return resolve(path.reduce((at, name) => at[name] as Json, document))
}

/** Values that may be a problem for a validator, a parser, a clock or the database. */
const wrong = [
  'null',
  'true',
  'false',
  '0',
  '-1',
  '1.5',
  '-0',
  '1e308',
  '9007199254740993',
  '""',
  '" "',
  '"x"',
  JSON.stringify('x'.repeat(5_000)),
  '"\\u0000"',
  '"\\u202e\\u009b"',
  '"__proto__"',
  '"2026-02-30"',
  '"9999-12-31T23:59:59.999Z"',
  '"0001-01-01"',
  '"http://127.0.0.1/"',
  '"00000000-0000-0000-0000-000000000000"',
  '[]',
  '[null]',
  '[[]]',
  '{}',
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{}}}',
]

const app = await startApp()
const admin = await app.addKey(installationId, { scopes: ['admin'] })
await app.store([order(orderOf(app.location, 1))])
const target = { endpointUrl: `${app.url}/nobody`, locationId: app.location, recipientId: idOf('order', 9) }
const headers = { 'content-type': 'application/json' }
const made = await app.request('POST', '/v1/webhooks/', {
  headers,
  body: JSON.stringify({ events: ['order.paid'], ...target }),
})

/** Resolves to the id of an existing object for the path of an operation. */
async function idFor(path: string): Promise<string> {
  if (path.includes('/webhooks/')) return made.json.id
  return path.includes('/keys/') ? (await app.addKey(app.location)).id : app.other.id
}

/** Yields the texts of a body with each of its members, and finally the whole body, replaced by each wrong value. */
function* spoiled(example: Json, members: readonly string[]): Generator<string> {
  for (const member of members) {
    const { [member]: _, ...rest } = example
    const head = JSON.stringify(rest).slice(0, -1)
    for (const value of wrong) yield `${head}${head === '{' ? '' : ','}${JSON.stringify(member)}:${value}}`
  }
  for (const value of wrong) yield value
}

test('no value anywhere in a body of any operation causes a 500, and each refusal has a documented code', async () => {
  let [sent, read, operations] = [0, 0, 0]
  for (const [path, methods] of Object.entries(document['paths'] as Json)) {
    for (const [method, { requestBody }] of Object.entries(methods as Json)) {
      const content = requestBody?.content['application/json'] as Json | undefined
      if (!content) continue
      operations += 1
      const [example] = Object.values(content['examples'] as Json).map((one: Json) => resolve(one)['value'] as Json)
      const schema = resolve(content['schema'])
      const members = Object.keys(schema['properties'] ?? { type: 1, data: 1 })
      const base = { ...example, ...(members.includes('locationId') ? { locationId: app.location } : {}) }
      const key = path.startsWith('/v1/admin/') ? admin.key : app.key
      for (const body of spoiled(base, members)) {
        const url = path.replace('{id}', path.includes('{id}') ? await idFor(path) : '')
        const { status, json, text } = await app.request(method.toUpperCase(), url, { key, headers, body })
        const what = `${method} ${path} ${body.slice(0, 300)}: ${text.slice(0, 300)}`
        assert.ok(status < 500, what)
        if (status >= 400) assert.ok(Object.hasOwn(problems, json?.code), what)
        sent += 1
        if (json?.code !== 'body_invalid') read += 1
      }
    }
  }
  assert.ok(operations >= 10 && sent > 1_500, `${sent} were sent to ${operations} operations`)
  assert.ok(read > 0.9 * sent, `${read} of ${sent} were JSON to the end`)
  assert.equal((await app.get('/health/')).status, 200)
})
