import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Order } from '../../../src/core/contract/orders/schema.ts'
import { listAdapters } from '../../../src/modules/sources/adapters/all.ts'
import { fileOf, runShop, type Json } from './golden.ts'

// Things that a system distinguishes remain distinct. Amounts are computed by hand.

const locationId = 'de000002-0000-4000-8000-000000000001'

async function read(source: string, document: Json, currency = 'EUR') {
  const adapter = listAdapters().get(source)
  assert.ok(adapter)
  const profile = { account: 'shop-1', timeZone: 'Europe/Paris', currency, dayStartsAt: '05:00' }
  const files = [fileOf('documents.json', Buffer.from(JSON.stringify(document)))]
  const run = await runShop({ adapter, profile, expected: [{ data: { locationId } }] }, files)
  const orders = run.records.flatMap(({ type, data }) => (type === 'order' ? [data as Order] : []))
  return { ...run, orders, reasons: run.refused.first.map(({ reason }) => reason) }
}

const only = ({ orders, reasons }: Awaited<ReturnType<typeof read>>): Order => {
  assert.deepEqual([orders.length, reasons], [1, []])
  return orders[0] as Order
}

const meansOf = ({ payments }: Order) => payments.map(({ paymentName, paymentAmount }) => [paymentName, paymentAmount])
const tipsOf = ({ tips }: Order) => (tips ?? []).map(({ amount }) => amount)
const kindsOf = ({ items }: Order) => items.map(({ kind, total, tax }) => [kind ?? 'sale', total, tax.taxAmount])

const money = (currency: string) => (amount: number) => ({ amount, currency })

const squareOrder = (changes: Json): Json => ({
  id: 'sq1',
  location_id: 'shop-1',
  created_at: '2026-07-07T03:00:00.000Z',
  updated_at: '2026-07-07T03:05:00.000Z',
  closed_at: '2026-07-07T03:05:00.000Z',
  state: 'COMPLETED',
  ...changes,
})

const squareLine = (name: string, amount: Json, more: Json = {}) => ({
  uid: name,
  name,
  quantity: '1',
  item_type: 'ITEM',
  total_money: amount,
  ...more,
})

for (const [currency, sent, total] of [
  ['JPY', 500, 500],
  ['KRW', 500, 500],
  ['CLP', 500, 500],
  ['EUR', 500, 5],
  ['KWD', 1250, 1.25],
  ['HUF', 50000, 500],
] as const) {
  test(`Square writes ${sent} of the minor unit of ${currency} for ${total}`, async () => {
    const of = money(currency)
    const order = only(
      await read(
        'square',
        {
          orders: [
            squareOrder({
              line_items: [squareLine('Ramen', of(sent))],
              total_money: of(sent),
              total_tax_money: of(0),
              tenders: [{ id: 't', type: 'CASH', amount_money: of(sent) }],
            }),
          ],
        },
        currency,
      ),
    )
    assert.deepEqual([order.total, meansOf(order)], [total, [['Cash', total]]])
  })
}

test('Square: a sold gift card is a voucher, a service charge is a charge', async () => {
  const of = money('EUR')
  const order = only(
    await read('square', {
      orders: [
        squareOrder({
          line_items: [squareLine('Soup', of(1000)), squareLine('Card', of(5000), { item_type: 'GIFT_CARD' })],
          service_charges: [{ uid: 's', name: 'Service', type: 'CUSTOM', total_money: of(100) }],
          total_money: of(6100),
          total_tax_money: of(0),
          tenders: [{ id: 't', type: 'CARD', amount_money: of(6100) }],
        }),
      ],
    }),
  )
  assert.deepEqual(kindsOf(order), [
    ['sale', 10, 0],
    ['voucher', 50, 0],
    ['charge', 1, 0],
  ])
})

test('Square: the gratuity of a split bill is taken from the largest payment, and no payment becomes negative', async () => {
  const of = money('EUR')
  const order = only(
    await read('square', {
      orders: [
        squareOrder({
          line_items: [squareLine('Feast', of(10000))],
          service_charges: [{ uid: 's', name: 'Gratuity', type: 'AUTO_GRATUITY', total_money: of(1800) }],
          total_money: of(11800),
          total_tax_money: of(0),
          tenders: [
            { id: 'a', type: 'SQUARE_GIFT_CARD', amount_money: of(500) },
            { id: 'b', type: 'CARD', amount_money: of(11300) },
          ],
        }),
      ],
    }),
  )
  assert.deepEqual(meansOf(order), [
    ['Gift card', 5],
    ['Card', 95],
  ])
  assert.deepEqual(tipsOf(order), [18])
})

test('Square: a returned tip is a tip, and rounding of a return is not a difference', async () => {
  const of = money('CAD')
  const sold = squareOrder({
    id: 'sold',
    line_items: [squareLine('Soup', of(2000))],
    total_money: of(2300),
    total_tip_money: of(300),
    total_tax_money: of(0),
    tenders: [{ id: 't', type: 'CARD', amount_money: of(2300), tip_money: of(300) }],
  })
  const back = squareOrder({
    id: 'back',
    returns: [
      {
        uid: 'r',
        return_line_items: [squareLine('Soup', of(2000))],
        return_tips: [{ uid: 'x', applied_money: of(300), source_tender_id: 't' }],
      },
    ],
    net_amounts: { total_money: of(-2300), tip_money: of(-300), tax_money: of(0) },
    refunds: [{ id: 'f', tender_id: 't', amount_money: of(2300), status: 'APPROVED' }],
  })
  const rounded = squareOrder({
    id: 'rounded',
    returns: [
      {
        uid: 'r',
        return_line_items: [squareLine('Tea', of(1002))],
        rounding_adjustment: { uid: 'x', amount_money: of(-2) },
      },
    ],
    net_amounts: { total_money: of(-1000), tax_money: of(0) },
    refunds: [{ id: 'g', tender_id: 'c', amount_money: of(1000), status: 'COMPLETED' }],
  })
  const { orders, reasons } = await read('square', { orders: [sold, back, rounded] }, 'CAD')
  assert.deepEqual(reasons, [])
  const of2 = (key: string) => orders.find(({ externalOrderId }) => externalOrderId === key) as Order
  assert.deepEqual([of2('back').total, meansOf(of2('back')), tipsOf(of2('back'))], [-20, [['Card', -20]], [-3]])
  assert.deepEqual([of2('rounded').total, meansOf(of2('rounded')).map(([, amount]) => amount)], [-10.02, [-10, -0.02]])
})

test('Square: an unknown word is counted, and an unknown state is refused', async () => {
  const of = money('EUR')
  const order = squareOrder({
    line_items: [squareLine('Soup', of(1000), { item_type: 'SUBSCRIPTION' })],
    total_money: of(1000),
    total_tax_money: of(0),
    tenders: [{ id: 't', type: 'CASH', amount_money: of(1000) }],
  })
  assert.deepEqual((await read('square', { orders: [order] })).notes, [['unknown item_type "SUBSCRIPTION"', 1]])
  const parked = await read('square', { orders: [{ ...order, state: 'PARKED' }] })
  assert.deepEqual(parked.reasons, ['the state "PARKED" is unknown'])
})

const check = (changes: Json): Json => ({
  guid: 'check-1',
  displayNumber: '1',
  openedDate: '2026-07-03T18:00:00.000+0000',
  closedDate: '2026-07-03T19:00:00.000+0000',
  modifiedDate: '2026-07-03T19:00:00.000+0000',
  taxAmount: 0,
  selections: [],
  payments: [],
  ...changes,
})

const toastOrder = (changes: Json): Json => [
  {
    guid: 'order-1',
    openedDate: '2026-07-03T18:00:00.000+0000',
    modifiedDate: '2026-07-03T19:00:00.000+0000',
    source: 'In Store',
    checks: [check(changes)],
  },
]

const vat = (taxAmount: number) => [{ taxRate: { guid: 'vat' }, name: 'VAT', rate: 0.1, taxAmount }]

const selection = (name: string, price: number, more: Json = {}): Json => ({
  guid: name,
  displayName: name,
  quantity: 1,
  selectionType: 'NONE',
  preDiscountPrice: price,
  price,
  voided: false,
  ...more,
})

const paidBy = (type: string, amount: number, more: Json = {}): Json => ({
  guid: `${type}-1`,
  type,
  amount,
  tipAmount: 0,
  refundStatus: 'NONE',
  refund: null,
  ...more,
})

test('Toast: whether lines include tax is determined by the sum that equals the total', async () => {
  for (const [total, item] of [
    [11, ['sale', 11, 1]],
    [10, ['sale', 10, 1]],
  ] as const) {
    const document = toastOrder({
      taxAmount: 1,
      totalAmount: total,
      selections: [selection('Soup', 10, { appliedTaxes: vat(1) })],
      payments: [paidBy('CASH', total)],
    })
    assert.deepEqual(kindsOf(only(await read('toast', document))), [item])
  }
})

test('Toast: gift cards are vouchers, charges are charges, and a paid debt is not a sale', async () => {
  const order = only(
    await read(
      'toast',
      toastOrder({
        taxAmount: 1,
        totalAmount: 88,
        selections: [
          selection('Soup', 11, { appliedTaxes: vat(1), taxInclusion: 'INCLUDED' }),
          selection('Card', 50, { selectionType: 'TOAST_CARD_SELL' }),
          selection('Balance', 25, { selectionType: 'HOUSE_ACCOUNT_PAY_BALANCE' }),
        ],
        appliedServiceCharges: [{ guid: 'c', name: 'Delivery', chargeAmount: 2, gratuity: false, appliedTaxes: [] }],
        payments: [paidBy('CREDIT', 88)],
      }),
    ),
  )
  assert.deepEqual(kindsOf(order), [
    ['sale', 11, 1],
    ['voucher', 50, 0],
    ['charge', 2, 0],
  ])
  assert.deepEqual(meansOf(order), [
    ['Card', 88],
    ['HOUSE_ACCOUNT', -25],
  ])
})

test('Toast: a gratuity is taken from its own payment, otherwise from the largest', async () => {
  for (const [paymentGuid, means] of [
    [
      'CASH-1',
      [
        ['Card', 90],
        ['Cash', 10],
      ],
    ],
    [
      undefined,
      [
        ['Card', 72],
        ['Cash', 28],
      ],
    ],
  ] as const) {
    const order = only(
      await read(
        'toast',
        toastOrder({
          totalAmount: 118,
          selections: [selection('Feast', 100)],
          appliedServiceCharges: [
            { guid: 'g', name: 'Gratuity', chargeAmount: 18, gratuity: true, appliedTaxes: [], paymentGuid },
          ],
          payments: [paidBy('CREDIT', 90), paidBy('CASH', 28)],
        }),
      ),
    )
    assert.deepEqual([meansOf(order), tipsOf(order)], [means, [18]])
  }
})

test('Toast: the refund of a taxed charge refunds its tax', async () => {
  const transaction = { refundTransaction: { guid: 'tx' } }
  const refunded = { refundAmount: 5.5, tipRefundAmount: 0, refundDate: '2026-07-05T10:00:00.000+0000', ...transaction }
  const { orders, reasons } = await read(
    'toast',
    toastOrder({
      taxAmount: 2.5,
      totalAmount: 27.5,
      selections: [selection('Soup', 22, { appliedTaxes: vat(2), taxInclusion: 'INCLUDED' })],
      appliedServiceCharges: [
        {
          guid: 'c',
          name: 'Delivery',
          chargeAmount: 5,
          gratuity: false,
          appliedTaxes: vat(0.5),
          refundDetails: { refundAmount: 5, taxRefundAmount: 0.5, ...transaction },
        },
      ],
      payments: [paidBy('CREDIT', 27.5, { refundStatus: 'PARTIAL', refund: refunded })],
    }),
  )
  assert.deepEqual(reasons, [])
  const refund = orders.find(({ total }) => total < 0) as Order
  assert.deepEqual([kindsOf(refund), refund.totalTax], [[['charge', -5.5, -0.5]], -0.5])
})

const line = (amount: string, more: Json = {}): Json => ({
  id: 'l1',
  name: 'Soup',
  quantity: '1.000',
  totalNetAmountWithTax: amount,
  taxLines: [],
  totalDiscountAmount: '0.00',
  currency: 'EUR',
  ...more,
})

const lightspeedSale = (changes: Json): Json => ({
  accountFiscId: 'A1',
  receiptId: 'R1',
  timeOfOpening: '2026-07-04T00:00:00Z',
  timeClosed: '2026-07-04T01:00:00Z',
  cancelled: false,
  type: 'SALE',
  salesLines: [line('10.00')],
  payments: [
    {
      code: 'CARD',
      description: 'Bancontact',
      paymentMethodId: 1,
      netAmountWithTax: '10.00',
      tip: '0',
      surcharge: '0.00',
      roundingAmount: '0',
    },
  ],
  ...changes,
})

test('Lightspeed: only sales are imported as sales, and every other type is counted', async () => {
  const types = ['SALE', 'REFUND', 'SPLIT', 'UPDATE', 'CROSS_BL', 'CANCEL', 'RECALL', 'NEW_WORD']
  const sales = types.map((type, i) => lightspeedSale({ type, accountFiscId: `A${i}` }))
  const { orders, left } = await read('lightspeed-k', { sales })
  assert.equal(orders.length, 2)
  assert.deepEqual(left.first.map(({ reason }) => reason).toSorted(), [
    'cancel',
    'cross_bl',
    'new_word',
    'recall',
    'split',
    'update',
  ])
})

for (const [how, net] of [
  ['beside', '10.00'],
  ['in', '10.30'],
] as const) {
  test(`Lightspeed: a card surcharge ${how} the net amount is a charge, and the till's own names are kept`, async () => {
    const payments = [
      {
        code: 'CARD',
        description: 'Bancontact',
        paymentMethodId: 1,
        netAmountWithTax: net,
        tip: '0',
        surcharge: '0.30',
        roundingAmount: '0',
      },
    ]
    const discounts = {
      totalDiscountAmount: '3.00',
      discountAmount: '1.00',
      discountName: 'Happy hour',
      accountDiscountAmount: '2.00',
      accountDiscountName: 'Staff',
    }
    const order = only(
      await read('lightspeed-k', { sales: [lightspeedSale({ payments, salesLines: [line('10.00', discounts)] })] }),
    )
    assert.deepEqual(kindsOf(order), [
      ['sale', 10, 0],
      ['charge', 0.3, 0],
    ])
    assert.deepEqual(meansOf(order), [['Bancontact', 10.3]])
    assert.deepEqual(
      order.items[0]?.discountsApplied.map(({ discountName, discountValue }) => [discountName, discountValue]),
      [
        ['Happy hour', 1],
        ['Staff', 2],
      ],
    )
  })
}

test('Loyverse: tables and the till’s own payment names are kept, and cash remains cash', async () => {
  const receipt = (changes: Json): Json => ({
    receipt_type: 'SALE',
    created_at: '2026-07-07T03:00:00.000Z',
    updated_at: '2026-07-07T03:00:00.000Z',
    receipt_date: '2026-07-07T03:00:00.000Z',
    order: 'Table 7',
    total_money: 5,
    total_tax: 0,
    tip: 0,
    surcharge: 0,
    store_id: 'shop-1',
    pos_device_id: 'd1',
    line_items: [
      {
        id: 'l',
        item_id: 'i',
        variant_id: 'v',
        item_name: 'Tea',
        quantity: 1,
        price: 5,
        total_money: 5,
        line_taxes: [],
        line_discounts: [],
        line_modifiers: [],
      },
    ],
    ...changes,
  })
  const paid = (name: string, type: string) => [{ payment_type_id: type, name, type, money_amount: 5 }]
  const { orders, reasons } = await read('loyverse', {
    receipts: [
      receipt({ receipt_number: '1', payments: paid('Carte', 'NONINTEGRATEDCARD') }),
      receipt({ receipt_number: '2', payments: paid('Espèces', 'CASH') }),
      receipt({ receipt_number: '3', payments: paid('Tiroir', 'CASH') }),
      receipt({ receipt_number: '4', receipt_type: 'QUOTE', payments: [] }),
    ],
  })
  assert.deepEqual(
    new Set(orders.map((one) => `${one.orderPlace} ${meansOf(one)[0]?.[0]}`)),
    new Set(['Table 7 Carte', 'Table 7 Cash', 'Table 7 Espèces']),
  )
  assert.deepEqual(reasons, ['the receipt_type "QUOTE" is unknown'])
})
