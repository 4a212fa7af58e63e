import assert from 'node:assert/strict'
import { test } from 'node:test'
import { strikeOut } from '../../../src/domain/redaction/secrets.ts'

test('passwords of databases are struck out, up to the last @ of their word, and nothing else of them', () => {
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

/** Anybody can have a path or a key of 16 KiB struck out. What takes the square of its length would not end here. */
test('a text that is nothing but beginnings of secrets takes no longer than its length says', () => {
  const before = ['postgres://:', 'tg_live_', 'whsec_', 'https://', '?password=', 'postgres://', '"', ' ']
  for (const beginning of before) {
    for (const end of ['', '@', ' @', '"@']) {
      const text = beginning.repeat(Math.ceil(4_000_000 / beginning.length)) + end
      assert.ok(strikeOut(text).length > 0)
    }
  }
})
