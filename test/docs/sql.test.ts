import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

test('every index and table in docs/operate/sql.md is created by the migrations', () => {
  const made = globSync('src/core/store/migrations/*.sql', { cwd: root }).map(textOf).join('\n')
  const page = textOf('docs/operate/sql.md')
  const named = [...page.matchAll(/`((?:orders|reports|journal|day_counts|location_seq|api|console)_?\w*)`/g)]
  assert.ok(named.length > 10)
  assert.deepEqual(
    named.map(([, name = '']) => name).filter((name) => !new RegExp(`\\b${name}\\b`).test(made)),
    [],
  )
})
