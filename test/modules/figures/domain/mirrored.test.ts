import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toEReport } from '../../../../src/modules/e-reporting/domain/e-reporting.ts'
import { reconcile } from '../../../../src/modules/figures/domain/reconciliation.ts'
import { figuresOf, sumOf } from '../../../../src/modules/figures/domain/sales-table.ts'
import { foldChanges } from '../../../../src/modules/figures/domain/sales.ts'
import type { Order, OrderItem } from '../../../../src/core/contract/orders/schema.ts'
import { randomOf } from '../../../../simulator/random.ts'
import { balanced, item, order, pay } from '../../../core/domain/balanced-report.ts'

const stream = randomOf('mirrored')
const clock = { timeZone: 'Europe/Paris', dayStartsAt: '05:00' }

/** Returns a decimal as text, with many digits 5: halves show rounding errors. */
function decimal(): string {
  const places = stream.int(0, 7)
  const fraction = Array.from({ length: places }, () => (stream.next() < 0.4 ? '5' : String(stream.int(0, 9)))).join('')
  return `${stream.int(0, 90)}${places > 0 ? `.${fraction}` : ''}`
}

const negate = (text: string) => (text.startsWith('-') ? text.slice(1) : `-${text}`)

type Amounts = { total: string; tax: string; discount: string; rate: number; kind: OrderItem['kind'] }

function orderOfAmounts(id: number, lines: readonly Amounts[], tip: string, mirror: boolean): Order {
  const sign = (text: string) => Number(mirror ? negate(text) : text)
  const items = lines.map(({ total, tax, discount, rate, kind }) =>
    item(sign(total), sign(tax), {
      quantity: mirror ? -1 : 1,
      ...(kind ? { kind } : {}),
      tax: { taxName: 'TVA', taxRate: rate, taxAmount: sign(tax), taxCatalogId: order(1, {}).id },
      discountsApplied: [{ discountName: 'Remise', discountValue: sign(discount), discountCatalogId: order(2, {}).id }],
    }),
  )
  const total = sign(lines[0]?.total ?? '0')
  return order(id, { items, total, guests: 0, payments: [pay(total)], tips: [{ amount: sign(tip) }] })
}

test('a sale and its refund cancel out in every figure and every part of it, with any decimals', () => {
  for (let round = 0; round < 300; round++) {
    const lines = Array.from({ length: stream.int(1, 6) }, (): Amounts => {
      const kind = stream.next() < 0.2 ? ('charge' as const) : undefined
      return { total: decimal(), tax: decimal(), discount: decimal(), rate: stream.int(0, 3) / 10, kind }
    })
    const tip = decimal()
    const both = [orderOfAmounts(10, lines, tip, false), orderOfAmounts(11, lines, tip, true)]
    const cells = foldChanges(
      clock,
      both.map((after) => ({ before: undefined, after })),
    )
    for (const cell of cells) {
      const figures = figuresOf(sumOf([cell]), null, { weeks: 1, decimals: 2 })
      const { orders: _, refunds: _refunds, ...rest } = figures
      for (const [name, amount] of Object.entries(rest)) {
        assert.ok(
          amount === 0 || amount === null,
          `${cell.kind} ${cell.key} ${name}: ${amount} of ${JSON.stringify(lines)}`,
        )
      }
    }
    const { transactions, payments } = toEReport(cells, { eat_in: 'TPS1' }, 'EUR')
    assert.deepEqual([transactions.flatMap(({ rates }) => rates), payments], [[], []])
    const empty = { totalSales: 0, guestsNumber: 0, reportProducts: [], reportTaxes: [], reportPayments: [] }
    const z = {
      ...balanced,
      ...empty,
      reportDiscounts: [],
      reportEntries: [],
      initialCashBalance: 0,
      finalCashBalance: 0,
    }
    const { differences } = reconcile({ ...z, orders: both.map(({ id }) => id) }, both)
    const ofReport = differences.filter(({ figure }) => !figure.startsWith('order'))
    assert.deepEqual(ofReport, [])
    const [sold = [], back = []] = both.map(({ id }) =>
      differences.filter(({ key }) => key === id).map(({ figure, difference }) => `${figure} ${Math.abs(difference)}`),
    )
    assert.deepEqual(sold, back)
  }
})

test('half a cent of returned tax cancels out: 1.125 and −1.125, by hand', () => {
  const sold = order(10, { items: [item(12.38, 1.125)], total: 12.38, totalTax: 1.125, payments: [pay(12.38)] })
  const back = order(11, { items: [item(-12.38, -1.125)], total: -12.38, totalTax: -1.125, payments: [pay(-12.38)] })
  const whole = (orders: Order[]) => {
    const cells = foldChanges(
      clock,
      orders.map((after) => ({ before: undefined, after })),
    )
    return figuresOf(sumOf(cells.filter(({ kind }) => kind === 'total')), null, { weeks: 1, decimals: 2 })
  }
  assert.equal(whole([sold]).tax, 113)
  assert.equal(whole([back]).tax, -113)
  assert.deepEqual([whole([sold, back]).tax, whole([sold, back]).salesExclTax], [0, 0])
  assert.equal(whole([sold, sold]).tax, 225)
})
