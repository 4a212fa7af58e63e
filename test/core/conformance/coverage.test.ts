import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const folder = import.meta.dirname
const root = join(folder, '../../..')
const page = readFileSync(join(root, 'docs/contract/conformance.md'), 'utf8')
const description = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, unknown>>
}

type Row = { id: string; rule: string; files: string[] }

const rows: Row[] = [...page.matchAll(/^Tested in (.+):\n\n((?:(?:- |  ).+\n)+)/gm)].flatMap(
  ([, named = '', list = '']) => {
    const files = [...named.matchAll(/`([^`]+\.test\.ts)`/g)].map((file) => file[1] as string)
    return [...list.matchAll(/^- ([A-Z]+-\d+): (.+(?:\n  .+)*)$/gm)].map(([, id = '', rule = '']) => ({
      id,
      rule,
      files,
    }))
  },
)

/** Returns the ids in the test titles of a file. */
function idsOf(file: string): string[] {
  const text = readFileSync(join(folder, file), 'utf8')
  const titles = [...text.matchAll(/\b(?:test|it|describe)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs)].map(
    (match) => match[2] as string,
  )
  return titles.flatMap((title) => [...title.matchAll(/\[([A-Z]+-\d+)\]/g)].map((match) => match[1] as string))
}

const files = readdirSync(folder).filter((file) => file.endsWith('.test.ts') && file !== 'coverage.test.ts')
const held = new Map(files.map((file) => [file, new Set(idsOf(file))]))

/** Operations of the specification. */
const specified = [
  'GET /v1/orders/{id}',
  'GET /v1/orders/',
  'GET /v1/catalog/',
  'GET /v1/catalog/modifiers/',
  'GET /v1/catalog/payments/',
  'GET /v1/catalog/taxes/',
  'GET /v1/locations/own',
  'GET /health/',
  'GET /v1/reports/',
  'GET /v1/reports/{id}',
  'GET /v1/webhooks/',
  'POST /v1/webhooks/',
  'POST /v1/webhooks/test/{id}',
]

test('every rule of the page has a test in each file that the page names, and in no other', () => {
  assert.ok(rows.length > 80)
  for (const { id, files: named } of rows) {
    const holding = files.filter((file) => held.get(file)?.has(id))
    assert.deepEqual(holding.toSorted(), named.toSorted(), id)
    assert.ok(named.length > 0, `${id} names no file`)
  }
})

test('every id in a title is a rule of the page', () => {
  const known = new Set(rows.map(({ id }) => id))
  for (const [file, ids] of held)
    for (const id of ids) assert.ok(known.has(id), `${file} has ${id}, which is not a rule`)
})

test('ids are unique, and numbered without gaps in each section', () => {
  const numbers = new Map<string, number[]>()
  for (const { id } of rows) {
    const [prefix = '', number] = id.split('-')
    numbers.set(prefix, [...(numbers.get(prefix) ?? []), Number(number)])
  }
  for (const [prefix, found] of numbers) {
    assert.deepEqual(
      found,
      found.map((_, i) => i + 1),
      prefix,
    )
  }
})

test('every test of the folder tests a rule', () => {
  for (const [file, ids] of held) assert.ok(ids.size > 0, file)
})

test('every operation of the specification is in the document and on the page', () => {
  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const described = new Set(operations)
  for (const operation of specified) {
    assert.ok(described.has(operation), `${operation} is not in openapi.json`)
    assert.ok(page.includes(`\`${operation}\``), `${operation} is not on the page`)
  }
})

test('every decision that a row names exists', () => {
  const links = new Set([...page.matchAll(/\(\.\.\/(decisions\/[^)]+)\)/g)].map((match) => match[1] as string))
  const decisions = readdirSync(join(root, 'docs/decisions'))
  assert.ok(links.size > 10)
  for (const link of links) assert.ok(decisions.includes(link.replace('decisions/', '')), link)
})
