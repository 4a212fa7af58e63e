import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { validator } from '../../../../src/core/domain/documents/validation.ts'
import { Amount, Choice, closed, Count, Datetime, Nullable, Uuid } from '../../../../src/core/contract/scalars.ts'

const shape = Type.Object(
  {
    id: Uuid(),
    at: Type.Optional(Datetime()),
    amount: Type.Optional(Amount()),
    count: Type.Optional(Count()),
    note: Type.Optional(Nullable(Type.String())),
    state: Type.Optional(Choice(['open', 'closed', 'all'])),
    parts: Type.Optional(Type.Array(Type.Object({ name: Type.String() }, closed))),
  },
  closed,
)

const check = validator(shape, 'body')
const id = '7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11'
const faultsOf = (value: unknown) => check(value).map(({ pointer, code }) => `${pointer} ${code}`)

test('a valid value has no faults', () => {
  assert.deepEqual(check({ id }), [])
  assert.deepEqual(check({ id, note: null, at: '2026-03-01T10:00:00.000Z', amount: 1.5, parts: [{ name: '' }] }), [])
})

const wrong: [value: unknown, fault: string][] = [
  [JSON.parse(`{"id":"${id}","amount":-1e400}`), '/amount out_of_range'],
  [JSON.parse(`{"id":"${id}","count":1e400}`), '/count out_of_range'],
  [{ id, amount: 'Infinity' }, '/amount invalid_type'],
  [{}, '/id missing'],
  [{ id: 1 }, '/id invalid_type'],
  [{ id: 'x' }, '/id invalid_uuid'],
  [{ id: null }, '/id invalid_type'],
  [{ id, at: '2026-02-30T10:00:00.000Z' }, '/at invalid_datetime'],
  [{ id, at: '2026-03-01' }, '/at invalid_datetime'],
  [{ id, amount: 2 ** 53 }, '/amount out_of_range'],
  [{ id, amount: '1' }, '/amount invalid_type'],
  [{ id, amount: Infinity }, '/amount out_of_range'],
  [{ id, count: 1.5 }, '/count invalid_type'],
  [{ id, count: -(2 ** 53) }, '/count out_of_range'],
  [{ id, note: 5 }, '/note invalid_type'],
  [{ id, state: 'x' }, '/state invalid_value'],
  [{ id, parts: {} }, '/parts invalid_type'],
  [{ id, parts: [{ name: 'a' }, {}] }, '/parts/1/name missing'],
  [{ id, parts: [{ name: 'a', size: 1 }] }, '/parts/0/size unknown_field'],
  [{ id, 'a/b~c': 1 }, '/a~1b~0c unknown_field'],
  [[], ' invalid_type'],
  [null, ' invalid_type'],
  ['x', ' invalid_type'],
]

for (const [value, fault] of wrong) {
  test(`${JSON.stringify(value)} is refused: ${fault}`, () => assert.deepEqual(faultsOf(value), [fault]))
}

test('every fault is reported at once', () => {
  const faults = faultsOf({ at: 'x', amount: 'y', extra: 1, parts: [{}] })
  assert.deepEqual(faults.toSorted(), [
    '/amount invalid_type',
    '/at invalid_datetime',
    '/extra unknown_field',
    '/id missing',
    '/parts/0/name missing',
  ])
})

test('of a value with very many faults twenty are reported', () => {
  const parts = Array.from({ length: 500 }, () => ({ name: 1 }))
  assert.equal(check({ id, parts }).length, 20)
})

test('names that every JavaScript object inherits are unknown fields too', () => {
  const value = JSON.parse(`{"id":"${id}","__proto__":1,"constructor":1,"toString":1}`) as unknown
  assert.deepEqual(faultsOf(value).toSorted(), [
    '/__proto__ unknown_field',
    '/constructor unknown_field',
    '/toString unknown_field',
  ])
})

test('an invalid choice is reported with all choices', () => {
  const [fault] = check({ id, state: 'x' })
  for (const choice of ['open', 'closed', 'all']) assert.match(fault?.detail ?? '', new RegExp(choice))
})

test('a detail names the field as a till writes it', () => {
  assert.match(check({ id, parts: [{}] })[0]?.detail ?? '', /^parts\.0\.name /)
})

const ruled = Type.Object({
  count: Type.Integer({ minimum: 1, maximum: 9 }),
  note: Nullable(Type.String()),
  state: Choice(['open', 'closed']),
  parts: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 2 }),
  code: Type.String({ minLength: 2, maxLength: 3, pattern: '^a' }),
  codes: Type.Optional(
    Type.Record(Type.String(), Type.String({ pattern: '^b', 'x-must': 'a text that begins with b' })),
  ),
  flag: Type.Boolean(),
  owner: Type.Optional(Uuid()),
  at: Type.Optional(Nullable(Type.String({ format: 'date' }))),
})

test('a detail states in English what the field must be', () => {
  const detailsOf = (value: unknown) => validator(ruled, 'body')(value).map(({ detail }) => detail)
  const other = { count: '1', note: 1, state: 'x', parts: {}, code: 1, flag: 'true', owner: null, at: 1 }
  assert.deepEqual(detailsOf(other).toSorted(), [
    'at must be a valid date (YYYY-MM-DD) or null',
    'code must be a string',
    'count must be a whole number',
    'flag must be true or false',
    'note must be a string or null',
    'owner must be a UUID',
    'parts must be an array',
    'state must be one of open, closed',
  ])
  const small = { count: 0, note: null, state: 'open', parts: [], code: 'a', flag: true }
  assert.deepEqual(detailsOf(small), [
    'count must be 1 or more',
    'parts must have 1 element or more',
    'code must have 2 characters or more',
  ])
  const large = { ...small, count: 10, parts: [1, 2, 3], code: 'bcde' }
  assert.deepEqual(detailsOf(large), [
    'count must be 9 or less',
    'parts must have 2 elements or fewer',
    'code must have 3 characters or fewer',
    'code must match ^a',
  ])
  assert.deepEqual(detailsOf({ ...small, count: 1, parts: [1], code: 'ab', codes: { 'x/y': 'c' } }), [
    'codes.x~1y must be a text that begins with b',
  ])
  assert.deepEqual(detailsOf(1), ['the body must be an object'])
})

test('the first faulty elements of a long list are reported with their index in the whole list', () => {
  const parts: unknown[] = Array.from({ length: 5000 }, () => ({ name: 'a' }))
  parts[3] = { name: 1 }
  parts[4711] = { name: 'a', size: 1 }
  assert.deepEqual(faultsOf({ id, parts, at: 'x' }).toSorted(), [
    '/at invalid_datetime',
    '/parts/3/name invalid_type',
    '/parts/4711/size unknown_field',
  ])
})

test('a constraint on a list itself is reported together with faults elsewhere', () => {
  const list = validator(Type.Object({ names: Type.Array(Type.String(), { minItems: 1 }), n: Count() }, closed), 'body')
  const codes = (value: unknown) => list(value).map(({ pointer, code }) => `${pointer} ${code}`)
  assert.deepEqual(codes({ names: [], n: 'x' }).toSorted(), ['/n invalid_type', '/names too_short'])
  assert.deepEqual(codes({ names: Array(500).fill('a'), n: 'x' }), ['/n invalid_type'])
})

test('checking stops at the maximum number of faults, however many a value has', () => {
  let looks = 0
  const counting = new Proxy(Array.from({ length: 100_000 }, () => 1) as unknown[], {
    get(target, name) {
      looks += 1
      return Reflect.get(target, name) as unknown
    },
  })
  assert.equal(check({ id, parts: counting }).length, 20)
  assert.ok(looks < 300, `${looks} looks at a list of which the first twenty elements are faulty`)
})
