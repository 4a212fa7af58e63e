import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { generateSecret, parseSecret } from '../../../src/core/delivery/secrets.ts'

const secretOf = (bytes: number) => `whsec_${randomBytes(bytes).toString('base64')}`

test('a generated secret is whsec_ and 32 random bytes, and is never the same', () => {
  const secrets = new Set(Array.from({ length: 100 }, generateSecret))
  assert.equal(secrets.size, 100)
  for (const secret of secrets) {
    assert.match(secret, /^whsec_[A-Za-z\d+/]{43}=$/)
    assert.equal(parseSecret(secret)?.symmetricKeySize, 32)
  }
})

test('secrets of 24 to 64 bytes are accepted, shorter and longer ones are not', () => {
  for (const bytes of [24, 25, 26, 63, 64]) assert.equal(parseSecret(secretOf(bytes))?.symmetricKeySize, bytes)
  for (const bytes of [0, 1, 23, 65, 1000]) assert.equal(parseSecret(secretOf(bytes)), null)
})

test('a secret that is not canonical base64 after whsec_ is refused', () => {
  const good = `whsec_${Buffer.alloc(25, 0xff).toString('base64')}`
  assert.notEqual(parseSecret(good), null)
  const bad = ['', 'whsec_', good.slice(6), `WHSEC_${good.slice(6)}`, `${good} `, good.replace('==', ''), `${good}==`]
  bad.push(good.replaceAll('/', '_'), good.replace('/', '*'), good.replace('w==', 'x=='))
  for (const secret of bad) assert.equal(parseSecret(secret), null, secret)
})
