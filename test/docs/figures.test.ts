import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { salesFormulas } from '../../src/domain/figures/sales.ts'
import { formulas } from '../../src/domain/figures/reconciled-figures.ts'
import { orderKinds } from '../../src/domain/figures/reconciliation.ts'
import { figureNames } from '../../src/schemas/reconciliation.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/figures.md'), 'utf8')

test('the page gives every formula word for word', () => {
  for (const [figure, formula] of Object.entries(salesFormulas)) {
    assert.ok(page.includes(`| \`${figure}\` | ${formula} |`), figure)
  }
})

test('docs/reconciliation.md publishes every formula word for word, and every kind of order', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/reconciliation.md'), 'utf8').replaceAll(/\s+/g, ' ')
  for (const [figure, formula] of Object.entries(formulas)) {
    assert.ok(text.includes(`\`${figure}\``), figure)
    assert.ok(text.includes(formula), formula)
  }
  for (const kind of orderKinds) assert.ok(text.includes(`\`${kind}\``), kind)
  assert.deepEqual([...figureNames].toSorted(), Object.keys(formulas).toSorted())
})
