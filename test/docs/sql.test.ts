import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/sql.md'), 'utf8')

const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

/** Files of the store that hold statements; the driver and the reader speak the protocol and hold none. */
const files = [
  ...globSync(['src/core/store/**/*.ts', 'src/modules/*/store/*.ts'], { cwd: root }),
  ...globSync('src/core/contract/**/*.ts', { cwd: root }).filter((file) => /\bsql(<.*>)?`/.test(textOf(file))),
].filter((file) => !/store\/db\/(driver|reader)\//.test(file))

const functionsOf = (file: string) =>
  [...textOf(file).matchAll(/^export (?:async )?(?:function\*?|class) (\w+)/gm)].map((match) => match[1] as string)

/** The names in the list of all functions at the end of the page. */
const [, list = ''] = page.split('## Every function of the store')
const named = [...(list.split('\n## ')[0] ?? '').matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) =>
  [...cell.matchAll(/`(\w+)`/g)].map((match) => match[1] as string),
)

test('every exported function and class of the store has its entry in docs/sql.md', () => {
  assert.ok(files.length > 20)
  const missing = files.flatMap((file) =>
    functionsOf(file).flatMap((name) => (named.includes(name) ? [] : [`${file}: ${name}`])),
  )
  assert.deepEqual(missing, [])
})

test('docs/sql.md names no function that is not there', () => {
  const known = new Set(globSync('src/**/*.ts', { cwd: root }).flatMap(functionsOf))
  assert.deepEqual(
    named.filter((name) => !known.has(name)),
    [],
  )
})
