import assert from 'node:assert/strict'
import { test } from 'node:test'
import { moneyOf } from '../../../../src/core/contract/money/currency.ts'
import { comparePayments, isPaid, usualRules } from '../../../../src/core/contract/money/paid.ts'
import { kindsOf, usualKinds } from '../../../../src/core/contract/money/payment-kinds.ts'
import type { PaymentKind } from '../../../../src/core/contract/money/payment-kinds-schema.ts'

const pay = (paymentAmount: number, paymentName = 'Espèces', paymentCatalogId = 'a') => ({
  paymentAmount,
  paymentName,
  paymentCatalogId,
})

const order = (total: number, payments: ReturnType<typeof pay>[], tips: number[] = []) => ({
  total,
  payments,
  tips: tips.map((amount) => ({ amount })),
  closedAt: '2026-03-14T19:00:00.000Z' as string | null,
  isCanceled: false,
})

const stands = (total: number, payments: ReturnType<typeof pay>[], tips: number[] = [], currency = 'EUR') =>
  comparePayments(order(total, payments, tips), { money: moneyOf(currency), kindOf: usualKinds })

test('an order is paid when it is closed, not canceled, and its payments cover the total', () => {
  const paid = order(20, [pay(20)])
  assert.equal(isPaid(paid, usualRules), true)
  assert.equal(isPaid({ ...paid, closedAt: null }, usualRules), false)
  assert.equal(isPaid({ ...paid, isCanceled: true }, usualRules), false)
  assert.equal(isPaid(order(20, [pay(19.9)]), usualRules), false)
  assert.equal(isPaid(order(20, [pay(25)]), usualRules), true)
  assert.equal(isPaid(order(0, []), usualRules), true)
  assert.equal(isPaid(order(0.3, [pay(0.1, 'Carte'), pay(0.2, 'Carte')]), usualRules), true)
})

test('cash is rounded to the smallest coin of the currency, up or down; card payments are not', () => {
  for (const [currency, total, cash] of [
    ['EUR', 12.02, 12],
    ['EUR', 12.03, 12.05],
    ['CHF', 12.02, 12],
    ['SEK', 104.49, 104],
    ['NOK', 104.49, 104],
    ['DKK', 104.2, 104],
    ['CZK', 104.4, 104],
    ['HUF', 1002, 1000],
    ['NZD', 12.04, 12],
    ['KWD', 1.252, 1.25],
  ] as const) {
    assert.equal(stands(total, [pay(cash, 'Cash')], [], currency), 'rounded', currency)
    assert.equal(stands(-total, [pay(-cash, 'Cash')], [], currency), 'rounded', `refund in ${currency}`)
    const other = cash < total ? 'under' : 'over'
    assert.equal(stands(total, [pay(cash, 'Card')], [], currency), other, `card in ${currency}`)
  }
  assert.equal(stands(15.72, [pay(10, 'Carte'), pay(5.7)]), 'rounded')
  assert.equal(stands(12.02, [pay(11.5)]), 'under')
  assert.equal(stands(12.02, [pay(12), pay(0.02, 'Arrondi')]), 'exact')
})

test('tips may be in the payments, and a refund is paid when the money was returned', () => {
  assert.equal(stands(10, [pay(12, 'Carte')], [2]), 'exact')
  assert.equal(stands(10, [pay(12.5, 'Carte')], [2]), 'over')
  assert.equal(stands(-10, []), 'under')
  assert.equal(stands(-10, [pay(-4)]), 'under')
  assert.equal(stands(-10, [pay(-10)]), 'exact')
})

test('words in several languages state the type of a payment, in any spelling', () => {
  const words: Record<string, PaymentKind> = {}
  const cash =
    'Espèces, ESPECES, Cash, Liquide, Bar, Bargeld, Barzahlung, Kontant, Gotówka, Contante, Contanti, Dinheiro, Hotovost, ' +
    'Készpénz, Nakit, 現金, Cash EUR, Espèces €, Pièces, Monnaie, Numéraire, Numerário, Efectivo'
  for (const word of cash.split(', ')) words[word] = 'cash'
  Object.assign(words, { 'Carte bancaire': 'card', ECKarte: 'card', 'Ticket Restaurant': 'meal_voucher' })
  Object.assign(words, { Gutschein: 'gift_card', Chèque: 'cheque', Arrondi: 'rounding', Rechnung: 'account' })
  for (const [name, kind] of Object.entries(words)) {
    assert.equal(usualKinds(pay(1, name)), kind, name)
    assert.equal(usualKinds(pay(1, name.normalize('NFD'))), kind, `${name} in two characters`)
  }
  for (const name of ['Liquide bar', 'Autre', '']) assert.equal(usualKinds(pay(1, name)), null, name)
})

test('the setting of the location takes precedence over the catalog, and the catalog over the word', () => {
  const catalog = [
    { id: 'AA', name: 'Caisse 2', kind: 'cash' as const },
    { id: 'bb', name: 'Bar', kind: 'account' as const },
    { id: 'cc', name: 'Divers' },
  ]
  const kindOf = kindsOf({ byName: { 'liquide BAR': 'cash', Espèces: 'other' }, catalog })
  assert.equal(kindOf(pay(1, 'Liquide bar')), 'cash')
  assert.equal(kindOf(pay(1, 'Espèces')), 'other')
  assert.equal(kindOf(pay(1, 'anything', 'aa')), 'cash')
  assert.equal(kindOf({ paymentName: 'caisse 2' }), 'cash')
  assert.equal(kindOf(pay(1, 'Bar', 'bb')), 'account')
  assert.equal(kindOf(pay(1, 'Divers', 'cc')), null)
})
