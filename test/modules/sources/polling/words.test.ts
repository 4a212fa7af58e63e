import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wordsOf } from '../../../../src/modules/sources/polling/words.ts'
import type { Outcome } from '../../../../src/core/delivery/sender/outcome.ts'

const secret = 'sq0/EAAA+l-Secret"of é the shop'
const bearer = 'eyJhbGciOiJFZERTQSJ9.login.token'
/** So long that no encoding of it appears in another token by chance. */
const password = 'Tr0ub4dor&3'

const outcome = (status: number, responseBody: string): Outcome =>
  ({ ok: false, status, message: `It answered ${status}.`, responseBody }) as Outcome

const text = (body: string, status = 422) => wordsOf(outcome(status, body), [secret, bearer, password])

/** Returns the ways in which a system may echo a secret, each also one character short. */
const spellings = (text: string): string[] => {
  const bytes = Buffer.from(text)
  const all = [
    text,
    JSON.stringify(text).slice(1, -1),
    JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
    encodeURIComponent(text),
    encodeURIComponent(text).toLowerCase(),
    Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
    Array.from(text, (of) => `\\u${of.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    Buffer.from(`x${text}`).toString('base64'),
    Buffer.from(`user:${text}`).toString('base64'),
    text.toUpperCase(),
  ]
  return all.flatMap((one) => [one, one.slice(1), one.slice(0, -1)])
}

test('of a refusal only status and length are reported', () => {
  for (const status of [401, 403])
    assert.equal(
      text(`no: ${secret} is wrong`, status),
      `It answered ${status}. The response has ${Buffer.byteLength(`no: ${secret} is wrong`)} bytes.`,
    )
})

test('a sent secret is removed from a system’s answer, in any spelling, even with one character missing', () => {
  for (const known of [secret, bearer, password])
    for (const spelling of spellings(known)) {
      const reply = text(`your key <${spelling}> is wrong`)
      assert.match(reply, /^It answered 422\. Response: your key .* is wrong$/)
      for (let at = 0; at + 6 <= spelling.length; at++) {
        const part = spelling.slice(at, at + 6)
        // "user:" in base64 is not a secret.
        assert.ok('dXNlcjp'.includes(part) || !reply.includes(part), `${reply} has ${part} of ${spelling}`)
      }
    }
})

test('another token is removed too; the system’s words are one line of at most 200 characters without control characters', () => {
  assert.equal(
    text('{"token":"ya29.a0AfH6SMBx-abcdefghijklmnopqrstuvwxyz"}'),
    'It answered 422. Response: {"token":"…"}',
  )
  assert.equal(text('no such\n\u001b[31mlocation\u202e L1\u0007'), 'It answered 422. Response: no such [31mlocation L1')
  assert.equal(text('word '.repeat(100)).length, 'It answered 422. Response: '.length + 200)
  assert.equal(text(''), 'It answered 422.')
  assert.equal(
    wordsOf(outcome(422, 'location L1 is unknown'), ['', 'L', 'x:y']),
    'It answered 422. Response: location L1 is unknown',
  )
})
