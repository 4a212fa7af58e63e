import assert from 'node:assert/strict'
import { test } from 'node:test'

// The console is a separate program, with its own types.
const here = (path: string) => import(new URL(`../../../console/src/format/${path}`, import.meta.url).href)
const { businessDayOf, createFormat, startOfBusinessDay } = await here('format.ts')
const { numberRanges } = await here('number-ranges.ts')

const paris = (dayStartsAt: string) => ({ timeZone: 'Europe/Paris', currency: 'EUR', dayStartsAt })

test('a business day begins at its local hour, two hours before UTC in summer and one in winter', () => {
  assert.equal(startOfBusinessDay('2026-10-24', paris('05:00')), '2026-10-24T03:00:00.000Z')
  assert.equal(startOfBusinessDay('2026-10-25', paris('05:00')), '2026-10-25T04:00:00.000Z')
  assert.equal(startOfBusinessDay('2027-03-28', paris('05:00')), '2027-03-28T03:00:00.000Z')
  assert.equal(startOfBusinessDay('2026-11-26', paris('00:00')), '2026-11-25T23:00:00.000Z')
  assert.equal(businessDayOf(new Date('2026-11-26T03:59:59.999Z'), paris('05:00')), '2026-11-25')
  assert.equal(businessDayOf(new Date('2026-11-26T04:00:00Z'), paris('05:00')), '2026-11-26')
  const apia = { timeZone: 'Pacific/Apia', currency: 'WST', dayStartsAt: '05:00' }
  assert.equal(startOfBusinessDay('2026-11-26', apia), '2026-11-25T16:00:00.000Z')
})

test('a start in a repeated hour is the earlier one, and a start in a skipped hour the first time after it', () => {
  // At 01:00 UTC the clocks in Paris change from 3:00 to 2:00 on 25 October 2026, and from 2:00 to 3:00 on 28 March
  // 2027.
  const late = paris('02:30')
  assert.equal(startOfBusinessDay('2026-10-25', late), '2026-10-25T00:30:00.000Z')
  assert.equal(businessDayOf(new Date('2026-10-25T00:29:00Z'), late), '2026-10-24')
  // 2:10 by the clock, for the second time that night.
  assert.equal(businessDayOf(new Date('2026-10-25T01:10:00Z'), late), '2026-10-25')
  assert.equal(startOfBusinessDay('2026-10-26', late), '2026-10-26T01:30:00.000Z')
  assert.equal(startOfBusinessDay('2027-03-28', late), '2027-03-28T01:00:00.000Z')
  assert.equal(businessDayOf(new Date('2027-03-28T00:59:00Z'), late), '2027-03-27')
  // In Cairo, 24 April 2026 has no midnight: the clock goes to 1:00, three hours ahead of UTC.
  const cairo = { timeZone: 'Africa/Cairo', currency: 'EGP', dayStartsAt: '00:00' }
  assert.equal(startOfBusinessDay('2026-04-24', cairo), '2026-04-23T22:00:00.000Z')
})

test('a day of another year includes its year, in both languages', (context) => {
  context.mock.timers.enable({ apis: ['Date'], now: new Date('2026-01-03T12:00:00Z') })
  const dayIn = (language: string) => createFormat(language, paris('05:00')).day
  assert.deepEqual(['2026-01-02', '2025-12-31'].map(dayIn('en')), ['Fri 2 Jan', 'Wed, 31 Dec 2025'])
  assert.deepEqual(['2026-01-02', '2025-12-31'].map(dayIn('fr')), ['ven. 2 janv.', 'mer. 31 déc. 2025'])
})

test('consecutive numbers are shown as first and last', () => {
  assert.equal(numberRanges([]), '')
  assert.equal(numberRanges([4325]), '4325')
  assert.equal(numberRanges([13, 12]), '12, 13')
  assert.equal(numberRanges([7, 9, 8, 4, 10, 4]), '4, 7–10')
})
