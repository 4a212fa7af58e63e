import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Type } from 'typebox'
import { documentWriter } from '../../../../src/core/domain/documents/serialize.ts'
import { keepSpelling } from '../../../../src/core/domain/documents/json-spelling.ts'
import { Nullable } from '../../../../src/core/contract/scalars.ts'

const schema = Type.Object({
  id: Type.String(),
  amount: Type.Number(),
  count: Type.Integer(),
  note: Nullable(Type.String()),
  extra: Type.Optional(Type.Boolean()),
  parts: Type.Array(Type.Object({ price: Type.Number(), name: Nullable(Type.String()) })),
})

const { write, isArranged } = documentWriter(schema)

function written(text: string): string {
  const value: unknown = JSON.parse(text)
  assert.equal(keepSpelling(text, value, true), undefined)
  return write(value)
}

test('fields are written in the documented order, missing nullable ones as null, missing optional ones not at all', () => {
  const text = '{"parts":[{"name":"a","price":1},{"price":2}],"count":3,"amount":4.5,"id":"x"}'
  const expected =
    '{"id":"x","amount":4.5,"count":3,"note":null,"parts":[{"price":1,"name":"a"},{"price":2,"name":null}]}'
  assert.equal(written(text), expected)
})

test('amounts are written as they were sent, integers as integers', () => {
  const text = '{"id":"x","amount":12.50,"count":3.0,"note":null,"parts":[{"price":1e2,"name":null}]}'
  assert.equal(written(text), '{"id":"x","amount":12.50,"count":3,"note":null,"parts":[{"price":1e2,"name":null}]}')
  assert.match(written(text.replace('3.0', '-0')), /"count":0,/)
  assert.match(written(text.replace('3.0', '3e2')), /"count":300,/)
})

test('a document that is read and written again has the same bytes', () => {
  const decimals = fc.tuple(fc.integer({ min: -9999, max: 9999 }), fc.integer({ min: 0, max: 999 }))
  const amounts = decimals.map(([whole, part]) => `${whole}.${String(part).padStart(3, '0')}`)
  fc.assert(
    fc.property(amounts, fc.integer(), fc.string({ unit: 'grapheme' }), (amount, count, id) => {
      const text = `{"count":${count},"id":${JSON.stringify(id)},"amount":${amount},"parts":[]}`
      const once = written(text)
      assert.equal(written(once), once)
      assert.ok(once.includes(`"amount":${amount},`))
    }),
  )
})

test('a value is reported as arranged exactly if writing it changes nothing', () => {
  const part = fc.record({ price: fc.double(), name: fc.option(fc.string()) }, { requiredKeys: ['price'] })
  const fields = {
    id: fc.string(),
    amount: fc.double(),
    count: fc.integer(),
    note: fc.option(fc.string()),
    extra: fc.boolean(),
    parts: fc.array(part, { maxLength: 3 }),
  }
  const value = fc.record(fields, { requiredKeys: ['id', 'amount', 'count', 'parts'] })
  const shuffled = fc.tuple(value, fc.boolean()).map(([given, isTurned]) => {
    const entries = Object.entries(given)
    return Object.fromEntries(isTurned ? entries.toReversed() : entries)
  })
  fc.assert(fc.property(shuffled, (given) => isArranged(given) === (write(given) === JSON.stringify(given))))
})
