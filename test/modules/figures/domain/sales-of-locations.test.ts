import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rangeOfWord, sumTogether } from '../../../../src/modules/figures/domain/sales-of-locations.ts'
import type { SalesOfLocation } from '../../../../src/modules/figures/schemas/sales-of-locations.ts'
import { idOf } from '../../../support/records.ts'

let n = 0
const sold = (salesInclTax: number, before: number | null, currency = 'EUR'): SalesOfLocation => ({
  locationId: idOf('location', ++n),
  name: 'Auberge',
  city: 'Brest',
  timeZone: 'Europe/Paris',
  currency,
  sales: {
    since: '2026-03-14',
    until: '2026-03-14',
    orders: 1,
    guests: 2,
    salesInclTax,
    open: { orders: 0, salesInclTax: 0 },
    comparison:
      before === null ? null : { since: '2026-03-07', orders: 1, guests: 2, salesInclTax: before, change: null },
  },
})

test('a restaurant that opened yesterday is in the sum and not in the comparison', () => {
  const [together] = sumTogether([sold(90_000, 100_000), sold(50_000, null)])
  assert.equal(together?.salesInclTax, 140_000)
  assert.deepEqual(together?.comparison, {
    locations: 1,
    salesInclTax: 90_000,
    salesInclTaxBefore: 100_000,
    change: -0.1,
  })
})

test('the comparison excludes locations without earlier sales, and includes those without sales now', () => {
  assert.equal(sumTogether([sold(50_000, null)])[0]?.comparison, null)
  assert.equal(sumTogether([sold(50_000, 0)])[0]?.comparison?.change, null)
  assert.equal(sumTogether([sold(0, 10_000), sold(10_000, 10_000)])[0]?.comparison?.change, -0.5)
})

test('amounts in two currencies are two sums, and a location whose figures are being built is in none', () => {
  const totals = sumTogether([
    sold(100, null),
    sold(7, null, 'JPY'),
    { ...sold(1, null), sales: null },
    sold(200, null),
  ])
  assert.deepEqual(
    totals.map(({ currency, locations, salesInclTax }) => [currency, locations, salesInclTax]),
    [
      ['EUR', 2, 300],
      ['JPY', 1, 7],
    ],
  )
})

test('named ranges are calendar days', () => {
  assert.deepEqual(rangeOfWord('lastMonth', '2026-03-31'), { since: '2026-02-01', until: '2026-02-28' })
  assert.deepEqual(rangeOfWord('month', '2024-02-29'), { since: '2024-02-01', until: '2024-02-29' })
  assert.deepEqual(rangeOfWord('28d', '2026-01-05'), { since: '2025-12-09', until: '2026-01-05' })
  assert.deepEqual(rangeOfWord('yesterday', '2026-01-01'), { since: '2025-12-31', until: '2025-12-31' })
})
