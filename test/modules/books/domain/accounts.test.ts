import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountFaults } from '../../../../src/modules/books/domain/account-faults.ts'
import { AccountFinder, cashNamesOf, effectiveAccounts } from '../../../../src/modules/books/domain/accounts.ts'
import { defaultAccounts } from '../../../../src/modules/books/domain/defaults.ts'
import type { PaymentKind } from '../../../../src/core/contract/money/payment-kinds-schema.ts'
import type { BookAccountsOwn } from '../../../../src/modules/books/schemas/books-accounts.ts'
import { rowsOf } from './booked.ts'

const finder = (own: BookAccountsOwn = {}) => new AccountFinder(effectiveAccounts(own))

test('a location overrides single defaults and keeps the others; lists are replaced row by row', () => {
  assert.deepEqual(effectiveAccounts({}), defaultAccounts)
  const other = { account: '999000' }
  const plain = {
    layout: 'clearing',
    revenueBy: 'category',
    discounts: 'gross',
    drawer: false,
    taxTolerance: 3,
    startsOn: '2026-01-01',
    closedUntil: '2026-02-28',
    tills: { 'Caisse 1': 'C1' },
    withoutReport: 'refuse',
  } as const
  const rows = {
    payments: [{ name: ' ESPECES ', ...other }],
    revenue: [{ rate: 1000, ...other }],
    tax: [{ rate: 1000, ...other }],
    entries: [{ entryType: 'expense', ...other }],
  }
  const cash = { code: 'C9', name: 'Caisse' }
  const set = effectiveAccounts({ ...plain, ...rows, journals: { cash }, accounts: { tips: other } })
  const { journals, accounts, payments, revenue, tax, entries, ...single } = set
  assert.deepEqual(single, plain)
  assert.deepEqual(journals, { cash, sales: { code: 'VE', name: 'Journal des ventes' } })
  for (const [name, of] of Object.entries({ payments, revenue, tax, entries })) {
    assert.deepEqual(of.slice(-1), rows[name as 'tax'], name)
    assert.equal(of.length, defaultAccounts[name as 'tax'].length, name)
  }
  assert.deepEqual(accounts, { ...defaultAccounts.accounts, tips: other })
})

test('a payment has the account of its row, otherwise of its type, otherwise the suspense account', () => {
  const own = {
    payments: [
      { name: 'Ticket Café', account: '511700' },
      { name: 'Écus', cash: true },
    ],
  }
  for (const [name = '', kind = '', account] of rowsOf(`
    Carte bancaire ; card ; 511500
    carte BANCAIRE ; ; 511500
    CHEQUE ; ; 511200
    Titre-restaurant ; meal_voucher ; 511600
    Especes ; cash ; 530000
    ticket cafe ; cash ; 511700
    ECUS ; ; 530000
    X ; cash ; 530000
    X ; gift_card ; 419100
    X ; account ; 411100
    X ; rounding ; 658100
    X ; card ; 471000
    X ; meal_voucher ; 471000
    X ; cheque ; 471000
    X ; other ; 471000
    X ; ; 471000
  `)) {
    const of = finder(own).payment(` ${name}`, kind === '' ? null : (kind as PaymentKind))
    assert.deepEqual([of.account, of.isKnown], [account, account !== '471000'], `${name} ${kind}`)
  }
  assert.deepEqual(cashNamesOf({ payments: [...own.payments, { name: 'Sous', cash: false, account: '511700' }] }), [
    'Écus',
  ])
  assert.deepEqual(cashNamesOf({}), [])
})

test('the most specific row of revenue wins: category before service before rate, then the last row', () => {
  const [rate, category, serviceType] = [1000, 'Plats', 'eat_in']
  const keys = [{ rate, category, serviceType }, { category, serviceType }, { rate, category }, { category }]
  const rows = [...keys, { rate, serviceType }, { serviceType }, { rate }, {}].map((key, i) => ({
    ...key,
    account: `70700${i}`,
  }))
  const of = { rate, category, serviceType }
  // Each row takes precedence over all rows after it in this list, whatever their order in the settings.
  for (const [i, { account }] of rows.entries()) {
    for (const revenue of [rows.slice(i), rows.slice(i).toReversed()])
      assert.equal(new AccountFinder({ ...defaultAccounts, revenue }).revenue(of).account, account)
  }
  const last = [...rows.slice(6), { rate: 1000, account: '707009' }]
  assert.equal(finder({ revenue: last }).revenue(of).account, '707009')
  const odd = finder({ revenue: rows.slice(0, 6) })
  for (const [sale, account, isKnown] of [
    [{ rate: 2000, category: 'Vins', serviceType: 'eat_in' }, '707005', true],
    [{ rate: 2000, category: 'Vins', serviceType: 'delivery' }, '706200', true],
    [{ rate: 2000, category: 'Plats', serviceType: 'delivery' }, '707003', true],
    [{ rate: 1900, category: 'Vins' }, '471000', false],
  ] as const) {
    const found = odd.revenue(sale)
    assert.deepEqual([found.account, found.isKnown], [account, isKnown], JSON.stringify(sale))
  }
})

test('sales without a rate have the row of their category or service without a rate, otherwise the account untaxed', () => {
  const revenue = [
    { rate: 1000, category: 'Plats', account: '707001' },
    { category: 'Vins', account: '707002' },
    { serviceType: 'delivery', account: '707003' },
    { account: '707000' },
  ]
  for (const [of, account] of [
    [{}, '706900'],
    [{ category: 'Plats' }, '706900'],
    [{ category: 'Vins' }, '707002'],
    [{ serviceType: 'delivery' }, '707003'],
  ] as const) {
    const found = finder({ revenue }).untaxed(of)
    assert.deepEqual([found.account, found.isKnown], [account, true], JSON.stringify(of))
  }
})

test('an account has its own name, otherwise the usual name of its number, otherwise its number; so has the auxiliary', () => {
  for (const [cash, accountName, auxiliary, auxiliaryName] of [
    [{ account: '706100' }, 'Ventes 10 %', null, null],
    [{ account: '44571055' }, 'TVA collectée 5,5 %', null, null],
    [{ account: '511500' }, 'Cartes bancaires à encaisser', null, null],
    [{ account: '758000' }, 'Produits divers de gestion courante', null, null],
    [{ account: '411000' }, 'Clients', null, null],
    [{ account: '123456' }, 'Compte 123456', null, null],
    [{ account: '411000', accountName: 'Gäste', auxiliary: 'BAR' }, 'Gäste', 'BAR', 'BAR'],
    [{ account: '411000', auxiliary: 'BAR', auxiliaryName: 'Au bar' }, 'Clients', 'BAR', 'Au bar'],
    [{ account: '411000', auxiliaryName: 'Au bar' }, 'Clients', null, null],
  ] as const) {
    assert.deepEqual(finder({ accounts: { cash } }).own('cash'), {
      account: cash.account,
      accountName,
      auxiliary,
      auxiliaryName,
    })
  }
  const set = finder({ accounts: { overpaid: { account: '758000' }, vouchers: null } })
  assert.deepEqual([set.optional('overpaid')?.account, set.optional('unpaid')], ['758000', null])
  assert.equal(set.own('vouchers').account, '419100')
  for (const [found, account, isKnown] of [
    [set.tax(2000), '44571200', true],
    [set.tax(0), '471000', false],
    [set.entry('tip_out'), '467000', true],
    [set.entry('petty'), '471000', false],
  ] as const)
    assert.deepEqual([found.account, found.isKnown], [account, isKnown])
})

test('errors of the accounts name the row: no account, two accounts, no condition, a required account removed', () => {
  const account = '511500'
  const fault = (pointer: string, must: string) => ({ pointer: `/${pointer}`, detail: `${pointer}: must ${must}` })
  for (const [own, faults] of [
    [{}, []],
    [
      {
        payments: [
          { name: 'A', account },
          { name: 'B', cash: true },
          { name: 'C', account, cash: false },
        ],
      },
      [],
    ],
    [
      { payments: [{ name: 'A', account }, { name: 'B' }] },
      [fault('payments/1', 'have either account or cash: true, not both')],
    ],
    [
      { payments: [{ name: 'A', account, cash: true }] },
      [fault('payments/0', 'have either account or cash: true, not both')],
    ],
    [{ payments: [{ name: 'A', cash: false }] }, [fault('payments/0', 'have either account or cash: true, not both')]],
    [
      {
        revenue: [
          { rate: 0, account },
          { category: '', account },
          { serviceType: 'x', account },
        ],
      },
      [],
    ],
    [{ revenue: [{ rate: 0, account }, { account }] }, [fault('revenue/1', 'have a rate, category or service')]],
    [{ accounts: { overpaid: null, unpaid: null, vouchers: null, deposits: null, untaxed: null } }, []],
    ...['cash', 'clearing', 'tips', 'suspense', 'discount'].map((name) => [
      { accounts: { [name]: null } },
      [fault(`accounts/${name}`, 'not be null; omit it')],
    ]),
  ] as [BookAccountsOwn, object[]][]) {
    assert.deepEqual(accountFaults(own), faults, JSON.stringify(own))
  }
})
