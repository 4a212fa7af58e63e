import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { readJson, toPointer } from '../../src/domain/json-text.ts'

const read = (text: string | Buffer) => readJson(Buffer.from(text as string))

function refused(text: string | Buffer): { code: string; pointer: string } {
  const result = read(text)
  assert.ok(!result.ok, `${String(text)} was read`)
  assert.ok(result.detail.length > 0)
  return { code: result.code, pointer: result.pointer }
}

test('every JSON value is read as JSON.parse reads it, in any layout', () => {
  const values = fc.jsonValue({ stringUnit: 'binary' })
  fc.assert(
    fc.property(values, fc.constantFrom(0, 2, '\t'), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      fc.pre(!/\\u(0000|d[89a-f])/.test(text))
      const result = read(text)
      // `__proto__` is a key like any other.
      assert.deepEqual(result.ok && JSON.stringify(result.value), JSON.stringify(JSON.parse(text)))
    }),
  )
})

test('a number keeps its spelling where JavaScript would write another', () => {
  const result = read('{"a": 12.50, "b": [1, 1.0, 1e2, -0, 0.1, 1E+2, 3], "c": {"d": 5.00}}')
  assert.ok(result.ok)
  assert.deepEqual(
    result.written.map(({ path, text }) => [toPointer(path), text]),
    [
      ['/a', '12.50'],
      ['/b/1', '1.0'],
      ['/b/2', '1e2'],
      ['/b/3', '-0'],
      ['/b/5', '1E+2'],
      ['/c/d', '5.00'],
    ],
  )
})

test('a key given twice is refused with its place, however it is spelled', () => {
  assert.deepEqual(refused('{"a":1,"a":1}'), { code: 'duplicate_key', pointer: '/a' })
  assert.deepEqual(refused('{"a":[0,{"b":1,"c":2,"b":3}]}'), { code: 'duplicate_key', pointer: '/a/1/b' })
  assert.deepEqual(refused(String.raw`{"a":1,"\u0061":2}`), { code: 'duplicate_key', pointer: '/a' })
  assert.deepEqual(refused('{"__proto__":1,"__proto__":2}'), { code: 'duplicate_key', pointer: '/__proto__' })
  assert.ok(read('{"a":{"b":1},"b":{"b":1},"c":[{"b":1},{"b":1}]}').ok)
})

test('NUL and lone surrogates are refused with their place; pairs are text', () => {
  assert.deepEqual(refused(String.raw`{"a":["x","\u0000"]}`), { code: 'invalid_text', pointer: '/a/1' })
  assert.deepEqual(refused(String.raw`{"a":"\ud800"}`), { code: 'invalid_text', pointer: '/a' })
  assert.deepEqual(refused(String.raw`{"\udc00":1}`).code, 'invalid_text')
  assert.ok(read(String.raw`"\ud83c\udf55"`).ok)
  assert.ok(read('"🍕"').ok)
})

test('bytes that are not UTF-8 are refused', () => {
  for (const bytes of [
    [0x22, 0xff, 0x22],
    [0x22, 0xc3, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0xfe, 0xff],
  ]) {
    assert.equal(refused(Buffer.from(bytes)).code, 'invalid_utf8')
  }
})

const broken = [
  '',
  ' ',
  '{',
  '{"a":}',
  '[1,]',
  '{"a":1,}',
  "{'a':1}",
  '{a:1}',
  'NaN',
  '[NaN]',
  '[Infinity]',
  '[-Infinity]',
  '[undefined]',
  '[01]',
  '[+1]',
  '[.5]',
  '[1.]',
  '[0x10]',
  '1 2',
  '// x\n1',
  '/* x */1',
  '"\t"',
  '"\n"',
  String.raw`"\x"`,
  'tru',
  '"a',
]

test('what is no JSON is refused', () => {
  for (const text of broken) assert.equal(refused(text).code, 'invalid_json', text)
})

test('depth does not break the reader', () => {
  for (const depth of [1_000, 10_000, 200_000]) {
    for (const text of [
      '['.repeat(depth) + ']'.repeat(depth),
      `${'{"a":'.repeat(depth)}1.0${'}'.repeat(depth)}`,
      '['.repeat(depth),
    ]) {
      const result = read(text)
      if (!result.ok) assert.equal(result.code, 'invalid_json')
    }
  }
})

test('a pointer escapes what RFC 6901 says', () => {
  assert.equal(toPointer(['a/b', 'm~n', 0, '']), '/a~1b/m~0n/0/')
  assert.equal(toPointer([]), '')
})
