import assert from 'node:assert/strict'
import { test } from 'node:test'

// The console is a separate program, with its own types.
const { clockPeriods, pairsOf } = await import(
  new URL('../../../console/src/screens/restaurant/paired.ts', import.meta.url).href
)

type Given = {
  by: string
  since: string
  until: string
  before?: [string, string]
  firstDay?: string
  dayStartsAt?: string
}

const figures = { orders: 1, guests: 1, items: 1, discounts: 0, tax: 0 }

/** Returns a response of the API with these sales by period, or by key if it is grouped that way. */
function salesOf(given: Given, now: Record<string, number>, then: Record<string, number>) {
  const isByKey = given.by === 'product'
  const rows = (sales: Record<string, number>) =>
    Object.entries(sales).map(([at, salesInclTax]) => ({
      ...figures,
      period: isByKey ? null : at,
      key: isByKey ? at : null,
      name: isByKey ? at.toUpperCase() : null,
      salesInclTax,
    }))
  const { by, since, until, before, firstDay = '2020-01-01', dayStartsAt = '05:00' } = given
  return {
    data: rows(now),
    comparison: before && { since: before[0], until: before[1], data: rows(then) },
    meta: { by, since, until, firstDay, dayStartsAt },
  } as never
}

/** Returns the paired rows: period or key, sales, sales before. */
const pairs = (sales: never, compare: string) =>
  pairsOf(sales, compare).map(({ period, key, now, earlier }: any) => [
    period ?? key,
    now?.salesInclTax ?? null,
    earlier === 'unknown' ? 'unknown' : (earlier?.salesInclTax ?? null),
  ])

test('an hour without sales in either range does not shift the others, and hours are in the order of a business day', () => {
  const day: Given = { by: 'hour', since: '2026-11-25', until: '2026-11-25', before: ['2026-11-18', '2026-11-18'] }
  assert.deepEqual(
    pairs(salesOf(day, { '00': 5, '12': 100, '14': 300 }, { '11': 7, '13': 200, '14': 250 }), 'weekday'),
    [
      ['11', null, 7],
      ['12', 100, null],
      ['13', null, 200],
      ['14', 300, 250],
      ...['15', '16', '17', '18', '19', '20', '21', '22', '23'].map((hour) => [hour, null, null]),
      ['00', 5, null],
    ],
  )
  assert.deepEqual(clockPeriods(['00:30', '23:00'], '05:00', 30), ['23:00', '23:30', '00:00', '00:30'])
  const day24 = '05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 23 00 01 02 03 04'.split(' ')
  assert.deepEqual(clockPeriods(['04', '05'], '05:00', 60), day24)
})

test('a day is paired with the day at the same position in the other range, whichever days have no sales', () => {
  // A case from a brasserie that closes on some days: 3 November has no sales, nor has 28 October.
  const range: Given = { by: 'day', since: '2026-11-01', until: '2026-11-05', before: ['2026-10-27', '2026-10-31'] }
  const now = { '2026-11-01': 1, '2026-11-02': 2, '2026-11-04': 4, '2026-11-05': 5 }
  const then = { '2026-10-27': 10, '2026-10-29': 30, '2026-10-30': 40, '2026-10-31': 50 }
  assert.deepEqual(pairs(salesOf(range, now, then), 'previous'), [
    ['2026-11-01', 1, 10],
    ['2026-11-02', 2, null],
    ['2026-11-03', null, 30],
    ['2026-11-04', 4, 40],
    ['2026-11-05', 5, 50],
  ])
})

test('compared with a year before, a date is paired with the same date, 29 February with none, a Wednesday with a Wednesday', () => {
  const leap: Given = { by: 'day', since: '2028-02-28', until: '2028-03-01', before: ['2027-02-28', '2027-03-01'] }
  const sold = { '2028-02-28': 1, '2028-02-29': 2, '2028-03-01': 3 }
  assert.deepEqual(pairs(salesOf(leap, sold, { '2027-02-28': 10, '2027-03-01': 30 }), 'year'), [
    ['2028-02-28', 1, 10],
    ['2028-02-29', 2, 'unknown'],
    ['2028-03-01', 3, 30],
  ])
  const day: Given = { by: 'day', since: '2026-11-25', until: '2026-11-25', before: ['2025-11-26', '2025-11-26'] }
  assert.deepEqual(pairs(salesOf(day, { '2026-11-25': 1 }, { '2025-11-26': 9 }), 'yearWeekday'), [['2026-11-25', 1, 9]])
})

test('weeks and months are paired by their place in the calendar, too', () => {
  const weeks: Given = { by: 'week', since: '2026-11-02', until: '2026-11-22', before: ['2026-10-12', '2026-11-01'] }
  const then = { '2026-10-12': 10, '2026-10-26': 30 }
  assert.deepEqual(pairs(salesOf(weeks, { '2026-11-02': 1, '2026-11-09': 2, '2026-11-16': 3 }, then), 'previous'), [
    ['2026-11-02', 1, 10],
    ['2026-11-09', 2, null],
    ['2026-11-16', 3, 30],
  ])
  const months: Given = { by: 'month', since: '2026-01-01', until: '2026-03-31', before: ['2025-01-01', '2025-03-31'] }
  assert.deepEqual(pairs(salesOf(months, { '2026-01': 1, '2026-03': 3 }, { '2025-02': 20, '2025-03': 30 }), 'year'), [
    ['2026-01', 1, null],
    ['2026-02', null, 20],
    ['2026-03', 3, 30],
  ])
})

test('a month or a week is paired with the one that contains most of its compared days, whole if both are whole', () => {
  // The 31 days before October begin on 31 August, those before March on 29 January.
  for (const [month, before, days] of [
    ['2026-10', '2026-09', ['2026-08-31', '2026-09-30']],
    ['2026-03', '2026-02', ['2026-01-29', '2026-02-28']],
  ] as const) {
    const range: Given = { by: 'month', since: `${month}-01`, until: `${month}-31`, before: [...days] }
    const then = { [days[0].slice(0, 7)]: 1, [before]: 30 }
    assert.deepEqual(pairs(salesOf(range, { [month]: 31 }, then), 'previous'), [[month, 31, 30]])
  }
  // Monday 2 to Sunday 22 November 2026: a year earlier, these are Sunday to Saturday, in four calendar weeks.
  const weeks: Given = { by: 'week', since: '2026-11-02', until: '2026-11-22', before: ['2025-11-02', '2025-11-22'] }
  const now = { '2026-11-02': 7, '2026-11-09': 7, '2026-11-16': 7 }
  const then = { '2025-10-27': 1, '2025-11-03': 70, '2025-11-10': 71, '2025-11-17': 6 }
  assert.deepEqual(pairs(salesOf(weeks, now, then), 'year'), [
    ['2026-11-02', 7, 70],
    ['2026-11-09', 7, 71],
    ['2026-11-16', 7, 6],
  ])
  // 45 days from 16 September: the 45 days before begin on 2 August.
  const odd: Given = { by: 'month', since: '2026-09-16', until: '2026-10-30', before: ['2026-08-02', '2026-09-15'] }
  assert.deepEqual(pairs(salesOf(odd, { '2026-09': 1, '2026-10': 2 }, { '2026-08': 8, '2026-09': 9 }), 'previous'), [
    ['2026-09', 1, 8],
    ['2026-10', 2, 9],
  ])
})

test('days before the first day of the restaurant are unknown, not 0', () => {
  const range: Given = {
    by: 'day',
    since: '2026-11-03',
    until: '2026-11-04',
    before: ['2026-11-01', '2026-11-02'],
    firstDay: '2026-11-02',
  }
  assert.deepEqual(pairs(salesOf(range, { '2026-11-03': 1, '2026-11-04': 2 }, {}), 'previous'), [
    ['2026-11-03', 1, 'unknown'],
    ['2026-11-04', 2, null],
  ])
  const hours: Given = {
    by: 'hour',
    since: '2026-11-03',
    until: '2026-11-03',
    before: ['2025-11-04', '2025-11-04'],
    firstDay: '2026-11-02',
  }
  assert.deepEqual(pairs(salesOf(hours, { '12': 1 }, {}), 'yearWeekday'), [['12', 1, 'unknown']])
})

test('partly known days are not paired with a sum of more days', () => {
  const times = { since: '2026-10-30', until: '2026-11-26', firstDay: '2025-11-27' }
  const before: [string, string] = ['2025-10-31', '2025-11-27']
  for (const [by, now, then] of [
    ['product', { a: 28 }, { a: 1 }],
    ['hour', { '12': 28 }, { '12': 1 }],
    ['month', { '2026-11': 26 }, { '2025-11': 1 }],
    ['week', { '2026-11-23': 4 }, { '2025-11-24': 1 }],
  ] as const) {
    const rows = pairs(salesOf({ by, ...times, before }, now, then), 'yearWeekday')
    assert.deepEqual(rows.at(-1)?.at(-1), 'unknown', by)
  }
  // Weeks without sales are not counted in an average of four.
  const mean: Given = { by: 'product', since: '2026-11-26', until: '2026-11-26', firstDay: '2026-11-10' }
  const fourWeeks = { ...mean, before: ['2026-10-29', '2026-11-19'] as [string, string] }
  assert.deepEqual(pairs(salesOf(fourWeeks, { a: 2 }, { a: 3 }), 'fourWeeks'), [['a', 2, 3]])
})

test('a product is paired with itself, and one that is no longer sold is listed', () => {
  const range: Given = { by: 'product', since: '2026-11-03', until: '2026-11-03', before: ['2026-11-02', '2026-11-02'] }
  assert.deepEqual(pairs(salesOf(range, { a: 1, b: 2 }, { b: 20, c: 30 }), 'previous'), [
    ['a', 1, null],
    ['b', 2, 20],
    ['c', null, 30],
  ])
})
