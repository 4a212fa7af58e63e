import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BookingEntry } from '../../../../src/modules/books/schemas/books.ts'
import type { Order, OrderItem } from '../../../../src/core/contract/orders/schema.ts'
import type { Report } from '../../../../src/core/contract/reports/schema.ts'
import { startApp, type Site } from '../../../support/app.ts'
import { card, cash, date, dish, foldAll, issue, linesOf, put, soldOn, zOn } from '../../../support/books-site.ts'
import { idOf, order, report } from '../../../support/records.ts'

// Non-sales, and sales without a stated tax; amounts are computed by hand. Totals of orders are sums of their items.

const app = await startApp({ clock: () => new Date('2026-03-31T12:00:00.000Z') })

const path = '/v1/books/entries/?since=2026-03-01&until=2026-03-31'

const untaxed = { taxName: 'No tax', taxRate: 0, taxAmount: 0, taxCatalogId: idOf('tax', 9) }
const zero = { ...untaxed, taxName: 'TVA 0 %' }

/**
 * A meal of 11.00, a voucher sold for 50.00, a deposit of 20.00, a custom amount of 5.00, and a service charge of 2.20.
 */
const items: OrderItem[] = [
  dish(1, 11, 1),
  dish(2, 50, 0, { kind: 'voucher', tax: untaxed, category: 'Gift cards' }),
  dish(3, 20, 0, { kind: 'deposit', tax: zero }),
  dish(4, 5, 0, { tax: { ...untaxed, isStated: false } }),
  dish(5, 2.2, 0.2, { kind: 'charge', category: 'Service charges' }),
]

const meal = (site: Site, changes: Partial<Order> = {}): Order =>
  soldOn(site, 2, 1, { items, total: 88.2, totalTax: 1.2, payments: [{ ...card, paymentAmount: 88.2 }], ...changes })

const at = '2026-03-31T11:00:00.000Z'
const promise = {
  type: 'device.status' as const,
  data: { deviceId: idOf('device', 1), at, completeUntil: at, lastNumber: 9 },
}

const giftCard = { paymentName: 'Gift card', paymentCatalogId: idOf('payment', 5) }

/** Stores a Z of 2 March with its orders, or a complete day without one, and reads the result. */
async function booked(
  orders: (site: Site) => Order[],
  { z, own = {}, more = '' }: { z?: Partial<Report>; own?: object; more?: string } = {},
): Promise<any> {
  const site = await app.addLocation()
  if (Object.keys(own).length > 0) assert.equal((await put(app, site, own)).status, 200)
  const made = orders(site).map((one) => (z ? one : { ...one, reportId: null }))
  const ends = z ? report(zOn(site, 2, made, z)) : promise
  await app.store([...made.map(order), ends], site.key)
  await foldAll(app, site)
  const answer = await app.get(path + more, { key: site.key })
  assert.equal(answer.status, 200, answer.text)
  return { ...answer.json, site }
}

const only = (answer: { data: BookingEntry[] }): BookingEntry => {
  assert.equal(answer.data.length, 1, JSON.stringify(answer))
  return answer.data[0] as BookingEntry
}

const sorted = (entry: BookingEntry) => linesOf(entry).toSorted(([a], [b]) => (a < b ? -1 : 1))

/**
 * Net revenue at 10 %: 10.00 of the meal and 2.00 of the charge; liabilities 50.00 and 20.00; untaxed 5.00; VAT 1.00
 * and 0.20.
 */
const whole: [string, number, number][] = [
  ['419100', 0, 5000],
  ['419100', 0, 2000],
  ['44571100', 0, 120],
  ['511500', 8820, 0],
  ['706100', 0, 1200],
  ['706900', 0, 500],
]

const row = (base: number, tax: number, taxRate = 1000) => ({
  taxName: 'T',
  taxRate,
  taxAmount: tax,
  taxableAmount: base,
})

test('a day without a Z is booked with any items: each class on its account', async () => {
  const answer = await booked((site) => [meal(site)])
  assert.deepEqual(answer.refused, [])
  assert.deepEqual(answer.unmapped, [])
  assert.deepEqual(sorted(only(answer)), whole)
  assert.deepEqual(answer.vat, [{ rate: 1000, taxable: 1200, tax: 120, rateTimesBase: 120 }])
})

for (const [how, z] of [
  ['leaves out non-sales', { totalSales: 1600, reportTaxes: [row(1000, 100)] }],
  ['counts everything', { totalSales: 8820, reportTaxes: [row(1200, 120), row(7500, 0, 0)] }],
  ['states no taxes', { totalSales: 8820, reportTaxes: [] }],
  ['states taxes without their bases', { totalSales: 8820, reportTaxes: [row(0, 120)] }],
  ['states no payments', { totalSales: 8820, reportTaxes: [row(1200, 120)], reportPayments: [] }],
] as const) {
  test(`a Z that ${how} is balanced, and its entry is that of its orders`, async () => {
    const answer = await booked((site) => [meal(site)], {
      z: { ...z, reportTaxes: [...z.reportTaxes] } as Partial<Report>,
    })
    const checks = (await app.get('/v1/reports/checks/?since=2026-03-01&until=2026-03-31', { key: answer.site.key }))
      .json
    assert.equal(checks.data[0].verdict, 'balanced', JSON.stringify(checks.data[0]))
    assert.deepEqual(answer.refused, [])
    assert.deepEqual(sorted(only(answer)), whole)
  })
}

test('a used voucher reduces the liability, as a payment or as a returned item', async () => {
  const answer = await booked(
    (site) => [
      soldOn(site, 2, 1, {
        items: [dish(1, 50, 0, { kind: 'voucher', tax: untaxed })],
        total: 50,
        totalTax: 0,
        payments: [{ ...cash, paymentAmount: 50 }],
      }),
      soldOn(site, 2, 2, { payments: [{ ...giftCard, paymentAmount: 11 }] }),
      // A single-purpose voucher is taxed when it is sold: 7.98 of 50.00 at 19 %, which is returned when it is used.
      soldOn(site, 2, 3, {
        items: [
          dish(1, 50, 7.98, { tax: { ...zero, taxName: 'USt 19 %', taxRate: 0.19, taxAmount: 7.98 } }),
          dish(2, -50, -7.98, {
            kind: 'voucher',
            quantity: -1,
            tax: { ...zero, taxName: 'USt 19 %', taxRate: 0.19, taxAmount: -7.98 },
          }),
        ],
        total: 0,
        totalTax: 0,
        payments: [],
      }),
    ],
    { own: { revenue: [{ rate: 1900, account: '706190' }], tax: [{ rate: 1900, account: '44571190' }] } },
  )
  assert.deepEqual(answer.refused, [])
  // 419100: 11.00 and 42.02 used, 50.00 sold.
  assert.deepEqual(sorted(only(answer)), [
    ['419100', 1100, 0],
    ['419100', 4202, 0],
    ['419100', 0, 5000],
    ['44571100', 0, 100],
    ['530000', 5000, 0],
    ['706100', 0, 1000],
    ['706190', 0, 4202],
  ])
})

test('rounded cash and a debt are booked, each on its own account', async () => {
  const rounded = (site: Site) => [
    soldOn(site, 2, 1, {
      items: [dish(1, 12.02, 1.09)],
      total: 12.02,
      totalTax: 1.09,
      payments: [{ ...cash, paymentAmount: 12 }],
    }),
    soldOn(site, 2, 2, {
      items: [dish(1, 12.02, 1.09)],
      total: 12.02,
      totalTax: 1.09,
      payments: [
        { ...cash, paymentAmount: 12 },
        { paymentName: 'Arrondi', paymentCatalogId: idOf('payment', 7), paymentAmount: 0.02 },
      ],
    }),
    soldOn(site, 2, 3, {
      payments: [{ paymentName: 'On account', paymentCatalogId: idOf('payment', 8), paymentAmount: 11 }],
    }),
  ]
  // 35.04 = 24.00 in cash, 11.00 owed, 0.04 rounded; taxes 1.09 + 1.09 + 1.00.
  const expected = [
    ['411100', 1100, 0],
    ['44571100', 0, 318],
    ['530000', 2400, 0],
    ['658100', 4, 0],
    ['706100', 0, 3186],
  ]
  for (const z of [undefined, { reportTaxes: [row(3186, 318)], totalSales: 3504 }]) {
    const payments = {
      reportPayments: [
        { paymentName: 'Espèces', paymentAmount: 2400 },
        { paymentName: 'On account', paymentAmount: 1100 },
      ],
    }
    const answer = await booked(rounded, z ? { z: { ...z, ...payments } } : {})
    assert.deepEqual(answer.refused, [])
    assert.deepEqual(sorted(only(answer)), expected)
  }
})

test('a tax that differs by rounding, which the check reports as balanced, is booked as in the Z', async () => {
  const three = (site: Site) => [1, 2, 3].map((n) => soldOn(site, 2, n))
  const answer = await booked(three, { z: { totalSales: 3300, reportTaxes: [row(2999, 301)] } })
  assert.deepEqual(linesOf(only(answer)), [
    ['511500', 3300, 0],
    ['706100', 0, 2999],
    ['44571100', 0, 301],
  ])
})

test('a day without a Z can be accepted: the difference is booked on the suspense account', async () => {
  const answer = await booked((site) => [soldOn(site, 2, 1, { total: 12, payments: [{ ...card, paymentAmount: 12 }] })])
  assert.deepEqual(
    answer.refused.map(({ id }: any) => id),
    [date(2)],
  )
  const accepted = only((await app.get(`${path}&accept=${date(2)}`, { key: answer.site.key })).json)
  assert.deepEqual(linesOf(accepted), [
    ['511500', 1200, 0],
    ['706100', 0, 1000],
    ['44571100', 0, 100],
    ['471000', 0, 100],
  ])
  const reason = 'the till lost an item'
  const batch = await issue(app, answer.site, { until: date(2), after: 0, accept: [{ reportId: date(2), reason }] })
  assert.equal(batch.status, 201, batch.text)
  assert.deepEqual(batch.json.accepted, [{ reportId: date(2), reason }])
  const wrong = await issue(app, answer.site, {
    until: date(2),
    after: 1,
    accept: [{ reportId: '2026-13-45', reason }],
  })
  assert.equal(wrong.status, 404, wrong.text)
})

test('an accepted Z has vouchers and items without a stated tax on their accounts', async () => {
  const z = {
    totalSales: 8820,
    reportTaxes: [row(1200, 120)],
    reportPayments: [{ paymentName: 'Carte bancaire', paymentAmount: 8830 }],
  }
  const answer = await booked((site) => [meal(site)], { z })
  assert.equal(answer.refused[0].state, 'refused')
  const accepted = only((await app.get(`${path}&accept=${answer.refused[0].id}`, { key: answer.site.key })).json)
  assert.deepEqual(sorted(accepted), [
    ['419100', 0, 5000],
    ['419100', 0, 2000],
    ['44571100', 0, 120],
    ['471000', 0, 10],
    ['511500', 8830, 0],
    ['706100', 0, 1200],
    ['706900', 0, 500],
  ])
})

test('both entries of the layout clearing balance with every class', async () => {
  const answer = await booked((site) => [meal(site)], {
    own: { layout: 'clearing', revenueBy: 'category', discounts: 'gross' },
  })
  assert.deepEqual(
    answer.data.map(({ totals }: BookingEntry) => [totals.debit, totals.credit]),
    [
      [8820, 8820],
      [8820, 8820],
    ],
  )
})

test('exported tables contain the type of an item, and the order that a refund refers to', async () => {
  const refund = (site: Site) =>
    soldOn(site, 2, 2, {
      items: [dish(1, -11, -1)],
      total: -11,
      totalTax: -1,
      refundOf: meal(site).id,
      payments: [{ ...card, paymentAmount: -11 }],
    })
  const { site } = await booked((of) => [meal(of), refund(of)])
  const rows = async (table: string): Promise<any[]> => {
    const headers = { 'x-api-key': site.key }
    const answer = await fetch(`${app.url}/v1/exports/${table}?month=2026-03&format=ndjson`, { headers })
    return (await answer.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  }
  const kinds = (await rows('items')).map(({ kind, is_counted: counted }) => [kind, counted])
  assert.deepEqual(kinds.slice(0, 5), [
    ['sale', true],
    ['voucher', false],
    ['deposit', false],
    ['sale', true],
    ['charge', false],
  ])
  assert.deepEqual(
    (await rows('orders')).map(({ refund_of: of }) => of),
    [null, meal(site).id],
  )
})
