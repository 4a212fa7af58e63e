import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { harmless, table } from '../../../src/cli/terminal/output.ts'

test('what a till or a receiver wrote cannot steer the terminal', () => {
  const [clear, title, csi, del] = ['\u001b[2J', '\u001b]0;owned\u0007', '\u009b31m', '\u007f']
  for (const [sent, shown] of [
    [`Bistro${clear}`, 'Bistro\ufffd[2J'],
    [`Bistro${title}`, 'Bistro\ufffd]0;owned\ufffd'],
    [`${csi}Bistro${del}`, '\ufffd31mBistro\ufffd'],
    ['accepted\rrejected', 'accepted\ufffdrejected'],
    ['Café Ünïcode 🍷\tA\nB', 'Café Ünïcode 🍷\tA\nB'],
  ] as const) {
    assert.equal(harmless(sent), shown)
  }
  // oxlint-disable-next-line no-control-regex -- these are what must not be there
  const steering = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !steering.test(harmless(text))))
})

test('a row of a table stays one line, whatever its cells hold', () => {
  const shown = table(
    ['NAME', 'STATE'],
    [
      ['one\nrevoked  two', 'ok'],
      ['x\u001b[1A', 'ok'],
    ],
  )
  assert.equal(shown.split('\n').length, 3)
  assert.ok(!shown.includes('\u001b'))
})
