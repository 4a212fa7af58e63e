import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const pages = ['SECURITY.md', 'docs/operate/asvs.md']

const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

/** The tests for a row of a page, by its first cell: file and title. */
const provedBy = JSON.parse(textOf('test/docs/proved-by.json')) as Record<string, Record<string, string[]>>

type Proof = { file: string; title: string }

function readProof(text: string): Proof {
  const [, file = '', title = ''] = /^(\S+) “(.+)”$/.exec(text) ?? []
  return { file, title }
}

/** Returns the first cells of the rows with tests, without the headings. */
const rowsOf = (page: string) =>
  textOf(page)
    .split('\n')
    .filter((line) => /^\| (?!Attempt|Requirement|Version|-|0\.\d+ \|)/.test(line))
    .map((line) => line.slice(2, -2).split(' | '))

/** Returns the name of a file as in the pages. */
const shortName = (file: string) => file.replace(/^test\//, '').replace(/(\.test)?\.ts$/, '')

/** Returns whether a test of the file has that title; quotes in it may be escaped, and it may be on a separate line. */
function hasTest(file: string, title: string): boolean {
  const text = textOf(file)
    .replaceAll(String.raw`\'`, "'")
    .replaceAll(/\(\s+/g, '(')
  return ["'", '`', '"'].some((quote) => text.includes(`(${quote}${title}${quote},`))
}

test('every test that the threat model and the ASVS page refer to exists', () => {
  for (const page of pages) {
    const proofs = Object.values(provedBy[page] ?? {}).flat()
    assert.ok(proofs.length > 50, page)
    for (const { file, title } of proofs.map(readProof)) {
      assert.ok(existsSync(join(root, file)), `${page}: there is no ${file}`)
      assert.ok(hasTest(file, title), `${page}: ${file} has no test “${title}”`)
    }
  }
})

test('every row of the threat model and of the ASVS page has tests', () => {
  for (const page of pages) {
    const rows = rowsOf(page)
    assert.ok(rows.length > 20, page)
    assert.deepEqual(
      rows.map(([first]) => first),
      Object.entries(provedBy[page] ?? {}).flatMap(([row, proofs]) => (proofs.length > 0 ? [row] : [])),
    )
  }
})

test('every row of the ASVS page names the files of its tests', () => {
  const page = 'docs/operate/asvs.md'
  const filesOf = (proofs: string[]) => [...new Set(proofs.map((proof) => shortName(readProof(proof).file)))]
  assert.deepEqual(
    rowsOf(page).map((cells) => cells.at(-1)),
    Object.values(provedBy[page] ?? {}).map((proofs) =>
      filesOf(proofs)
        .map((file) => `\`${file}\``)
        .join(', '),
    ),
  )
})

test('every actor with a key, a database or network access is in the threat model', () => {
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
