import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateSecret } from '../../../src/core/delivery/secrets.ts'
import { newKey } from '../../../src/core/domain/accounts/keys.ts'
import { createLog, withPriority } from '../../../src/core/server/log.ts'

function capture(level: Parameters<typeof createLog>[0] = 'info') {
  const lines: string[] = []
  return { lines, log: createLog(level, { write: (line) => void lines.push(line) }) }
}

test('a line has its level as a word, its time in ISO 8601 and the process', () => {
  const { lines, log } = capture()
  log.warn({ code: 'a' }, 'something is odd')
  const { time, ...rest } = JSON.parse(lines[0] ?? '')
  assert.equal(new Date(time).toISOString(), time)
  assert.deepEqual(rest, { level: 'warn', pid: process.pid, code: 'a', msg: 'something is odd' })
})

test('in the systemd journal a line has its priority, as sd-daemon(3) numbers it', () => {
  const { lines, log } = capture('debug')
  for (const level of ['error', 'warn', 'info', 'debug'] as const) log[level]('said')
  assert.deepEqual(
    lines.map((line) => withPriority(line).slice(0, 4)),
    ['<3>{', '<4>{', '<6>{', '<7>{'],
  )
  assert.equal(withPriority('no line of ours'), 'no line of ours')
})

test('a line below the log level is not written', () => {
  const { lines, log } = capture('warn')
  log.info('quiet')
  log.error('loud')
  assert.equal(lines.length, 1)
})

test('no key, signing secret or password is logged, wherever it is in a line', () => {
  const key = newKey('live')
  const secret = generateSecret()
  const mistyped = `${newKey('test').slice(0, -3)}x`
  const { lines, log } = capture()
  log.info({ headers: { 'x-api-key': key, authorization: `Bearer ${mistyped}` } }, `the key ${key} was sent`)
  log.error({ err: new Error(`signed with ${secret}`, { cause: new Error(key) }) }, 'failed')
  log.info({ url: 'postgres://till:hun/ter2@x@db.example:5432/pos', at: `/v1/orders/?key=${key}` }, secret)
  log.child({ secret, of: { the: key } }).info('https://user:hunter3@pos.example/hook?password=hunter4')
  const text = lines.join('')
  assert.equal(lines.length, 4)
  for (const hidden of [key, secret, mistyped, secret.slice(6, 20), 'hun/ter2', 'hunter3', 'hunter4']) {
    assert.ok(!text.includes(hidden), `${hidden} is in ${text}`)
  }
  assert.match(text, /tg_live_\*\*\*.*whsec_\*\*\*.*postgres:\/\/till:\*\*\*@db\.example:5432\/pos/s)
  for (const line of lines) JSON.parse(line)
})

test('no text in a line controls the terminal or adds a line, and it stays readable', () => {
  const { lines, log } = capture()
  const text = 'a\u001b[2J\u009b31m\u007f\u0085\u202eb\u2066\r\n{"level":"info"}'
  log.warn({ path: text, of: { the: [text] }, err: new Error(text) }, text)
  const [line = ''] = lines
  assert.equal(lines.length, 1)
  assert.doesNotMatch(line, /[^\n\P{Cc}]|[\u202a-\u202e\u2066-\u2069]|\n./u)
  const { path, msg, err, of } = JSON.parse(line)
  assert.deepEqual([path, msg, err.message, of.the], [text, text, text, [text]])
})

test('addresses and ids stay readable', () => {
  const { lines, log } = capture()
  const text = 'Server listening at http://127.0.0.1:4747, for 01234567-89ab-4cde-8f01-23456789abcd @ 12:00'
  log.info(text)
  assert.equal(JSON.parse(lines[0] ?? '').msg, text)
})
