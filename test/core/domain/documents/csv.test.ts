import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { toCsv } from '../../../../src/core/domain/documents/csv.ts'

/**
 * Texts that make a cell of a spreadsheet begin with a formula, if comma, semicolon, tab or line end separates cells.
 */
const attacks = [
  '=1+1',
  ' =1+1',
  '\u00a0=1+1',
  '+1',
  '-1+1|cmd',
  '@SUM(A1)',
  '\t=1+1',
  '\r=1+1',
  '\n=1+1',
  'a;=1+1',
  'a; =1+1',
  'a\t=1+1',
  'a\n=1+1',
  'a\r\n=1+1',
  'a\n =1+1',
  '＝1+1',
  'a;＠SUM',
]

test('no cell is a formula, whether split by comma, semicolon, tab or line', () => {
  for (const attack of attacks) {
    const text = toCsv(['name'], [{ name: attack }])
    const [, row] = parse(text, { relax_column_count: true }) as string[][]
    for (const cell of (row?.[0] ?? '').split(/[;\t\r\n]/))
      assert.doesNotMatch(cell, /^\s*[=+\-@＝＋－＠]/, JSON.stringify(attack))
  }
})

test('a text that is not a formula is unchanged', () => {
  for (const name of ['Café; crème', 'a-b', 'x = y', 'ligne 1\nligne 2']) {
    const [, row] = parse(toCsv(['name'], [{ name }])) as string[][]
    assert.equal(row?.[0], name)
  }
})

test('a text of many line ends takes linear time', () => {
  for (const text of ['\n', '\t', '; ', '\r\n ', ';\u00a0'].map((part) => `a${part.repeat(500_000 / part.length)}a`)) {
    const began = process.cpuUsage()
    toCsv(['name'], [{ name: text }])
    const { user, system } = process.cpuUsage(began)
    assert.ok(
      user + system < 2_000_000,
      `${(user + system) / 1_000_000} s of the processor for ${text.length} characters`,
    )
  }
})
