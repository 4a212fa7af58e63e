import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daySums } from '../../../../src/modules/books/domain/sources.ts'
import { usualRules } from '../../../../src/core/contract/money/paid.ts'
import type { Order } from '../../../../src/core/contract/orders/schema.ts'
import { balanced, orders, reportId, uuid } from '../../../core/domain/balanced-report.ts'
import { ofDay, ofReport, ordersOf, rowsOf, sumsOfReport, zOf, type Facts } from './booked.ts'

// The codes and states are those of docs/modules/books.md. A difference is the Z minus its orders, calculated by hand.

/** Returns the state, and each reason as `code key reported-computed=difference` with the last digits of its orders. */
const stateOf = ({ standing, reasons }: ReturnType<typeof ofDay>): string => {
  const texts = reasons.map(({ code, key, reported, computed, difference, orderIds }) => {
    const amounts = computed === null ? difference : `${reported}-${computed}=${difference}`
    const parts = [code, key?.slice(-9), amounts, ...orderIds.map((id) => id.slice(-3))]
    return parts.filter((part) => part !== null && part !== undefined).join(' ')
  })
  return [standing, ...texts].join(', ')
}

const sale = '11/1@10 Carte=11'
const exact = '1100 1000:1000+100 Carte=1100'
const many = ordersOf(Array.from({ length: 101 }, () => '11/1@10 Carte=12').join(' | '))
const gross: Facts = { own: { discounts: 'gross' } }

test('a Z that differs from its orders is refused, with the figure, its row, both amounts and the orders', () => {
  const facts: Record<string, Facts> = {
    gross,
    tolerant: { own: { taxTolerance: 3 } },
    many: { isComplete: false },
    doubled: { doubled: [uuid(101)] },
    accepted: { doubled: [uuid(101)], isAccepted: true },
  }
  for (const [text = '', z = '', state, fact = ''] of rowsOf(`
    ${sale} ; ${exact} ; ready
    ${sale} ; 1200 1000:1000+100 Carte=1100 ; refused, sales 1200-1100=100 101, taxes_and_sales 1200-1100=100
    ${sale} ; 1100 1000:1000+100 Carte=1000 Chèque=100 ; refused, payments Carte 1000-1100=-100 101, payments Chèque 100-0=100
    ${sale} | 12/2@20 Chèque=12 ; 2300 1000:1004+96 2000:1000+200 Carte=1100 Chèque=1200 ; refused, tax_amount 1000 96-100=-4 101, taxable_amount 1000 1004-1000=4 101
    # 0.03 are tolerated, 0.04 are not, and no tolerance applies to other figures.
    ${sale} ; 1100 1000:997+103 Carte=1100 ; ready ; tolerant
    ${sale} ; 1100 1000:1004+96 Carte=1100 ; refused, tax_amount 1000 96-100=-4 101, taxable_amount 1000 1004-1000=4 101 ; tolerant
    ${sale} ; 1103 1000:1003+100 Carte=1100 ; refused, sales 1103-1100=3 101 ; tolerant
    # A hundredfold either way is a matter of units; 0 is not.
    ${sale} ; 110000 ; refused, sales 110000-1100=108900 101, units 110000-1100=108900
    ${sale} ; 11 ; refused, sales 11-1100=-1089 101, units 11-1100=-1089
    Carte=0 ; 0 Carte=100 ; refused, payments Carte 100-0=100 101
    # Guests are not a reason, nor is a difference of the Z in itself if it states no bases.
    ${sale} ; 1100 1000:0+100 Carte=1100 ; ready
    ${sale} ; 1200 1000:0+100 Carte=1100 ; refused, sales 1200-1100=100 101 ; gross
    ${sale} ; ${exact} ; refused, too_large ; many
    ${sale} ; ${exact} ; refused, elsewhere 101 ; doubled
    ${sale} ; 1200 1000:0+100 Carte=1100 ; refused, sales 1200-1100=100 101, elsewhere 101 ; accepted
    11/1@10 Carte=12 ; 1100 1000:1000+100 Carte=1200 ; refused, overpaid 100 101
    11/1@10 Carte=10 ; 1100 1000:1000+100 Carte=1000 ; refused, unpaid -100 101
    -11/-1@10 Carte=-10 ; -1100 1000:-1000+-100 Carte=-1000 ; refused, unpaid 100 101
  `)) {
    const made = ordersOf(text)
    const judged = ofReport(zOf(made, z, { guestsNumber: 9 }), made, facts[fact])
    assert.deepEqual([stateOf(judged), judged.drafts.length], [state, state === 'ready' ? 1 : 0], z)
    assert.deepEqual(judged.unmapped, [], z)
  }
})

test('a Z waits for missing or open orders; orders that do not belong to it refuse it', () => {
  const two = ordersOf(`${sale} | ${sale}`)
  const [one, other] = two as [Order, Order]
  const z = zOf(two, '2200')
  const moved = [one, { ...other, reportId: uuid(5) }]
  const still = [one, { ...other, closedAt: null }]
  assert.equal(stateOf(ofReport(z, [one])), 'waiting, missing 102, sales 2200-1100=1100 101')
  assert.equal(stateOf(ofReport(z, still)), 'waiting, open 102, sales 2200-1100=1100 101')
  assert.equal(stateOf(ofReport(zOf([one], exact), two)), 'refused, extra 102')
  assert.equal(stateOf(ofReport(z, moved)), 'refused, elsewhere 102')
  // Each order is named once, in order. An order that another Z also names cannot be accepted; a missing order can.
  assert.equal(stateOf(ofReport(z, moved, { doubled: [uuid(102), uuid(101)] })), 'refused, elsewhere 101 102')
  assert.equal(ofReport(z, moved, { isAccepted: true }).standing, 'refused')
  assert.equal(ofReport(z, [one], { isAccepted: true }).standing, 'ready')
})

test('a reason names at most a hundred orders', () => {
  const ids = Array.from({ length: 101 }, (_, i) => uuid(500 + i))
  const z = zOf(many, '5')
  const { reasons } = ofReport({ ...z, orders: [...z.orders, ...ids] }, many, { doubled: ids })
  const named = reasons.map(({ code, difference, orderIds }) => `${code} ${difference} ${orderIds.length}`)
  // 0.05 minus 101 × 11.00; each order is overpaid by 1.00.
  assert.deepEqual(named, ['missing null 100', 'sales -111095 100', 'elsewhere null 100', 'overpaid 10100 100'])
})

test('single orders that do not add up refuse a Z, and discounts do if they are booked', () => {
  const made = ordersOf(sale)
  const z = zOf(made, '1100 1000:1000+100')
  const changed = (changes: Partial<Order>) => made.map((one) => ({ ...one, ...changes }))
  const total = changed({ total: 12, payments: [] })
  const reasons = 'order_total 000000101 1200-1100=100 101, unpaid -1200 101'
  assert.equal(stateOf(ofReport(z, changed({ totalTax: 3 }))), 'refused, order_tax 000000101 300-100=200 101')
  assert.equal(stateOf(ofReport(z, total)), `refused, sales 1100-1200=-100 101, ${reasons}`)
  assert.equal(stateOf(ofDay(total)), `refused, ${reasons}`)
  const row = { ...balanced, reportDiscounts: balanced.reportDiscounts.map((one) => ({ ...one, discountValue: 150 })) }
  assert.equal(stateOf(ofReport(row, orders)), 'ready')
  assert.equal(stateOf(ofReport(row, orders, gross)), 'refused, discounts 000000003 150-100=50 102')
  const order = orders.map((one) => (one.id === uuid(102) ? { ...one, totalDiscount: 3 } : one))
  assert.equal(stateOf(ofReport(balanced, order, gross)), 'refused, discounts 000000102 300-100=200 102')
})

test('the drawer of a Z has its float, its movements and the payments that are cash by type or by their row', () => {
  const cash = { own: { payments: ['Écus', 'Gotówka'].map((name) => ({ name, cash: true })) } }
  // Columns: payments; drawer (initial, final, float, expense); state; and whether both have a row as cash.
  for (const [text = '', drawer = '', state, row] of rowsOf(`
    # 150.00 − 10.00 + 11.00.
    Gotówka=11 ; 15000 15100 15000 -1000 ; ready
    Gotówka=11 ; 15000 15100 0 -1000 ; ready
    Gotówka=11 ; 15000 15100 15000 -1000 ; ready ; row
    Gotówka=11 ; 15000 15050 15000 -1000 ; refused, cash 15050-15100=-50
    Gotówka=11 ; 0 0 0 0 ; ready
    Gotówka=11 ; 0 1100 0 0 ; ready
    Gotówka=11 ; 0 5 0 0 ; refused, cash 5-1100=-1095
    Gotówka=11 ; 5 0 0 0 ; refused, cash 0-1105=-1105
    Gotówka=11 ; 0 0 0 -1000 ; refused, cash 0-100=-100
    Gotówka=11 ; 14000 14100 15000 -1000 ; refused, opening_float 14000-15000=-1000
    Écus=11 ; 15000 15000 15000 0 ; ready
    Écus=11 ; 15000 15000 15000 0 ; refused, cash 15000-16100=-1100 ; row
    Écus=5 Gotówka=6 ; 15000 16100 15000 0 ; ready ; row
  `)) {
    const made = ordersOf(`11/1@10 ${text}`)
    const [initialCashBalance = 0, finalCashBalance = 0, float = 0, expense = 0] = drawer.split(' ').map(Number)
    const entry = (entryType: string, entryAmount: number) => ({ entryName: '', entryType, entryAmount })
    const reportEntries = [entry('opening_float', float), entry('expense', expense)].filter(
      (one) => one.entryAmount !== 0,
    )
    const z = zOf(made, '1100', { initialCashBalance, finalCashBalance, reportEntries })
    assert.equal(stateOf(ofReport(z, made, row ? cash : {})), state, `${text} ${drawer}`)
  }
})

test('a day without a Z is booked when it is complete, unless the location excludes such days', () => {
  const own = { withoutReport: 'refuse' } as const
  for (const [text, facts, state] of [
    [sale, {}, 'ready'],
    [sale, { isDayComplete: false }, 'waiting, incomplete'],
    [sale, { own }, 'refused, incomplete'],
    [sale, { own, isDayComplete: false }, 'refused, incomplete'],
    [sale, { own, isAccepted: true }, 'ready, incomplete'],
    [sale, { isComplete: false }, 'refused, too_large'],
    ['', { isDayComplete: false }, 'empty'],
    ['Carte=0', { isDayComplete: false }, 'waiting, incomplete'],
    [`${sale} | 11/1@10 Carte=13 | 11/1@10 Carte=12`, {}, 'refused, overpaid 300 102 103'],
  ] as [string, Facts, string][])
    assert.equal(stateOf(ofDay(ordersOf(text), facts)), state, text)
  // A Z does not wait for its day.
  const z = zOf(ordersOf(sale), exact)
  assert.equal(stateOf(ofReport(z, ordersOf(sale), { isDayComplete: false, own })), 'ready')
})

test('warnings contain the amounts that are not booked', () => {
  for (const [text = '', warnings] of rowsOf(`
    11/1@10 Cash=11 tip=2:Cash | 11/1@10 Cash=11 tip=1:Cash ; cash_tips_not_booked 300
    11/1@10 Carte=11 tip=2 | 11/1@10 Carte=11 tip=2:Chèque ; tip_without_payment 400
    # 1.00 of 3.00, and 2.00 of refunded 2.50, are in the payments: 2.00 less 0.50 are not.
    11/1@10 Carte=12 tip=3:Carte | -11/-1@10 Carte=-13 tip=-2.5:Carte ; tip_partly_inside 150
    # A tip on the card is inside first: 2.00 of 3.00.
    11/1@10 Cash=1 Carte=12 tip=1:Cash tip=2:Carte ; cash_tips_not_booked 100, tip_partly_inside 100
  `))
    assert.equal(
      ofDay(ordersOf(text))
        .warnings.map(({ code, amount }) => `${code} ${amount}`)
        .join(', '),
      warnings,
    )
  const made = ordersOf(`${sale} | ${sale}`)
  const days = made.map((one, i) => ({ ...one, closedAt: `2026-03-1${4 + i}T12:00:00.000Z` }))
  const several = { code: 'several_days', amount: null }
  // 100.00 in the drawer, in which the previous Z left 120.00.
  const z = zOf(made, '2200', { initialCashBalance: 10_000, finalCashBalance: 10_000 })
  assert.deepEqual(ofReport(z, days, { drawerBefore: 12_000 }).warnings, [
    several,
    { code: 'drawer_gap', amount: -2000 },
  ])
  for (const drawerBefore of [10_000, undefined])
    assert.deepEqual(ofReport(z, days, { drawerBefore }).warnings, [several])
})

test('the sums of a source contain its till and days, and do not depend on the order of its orders', () => {
  // 02:00 UTC is 03:00 in Paris, where the day starts at 05:00. One order is open, one is canceled.
  const closed = ['15T12', '15T02', '14T12', '16T12', null, '15T13']
  const dated = many.slice(0, 6).map((one, i) => ({
    ...one,
    closedAt: closed[i] ? `2026-03-${closed[i]}:00:00.000Z` : null,
    isCanceled: i === 5,
  }))
  const sums = sumsOfReport(zOf(dated, '4400'), dated)
  assert.deepEqual(
    sums.attached.map(({ day, orders: n }) => `${day} ${n}`),
    ['2026-03-14 2', '2026-03-15 1', '2026-03-16 1'],
  )
  assert.deepEqual(sums.source, {
    type: 'report',
    id: reportId,
    reportNumber: 358,
    deviceName: 'Caisse 1',
    sequence: 2,
  })
  assert.deepEqual(
    [sums.day, sums.severalDays, sums.till, sums.finalizedAt],
    ['2026-03-14', true, 'name Caisse 1', '2026-03-14T09:00:00.000Z'],
  )
  assert.deepEqual([sums.orders.count, sums.orders.sales, sums.orders.canceledPaid], [4, 4400, 1200])
  const of = (list: readonly Order[]) =>
    daySums({ day: '2026-03-14', orders: list, sequence: 2, isComplete: true }, usualRules)
  const list = ordersOf(
    '5/0@- 11/1@10Vins Chèque=16 | 11/1@10Plats voucher:22/2@10 24/4@20 6/0@0 Cash=63 | 11/1@10 11/1@10Vins Carte=22',
  )
  const made = list.map((one, i) => (i === 2 ? { ...one, serviceType: 'delivery' } : one))
  const day = of(made)
  assert.deepEqual(of(made.toReversed()), day)
  const { attached, discountReasons, source } = day
  assert.deepEqual(source, { type: 'day', id: '2026-03-14', reportNumber: null, deviceName: null, sequence: 2 })
  assert.deepEqual([day.severalDays, day.till, day.finalizedAt, attached, discountReasons], [false, null, null, [], []])
  assert.deepEqual(
    day.orders.splits.map((one) => [one.rate, one.of, one.category, one.serviceType, one.taxable, one.tax].join(' ')),
    [
      '2000 sale Plats eat_in 2000 400',
      '1000 sale Plats delivery 1000 100',
      '1000 sale Plats eat_in 1000 100',
      '1000 sale Vins delivery 1000 100',
      '1000 sale Vins eat_in 1000 100',
      '1000 voucher Plats eat_in 2000 200',
      '0 sale Plats eat_in 600 0',
      ' untaxed Plats eat_in 500 0',
    ],
  )
  // Sales are 5.00, 4 × 11.00, 24.00 and 6.00; the taxes also include the voucher.
  const { sales, taxes, payments } = day.stated
  assert.equal(sales, 7900)
  const rates = taxes?.map(({ rate, taxable, tax }) => `${rate} ${taxable} ${tax}`)
  assert.deepEqual(rates, ['2000 2000 400', '1000 6000 600', '0 600 0'])
  assert.deepEqual(
    payments?.map(({ name, amount, kind }) => `${name} ${amount} ${kind}`),
    ['Carte 2200 card', 'Cash 6300 cash', 'Chèque 1600 cheque'],
  )
})

test('cash rounding is that of the orders, unless the Z states it as a payment', () => {
  for (const [text = '', z = '', rounding] of rowsOf(`
    11.02/1@10 Cash=11 ; 1102 Cash=1100 ; -2
    11.02/1@10 Cash=11 ; 1102 Cash=1100 Arrondi=2 ; 0
    -11.02/-1@10 Cash=-11 ; -1102 Cash=-1100 ; 2
    10.98/1@10 Cash=11 Arrondi=-0.02 ; 1098 Cash=1100 ; 2
    10.98/1@10 Cash=11 Arrondi=-0.02 ; 1098 Cash=1100 Arrondi=-2 ; 0
  `)) {
    const made = ordersOf(text)
    assert.equal(sumsOfReport(zOf(made, z), made).orders.rounding, Number(rounding), z)
  }
})
