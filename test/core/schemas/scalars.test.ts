import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isDatetime, isUuid } from '../../../src/core/contract/scalars.ts'

test('a UUID of any version and case is valid, with hyphens and nothing around it', () => {
  fc.assert(fc.property(fc.uuid(), (id) => isUuid(id) && isUuid(id.toUpperCase())))
  const id = '7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11'
  for (const text of [
    '',
    id.replaceAll('-', ''),
    `{${id}}`,
    `urn:uuid:${id}`,
    ` ${id}`,
    `${id}\n`,
    `${id}0`,
    'g' + id,
  ]) {
    assert.equal(isUuid(text), false, text)
  }
})

test('every UTC time in milliseconds of the years 1 to 9999 is a valid datetime', () => {
  const years = { min: new Date('0001-01-01T00:00:00.000Z'), max: new Date('9999-12-31T23:59:59.999Z') }
  fc.assert(fc.property(fc.date({ ...years, noInvalidDate: true }), (moment) => isDatetime(moment.toISOString())))
})

const wrong = [
  '2026-02-30T10:00:00.000Z',
  '2025-02-29T10:00:00.000Z',
  '2026-13-01T10:00:00.000Z',
  '2026-03-01T24:00:00.000Z',
  '2026-03-01T10:60:00.000Z',
  '2026-03-01T10:00:60.000Z',
  '0000-01-01T00:00:00.000Z',
  '2026-03-01T10:00:00Z',
  '2026-03-01T10:00:00.00Z',
  '2026-03-01T10:00:00.0000Z',
  '2026-03-01T10:00:00.000+00:00',
  '2026-03-01t10:00:00.000z',
  '2026-03-01 10:00:00.000Z',
  '2026-03-01',
  '+012026-03-01T10:00:00.000Z',
  '2026-03-01T10:00:00.000Z\n',
  '',
]

test('other spellings and times that do not exist are not valid', () => {
  for (const text of wrong) assert.equal(isDatetime(text), false, text)
})

test('a datetime is valid exactly if its day is in the calendar', () => {
  const two = (n: number) => String(n).padStart(2, '0')
  const parts = fc.tuple(
    fc.integer({ min: 0, max: 9999 }),
    ...[13, 32, 25, 61, 61].map((max) => fc.integer({ min: 0, max })),
  )
  const texts = parts.map(([year, month = 0, day = 0, ...time]) => {
    return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${time.map(two).join(':')}.000Z`
  })
  const exists = (text: string) => {
    const ms = Date.parse(text)
    return !text.startsWith('0000') && !Number.isNaN(ms) && new Date(ms).toISOString() === text
  }
  fc.assert(
    fc.property(texts, (text) => isDatetime(text) === exists(text)),
    { numRuns: 3000 },
  )
})
