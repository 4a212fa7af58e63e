import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDays } from '../../../src/core/domain/days/business-time.ts'
import { businessDay, monthOf } from '../../../simulator/calendar.ts'
import { visitsOf } from '../../../simulator/demand.ts'

const days = Array.from({ length: 364 }, (_, index) => {
  const day = businessDay('Europe/Paris', addDays('2025-01-06', index))
  const visits = visitsOf('demand', day, 120)
  const minutes = visits.map((visit) => day.minutesAt(visit.at))
  return { ...day, visits, minutes, count: visits.length }
})

const mean = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length

test('over a year about the requested number of visits come per day', () => {
  const perDay = mean(days.map((day) => day.count))
  assert.ok(perDay > 110 && perDay < 135, String(perDay))
})

test('Fridays and Saturdays are the busiest, June is busier than August', () => {
  const byWeekday = Map.groupBy(days, (day) => day.weekday)
  const means = [0, 1, 2, 3, 4, 5, 6].map((weekday) => mean(byWeekday.get(weekday)?.map((day) => day.count) ?? []))
  assert.deepEqual(
    [...means.keys()]
      .toSorted((one, other) => (means[other] ?? 0) - (means[one] ?? 0))
      .slice(0, 2)
      .toSorted((one, other) => one - other),
    [4, 5],
  )
  const month = (number: number) => mean(days.filter((day) => monthOf(day.date) === number).map((day) => day.count))
  assert.ok(month(5) > 1.2 * month(7))
})

test('visits are at lunch and at dinner, with few in between', () => {
  const minutes = days.flatMap((day) => day.minutes)
  const between = (from: number, to: number) => minutes.filter((minute) => minute >= from && minute < to).length
  const [lunch, afternoon, dinner] = [between(720, 840), between(900, 1020), between(1170, 1290)]
  assert.ok(lunch > 3 * afternoon && dinner > 3 * afternoon)
})

test('visits are within their business day, in order of time', () => {
  for (const { visits, startsAt, endsAt } of days) {
    for (const [index, visit] of visits.entries()) {
      assert.ok(visit.at >= startsAt && visit.at < endsAt)
      assert.ok(visit.at >= (visits[index - 1]?.at ?? 0))
    }
  }
})
