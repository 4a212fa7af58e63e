import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { businessDateAt, businessDay, offsetAt } from '../../../simulator/calendar.ts'
import { hourMs } from '../../../src/core/domain/days/time-units.ts'

const paris = 'Europe/Paris'
const iso = (ms: number) => new Date(ms).toISOString()

test('the offset of a zone follows its clock changes to the second', () => {
  const spring = Date.parse('2025-03-30T01:00:00Z')
  const autumn = Date.parse('2025-10-26T01:00:00Z')
  assert.deepEqual([offsetAt(paris, spring - 1), offsetAt(paris, spring)], [hourMs, 2 * hourMs])
  assert.deepEqual([offsetAt(paris, autumn - 1), offsetAt(paris, autumn)], [2 * hourMs, hourMs])
  assert.equal(offsetAt('America/Martinique', spring), -4 * hourMs)
  assert.throws(() => offsetAt('Europe/Nowhere', spring), RangeError)
})

function lengthOf(date: string): [startsAt: string, hours: number] {
  const { startsAt, endsAt } = businessDay(paris, date)
  return [iso(startsAt), (endsAt - startsAt) / hourMs]
}

test('a business day runs from 05:00 to 05:00 local time, 23 or 25 hours when the clock changes', () => {
  assert.deepEqual(lengthOf('2025-07-01'), ['2025-07-01T03:00:00.000Z', 24])
  assert.deepEqual(lengthOf('2025-03-29'), ['2025-03-29T04:00:00.000Z', 23])
  assert.deepEqual(lengthOf('2025-10-25'), ['2025-10-25T03:00:00.000Z', 25])
})

test('business days follow each other without gap or overlap, and each instant belongs to exactly one', () => {
  const zones = fc.constantFrom(paris, 'America/Martinique', 'Indian/Reunion', 'Pacific/Noumea', 'Australia/Lord_Howe')
  const instants = fc.integer({ min: Date.parse('2015-01-01'), max: Date.parse('2040-01-01') })
  fc.assert(
    fc.property(zones, instants, (zone, at) => {
      const day = businessDay(zone, businessDateAt(zone, at))
      assert.ok(day.startsAt <= at && at < day.endsAt)
      assert.equal(businessDateAt(zone, day.startsAt), day.date)
      assert.equal(businessDateAt(zone, day.startsAt - 1) < day.date, true)
      assert.equal(businessDay(zone, businessDateAt(zone, day.endsAt)).startsAt, day.endsAt)
      assert.ok(Math.abs(day.at(day.minutesAt(at)) - at) <= 1)
    }),
  )
})

test('every instant around a clock change belongs to one business day', () => {
  for (const change of ['2025-03-30T01:00:00Z', '2025-10-26T01:00:00Z']) {
    const center = Date.parse(change)
    for (let at = center - 6 * hourMs; at < center + 6 * hourMs; at += 10 * 60_000) {
      const day = businessDay(paris, businessDateAt(paris, at))
      assert.ok(day.startsAt <= at && at < day.endsAt, iso(at))
    }
  }
})

test('weekdays count from Monday', () => {
  assert.equal(businessDay(paris, '2026-03-16').weekday, 0)
  assert.equal(businessDay(paris, '2026-03-15').weekday, 6)
})
