import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { cliCodes } from '../../src/core/cli-codes.ts'
import { problems } from '../../src/core/contract/errors/errors.ts'
import { faultCodes, faults, stopCodes, stops } from '../../src/core/contract/errors/faults.ts'
import { outcomes } from '../../src/core/outcomes.ts'
import { toHtml } from '../../src/core/http/reference/pages.ts'
import { warningCodes, warnings } from '../../src/modules/warnings/schemas/warnings.ts'
import { startApp } from '../support/app.ts'

const root = resolve(import.meta.dirname, '../..')
const readAll = (pattern: string) =>
  globSync(pattern, { cwd: root })
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n')
const document = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'))
const app = await startApp()

/** Returns every enum of the document that contains this value. */
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

test('the document has each closed table of codes as a complete enum', () => {
  for (const [member, table] of [
    ['unknown_field', faultCodes],
    ['gzip_bomb', stopCodes],
    ['amounts_in_cents', warningCodes],
    ['key_missing', Object.keys(problems)],
  ] as const) {
    const enums = enumsWith(member)
    assert.ok(enums.length > 0, member)
    for (const values of enums) assert.deepEqual(new Set(values), new Set<unknown>(table))
  }
  for (const [name, table] of Object.entries(outcomes)) {
    const codes = Object.keys(table)
    const enums = enumsWith(codes[0] ?? '').map((values) => values.filter((value) => value !== null))
    assert.ok(
      enums.some((values) => values.join() === codes.join()),
      name,
    )
  }
})

test('a field of the document that has a code lists the codes', () => {
  const open: string[] = []
  const walk = (node: unknown, place: string): void => {
    if (typeof node !== 'object' || node === null) return
    for (const [key, child] of Object.entries(node)) {
      const { type, enum: values } = (child ?? {}) as { type?: unknown; enum?: unknown }
      const isText = [type].flat().includes('string')
      // The code of an accounting journal is chosen by the accountant.
      if (/(journal\/properties|BookJournal\/properties)$/.test(place)) continue
      if (/^(code|state|verdict|errorClass|disabledReason)$/.test(key) && isText && !values)
        open.push(`${place}/${key}`)
      walk(child, `${place}/${key}`)
    }
  }
  walk(document.components.schemas, '')
  // The term of PostgreSQL for a connection.
  assert.deepEqual(open, ['/AdminSystem/properties/connections/items/properties/state'])
})

test('every fault and every reason to stop has a page with its meaning, an example and what to do', async () => {
  const list = (await app.get('/docs/errors', { key: null })).text
  for (const [code, [title]] of [...Object.entries(faults), ...Object.entries(stops)]) {
    const page = await app.get(`/docs/errors/${code}`, { key: null })
    assert.equal(page.status, 200, code)
    assert.ok(page.text.includes(title), code)
    assert.equal(page.text.includes('For example: '), Object.hasOwn(faults, code), code)
    assert.ok(list.includes(`errors/${code}"`), code)
  }
})

test('every other code, of a warning, a result, a state or the command line, has a page with its meaning', async () => {
  const list = (await app.get('/docs/errors', { key: null })).text
  const tables = [...Object.values(outcomes), warnings].flatMap((table) => Object.entries(table))
  const titles: [code: string, title: string][] = [
    ...tables.map(([code, [title]]): [string, string] => [code, title]),
    ...Object.entries(cliCodes).map(([code, words]): [string, string] => [code, words.slice(1)]),
  ]
  for (const [code, title] of titles) {
    const page = await app.get(`/docs/errors/${code}`, { key: null })
    assert.equal(page.status, 200, code)
    assert.ok(page.text.includes(toHtml(title)), code)
    assert.ok(list.includes(`errors/${code}"`), code)
  }
  assert.equal((await app.get('/docs/errors/no_such_code', { key: null })).status, 404)
})

test('every result and state is in a test that gets it', () => {
  const tests = readAll('test/{core,modules,programs/cli}/**/*.test.ts')
  const codes = Object.values(outcomes).flatMap((table) => Object.keys(table))
  assert.deepEqual(
    codes.filter((code) => !new RegExp(`['"\\x60 ]${code}['"\\x60 ]`).test(tests)),
    [],
  )
})

test('every fault and every reason to stop is in a test whose answer has it', () => {
  const tests = readAll('test/{core,modules,programs/cli}/**/*.test.ts')
  const untested = [...faultCodes, ...Object.keys(stops)].filter((code) => !new RegExp(`\\b${code}\\b`).test(tests))
  assert.deepEqual(untested, [])
})

test('the command line’s codes are those of docs/operate/operations.md, with the same words', () => {
  const text = readFileSync(join(root, 'docs/operate/operations.md'), 'utf8')
  const section = text.slice(text.indexOf('## Codes of a command that fails')).split('\n## ')[0] ?? ''
  const rows = [...section.matchAll(/^\| `([a-z_]+)` +\| (.*?) +\|$/gm)].map(([, code, words]) => [code, words])
  assert.deepEqual(rows, Object.entries(cliCodes))
})

test('every code of the command line is used in the program', () => {
  const sources = readAll('{src,connectors,simulator}/**/*.ts').replace(/export const cliCodes[\s\S]*?as const/, '')
  const unused = Object.keys(cliCodes).filter((code) => !sources.includes(`'${code}'`))
  assert.deepEqual(unused, [])
})

test('every operation in the text of a code exists in the API', () => {
  const { paths } = document as { paths: Record<string, object> }
  const texts = JSON.stringify([problems, faults, stops, cliCodes])
  const named = [...texts.matchAll(/\b(GET|POST|PUT|PATCH|DELETE) (\/v1\/[\w/{}-]*)/g)]
  assert.ok(named.length >= 5)
  for (const [operation, method = '', path = ''] of named) {
    assert.ok(Object.hasOwn(paths[path] ?? {}, method.toLowerCase()), operation)
  }
})
