import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fieldsOf, type TableName } from '../conformance/fields.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const specification = read('docs/specification.md')
const conformance = read('docs/conformance.md')

/** The numbers that begin the rows of a page's tables, such as `9.10`. */
const numbersOf = (page: string) => [...page.matchAll(/^\| (\d+\.\d+) \|/gm)].map((match) => match[1] as string)

const numbers = numbersOf(specification)
const [, ruleByRule = ''] = conformance.split('## The specification, rule by rule')

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|sql|md)$/.test(file) && !file.includes('node_modules'))
    .map((file) => join(folder, file))
}

const cited = ['src', 'test', 'bench', 'scripts', 'docs']
  .flatMap(filesBelow)
  .concat('README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md')
  .filter((file) => file !== 'test/docs/specification.test.ts')

/** `file: what it cites`, for every match of a pattern in the project. */
function citations(pattern: RegExp): { file: string; citation: string; target: string }[] {
  return cited.flatMap((file) =>
    [...read(file).matchAll(pattern)].map(([citation, target = '']) => ({ file, citation, target })),
  )
}

test('the rules of the specification are numbered without a gap in each chapter', () => {
  assert.ok(numbers.length > 50)
  const chapters = [...specification.matchAll(/^## (\d+)\. /gm)].map((match) => Number(match[1]))
  assert.deepEqual(
    chapters,
    [...chapters.keys()].map((i) => i + 1),
  )
  for (const chapter of chapters) {
    const own = numbers.filter((number) => number.startsWith(`${chapter}.`))
    assert.ok(own.length > 0, `chapter ${chapter} has rules`)
    assert.deepEqual(
      own,
      [...own.keys()].map((i) => `${chapter}.${i + 1}`),
    )
  }
})

test('conformance.md ties every number of the specification to rows that are there, and no other number', () => {
  assert.deepEqual(numbersOf(ruleByRule), numbers)
  const known = new Set([...conformance.matchAll(/^\| ([A-Z]+-\d+) \|/gm)].map((match) => match[1] as string))
  for (const [row, number, ids = ''] of ruleByRule.matchAll(/^\| (\d+\.\d+) \| (.*) \|$/gm)) {
    const named = ids.split(', ').filter((id) => id !== '')
    assert.ok(named.length > 0, row)
    for (const id of named) assert.ok(known.has(id), `${number} names ${id}, which is no row`)
  }
})

for (const [, name = '', cell = ''] of specification.matchAll(/^\| \d+\.\d+ \| ([A-Z]\w+) \| (.+) \|$/gm)) {
  test(`the fields of ${name} on the page are those that the conformance tests hold answers to, in that order`, () => {
    const named = [...cell.matchAll(/`([a-zA-Z]+)`/g)].map((match) => match[1] as string)
    const fields = fieldsOf(name as TableName).map((field) => field.name)
    // The page tells of a device list beside the device.
    const apart = (field: string) => field !== 'deviceList'
    assert.deepEqual(named.filter(apart), fields.filter(apart))
  })
}

test('a citation of the specification or of an SQL rule names a number that is there', () => {
  const rules = new Set([...read('docs/sql.md').matchAll(/^\| (\d+) \|/gm)].map((match) => match[1] as string))
  const known = new Set(numbers)
  const unknown = [
    ...citations(/\bspecification (\d+(?:\.\d+)?)/gi).filter(({ target }) => !known.has(target)),
    ...citations(/\bSQL rule (\d+)/gi).filter(({ target }) => !rules.has(target)),
  ]
  assert.deepEqual(unknown, [])
})

test('nothing cites a document that is not in the project', () => {
  const forbidden = /\b(?:design|spec): [A-Z]|sql-rules|\bthe design\b|\bdesign \d|\.\.\/shared\/\w+\.md/g
  assert.deepEqual(citations(forbidden), [])
})
