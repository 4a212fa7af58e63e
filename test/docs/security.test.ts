import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const pages = ['SECURITY.md', 'docs/asvs.md']
const citation = /`(test\/[^`]+\.test\.ts)` “([^”]+)”/g

type Cited = { page: string; file: string; title: string }

const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

const cited: Cited[] = pages.flatMap((page) =>
  [...textOf(page).matchAll(citation)].map(([, file = '', title = '']) => ({ page, file, title })),
)

/** Rows of tables, without their headings. */
const rowsOf = (page: string) =>
  textOf(page)
    .split('\n')
    .filter((line) => /^\| (?!Could try|Requirement|Version|-)/.test(line))

/** Whether a test of the file has that title; quotes in it may be escaped, and it may stand on a line of its own. */
function hasTest(file: string, title: string): boolean {
  const text = textOf(file)
    .replaceAll(String.raw`\'`, "'")
    .replaceAll(/\(\s+/g, '(')
  return ["'", '`', '"'].some((quote) => text.includes(`(${quote}${title}${quote},`))
}

test('every test that the threat model and the ASVS page cite is there', () => {
  assert.ok(cited.length > 50)
  for (const { page, file, title } of cited) {
    assert.ok(existsSync(join(root, file)), `${page}: there is no ${file}`)
    assert.ok(hasTest(file, title), `${page}: ${file} has no test “${title}”`)
  }
})

test('every line of the threat model and of the ASVS page is held by a test', () => {
  for (const page of pages) {
    const rows = rowsOf(page).filter((row) => !/^\| 0\.\d+ \|/.test(row))
    assert.ok(rows.length > 20, page)
    for (const row of rows) assert.match(row, new RegExp(citation.source), `${page}: ${row}`)
  }
})

test('every actor that has a key, a database or a wire stands in the threat model', () => {
  const text = textOf('SECURITY.md')
  for (const actor of [
    'A stranger',
    'A till vendor',
    'A partner',
    'The restaurant',
    'The operator',
    'A database administrator',
    'The network',
  ]) {
    assert.ok(text.includes(`### ${actor}`), actor)
  }
})
