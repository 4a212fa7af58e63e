import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { allTime, dayOf, readRange, startOfDay } from '../../../../src/core/domain/days/day-ranges.ts'
import { dayMs } from '../../../../src/core/domain/days/time-units.ts'

const at = (text: string) => Date.parse(text)

test('a date is the whole UTC day, first and last millisecond included', () => {
  assert.deepEqual(readRange('2026-03-01', '2026-03-01'), {
    first: at('2026-03-01T00:00:00.000Z'),
    last: at('2026-03-01T23:59:59.999Z'),
  })
})

test('a missing end is unbounded', () => {
  assert.deepEqual(readRange(undefined, undefined), allTime)
  assert.deepEqual(readRange('2026-03-01', undefined), { first: at('2026-03-01T00:00:00.000Z'), last: allTime.last })
})

const moments: [text: string, meant: string][] = [
  ['2026-03-01T10:20:30.456Z', '2026-03-01T10:20:30.456Z'],
  ['2026-03-01T10:20:30Z', '2026-03-01T10:20:30.000Z'],
  ['2026-03-01T10:20Z', '2026-03-01T10:20:00.000Z'],
  ['2026-03-01T10:20:30', '2026-03-01T10:20:30.000Z'],
  ['2026-03-01t10:20:30z', '2026-03-01T10:20:30.000Z'],
  ['2026-03-01T10:20:30,5Z', '2026-03-01T10:20:30.500Z'],
  ['2026-03-01T00:30:00+02:00', '2026-02-28T22:30:00.000Z'],
  ['2026-03-01T23:30:00-0130', '2026-03-02T01:00:00.000Z'],
  ['2026-03-01T23:30:00-01', '2026-03-02T00:30:00.000Z'],
  ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.000Z'],
]

for (const [text, meant] of moments) {
  test(`${text} is the time ${meant}`, () => {
    assert.deepEqual(readRange(text, text), { first: at(meant), last: at(meant) })
  })
}

test('a time more precise than a millisecond covers the milliseconds inside it', () => {
  const base = at('2026-03-01T10:20:30.456Z')
  assert.deepEqual(readRange('2026-03-01T10:20:30.4561Z', undefined), { first: base + 1, last: allTime.last })
  assert.deepEqual(readRange(undefined, '2026-03-01T10:20:30.456999Z'), { first: allTime.first, last: base })
})

const malformed = [
  '',
  ' ',
  'today',
  '2026',
  '2026-03',
  '2026-3-1',
  '2026-02-30',
  '2025-02-29',
  '2026-13-01',
  '2026-00-10',
  '2026-01-00',
  '0000-01-01',
  '20260301',
  '2026-03-01Z',
  '2026-03-01T',
  '2026-03-01T24:00:00Z',
  '2026-03-01T10:60:00Z',
  '2026-03-01T10:20:60Z',
  '2026-03-01T10Z',
  '2026-03-01T10:20:30.Z',
  '2026-03-01T10:20:30.1234567890Z',
  '2026-03-01T10:20:30 02:00',
  '2026-03-01T10:20:30+24:00',
  '2026-03-01T10:20:30+02:60',
  '2026-03-01 10:20:30',
  '2026-02-30T10:20:30Z',
  '+02026-03-01',
  '1772323200000',
  '２０２６-03-01',
  '2026-03-01T10:20:30Z\n',
]

test('an invalid date or time is reported, on either side', () => {
  for (const text of malformed) {
    for (const range of [readRange(text, undefined), readRange(undefined, text)]) {
      assert.ok(Array.isArray(range), `${JSON.stringify(text)} was taken for a moment`)
      assert.deepEqual(
        range.map((fault) => fault.code),
        ['invalid_datetime'],
        JSON.stringify(text),
      )
    }
  }
})

test('errors on both sides are reported together', () => {
  const range = readRange('x', 'y')
  assert.deepEqual(Array.isArray(range) && range.map(({ name }) => name), ['since', 'until'])
})

test('since after until is refused, the same millisecond is not', () => {
  const range = readRange('2026-03-02', '2026-03-01')
  assert.deepEqual(Array.isArray(range) && range.map(({ name, code }) => [name, code]), [
    ['since', 'since_after_until'],
  ])
  assert.ok(!Array.isArray(readRange('2026-03-01T10:00:00.001Z', '2026-03-01T10:00:00.001Z')))
  assert.ok(Array.isArray(readRange('2026-03-01T10:00:00.002Z', '2026-03-01T10:00:00.001Z')))
})

test('every time is within the day of its date', () => {
  fc.assert(
    fc.property(fc.integer({ min: allTime.first, max: allTime.last }), (ms) => {
      const start = startOfDay(dayOf(ms))
      assert.ok(start <= ms && ms < start + dayMs)
    }),
  )
})

test('an offset shifts a time, but never the day boundary of a date', () => {
  const offsets = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 })
  const years = { min: new Date('0002-01-01'), max: new Date('9998-01-01'), noInvalidDate: true }
  fc.assert(
    fc.property(fc.date(years), offsets, (moment, minutes) => {
      const local = new Date(moment.getTime() + minutes * 60_000).toISOString().slice(0, -1)
      const two = (n: number) => String(Math.trunc(Math.abs(n))).padStart(2, '0')
      const text = `${local}${minutes < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`
      assert.deepEqual(readRange(text, text), { first: moment.getTime(), last: moment.getTime() })
    }),
  )
})
