import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { dayIndex, locate, partialDays } from '../../../../src/core/domain/days/day-index.ts'
import { allTime, dayOf, type Range } from '../../../../src/core/domain/days/day-ranges.ts'
import { dayMs } from '../../../../src/core/domain/days/time-units.ts'

const start = Date.parse('2026-03-01T00:00:00.000Z')

const countIn = (moments: readonly number[], { first, last }: Range) =>
  moments.filter((ms) => ms >= first && ms <= last).length

function indexOf(moments: readonly number[]) {
  const counts = new Map<string, number>()
  for (const ms of moments) counts.set(dayOf(ms), (counts.get(dayOf(ms)) ?? 0) + 1)
  return dayIndex(counts)
}

/** Reads a page as the store does: skips rows from the found position on, forwards or backwards. */
function read(moments: readonly number[], range: Range, offset: number, size: number, descending: boolean) {
  const partial = partialDays(range).map((part) => countIn(moments, part))
  const place = locate(indexOf(moments), range, partial, { offset, descending })
  const inside = moments
    .filter((ms) => ms >= place.range.first && ms <= place.range.last)
    .toSorted((a, b) => (descending ? b - a : a - b))
  return { place, found: offset >= place.total ? [] : inside.slice(place.skip, place.skip + size) }
}

/** Few days and few positions in a day, so that edges and ties are common. */
const moment = fc
  .tuple(fc.integer({ min: 0, max: 5 }), fc.constantFrom(0, 1, 1000, dayMs / 2, dayMs - 2, dayMs - 1))
  .map(([day, ms]) => start + day * dayMs + ms)

const range = fc.oneof(
  fc.constant(allTime),
  fc.tuple(moment, moment).map(([a, b]) => ({ first: Math.min(a, b), last: Math.max(a, b) })),
  moment.map((ms) => ({ first: ms, last: allTime.last })),
  moment.map((ms) => ({ first: allTime.first, last: ms })),
)

test('a page equals a sorted, filtered and sliced list of everything, and skips less than a day', () => {
  const pages = fc.record({
    moments: fc.array(moment, { maxLength: 60 }),
    range,
    offset: fc.integer({ min: 0, max: 70 }),
    size: fc.integer({ min: 1, max: 20 }),
    descending: fc.boolean(),
  })
  fc.assert(
    fc.property(pages, ({ moments, range, offset, size, descending }) => {
      const matching = moments
        .filter((ms) => ms >= range.first && ms <= range.last)
        .toSorted((a, b) => (descending ? b - a : a - b))
      const { place, found } = read(moments, range, offset, size, descending)
      assert.equal(place.total, matching.length)
      assert.deepEqual(found, matching.slice(offset, offset + size))
      if (offset >= place.total) return
      const first = matching[offset] as number
      const sameDay = matching.filter((ms) => dayOf(ms) === dayOf(first)).length
      assert.ok(place.skip < sameDay, `skips ${place.skip} where the day holds ${sameDay}`)
    }),
    { numRuns: 2000 },
  )
})

test('only the partial days of a range are counted in the database: two at most', () => {
  fc.assert(
    fc.property(range, ({ first, last }) => {
      const parts = partialDays({ first, last })
      assert.ok(parts.length <= 2)
      for (const part of parts) assert.equal(dayOf(part.first), dayOf(part.last))
    }),
  )
  assert.deepEqual(partialDays({ first: start, last: start + dayMs - 1 }), [])
  assert.deepEqual(partialDays({ first: start, last: start + 1 }), [{ first: start, last: start + 1 }])
})

test('empty days are not in the index', () => {
  const index = dayIndex([
    ['2026-03-02', 2],
    ['2026-03-01', 0],
    ['2026-02-28', 1],
  ])
  assert.deepEqual(index, { days: [Date.parse('2026-02-28'), Date.parse('2026-03-02')], before: [0, 1, 3] })
})
