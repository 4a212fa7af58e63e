import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { salesFormulas } from '../../src/domain/sales.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/figures.md'), 'utf8')

test('the page gives every formula word for word', () => {
  for (const [figure, formula] of Object.entries(salesFormulas)) {
    assert.ok(page.includes(`| \`${figure}\` | ${formula} |`), figure)
  }
})
