import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { problems } from '../../src/errors.ts'
import { faultCodes, faults, stopCodes, stops } from '../../src/faults.ts'
import { warningCodes } from '../../src/schemas/warnings.ts'
import { cliCodes } from '../../src/server/cli-codes.ts'
import { startApp } from '../support/app.ts'

const root = resolve(import.meta.dirname, '../..')
const readAll = (pattern: string) =>
  globSync(pattern, { cwd: root })
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n')
const document = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'))
const app = await startApp()

/** Every enum of the document that has this value. */
function enumsWith(value: string): string[][] {
  const found: string[][] = []
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    for (const [key, child] of Object.entries(node)) {
      if (key === 'enum' && Array.isArray(child) && child.includes(value)) found.push(child as string[])
      walk(child)
    }
  }
  walk(document)
  return found
}

test('the document has each closed table of codes as an enum, whole', () => {
  for (const [member, table] of [
    ['unknown_field', faultCodes],
    ['gzip_bomb', stopCodes],
    ['amounts_in_cents', warningCodes],
    ['key_missing', Object.keys(problems)],
    ['blocked', ['dns', 'connect', 'tls', 'timeout', 'reset', 'http', 'blocked', null]],
    ['restored', ['gone', 'failing', 'operator', 'key_revoked', 'location', 'restored', null]],
  ] as const) {
    const enums = enumsWith(member)
    assert.ok(enums.length > 0, member)
    for (const values of enums) assert.deepEqual(new Set(values), new Set<unknown>(table))
  }
})

test('every fault and every reason to stop has a page with what it is, an example and what to do', async () => {
  const list = (await app.get('/docs/errors', { key: null })).text
  for (const [code, [title]] of [...Object.entries(faults), ...Object.entries(stops)]) {
    const page = await app.get(`/docs/errors/${code}`, { key: null })
    assert.equal(page.status, 200, code)
    assert.ok(page.text.includes(title), code)
    assert.equal(page.text.includes('For example: '), Object.hasOwn(faults, code), code)
    assert.ok(list.includes(`errors/${code}"`), code)
  }
})

test('every fault and every reason to stop is named by a test that is answered with it', () => {
  const tests = readAll('test/{domain,http,ingest,conformance,cli,delivery,store}/**/*.test.ts')
  const untold = [...faultCodes, ...Object.keys(stops)].filter((code) => !new RegExp(`\\b${code}\\b`).test(tests))
  assert.deepEqual(untold, [])
})

test('the command line’s codes are those of docs/operations.md, with the same words', () => {
  const text = readFileSync(join(root, 'docs/operations.md'), 'utf8')
  const section = text.slice(text.indexOf('## Codes of a command that fails')).split('\n## ')[0] ?? ''
  const rows = [...section.matchAll(/^\| `([a-z_]+)` +\| (.*?) +\|$/gm)].map(([, code, words]) => [code, words])
  assert.deepEqual(rows, Object.entries(cliCodes))
})

test('every code of the command line is given somewhere', () => {
  const sources = readAll('src/{cli,server,backup}/**/*.ts').replace(/export const cliCodes[\s\S]*?as const/, '')
  const unused = Object.keys(cliCodes).filter((code) => !sources.includes(`'${code}'`))
  assert.deepEqual(unused, [])
})

test('every operation that the text of a code names is one of the API', () => {
  const { paths } = document as { paths: Record<string, object> }
  const texts = JSON.stringify([problems, faults, stops, cliCodes])
  const named = [...texts.matchAll(/\b(GET|POST|PUT|PATCH|DELETE) (\/v1\/[\w/{}-]*)/g)]
  assert.ok(named.length >= 5)
  for (const [operation, method = '', path = ''] of named) {
    assert.ok(Object.hasOwn(paths[path] ?? {}, method.toLowerCase()), operation)
  }
})
