import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { moneyOf } from '../../src/core/contract/money/currency.ts'
import { sumToMinor } from '../../src/core/contract/money/decimal.ts'
import { comparePayments } from '../../src/core/contract/money/paid.ts'
import { usualKinds } from '../../src/core/contract/money/payment-kinds.ts'
import { startApp } from '../support/app.ts'
import { card, dish, foldAll, soldOn, zOn } from '../support/books-site.ts'
import { order, report } from '../support/records.ts'

const pageOf = (name: string) => readFileSync(join(import.meta.dirname, `../../docs/${name}.md`), 'utf8')

const money = pageOf('contract/money').replaceAll(/\s+/g, ' ')

/** Asserts that the page contains the words of an example. */
const says = (words: string) => assert.ok(money.includes(words), words)

test('the sums of docs/contract/money.md are correct', () => {
  says('1.125 is 1.13, and −1.125 is −1.13')
  assert.deepEqual([sumToMinor([1.125], 2), sumToMinor([-1.125], 2)], [113, -113])
  // 1.005 is 1.01; the binary fraction next to it, 1.00499…, would be 1.00.
  says('`1.005` is 1.005')
  assert.equal(sumToMinor([1.005], 2), 101)
  says('a hundred taxes of 0.15283 are 15.28')
  assert.equal(
    sumToMinor(
      Array.from({ length: 100 }, () => 0.15283),
      2,
    ),
    1528,
  )
  says('a coffee of 0.125 KWD is 125')
  assert.equal(sumToMinor([0.125], moneyOf('KWD').decimals), 125)
  says('500 yen are 50000')
  assert.equal(sumToMinor([500], moneyOf('JPY').decimals), 50_000)
  const thousandths = /\(((?:[A-Z]{3}, )+[A-Z]{3})\) they are \*\*thousandths\*\*/.exec(money)?.[1]?.split(', ')
  assert.deepEqual(thousandths, ['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'])
  for (const currency of thousandths ?? []) assert.equal(moneyOf(currency).decimals, 3, currency)
})

test('cash differs by at most half a coin, and everything else by half a minor unit, as docs/contract/money.md lists', () => {
  for (const row of [
    '0.025 | EUR, CHF, CAD, AUD, USD and all that are not listed; LYD, TND',
    '0.05 | NZD, HKD, ZAR',
    '0.125 | THB',
    '0.25 | DKK',
    '0.5 | SEK, NOK, CZK, TWD',
    '2.5 | HUF, JPY, KRW and others that are used without decimals',
    '0.0025 | BHD, JOD, KWD, OMR',
    '125 | IQD',
  ])
    says(`| ${row} |`)
  const halves = [
    [0.025, 'EUR CHF CAD AUD USD GBP LYD TND'],
    [0.05, 'NZD HKD ZAR'],
    [0.125, 'THB'],
    [0.25, 'DKK'],
    [0.5, 'SEK NOK CZK TWD'],
    [2.5, 'HUF JPY KRW ISK'],
    [0.0025, 'BHD JOD KWD OMR'],
    [125, 'IQD'],
  ] as const
  const paidWith = (paymentName: string, paymentAmount: number, currency: string) => {
    const payments = [{ paymentName, paymentAmount, paymentCatalogId: 'a' }]
    return comparePayments({ total: 1000, payments, tips: [] }, { money: moneyOf(currency), kindOf: usualKinds })
  }
  for (const [currency, half] of halves.flatMap(([of, codes]) => codes.split(' ').map((code) => [code, of] as const))) {
    assert.equal(paidWith('Cash', 1000 - half, currency), 'rounded', currency)
    assert.equal(paidWith('Cash', 1000 + half, currency), 'rounded', currency)
    assert.equal(paidWith('Cash', 1000 - half - 0.001, currency), 'under', currency)
    assert.equal(paidWith('Cash', 1000 + half + 0.001, currency), 'over', currency)
  }
  assert.equal(paidWith('Carte', 999.995, 'EUR'), 'rounded')
  assert.equal(paidWith('Carte', 999.994, 'EUR'), 'under')
})

test('the answer of docs/modules/reconciliation.md is that to its two orders and their Z', async () => {
  const page = pageOf('modules/reconciliation')
  const [, text = ''] = /```json\n(\{\n {2}"reportId"[^]*?)```/.exec(page) ?? []
  const shown = JSON.parse(text)
  const app = await startApp({ clock: () => new Date('2026-03-31T12:00:00.000Z') })
  const site = await app.addLocation()
  // 22.00 ÷ 11 = 2.00, and 19.40 ÷ 11 = 1.7636…, rounded to 1.76: 41.40 with 3.76. The Z states 41.50.
  const of = (total: number, tax: number) => ({
    items: [dish(1, total, tax)],
    total,
    totalTax: tax,
    payments: [{ ...card, paymentAmount: total }],
  })
  const orders = [soldOn(site, 2, 1, of(22, 2)), soldOn(site, 2, 2, of(19.4, 1.76))]
  const canceled = soldOn(site, 2, 3, { ...of(0, 0), items: [], payments: [], isCanceled: true })
  const z = zOn(site, 2, [...orders, canceled], {
    totalSales: 4150,
    reportTaxes: [{ taxName: 'TVA 10 %', taxRate: 1000, taxAmount: 376, taxableAmount: 3764 }],
    reportProducts: [],
    reportNumber: shown.reportNumber,
  })
  await app.store([...orders, canceled].map(order).concat(report(z)), site.key)
  await foldAll(app, site)
  const { json } = await app.get(`/v1/reports/${z.id}/reconciliation`, { key: site.key })
  const among = (figure: string, key: string | null) =>
    json.figures.find((one: any) => one.figure === figure && one.key === key)
  for (const one of shown.figures) assert.deepEqual(among(one.figure, one.key), one)
  const counts = (lists: Record<string, unknown[]>) =>
    Object.fromEntries(Object.entries(lists).map(([name, ids]) => [name, ids.length]))
  assert.deepEqual(counts(json.orders), counts(shown.orders))
  assert.deepEqual([json.reportNumber, json.balanced, json.notStated], [358, shown.balanced, shown.notStated])
  const [ids] = [json.orders.counted]
  assert.deepEqual(
    json.differences,
    shown.differences.map((one: any) => ({ ...one, orderIds: ids })),
  )
})
