import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { reportError } from '../../../../src/core/cli/terminal/errors.ts'
import { harmless, printJson, some, table } from '../../../../src/core/cli/terminal/output.ts'
import { CliError } from '../../../../src/core/server/errors.ts'

test('text of a till or a receiver cannot control the terminal', () => {
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
  // oxlint-disable-next-line no-control-regex -- the characters that must not occur
  const steering = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !steering.test(harmless(text))))
})

test('a count of one is singular, and others are plural', () => {
  assert.deepEqual(
    [0, 1, 2, 21_350].map((n) => some(n, 'order')),
    ['0 orders', '1 order', '2 orders', '21,350 orders'],
  )
  assert.deepEqual(
    [1, 2].map((n) => some(n, 'entry', 'entries')),
    ['1 entry', '2 entries'],
  )
})

test('a row of a table is one line, whatever its cells contain', () => {
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

const hostile = 'bad\nerror: FORGED \u001b[2J\u202e\r\n'

test('JSON is one line, can be parsed unchanged, and cannot control the terminal', (t) => {
  const write = t.mock.method(process.stdout, 'write', () => true)
  printJson({ [hostile]: hostile })
  const printed = String(write.mock.calls[0]?.arguments[0])
  write.mock.restore()
  assert.match(printed, /^[\x20-\x7e]+\n$/)
  assert.deepEqual(JSON.parse(printed), { [hostile]: hostile })
})

test('an error is one line in either format, whatever text of a server or a file it contains', (t) => {
  const write = t.mock.method(process.stderr, 'write', () => true)
  reportError(new CliError('usage', `the server answered 403: ${hostile}`), false)
  reportError(new CliError('usage', hostile), true)
  reportError(new CliError('usage', 'a\nb', { faults: ['a', 'b\n'] }), false)
  const [plain = '', json = '', several] = write.mock.calls.map((call) => String(call.arguments[0]))
  write.mock.restore()
  assert.match(plain, /^error: the server answered 403: bad error: FORGED [^\n]*\n$/)
  assert.equal(harmless(plain), plain)
  assert.match(json, /^[\x20-\x7e]+\n$/)
  assert.equal(JSON.parse(json).error.message, hostile)
  assert.equal(several, 'error: a\nerror: b \n')
})
