import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { locationScopes } from '../../../src/core/schemas/scopes.ts'
import { startApp } from '../../support/app.ts'

type Operation = { operationId?: string; security?: object[]; 'x-scope'?: string }
const { paths } = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>
}
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, of]) => (of.operationId === undefined ? [] : [{ path, method, ...of }])),
)

test('openapi.json names the required scope of each operation that needs a key, and of no other', () => {
  assert.ok(operations.length > 100)
  for (const { path, method, security = [], 'x-scope': scope } of operations)
    assert.equal(scope !== undefined, security.length > 0, `${method} ${path}`)
})

test('a key without the scope in openapi.json is refused, and a key with that scope alone is accepted', async () => {
  const app = await startApp()
  const keys = new Map<string, string>()
  for (const scope of locationScopes) keys.set(scope, (await app.addKey(app.location, { scopes: [scope] })).key)
  for (const { path, method, 'x-scope': scope } of operations) {
    if (scope === undefined || scope === 'any') continue
    const url = path.replaceAll(/\{\w+\}/g, () => randomUUID())
    for (const [own, key] of keys) {
      const { status, text } = await app.request(method.toUpperCase(), url, { key })
      const isRefused = status === 403 && text.includes('scope_missing')
      assert.equal(isRefused, own !== scope, `${method} ${path} with ${own}, needs ${scope}: ${status} ${text}`)
    }
  }
})
