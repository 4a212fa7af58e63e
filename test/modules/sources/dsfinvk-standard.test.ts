import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Unreadable } from '../../../src/modules/sources/adapters/adapter.ts'
import type { Order } from '../../../src/core/contract/orders/schema.ts'
import { exportOf, readExport, type Receipt } from './dsfinvk-export.ts'

// Amounts of examples in the DSFinV-K itself: a single-purpose voucher (V_2_3_03), and a sale on account (annex F,
// receipt 10).

async function read(receipts: readonly Receipt[]) {
  const run = await readExport(exportOf(receipts))
  assert.deepEqual(run.refused.first, [])
  const orders = run.records
    .filter(({ type }) => type === 'order')
    .map(({ data }) => data as Order)
    .toSorted((a, b) => (a.orderNumber < b.orderNumber ? -1 : 1))
  const [report] = run.records.filter(({ type }) => type === 'report').map(({ data }) => data)
  for (const { closings } of run.days) for (const { state } of closings) assert.equal(state, 'balanced')
  return { orders, report, run }
}

const itemsOf = ({ items }: Order) => items.map(({ kind, total, tax }) => [kind ?? 'sale', total, tax.taxAmount])
const meansOf = ({ payments }: Order) => payments.map(({ paymentName, paymentAmount }) => [paymentName, paymentAmount])

test('the VAT of a single-purpose voucher is due once, at its sale', async () => {
  const { orders } = await read([
    { id: '1', lines: [['EinzweckgutscheinKauf', 50, 7.98319, 1]], paid: [['Bar', 50]], printed: 7.98319 },
    {
      id: '2',
      lines: [
        ['Umsatz', 50, 7.98319, 1],
        ['EinzweckgutscheinEinloesung', -50, -7.98319, 1],
      ],
      paid: [['Keine', 0]],
      printed: 0,
    },
  ])
  const [bought, used] = orders as [Order, Order]
  assert.deepEqual(itemsOf(bought), [['voucher', 50, 7.98]])
  assert.deepEqual(itemsOf(used), [
    ['sale', 50, 7.98],
    ['voucher', -50, -7.98],
  ])
  assert.deepEqual([used.total, used.totalTax, used.payments], [0, 0, []])
  assert.equal(bought.totalTax + used.totalTax, 7.98)
})

test('a multi-purpose voucher is a payment: the VAT is due with the purchase', async () => {
  const { orders } = await read([
    { id: '1', lines: [['MehrzweckgutscheinKauf', 50, 0, 5]], paid: [['Bar', 50]], printed: 0 },
    {
      id: '2',
      lines: [
        ['Umsatz', 50, 7.98319, 1],
        ['MehrzweckgutscheinEinloesung', -50, 0, 5],
      ],
      paid: [['Keine', 0]],
      printed: 7.98319,
    },
  ])
  const [bought, used] = orders as [Order, Order]
  assert.deepEqual(itemsOf(bought), [['voucher', 50, 0]])
  assert.deepEqual([used.total, used.totalTax, meansOf(used)], [50, 7.98, [['Gift card', 50]]])
})

test('a sale on account counts at the time of the sale; the later payment is not a sale', async () => {
  const { orders, report } = await read([
    {
      id: '1',
      lines: [
        ['Umsatz', 2.5, 0.16355, 2],
        ['Forderungsentstehung', -1.5, -0.09813, 2],
      ],
      paid: [['Bar', 1]],
      printed: 0.16355,
    },
    { id: '2', lines: [['Forderungsaufloesung', 1.5, 0, 5]], paid: [['Bar', 1.5]], printed: 0 },
  ])
  const [sale, later] = orders as [Order, Order]
  assert.deepEqual([sale.total, sale.totalTax], [2.5, 0.16])
  assert.deepEqual(meansOf(sale), [
    ['Bargeld', 1],
    ['On account', 1.5],
  ])
  assert.deepEqual([later.total, later.items], [0, []])
  assert.deepEqual(meansOf(later), [
    ['Bargeld', 1.5],
    ['On account', -1.5],
  ])
  assert.equal(report.totalSales, 250)
})

test('a deposit is not a sale, with its VAT when it is paid or when it is used, as the receipt states', async () => {
  const used: Receipt['lines'] = [
    ['Umsatz', 119, 19, 1],
    ['Anzahlungsaufloesung', -23.8, -3.8, 1],
  ]
  const atPayment = await read([
    { id: '1', lines: [['Anzahlungseinstellung', 23.8, 3.8, 1]], paid: [['Bar', 23.8]], printed: 3.8 },
    { id: '2', lines: used, paid: [['Bar', 95.2]], printed: 15.2 },
  ])
  assert.deepEqual(atPayment.orders.map(itemsOf), [
    [['deposit', 23.8, 3.8]],
    [
      ['sale', 119, 19],
      ['deposit', -23.8, -3.8],
    ],
  ])
  const atUse = await readExport(exportOf([{ id: '2', lines: used, paid: [['Bar', 95.2]], printed: 19 }]))
  assert.deepEqual((atUse.records[0] as { data: Order }).data.totalTax, 19)
})

test('a receipt whose lines have a different VAT than it states is refused', async () => {
  const run = await readExport(
    exportOf([{ id: '1', lines: [['Umsatz', 11.9, 1.9, 1]], paid: [['Bar', 11.9]], printed: 1.5 }]),
  )
  assert.deepEqual(
    run.refused.first.map(({ reason }) => reason),
    ['said.tax is 1.50, but the taxes of the items add up to 1.90: a difference of -0.40'],
  )
})

test('the drawer of a closing is imported: opening, transfers and payouts', async () => {
  const { report } = await read([
    { id: '1', lines: [['Anfangsbestand', 100, 0, 5]], paid: [['Bar', 100]] },
    { id: '2', lines: [['Umsatz', 11.9, 1.9, 1]], paid: [['Bar', 11.9]] },
    { id: '3', lines: [['Geldtransit', -50, 0, 5]], paid: [['Bar', -50]] },
  ])
  assert.deepEqual([report.initialCashBalance, report.finalCashBalance], [10000, 6190])
  assert.deepEqual(
    report.reportEntries.map((one: { entryType: string; entryAmount: number }) => [one.entryType, one.entryAmount]),
    [
      ['opening_float', 10000],
      ['bank_deposit', -5000],
    ],
  )
})

test('an unknown business case is counted and reported', async () => {
  const { run } = await read([{ id: '1', lines: [['Neuartig', 11.9, 1.9, 1]], paid: [['Bar', 11.9]] }])
  assert.deepEqual(run.notes, [['unknown GV_TYP "Neuartig"', 1]])
})

const one: Receipt[] = [{ id: '1', lines: [['Umsatz', 11.9, 1.9, 1]], paid: [['Bar', 11.9]], printed: 1.9 }]

for (const name of [
  'transactions',
  'lines',
  'lines_vat',
  'datapayment',
  'vat',
  'businesscases',
  'payment',
  'cashpointclosing',
]) {
  test(`an export without ${name} is refused`, async () => {
    await assert.rejects(readExport(exportOf(one, { without: [name] })), (error: Error) => {
      assert.ok(error instanceof Unreadable)
      assert.match(error.message, new RegExp(`^${name}.csv is missing`))
      return true
    })
  })
}

test('tables without a header line have the names of the index', async () => {
  const { records, refused } = await readExport(exportOf(one, { isBare: true }))
  assert.deepEqual(refused.first, [])
  assert.equal((records[0] as { data: Order }).data.total, 11.9)
})
