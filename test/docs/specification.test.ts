import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fieldsOf, type TableName } from '../core/conformance/fields.ts'
import { citations, projectFiles, projectRoot } from '../support/project-files.ts'

const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8')
const specification = read('docs/contract/specification.md')
const conformance = read('docs/contract/conformance.md')

/** The numbers of the rules, such as `9.10`. */
const numbers = [...specification.matchAll(/^\| (\d+\.\d+) \|/gm)].map((match) => match[1] as string)
const [, ruleByRule = ''] = conformance.split('## The specification, rule by rule')

test('the rules of the specification are numbered without gaps in each chapter', () => {
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

test('conformance.md maps every number of the specification to existing rules, and no other number', () => {
  const mapped = [...ruleByRule.matchAll(/^- (\d+\.\d+): (.*)$/gm)]
  assert.deepEqual(
    mapped.map(([, number]) => number),
    numbers,
  )
  const known = new Set([...conformance.matchAll(/^- ([A-Z]+-\d+): /gm)].map((match) => match[1] as string))
  for (const [row, number, ids = ''] of mapped) {
    const named = ids.split(', ').filter((id) => id !== '')
    assert.ok(named.length > 0, row)
    for (const id of named) assert.ok(known.has(id), `${number} names ${id}, which is not a rule`)
  }
})

for (const [, name = '', cell = ''] of specification.matchAll(/^\| \d+\.\d+ \| ([A-Z]\w+) \| (.+) \|$/gm)) {
  test(`the fields of ${name} on the page are those of the conformance tests, in the same order`, () => {
    const named = [...cell.matchAll(/`([a-zA-Z]+)`/g)].map((match) => match[1] as string)
    const fields = fieldsOf(name as TableName).map((field) => field.name)
    // The page describes a device list in addition to the device.
    const apart = (field: string) => field !== 'deviceList'
    assert.deepEqual(named.filter(apart), fields.filter(apart))
  })
}

test('a citation of the specification or of an SQL rule has an existing number', () => {
  const rules = new Set([...read('docs/operate/sql.md').matchAll(/^\| (\d+) \|/gm)].map((match) => match[1] as string))
  const known = new Set(numbers)
  const unknown = [
    ...citations(/\bspecification (\d+(?:\.\d+)?)/gi).filter(({ target }) => !known.has(target)),
    ...citations(/\bSQL rule (\d+)/gi).filter(({ target }) => !rules.has(target)),
  ]
  assert.deepEqual(unknown, [])
})

/** Forms of references to documents outside of the repository. */
const documentElsewhere = new RegExp(
  [
    // `design: Sizes`, `(spec: webhooks)`, `design.md`, `spec section 3`, `review, row 4`, `spec’s`.
    String.raw`\b(?:design|specs?|brief|review|research|contract)(?::[ \t]+(?!true\b)[\w"'“\x60]|\.md\b|,? (?:§|section|chapter|row|item|part|point) ?\d| ?§| \d)`,
    String.raw`\b(?:spec|brief)[’']s\b|\bthe (?:design|spec|brief)\b`,
    String.raw`\bsql[- ]rules\b`,
    String.raw`\bshared\/\w+(?:\/[\w-]+)?\.md`,
  ].join('|'),
  'gi',
)

test('nothing cites a document outside the project', () => {
  for (const folder of ['client/src', 'console/src', 'mcp/src', 'receivers', 'scripts', 'deploy', 'bench', '.ci']) {
    assert.ok(
      [...projectFiles.keys()].some((file) => file.startsWith(`${folder}/`)),
      `${folder} is read`,
    )
  }
  const found = citations(documentElsewhere).filter(({ file }) => file !== 'test/docs/specification.test.ts')
  assert.deepEqual(found, [])
})
