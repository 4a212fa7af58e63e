import assert from 'node:assert/strict'
import { test } from 'node:test'
import { strikeOut } from '../../../../src/core/domain/redaction/secrets.ts'

test('passwords in database URLs are redacted, up to the last @ of their word, and nothing else', () => {
  for (const [text, shown] of [
    ['postgres://till:hunter2@db/pos', 'postgres://till:***@db/pos'],
    ['at postgresql://till:hun/ter2@x@db:5432/pos?a=b@c end', 'at postgresql://till:***@c end'],
    ['"postgres://:p@db" and "postgres://u:q@db"', '"postgres://:***@db" and "postgres://u:***@db"'],
    ['postgres://a:p@x,postgres://b:q@y', 'postgres://a:***@y'],
    ['url=postgres://a:p:q@x', 'url=postgres://a:***@x'],
    ['postgres://till@db/pos a@b', 'postgres://till@db/pos a@b'],
    ['postgres://till:5432/pos', 'postgres://till:5432/pos'],
  ] as const) {
    assert.equal(strikeOut(text), shown)
  }
})

test('secrets are redacted however they are percent-encoded', () => {
  for (const [text, shown] of [
    ['/v1/webhooks/whsec_abcd%2FTOPSECRET%2Bxyz', '/v1/webhooks/whsec_***'],
    ['/whsec_abcd~1TOPSECRET', '/whsec_***'],
    ['/v1/tg%5Flive_0123456789/x', '/v1/tg_live_***'],
    ['/v1/%74%67_test_0123456789', '/v1/tg_test_***'],
    ['/v1/tg%255flive%255f0123', '/v1/tg_live_***'],
    ['/v1/https%3A%2F%2Fjane%3Ahush%40pos.example', '/v1/https://***@pos.example'],
    ['postgres%3A%2F%2Ftill:hunter2%40db', 'postgres://till:***@db'],
    ['https://jane%40pos.example:hush@pos.example', 'https://***@pos.example'],
    ['/v1/orders/caf%C3%A9%20100%', '/v1/orders/caf%C3%A9%20100%'],
  ] as const) {
    assert.equal(strikeOut(text), shown)
  }
})

/** Anybody can send a path or a key of 16 KiB to be redacted. Quadratic code would take too long here. */
test('redacting a text full of starts of secrets takes linear time', () => {
  const before = ['postgres://:', 'tg_live_', 'whsec_', 'https://', '?password=', 'postgres://', '"', ' ', '%25', '25']
  for (const beginning of before) {
    for (const end of ['', '@', ' @', '"@']) {
      const text = beginning.repeat(Math.ceil(150_000 / beginning.length)) + end
      assert.ok(strikeOut(text).length > 0)
    }
  }
})
