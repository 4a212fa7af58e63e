import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Order } from '../../../src/core/contract/orders/schema.ts'
import { csvAdapter } from '../../../src/modules/sources/adapters/csv-map/map.ts'
import type { CsvMap } from '../../../src/modules/sources/adapters/csv-map/schema.ts'
import { suggestMap } from '../../../src/modules/sources/adapters/csv-map/suggest.ts'
import { localTimes } from '../../../src/modules/sources/adapters/local-times.ts'
import { readNumber } from '../../../src/modules/sources/adapters/numbers.ts'
import { fileOf, runShop, type ShopFile } from './golden.ts'

const csv = (...lines: string[]): ShopFile => fileOf('export.csv', Buffer.from(`${lines.join('\n')}\n`))

const newYork = { account: 'shop', timeZone: 'America/New_York', currency: 'USD', dayStartsAt: '05:00' }

async function read(file: ShopFile, map: unknown, profile = newYork) {
  const expected = [{ data: { locationId: 'de000002-0000-4000-8000-000000000001' } }]
  const run = await runShop({ adapter: csvAdapter(map as CsvMap), profile, expected }, [file])
  const orders = run.records.map(({ data }) => data as Order)
  return { ...run, of: (key: string) => orders.find(({ externalOrderId }) => externalOrderId === key) as Order, orders }
}

const suggested = async (file: ShopFile, profile = newYork) => read(file, (await suggestMap([file])).map, profile)

const sums = ({ total, totalTax, closedAt }: Order) => [total, totalTax, closedAt]

test('numbers with signs and symbols on either side, and with separators, are parsed', () => {
  const point = { decimal: '.', groups: ',' } as const
  for (const text of ['-$12.00', '$-12.00', '($12.00)', '12.00-', '-USD 12.00', '12.00- kr', '−12.00 €'])
    assert.equal(readNumber(text, point), '-12.00', text)
  const comma = { decimal: ',', groups: '.' } as const
  for (const text of ['R$ 1.234,50', '1.234,50 kr', 'CHF 1.234,50', '1\u202f234,50'])
    assert.equal(readNumber(text, comma), '1234.50', text)
  for (const [text, form] of [
    ['12.50', comma],
    ['1.2345', comma],
    ['12,50', point],
    ['--12', point],
    ['(-12)', point],
    ['12 50', point],
    ['12.50 x', point],
  ] as const)
    assert.equal(readNumber(text, form), undefined, text)
})

test('times with twelve-hour clocks, month names, offsets and zones are parsed completely or not at all', () => {
  const at = (format: string, text: string) => localTimes(format, 'America/New_York')(text)
  assert.equal(at('MM/DD/YY hh:mm A', '10/8/26 5:18 PM'), '2026-10-08T21:18:00.000Z')
  assert.equal(at('MM/DD/YY hh:mm A', '8/17/26 12:16 PM'), '2026-08-17T16:16:00.000Z')
  assert.equal(at('MM/DD/YY hh:mm A', '8/17/26 12:05\u202fa.m.'), '2026-08-17T04:05:00.000Z')
  assert.equal(at('DD-MMM-YYYY hh:mm A z', '17-Aug-2026 05:18 PM EDT'), '2026-08-17T21:18:00.000Z')
  assert.equal(at('D MMMM YYYY HH:mm', '7 février 2026 21:42'), '2026-02-08T02:42:00.000Z')
  assert.equal(at('YYYY-MM-DD HH:mm:ss Z', '2026-07-07 21:42:00 +0300'), '2026-07-07T18:42:00.000Z')
  for (const [format, text] of [
    ['MM/DD/YY HH:mm', '10/8/26 5:18 PM'],
    ['MM/DD/YY hh:mm A', '8/17/26 17:05 PM'],
    ['DD-MMM-YYYY hh:mm A z', '17-Aug-2026 05:18 PM EST'],
    ['YYYY-MM-DD HH:mm:ss', '2026-07-07 21:42:00 +0300'],
    ['ISO 8601', '2026-07-18'],
    ['hh:mm', '05:18'],
    ['YYYY-MM-DD foo', '2026-07-18 foo'],
  ] as const)
    assert.throws(() => at(format, text), `${format} ${text}`)
})

test('the item export of Square is imported with the suggested map', async () => {
  const { of, refused } = await suggested(
    csv(
      'Date,Time,Category,Item,Qty,Modifiers Applied,Gross Sales,Discounts,Net Sales,Tax,Transaction ID,Event Type',
      '2026-07-18,19:59:30,None,Latte,1.0,"12oz, Whole Milk",$8.00,$0.00,$8.00,$0.62,TXa,Payment',
      '2026-07-18,19:59:30,None,Sticker,2.0,,$4.00,-$1.00,$3.00,$0.21,TXa,Payment',
      '2026-07-18,20:10:00,None,Lemonade,-1.0,,-$5.00,$0.00,-$5.00,-$0.39,TXc,Refund',
    ),
  )
  assert.deepEqual(refused.first, [])
  // 8.00 + 0.62 + 3.00 + 0.21, and −5.00 − 0.39.
  assert.deepEqual(sums(of('TXa')), [11.83, 0.83, '2026-07-18T23:59:30.000Z'])
  assert.deepEqual(sums(of('TXc')), [-5.39, -0.39, '2026-07-19T00:10:00.000Z'])
  // 0.62 ÷ 8.00 and 0.21 ÷ 3.00.
  assert.deepEqual(
    of('TXa').items.map(({ tax }) => tax.taxRate),
    [0.0775, 0.07],
  )
})

test('the exports of Loyverse, Toast and Clover are imported with the suggested maps', async () => {
  const loyverse = await suggested(
    csv(
      'Date,Receipt number,Receipt type,Category,SKU,Item,Quantity,Gross sales,Discounts,Net sales,Taxes,Cashier name',
      '8/17/26 12:16 PM,1-1001,Sale,Food,10,Soup,1,10.00,1.00,9.00,0.72,Ann',
      '8/17/26 12:20 PM,1-1002,Refund,Food,10,Soup,1,10.00,0.00,10.00,0.80,Ann',
    ),
  )
  assert.deepEqual(sums(loyverse.of('1-1001')), [9.72, 0.72, '2026-08-17T16:16:00.000Z'])
  assert.deepEqual(sums(loyverse.of('1-1002')), [-10.8, -0.8, '2026-08-17T16:20:00.000Z'])
  const toast = await suggested(
    csv(
      'Order Id,Sent Date,Order Date,Check Id,Server,Table,Menu Item,Menu Group,Gross Price,Discount,Net Price,Qty,Tax,Void?',
      '1,10/8/26 5:18 PM,10/8/26 5:18 PM,77,Ann,4,Soup,Soups,10.00,0.00,10.00,1.0,0.80,false',
      '1,10/18/26 5:18 PM,10/8/26 5:18 PM,77,Ann,4,Tea,Drinks,3.00,0.00,3.00,1.0,0.24,true',
    ),
  )
  assert.deepEqual(sums(toast.of('77')), [10.8, 0.8, '2026-10-08T21:18:00.000Z'])
  const clover = await suggested(
    csv(
      'Line Item Date,Order Employee Name,Order ID,Item ID,Item Name,Item Revenue,Total Discount,Tax Amount,Item Total with Tax',
      '17-Aug-2026 05:18 PM EDT,Ann,O1,I1,Soup,$10.00,$0.00,$0.89,$10.89',
      '17-Aug-2026 05:30 PM EDT,Ann,O2,I1,Soup,($10.00),$0.00,($0.89),($10.89)',
    ),
  )
  assert.deepEqual(sums(clover.of('O1')), [10.89, 0.89, '2026-08-17T21:18:00.000Z'])
  assert.deepEqual(sums(clover.of('O2')), [-10.89, -0.89, '2026-08-17T21:30:00.000Z'])
})

test('the order export of Shopify and the list of Odoo are imported: unit prices, and blank cells that repeat the line above', async () => {
  const shopify = csv(
    'Name,Email,Paid at,Subtotal,Taxes,Total,Created at,Lineitem quantity,Lineitem name,Lineitem price,Lineitem sku,Payment Method',
    '#1001,a,2026-07-07 21:42:00 +0300,13.00,1.08,13.00,2026-07-07 21:40:00 +0300,1,Soup,9.00,S,card',
    '#1001,,,,,,,2,Bread,2.00,B,',
    '#1002,b,2026-07-07 22:42:00 +0300,27.00,2.23,27.00,2026-07-07 22:40:00 +0300,3,Soup,9.00,S,card',
  )
  const { map, doubts } = await suggestMap([shopify])
  assert.deepEqual(doubts, [
    'Taxes applies to the whole sale and is not read: maps support taxes and discounts of lines only',
  ])
  const sold = await read(shopify, map)
  assert.deepEqual(sums(sold.of('#1001')), [13, 0, '2026-07-07T18:42:00.000Z'])
  assert.deepEqual([sold.of('#1002').total, sold.of('#1002').payments[0]?.paymentAmount], [27, 27])
  const odoo = csv(
    'Order Ref,Date,Order Lines/Product,Order Lines/Quantity,Order Lines/Unit Price,Total',
    'Shop/0001,2026-07-07 12:00:00,Soup,1,9.00,13.00',
    ',,Bread,2,2.00,',
    'Shop/0002,2026-07-07 12:10:00,Soup,1,9.00,9.00',
  )
  const list = await suggested(odoo)
  assert.deepEqual([list.of('Shop/0001').total, list.of('Shop/0002').total], [13, 9])
  const { map: blank } = await suggestMap([odoo])
  delete (blank.files['lines'] as { fill?: boolean }).fill
  assert.match((await read(odoo, blank)).refused.first[0]?.reason ?? '', /the key is blank .* "fill": true/)
})

test('no map is suggested if a column is missing, and the order of month and day follows the data', async () => {
  const dated = (...days: string[]) =>
    csv('Order,Date,Item,Qty,Total', ...days.map((day, i) => `${i},${day},Soup,1,9.00`))
  const formatOf = async (...days: string[]) => {
    const { map, doubts } = await suggestMap([dated(...days)])
    return [map.times.format, doubts.length]
  }
  assert.deepEqual(await formatOf('11/05/2017 19:00', '11/15/2017 19:00'), ['MM/DD/YYYY HH:mm', 0])
  assert.deepEqual(await formatOf('11/05/2017 19:00', '15/11/2017 19:00'), ['DD/MM/YYYY HH:mm', 0])
  assert.deepEqual(await formatOf('01/02/2017 19:00', '03/04/2017 19:00'), ['DD/MM/YYYY HH:mm', 1])
  await assert.rejects(
    suggestMap([dated('13/05/2017 19:00', '05/13/2017 19:00')]),
    /^Error: the time of a sale was not found/,
  )
  await assert.rejects(
    suggestMap([csv('Order Ref,Date,Session,Total', 'a,2026-07-07,b,1.00')]),
    /not found: the name of an item/,
  )
  await assert.rejects(
    suggestMap([csv('Order,Date,Item', '1,2026-07-07 12:00,Soup')]),
    /not found: the amount of a line/,
  )
})

test('a unit price mapped as a total is reported, and amounts in minor units follow ISO 4217', async () => {
  const lines = csv('Receipt,Date,Item,Qty,Unit price', 'R1,2026-07-07 12:00,Soup,3,9.00')
  const map = {
    map: 1,
    times: { format: 'YYYY-MM-DD HH:mm' },
    numbers: { decimal: '.' },
    files: { lines: { name: 'export.csv' } },
    order: {
      from: 'lines',
      key: ['Receipt'],
      opened: 'Date',
      item: { name: 'Item', quantity: 'Qty', total: 'Unit price' },
    },
  }
  assert.deepEqual((await read(lines, map)).notes, [['price_of_one', 1]])
  const { total: _, ...item } = map.order.item
  const priced = { ...map, order: { ...map.order, item: { ...item, price: 'Unit price' } } }
  assert.equal((await read(lines, priced)).of('R1').total, 27)
  const minor = { ...map, numbers: { decimal: '.', minor: true } }
  const yen = { ...newYork, currency: 'JPY' }
  const dinar = { ...newYork, currency: 'KWD' }
  const plain = csv('Receipt,Date,Item,Qty,Unit price', 'R1,2026-07-07 12:00,Soup,1,1250')
  assert.equal((await read(plain, minor, yen)).of('R1').total, 1250)
  assert.equal((await read(plain, minor, dinar)).of('R1').total, 1.25)
  assert.equal((await read(plain, minor)).of('R1').total, 12.5)
})

test('sales of two days with the same number do not become one sale', async () => {
  const lines = ['1;16/03/2026 12:00;16/03/2026 12:30;4.50', '2;16/03/2026 13:00;16/03/2026 13:30;12.00']
  const map = {
    map: 1,
    times: { format: 'DD/MM/YYYY HH:mm' },
    numbers: { decimal: '.' },
    files: { lines: { name: '*.csv', delimiter: ';' } },
    order: { from: 'lines', key: ['Ticket'], opened: 'Date', item: { name: { value: 'Dish' }, total: 'TTC' } },
  }
  const closed = { ...map, order: { ...map.order, closed: 'Closed' } }
  const keysOf = async (used: unknown, ...more: string[]) => {
    const run = await read(csv('Ticket;Date;Closed;TTC', ...lines, ...more), used)
    return [run.orders.map(({ externalOrderId }) => externalOrderId), run.refused.first.map(({ key }) => key)]
  }
  const nextDay = '1;17/03/2026 11:30;17/03/2026 11:45;2.25'
  assert.deepEqual(await keysOf(map, nextDay), [['2'], ['1']])
  assert.deepEqual(await keysOf(closed, nextDay), [['2'], ['1']])
  // A sale that stays open overnight has one close.
  const overnight = '3;16/03/2026 20:00;17/03/2026 10:00;2.25'
  assert.deepEqual(await keysOf(closed, overnight, '3;17/03/2026 09:00;17/03/2026 10:00;1.00'), [['1', '2', '3'], []])
})
