import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addDays,
  businessTime,
  daysBetween,
  weekdayOf,
  weekOf,
} from '../../../../src/core/domain/days/business-time.ts'
import { canonicalTimeZone } from '../../../../src/core/domain/days/time-zones.ts'

const at = (text: string) => Date.parse(text)

test('sales after midnight belong to the evening before', () => {
  const time = businessTime({ timeZone: 'Europe/Paris', dayStartsAt: '05:00' })
  assert.equal(time.dayOf(at('2026-03-14T22:59:59.999Z')), '2026-03-14')
  assert.equal(time.dayOf(at('2026-03-15T03:59:59.999Z')), '2026-03-14')
  assert.equal(time.dayOf(at('2026-03-15T04:00:00.000Z')), '2026-03-15')
  assert.equal(time.hourOf(at('2026-03-15T03:59:59.999Z')), 4)
})

const zones: [timeZone: string, days: string[]][] = [
  // The clock changes of spring and autumn, and the days around them.
  ['Europe/Paris', ['2026-03-28', '2026-03-29', '2026-03-30', '2026-10-24', '2026-10-25', '2026-10-26']],
  ['America/Sao_Paulo', ['2018-11-03', '2018-11-04', '2019-02-16', '2019-02-17', '2026-06-01']],
  ['Asia/Kathmandu', ['2026-01-01', '2026-07-01']],
  ['Australia/Lord_Howe', ['2026-04-04', '2026-04-05', '2026-10-03', '2026-10-04']],
  ['UTC', ['2026-01-01']],
]

for (const [timeZone, days] of zones) {
  for (const dayStartsAt of ['00:00', '02:30', '05:00']) {
    test(`days of ${timeZone} that start at ${dayStartsAt} follow each other without a gap`, () => {
      const time = businessTime({ timeZone, dayStartsAt })
      for (const day of days) {
        const start = time.startOf(day)
        assert.equal(time.dayOf(start), day)
        assert.equal(time.dayOf(start - 1), addDays(day, -1))
        const next = time.startOf(addDays(day, 1))
        assert.equal(time.dayOf(next - 1), day)
        const hours = (next - start) / 3_600_000
        assert.ok(hours >= 23 && hours <= 25, `${day} has ${hours} hours`)
        for (let ms = start; ms < next; ms += 900_000) assert.equal(time.dayOf(ms), day, new Date(ms).toISOString())
      }
    })
  }
}

test('hours are those of local time, as an independent calculation has them', () => {
  for (const [timeZone] of zones) {
    const time = businessTime({ timeZone, dayStartsAt: '05:00' })
    const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23' })
    for (let ms = at('2026-03-28T00:00:00.000Z'); ms < at('2026-03-31T00:00:00.000Z'); ms += 1_740_000) {
      assert.equal(time.hourOf(ms), Number(format.format(ms)))
    }
  }
})

test('weeks begin on Monday, and weekdays count from 1 for Monday', () => {
  assert.equal(weekOf('2026-03-15'), '2026-03-09')
  assert.equal(weekOf('2026-03-16'), '2026-03-16')
  assert.equal(weekdayOf('2026-03-15'), 7)
  assert.equal(weekdayOf('2026-03-16'), 1)
})

test('no day is before the first or after the last, in any time zone', () => {
  const [first, last] = ['0001-01-01', '9999-12-31']
  assert.deepEqual(
    [addDays(first, -1), addDays(last, 1), weekOf(first), weekOf(last)],
    [first, last, first, '9999-12-27'],
  )
  assert.deepEqual([daysBetween(last, last), daysBetween(last, first)], [[last], []])
  for (const timeZone of ['Pacific/Kiritimati', 'UTC', 'America/Los_Angeles']) {
    const time = businessTime({ timeZone, dayStartsAt: '05:00' })
    const ends = ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'].map((moment) => time.dayOf(at(moment)))
    assert.deepEqual(ends, [first, last], timeZone)
    for (const day of [first, '0050-06-15', last]) {
      const start = new Date(time.startOf(day)).toISOString()
      assert.ok(
        Math.abs(Date.parse(start) - at(`${day}T00:00:00.000Z`)) <= 86_400_000,
        `${day} in ${timeZone}: ${start}`,
      )
      assert.match(start, /^(0001|0050|9999)-/)
    }
  }
})

test('a time zone has the canonical spelling of its name', () => {
  const zones = {
    'europe/paris': 'Europe/Paris',
    'Asia/Kathmandu': 'Asia/Kathmandu',
    'Europe/Kyiv': 'Europe/Kyiv',
    utc: 'UTC',
  }
  for (const [name, canonical] of Object.entries(zones)) assert.equal(canonicalTimeZone(name), canonical)
  assert.equal(canonicalTimeZone('Europe/Atlantis'), undefined)
})
