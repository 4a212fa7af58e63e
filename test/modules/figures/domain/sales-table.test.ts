import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDays, daysBetween, weekOf } from '../../../../src/core/domain/days/business-time.ts'
import { foldChanges } from '../../../../src/modules/figures/domain/sales.ts'
import { stretchesOf } from '../../../../src/modules/figures/domain/sales-periods.ts'
import { readStoredOrder } from '../../../../src/core/domain/documents/stored-documents.ts'
import { idOf, itemOf, orderOf } from '../../../support/records.ts'
import { comparedRange, cuts, readCut, toRows } from '../../../../src/modules/figures/domain/sales-table.ts'
import { emptyAmounts } from '../../../../src/core/contract/money/amounts.ts'
import type { Cell } from '../../../../src/modules/figures/domain/sales.ts'

test('ranges are compared with as many days before, the same weekdays before, or the same dates a year earlier', () => {
  const month = { since: '2026-03-01', until: '2026-03-31' }
  assert.deepEqual(comparedRange(month, 'previous'), { since: '2026-01-29', until: '2026-02-28' })
  assert.deepEqual(comparedRange(month, 'weekday'), { since: '2026-01-25', until: '2026-02-24' })
  assert.deepEqual(comparedRange(month, 'year'), { since: '2025-03-01', until: '2025-03-31' })
  const day = { since: '2026-03-14', until: '2026-03-14' }
  assert.deepEqual(comparedRange(day, 'weekday'), { since: '2026-03-07', until: '2026-03-07' })
  const leap = { since: '2028-02-29', until: '2028-02-29' }
  assert.deepEqual(comparedRange(leap, 'year'), { since: '2027-02-28', until: '2027-02-28' })
  assert.deepEqual(comparedRange({ since: '2028-02-01', until: '2028-02-29' }, 'year'), {
    since: '2027-02-01',
    until: '2027-02-28',
  })
  assert.deepEqual(comparedRange({ since: '2029-02-01', until: '2029-03-01' }, 'year'), {
    since: '2028-02-01',
    until: '2028-03-01',
  })
  // Days are dates, so the hours that the clock skips or repeats on 29 March and 25 October 2026 move none of them.
  assert.deepEqual(comparedRange({ since: '2026-03-29', until: '2026-03-29' }, 'previous'), {
    since: '2026-03-28',
    until: '2026-03-28',
  })
  assert.deepEqual(comparedRange({ since: '2026-10-25', until: '2026-10-31' }, 'previous'), {
    since: '2026-10-18',
    until: '2026-10-24',
  })
  // There is no day before the first year.
  assert.deepEqual(comparedRange({ since: '0001-01-01', until: '0002-12-31' }, 'year'), {
    since: '0001-01-01',
    until: '0001-12-31',
  })
  // A fiscal year that starts in April, compared with the one before.
  assert.deepEqual(comparedRange({ since: '2026-04-01', until: '2027-03-31' }, 'year'), {
    since: '2025-04-01',
    until: '2026-03-31',
  })
})

test('every breakdown is parsed into its period and its dimension', () => {
  for (const cut of cuts) {
    const { grain, dimension } = readCut(cut)
    assert.equal([grain, dimension].filter((word) => word !== null).join(',') || 'total', cut)
  }
})

const cell = (changes: Partial<Cell>): Cell => ({
  ...emptyAmounts(),
  kind: 'product',
  day: '2026-03-14',
  key: 'a',
  label: 'A',
  orders: 1,
  ...changes,
})

test('a row has its latest name, days of a week are added up, and rows without orders are left out', () => {
  const cells = [
    cell({ sales: 10_000 }),
    cell({ day: '2026-03-15', label: 'A new', sales: 5_000, tax: 1_000 }),
    cell({ key: 'b', label: 'B', orders: 0, sales: 0 }),
  ]
  const [row, ...others] = toRows(cells, { grain: 'week', dimension: 'product' }, { weeks: 1, decimals: 2 })
  assert.deepEqual(others, [])
  assert.deepEqual(
    [row?.period, row?.key, row?.name, row?.orders, row?.salesInclTax, row?.salesExclTax, row?.guests],
    ['2026-03-09', 'a', 'A new', 2, 150, 140, null],
  )
})

test('each day of a range is in exactly one sum, of whole periods if possible, also at either end of the calendar', () => {
  const isPeriod = {
    month: (day: string) => day.endsWith('-01'),
    week: (day: string) => weekOf(day) === day,
  }
  const lengths = [0, 6, 7, 13, 30, 45, 92]
  const firsts = ['0001-01-01', '0001-01-09', '2023-12-25', '2024-02-26', '2024-03-01', '9998-12-31', '9999-11-29']
  for (const base of firsts) {
    for (let shift = 0; shift < 8; shift++) {
      const since = addDays(base, shift)
      for (const until of lengths.map((length) => addDays(since, length))) {
        for (const periods of [[], ['month'], ['week'], ['month', 'week']] as ('month' | 'week')[][]) {
          const stretches = stretchesOf('product', { since, until }, periods)
          for (const { kind, since: first, until: last } of stretches) {
            const period = periods.find((one) => kind === `${one} product`)
            assert.ok(period ? isPeriod[period](first) && isPeriod[period](addDays(last, 1)) : kind === 'product')
          }
          const days = stretches.flatMap((stretch) => daysBetween(stretch.since, stretch.until))
          assert.deepEqual(days.toSorted(), daysBetween(since, until), `${since} ${until} ${periods.join(' ')}`)
        }
      }
    }
  }
})

test('a duplicate discount of an item, its id in either case, counts once for the item, and for the order with its full amount', () => {
  const off = (discountCatalogId: string, discountValue: number) => {
    return { discountName: 'Happy hour', discountValue, discountCatalogId }
  }
  const [one, other] = [idOf('discount', 1), idOf('discount', 2)]
  const items = [
    itemOf(1, { quantity: 2, discountsApplied: [off(one, 1), off(one.toUpperCase(), 0.5), off(other, 0.25)] }),
    itemOf(2, { quantity: 1.5, discountsApplied: [off(one, 2)] }),
  ]
  const order = orderOf(idOf('location', 1), 1, { closedAt: '2026-03-14T19:00:00.000Z', items })
  const clock = { timeZone: 'Europe/Paris', dayStartsAt: '05:00' }
  const cells = foldChanges(clock, [{ before: undefined, after: readStoredOrder(JSON.stringify(order)) }])
  const rowsOf = (kind: string) =>
    cells
      .filter((cell) => cell.kind === kind)
      .map(({ key, orders, items, discounts }) => [key, orders, items, discounts])
  assert.deepEqual(rowsOf('discount'), [
    [one, 1, 3500, 35_000],
    [other, 1, 2000, 2_500],
  ])
  assert.deepEqual(rowsOf('total'), [['', 1, 3500, 37_500]])
})
