import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hashKey, isToken, isWellFormedKey, newKey, newToken } from '../../../../src/core/domain/accounts/keys.ts'

test('a new key is well formed, contains its mode and is unique', () => {
  const keys = Array.from({ length: 200 }, () => newKey('live'))
  for (const key of keys) assert.ok(isWellFormedKey(key) && key.startsWith('tg_live_'), key)
  assert.ok(newKey('test').startsWith('tg_test_'))
  assert.equal(new Set(keys).size, keys.length)
  // A key has 32 random characters out of 62, which is 190 bits; among 200 keys, each position has about 60 different
  // characters.
  for (let place = 8; place < 40; place++) assert.ok(new Set(keys.map((key) => key[place])).size > 40, `place ${place}`)
})

test('a key with one changed character fails its checksum', () => {
  const key = newKey('test')
  const places = fc.integer({ min: 8, max: key.length - 1 })
  const letters = fc.constantFrom('0', '9', 'A', 'M', 'Z', 'a', 'm', 'z')
  fc.assert(
    fc.property(places, letters, (at, letter) => {
      fc.pre(key[at] !== letter)
      assert.equal(isWellFormedKey(key.slice(0, at) + letter + key.slice(at + 1)), false)
    }),
  )
})

test('text that is not a key is not accepted as one', () => {
  for (const text of [
    '',
    'tg_live_',
    newKey('live').slice(0, -1),
    `${newKey('live')}0`,
    newKey('live').toLowerCase(),
  ]) {
    assert.equal(isWellFormedKey(text), false, text)
  }
  assert.equal(isWellFormedKey(newKey('live').replace('tg_live_', 'tg_prod_')), false)
})

test('a console code and a console session are 256 random bits each, and one is not accepted as the other', () => {
  for (const prefix of ['tgc_', 'tgs_'] as const) {
    const tokens = Array.from({ length: 200 }, () => newToken(prefix))
    const bytes = tokens.map((token) => Buffer.from(token.slice(prefix.length), 'base64url'))
    assert.equal(new Set(tokens).size, tokens.length)
    for (const token of tokens)
      assert.ok(isToken(prefix, token) && !isToken(prefix === 'tgc_' ? 'tgs_' : 'tgc_', token))
    assert.deepEqual(new Set(bytes.map(({ length }) => length)), new Set([32]))
    // 200 tokens show about 139 of the 256 values at each position.
    for (let place = 0; place < 32; place++) assert.ok(new Set(bytes.map((one) => one[place])).size > 100, `${place}`)
  }
})

test('a key is stored as its SHA-256', () => {
  assert.equal(hashKey('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})
