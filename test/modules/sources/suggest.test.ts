import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvAdapter } from '../../../src/modules/sources/adapters/csv-map/map.ts'
import { suggestMap } from '../../../src/modules/sources/adapters/csv-map/suggest.ts'
import { byId, fileOf, runShop, shops, type ShopFile } from './golden.ts'

const csv = (name: string, ...lines: string[]): ShopFile => fileOf(name, Buffer.from(`${lines.join('\n')}\n`))

test('the suggested map of items and payments gives the hand-computed records', async () => {
  const shop = shops.find(({ name }) => name === 'csv')
  assert.ok(shop)
  // The result does not depend on the order of the files.
  for (const files of [shop.files, shop.files.toReversed()]) {
    const { map, unused } = await suggestMap(files)
    assert.deepEqual(unused, [])
    const { records, refused } = await runShop({ ...shop, adapter: csvAdapter(map) }, files)
    assert.deepEqual(refused.first, [])
    assert.deepEqual(byId(records), byId(shop.expected))
  }
})

const lignes = csv(
  'lignes.csv',
  'Ticket;Date;Article;Qté;TTC;TVA %',
  '17;14/03/2026 19:02;Entrecôte;1;24,00;10',
  '17;14/03/2026 19:02;Café;2;4,50;10',
  '18;14/03/2026 19:30;Café;-1;-2,25;10',
)

test('payments in separate rows are recognized by their words, and negative refunds need no condition', async () => {
  const reglements = csv('reglements.csv', 'Ticket;Mode;Montant;Pourboire', '17;CB;28,50;1,50', '18;Espèces;-2,25;0,00')
  const { map, unused } = await suggestMap([lignes, reglements, csv('clients.csv', 'Client;Ville', 'a;b')])
  assert.deepEqual(map.order.payments, {
    from: 'payments',
    name: 'Mode',
    amount: 'Montant',
    tip: { amount: 'Pourboire' },
  })
  assert.equal(map.order.negative, undefined)
  assert.deepEqual([map.files['payments']?.name, map.files['payments']?.delimiter], ['reglements.csv', ';'])
  assert.deepEqual(map.order.item.tax, { rate: 'TVA %', name: 'TVA {} %', included: true })
  assert.deepEqual(unused, ['clients.csv'])
})

test('payments in item lines are used if each is present once', async () => {
  const once = csv(
    'export.csv',
    'Receipt,Date,Item,Qty,Gross,Type,Cash,Visa',
    'R1,2026-03-14 19:02:00,Soup,1,9.00,Sale,0.00,12.00',
    'R1,2026-03-14 19:02:00,Bread,1,3.00,Sale,,',
    'R2,2026-03-14 20:00:00,Soup,1,9.00,Credit note,9.00,0.00',
  )
  const { order } = (await suggestMap([once])).map
  assert.deepEqual(order.payments, { from: 'lines', columns: ['Cash', 'Visa'] })
  assert.deepEqual(order.negative, { column: 'Type', is: 'Credit note' })
  const repeated = csv(
    'export.csv',
    'Receipt,Date,Item,Qty,Gross,Cash',
    'R1,2026-03-14 19:02:00,Soup,1,9.00,12.00',
    'R1,2026-03-14 19:02:00,Bread,1,3.00,12.00',
  )
  assert.equal((await suggestMap([repeated])).map.order.payments, undefined)
})

test('a tip is inside the payment that is larger by it, and outside if the payments equal the sale', async () => {
  const items = csv('items.csv', 'Receipt,Date,Item,Qty,Gross', 'R1,2026-03-14 19:02:00,Soup,1,9.00')
  const within = csv('paid.csv', 'Receipt,Cash,Card,Tip', 'R1,0.00,10.00,1.00')
  assert.deepEqual((await suggestMap([items, within])).map.order.payments?.tip, { amount: 'Tip', in: 'Card' })
  const beside = csv('paid.csv', 'Receipt,Cash,Card,Tip', 'R1,0.00,9.00,1.00')
  assert.deepEqual((await suggestMap([items, beside])).map.order.payments?.tip, { amount: 'Tip' })
})
