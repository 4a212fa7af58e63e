import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { toPointer } from '../../../../src/core/domain/documents/json-spelling.ts'
import {
  depthLimit,
  findTextFault,
  isTooDeep,
  parseJson,
  readJson,
} from '../../../../src/core/domain/documents/json-text.ts'

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

function spelled(text: string): string {
  const value: unknown = JSON.parse(text)
  assert.equal(findTextFault(text, value, true), undefined, text)
  return JSON.stringify(value)
}

test('a number keeps its spelling even if JavaScript would write another', () => {
  const text = '{"a": 12.50, "b": [1, 1.0, 1e2, -0, 0.1, 1E+2, 3], "c": {"d": 5.00}, "e": [[],[2.0]], "f\\u0041": 3.0}'
  assert.equal(spelled(text), text.replaceAll(' ', '').replace(String.raw`\u0041`, 'A'))
})

test('of any JSON text only whitespace and escapes change', () => {
  const amount = fc.tuple(fc.integer({ min: -999, max: 999 }), fc.integer({ min: 0, max: 99 }))
  const number = amount.map(([whole, part]) => `${whole}.${String(part).padStart(2, '0')}`)
  const text = fc.string({ unit: 'grapheme' }).map((value) => JSON.stringify(value))
  const { value } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      number,
      text,
      fc.constantFrom('true', 'null', '{}', '[]'),
      tie('list'),
      tie('object'),
    ),
    list: fc.array(tie('value'), { maxLength: 4 }).map((parts) => `[${parts.join(',')}]`),
    object: fc
      .uniqueArray(fc.tuple(text, tie('value')), { maxLength: 4, selector: ([key]) => key })
      .map((fields) => `{${fields.map(([key, field]) => `${key}:${field}`).join(',')}}`),
  }))
  fc.assert(
    fc.property(value, fc.constantFrom('', ' ', '\n'), (one, blank) => {
      const given = `[${one}]`
      // JSON.parse itself moves keys that look like an index to the front; `__proto__` is not assigned by our code.
      fc.pre(!/"\d+":|__proto__/.test(given))
      assert.equal(spelled(`${blank}${given}${blank}`), given)
    }),
  )
})

test('a number of more than 40 characters is refused with a pointer', () => {
  assert.deepEqual(refused(`{"a":[0,${'9'.repeat(41)}]}`), { code: 'invalid_number', pointer: '/a/1' })
  assert.deepEqual(refused(`{"a":0.${'0'.repeat(40)}}`), { code: 'invalid_number', pointer: '/a' })
  assert.equal(spelled(`[1.${'0'.repeat(38)}]`), `[1.${'0'.repeat(38)}]`)
})

test('a number beyond the range is refused, even if it is rounded to a double within it', () => {
  for (const beyond of [
    '9007199254740991.4',
    '-9007199254740991.4',
    '9007199254740991.0000001',
    '9.0071992547409914e15',
  ])
    assert.deepEqual(refused(`{"a":[${beyond}]}`), { code: 'out_of_range', pointer: '/a/0' }, beyond)
  for (const within of ['9007199254740991', '9007199254740991.00', '9007199254740990.6', '-9.007199254740991E+15'])
    assert.equal(spelled(`[${within}]`), `[${within}]`)
})

test('a duplicate key is refused with a pointer, also if it is spelled with escapes', () => {
  assert.deepEqual(refused('{"a":1,"a":1}'), { code: 'duplicate_key', pointer: '/a' })
  assert.deepEqual(refused('{"a":[0,{"b":1,"c":2,"b":3}]}'), { code: 'duplicate_key', pointer: '/a/1/b' })
  assert.deepEqual(refused(String.raw`{"a":1,"\u0061":2}`), { code: 'duplicate_key', pointer: '/a' })
  assert.deepEqual(refused('{"__proto__":1,"__proto__":2}'), { code: 'duplicate_key', pointer: '/__proto__' })
  assert.ok(read('{"a":{"b":1},"b":{"b":1},"c":[{"b":1},{"b":1}]}').ok)
  // The first value of a repeated key has no counterpart in the parsed value.
  assert.equal(refused('{"a":{"b":[1.0],"c":2},"a":5}').code, 'duplicate_key')
  assert.equal(refused('{"a":5,"a":{"b":[1.0]}}').code, 'duplicate_key')
  assert.deepEqual(refused('{"2":1,"1":2,"2":3}'), { code: 'duplicate_key', pointer: '/2' })
  assert.ok(read('{"2":1.0,"1":2.0,"a":3.0}').ok)
})

test('NUL and lone surrogates are refused with a pointer; surrogate pairs are accepted', () => {
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

test('invalid JSON is refused', () => {
  for (const text of broken) assert.equal(refused(text).code, 'invalid_json', text)
})

test('more than 64 levels are refused, whatever the strings contain', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  assert.ok(read(nested(depthLimit)).ok)
  for (const depth of [depthLimit + 1, 1_000, 10_000, 200_000]) {
    for (const text of [nested(depth), `${'{"a":'.repeat(depth)}1.0${'}'.repeat(depth)}`, '['.repeat(depth)]) {
      assert.deepEqual(refused(text), { code: 'invalid_json', pointer: '' })
    }
  }
  assert.ok(read(JSON.stringify({ a: '['.repeat(1000), b: String.raw`\"`.repeat(50) + '[['.repeat(50) })).ok)
  assert.equal(isTooDeep(Buffer.from(`"${'['.repeat(100)}"`)), false)
})

test('a long text with too many levels is refused before it is parsed', () => {
  // The parser would report where the text breaks; the scan over its bytes only reports that it is too deep.
  const result = parseJson(Buffer.from(`${'['.repeat(20_000)}x`))
  assert.match(result.ok ? '' : result.detail, /nested more than 64 levels deep/)
})

/** Counts the characters that the code examines one by one, and those that it slices. */
function lookingAt(work: () => void): { looks: number; cut: number } {
  const { charCodeAt, slice } = String.prototype
  let [looks, cut] = [0, 0]
  const counted = {
    charCodeAt(this: string, at: number) {
      looks += 1
      return charCodeAt.call(this, at)
    },
    slice(this: string, from?: number, to?: number) {
      const part = slice.call(this, from, to)
      cut += part.length
      return part
    },
  }
  try {
    Object.assign(String.prototype, counted)
    work()
  } finally {
    Object.assign(String.prototype, { charCodeAt, slice })
  }
  return { looks, cut }
}

test('the second pass reads each character a bounded number of times, whatever the text', () => {
  const count = 20_000
  const texts = {
    numbers: `[${'1.0,'.repeat(count)}1]`,
    objects: `[ ${'{},'.repeat(count)}1]`,
    keys: `{ ${Array.from({ length: count }, (_, i) => `"k${i}":1.0`).join()}}`,
    escapes: `["${String.raw`\u0041`.repeat(count)}"]`,
    quotes: `[1.0,"${String.raw`\"`.repeat(count)}"]`,
    deep: `${'['.repeat(60)}${'1.0,'.repeat(count)}1${']'.repeat(60)}`,
  }
  for (const [what, text] of Object.entries(texts)) {
    const value: unknown = JSON.parse(text)
    const { looks, cut } = lookingAt(() => assert.equal(findTextFault(text, value, true), undefined))
    assert.ok(looks <= 3 * text.length, `${what}: ${looks} looks at ${text.length} characters`)
    assert.ok(cut <= 2 * text.length, `${what}: ${cut} of ${text.length} characters were cut out`)
    assert.ok(looks + cut > 0)
  }
})

test('a pointer is escaped by RFC 6901', () => {
  assert.equal(toPointer(['a/b', 'm~n', 0, '']), '/a~1b/m~0n/0/')
  assert.equal(toPointer([]), '')
})
