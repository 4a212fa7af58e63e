import assert from 'node:assert/strict'
import { test } from 'node:test'
import { warnOfReusedId } from '../../../../src/modules/warnings/domain/reused-ids.ts'
import type { Order } from '../../../../src/core/contract/orders/schema.ts'
import { idOf, itemOf, orderOf } from '../../../support/records.ts'

const base = orderOf(idOf('location', 1), 1, {
  openedAt: '2026-03-10T12:00:00.000Z',
  closedAt: '2026-03-10T13:00:00.000Z',
  orderNumber: '17',
  items: [itemOf(1, { description: 'Soupe' }), itemOf(2, { description: 'Tarte' })],
})

const others = [itemOf(3, { description: 'Café' })]

const cases: [what: string, changes: Partial<Order>, isReused: boolean][] = [
  [
    'the next day, with the same number and the same items',
    { openedAt: '2026-03-11T12:00:00.000Z', closedAt: '2026-03-11T12:30:00.000Z' },
    true,
  ],
  ['three days later, still open', { openedAt: '2026-03-13T12:00:00.000Z', closedAt: null }, true],
  [
    'earlier, by a till whose clock was reset, with other items',
    { openedAt: '2026-01-01T00:05:00.000Z', items: others },
    true,
  ],
  ['an hour later with another number', { openedAt: '2026-03-10T12:30:00.000Z', orderNumber: '18' }, true],
  ['a correction of its items', { items: others }, false],
  ['a correction of its number', { orderNumber: '18' }, false],
  ['canceled', { isCanceled: true, items: [] }, false],
  ['opened again and closed later', { closedAt: '2026-03-12T13:00:00.000Z' }, false],
  [
    'a corrected clock, with the same items',
    { openedAt: '2026-03-10T10:00:00.000Z', closedAt: '2026-03-10T11:00:00.000Z' },
    false,
  ],
  [
    'a corrected opening time, with one more item',
    { openedAt: '2026-03-10T11:55:00.000Z', items: [...base.items, ...others] },
    false,
  ],
]

for (const [what, changes, isReused] of cases) {
  test(`${what}: ${isReused ? 'another sale' : 'the same sale'}`, () => {
    assert.equal(warnOfReusedId({ ...base, ...changes }, base)?.code, isReused ? 'id_reused' : undefined)
  })
}

test('a stored open order may change its opening time, but not its number', () => {
  const open = { ...base, closedAt: null }
  const later = { ...base, openedAt: '2026-03-11T12:00:00.000Z' }
  assert.equal(warnOfReusedId(later, open), undefined)
  assert.equal(warnOfReusedId({ ...later, orderNumber: '3' }, open)?.code, 'id_reused')
})
