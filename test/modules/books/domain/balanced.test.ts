import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AccountFinder, effectiveAccounts } from '../../../../src/modules/books/domain/accounts.ts'
import { judge } from '../../../../src/modules/books/domain/judgement.ts'
import { daySums, reportSums } from '../../../../src/modules/books/domain/sources.ts'
import { businessTime } from '../../../../src/core/domain/days/business-time.ts'
import { reconcile } from '../../../../src/modules/figures/domain/reconciliation.ts'
import { checkReport } from '../../../../src/modules/figures/domain/report-checks.ts'
import { usualRules } from '../../../../src/core/contract/money/paid.ts'
import type { Order, OrderItem } from '../../../../src/core/contract/orders/schema.ts'
import type { Report } from '../../../../src/core/contract/reports/schema.ts'
import { randomOf } from '../../../../simulator/random.ts'
import { item, morning, order, pay, reportId, uuid } from '../../../core/domain/balanced-report.ts'
import { reportOf } from '../../../support/records.ts'

const random = randomOf('balanced', 60)
const below = (n: number) => Math.floor(random.next() * n)
const oneOf = <T>(list: readonly T[]): T => list[below(list.length)] as T

const rates = [0, 0.055, 0.1, 0.2]
const kinds = ['sale', 'sale', 'sale', 'voucher', 'deposit', 'charge'] as const
const means = ['Carte bancaire', 'Espèces', 'Carte cadeau', 'On account', 'Arrondi']

/** Returns an amount with two or three decimals, as many as the till writes. */
const amountOf = (decimals: number) => (below(9_000) - 500 + (decimals === 3 ? below(10) / 10 : 0)) / 100

function itemOf(decimals: number): OrderItem {
  const total = Number(amountOf(decimals).toFixed(decimals))
  const rate = oneOf(rates)
  const isStated = below(4) > 0
  const taxAmount = isStated ? Number(((total * rate) / (1 + rate)).toFixed(decimals)) : 0
  const kind = oneOf(kinds)
  return item(total, taxAmount, {
    tax: {
      taxName: isStated ? `TVA ${rate}` : 'No tax',
      taxRate: isStated ? rate : 0,
      taxAmount,
      taxCatalogId: uuid(5),
    },
    ...(kind === 'sale' ? {} : { kind }),
  })
}

function orderOf(n: number, decimals: number): Order {
  const items = Array.from({ length: 1 + below(3) }, () => itemOf(decimals))
  const sum = (of: (one: OrderItem) => number) => Number(items.reduce((all, one) => all + of(one), 0).toFixed(decimals))
  const total = sum((one) => one.total)
  const tip = below(4) === 0 && total > 0 ? below(500) / 100 : 0
  const name = oneOf(means.slice(0, 4))
  const inside = below(2) === 0 ? tip : 0
  // The smallest coin is 0.05.
  const paid = name === 'Espèces' ? Number((Math.round(total * 20) / 20).toFixed(2)) : total
  const rest = Number((total - paid).toFixed(3))
  return order(n, {
    items,
    total,
    totalTax: sum((one) => one.tax.taxAmount),
    payments: [
      pay(Number((paid + inside).toFixed(3)), name),
      ...(rest !== 0 && below(2) === 0 ? [pay(rest, 'Arrondi')] : []),
    ],
    tips: tip === 0 ? null : [{ amount: tip, paymentCatalogId: uuid(7) }],
  })
}

/** Returns a Z that sometimes includes non-sales, and states only some of its sections. */
function zOf(orders: readonly Order[]): Report {
  const counts = below(2) === 0
  const items = orders.flatMap((one) => one.items).filter(({ kind = 'sale' }) => counts || kind === 'sale')
  const cents = (amount: number) => Math.sign(amount) * Math.round(Number((Math.abs(amount) * 100).toFixed(6)))
  const sum = (list: readonly number[]) => cents(Number(list.reduce((all, one) => all + one, 0).toFixed(6)))
  const taxed = Map.groupBy(
    items.filter(({ tax }) => tax.taxName !== 'No tax' || below(2) === 0),
    ({ tax }) => Math.round(tax.taxRate * 10_000),
  )
  const paid = Map.groupBy(
    orders.flatMap(({ payments }) => payments),
    ({ paymentName }) => paymentName,
  )
  const stated = { taxes: below(4) > 0, bases: below(4) > 0, payments: below(4) > 0 }
  return reportOf(uuid(9), 4, {
    id: reportId,
    locationId: uuid(9),
    createdAt: morning,
    updatedAt: morning,
    startedAt: morning,
    finalizedAt: morning,
    guestsNumber: orders.reduce((all, { guests }) => all + guests, 0),
    totalSales: sum(items.map(({ total }) => total)),
    reportProducts: [],
    reportDiscounts: [],
    reportEntries: [],
    initialCashBalance: 0,
    finalCashBalance: 0,
    reportTaxes: !stated.taxes
      ? []
      : [...taxed].map(([taxRate, of]) => {
          const taxAmount = sum(of.map(({ tax }) => tax.taxAmount)) + (below(3) === 0 ? below(3) - 1 : 0)
          const gross = sum(of.map(({ total }) => total))
          return { taxName: 'T', taxRate, taxAmount, taxableAmount: stated.bases ? gross - taxAmount : 0 }
        }),
    reportPayments: !stated.payments
      ? []
      : [...paid].map(([paymentName, of]) => ({ paymentName, paymentAmount: sum(of.map((one) => one.paymentAmount)) })),
    orders: orders.map(({ id }) => id),
  })
}

const time = businessTime({ timeZone: 'Europe/Paris', dayStartsAt: '05:00' })
const circumstances = { currency: 'EUR', isDayComplete: true, doubled: [], drawerBefore: undefined, isAccepted: false }

const isEven = ({ drafts }: ReturnType<typeof judge>) => drafts.every(({ totals }) => totals.debit === totals.credit)

test('every Z that its check reports as balanced can be booked, in both layouts, and its entries balance', () => {
  let balanced = 0
  for (let n = 0; n < 4_000; n++) {
    const decimals = n % 4 === 0 ? 3 : 2
    const orders = Array.from({ length: 1 + below(5) }, (_, i) => orderOf(100 + i, decimals))
    const report = zOf(orders)
    const reconciliation = reconcile(report, orders, { rules: usualRules })
    if (!reconciliation.balanced) continue
    balanced += 1
    const check = checkReport(report, orders, { time, reconciliation })
    const sums = reportSums(
      { report, sequence: 1, isComplete: true },
      orders,
      { reconciliation, check },
      { time, rules: usualRules },
    )
    for (const own of [
      {},
      { layout: 'clearing' as const, revenueBy: 'category' as const, discounts: 'gross' as const },
    ]) {
      const judged = judge(sums, new AccountFinder(effectiveAccounts(own)), circumstances)
      assert.deepEqual(judged.reasons, [], JSON.stringify({ n, report, orders }).slice(0, 3_000))
      assert.ok(isEven(judged) && judged.standing !== 'refused', String(n))
    }
  }
  assert.ok(balanced > 1_000, `${balanced} of 4,000 are balanced`)
})

test('a day without a Z whose orders are consistent can be booked, and its entries balance', () => {
  for (let n = 0; n < 1_000; n++) {
    const orders = Array.from({ length: 1 + below(5) }, (_, i) => orderOf(100 + i, n % 4 === 0 ? 3 : 2))
    const sums = daySums({ day: '2026-03-14', orders, sequence: 1, isComplete: true }, usualRules)
    const judged = judge(sums, new AccountFinder(effectiveAccounts({})), circumstances)
    assert.deepEqual(judged.reasons, [], JSON.stringify(orders).slice(0, 3_000))
    assert.ok(isEven(judged))
  }
})
