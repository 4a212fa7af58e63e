import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import type { BookingEntry } from '../../../../src/modules/books/schemas/books.ts'
import type { Order } from '../../../../src/core/contract/orders/schema.ts'
import type { Report } from '../../../../src/core/contract/reports/schema.ts'
import { assertProblem } from '../../../core/conformance/contract.ts'
import { startApp, type Site } from '../../../support/app.ts'
import { card, cash, date, dish, foldAll, linesOf, put, soldOn, storeDays, zOn } from '../../../support/books-site.ts'
import { checkLedgers, hasLedgers } from '../../../support/books-compared.ts'
import { idOf, locationOf, order, report } from '../../../support/records.ts'

const app = await startApp({ clock: () => new Date('2026-03-31T12:00:00.000Z') })

const path = '/v1/books/entries/?since=2026-03-01&until=2026-03-31'

/** Stores one Z of 2 March and its orders, and reads the result. */
async function booked(
  orders: (site: Site) => Order[],
  { own = {}, z = {}, more = '' }: { own?: object; z?: Partial<Report>; more?: string } = {},
): Promise<any> {
  const site = await app.addLocation()
  if (Object.keys(own).length > 0) assert.equal((await put(app, site, own)).status, 200)
  const made = orders(site)
  await app.store([...made.map(order), report(zOn(site, 2, made, z))], site.key)
  await foldAll(app, site)
  const answer = await app.get(path + more, { key: site.key })
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

const only = (answer: { data: BookingEntry[] }): BookingEntry => {
  assert.equal(answer.data.length, 1, JSON.stringify(answer))
  return answer.data[0] as BookingEntry
}

const paid = (amount: number, by = card) => [{ ...by, paymentAmount: amount }]

test('a day of refunds swaps the sides, and no amount is below 0', async () => {
  const entry = only(
    await booked((site) => [
      soldOn(site, 2, 1, { items: [dish(1, -20, -1.82)], total: -20, totalTax: -1.82, payments: paid(-20, cash) }),
    ]),
  )
  assert.deepEqual(linesOf(entry), [
    ['530000', 0, 2000],
    ['706100', 1818, 0],
    ['44571100', 182, 0],
  ])
})

test('the hash covers the booked data: identity, date, piece, currency and the lines', async () => {
  const entry = only(await booked((site) => [soldOn(site, 2, 1)]))
  const text = `tillgate entry v1\n${entry.id}\nCA\n2026-03-02\nZ2\nEUR\n511500||1100|0\n706100||0|1000\n44571100||0|100\n`
  assert.equal(entry.hash, hash('sha256', text))
})

test('card tips are booked in addition to the payments, tips inside the payments once, and cash tips cause a warning', async () => {
  const tip = (amount: number, by: typeof card) => [{ amount, paymentCatalogId: by.paymentCatalogId }]
  const answer = await booked((site) => [
    soldOn(site, 2, 1, { tips: tip(2, card) }),
    soldOn(site, 2, 2, { tips: tip(3, card), payments: paid(14) }),
    soldOn(site, 2, 3, { tips: tip(1.5, cash), payments: paid(11, cash) }),
    soldOn(site, 2, 4, { tips: [{ amount: 4 }] }),
    soldOn(site, 2, 5, { tips: [...tip(2, cash), ...tip(2, card)], payments: [...paid(12.5), ...paid(0, cash)] }),
  ])
  const entry = only(answer)
  // The last order has tips by card of 1.50 in the total and 0.50 outside, and 2.00 in cash, which are not booked.
  assert.deepEqual(linesOf(entry), [
    ['511500', 1100 + 1400 + 1100 + 1250, 0],
    ['530000', 1100, 0],
    ['511500', 200 + 50, 0],
    ['706100', 0, 5000],
    ['44571100', 0, 500],
    ['467000', 0, 200 + 300 + 200],
  ])
  assert.deepEqual(entry.warnings, [
    { code: 'cash_tips_not_booked', amount: 350 },
    { code: 'tip_without_payment', amount: 400 },
    { code: 'tip_partly_inside', amount: 250 },
  ])
})

test('drawer movements are booked by their type, never by the typed name', async () => {
  const move = (entryType: string, entryAmount: number) => ({ entryName: 'Camille', entryType, entryAmount })
  const reportEntries = [
    move('opening_float', 10000),
    move('tip_out', -700),
    move('bank_deposit', -40000),
    move('count_shortage', -288),
    move('cash_in', 5000),
    move('no_sale', 0),
  ]
  const z = { reportEntries, initialCashBalance: 10000, finalCashBalance: 10000 - 700 - 40000 - 288 + 5000 + 1100 }
  const sold = (site: Site) => [soldOn(site, 2, 1, { payments: paid(11, cash) })]
  const entry = only(await booked(sold, { z }))
  assert.deepEqual(linesOf(entry), [
    ['530000', 1100, 0],
    ['530000', 0, 700],
    ['467000', 700, 0],
    ['530000', 0, 40000],
    ['580000', 40000, 0],
    ['530000', 0, 288],
    ['658000', 288, 0],
    ['530000', 5000, 0],
    ['580000', 0, 5000],
    ['706100', 0, 1000],
    ['44571100', 0, 100],
  ])
  assert.doesNotMatch(JSON.stringify(entry), /Camille/)
  assert.equal(only(await booked(sold, { z, own: { drawer: false } })).lines.length, 3)
  const wrong = await booked(sold, { z: { ...z, finalCashBalance: 0 } })
  assert.deepEqual(
    wrong.refused[0].reasons.map(({ code }: any) => code),
    ['cash'],
  )
})

test('a payment that the accounts define as cash fills the drawer, also in the checks of Z reports', async () => {
  const bar = { paymentName: 'Liquide comptoir', paymentCatalogId: idOf('payment', 7) }
  const sold = (site: Site) => [soldOn(site, 2, 1, { payments: paid(11, bar) })]
  const z = { initialCashBalance: 10000, finalCashBalance: 11100 }
  const before = await booked(sold, { z })
  assert.deepEqual(
    before.refused[0].reasons.map(({ code }: any) => code),
    ['cash'],
  )
  assert.deepEqual(before.unmapped, [])
  const site = await app.addLocation()
  assert.equal((await put(app, site, { payments: [{ name: ' liquide COMPTOIR', cash: true }] })).status, 200)
  const orders = sold(site)
  await app.store([...orders.map(order), report(zOn(site, 2, orders, z))], site.key)
  await foldAll(app, site)
  const entry = only((await app.get(path, { key: site.key })).json)
  assert.deepEqual(linesOf(entry)[0], ['530000', 1100, 0])
  const checks = await app.get('/v1/reports/checks/?since=2026-03-01&until=2026-03-31', { key: site.key })
  assert.equal(checks.json.data[0].verdict, 'balanced', checks.text)
})

test('payments above the total and tips are refused, or booked if the accounts allow it; so are payments below', async () => {
  const voucher = (site: Site) => [soldOn(site, 2, 1, { payments: paid(12) })]
  const refused = await booked(voucher)
  assert.deepEqual(
    refused.refused[0].reasons.map(({ code, difference }: any) => [code, difference]),
    [['overpaid', 100]],
  )
  const own = { accounts: { overpaid: { account: '758000' }, unpaid: { account: '411000', auxiliary: 'CLIENTS' } } }
  assert.deepEqual(linesOf(only(await booked(voucher, { own }))), [
    ['511500', 1200, 0],
    ['706100', 0, 1000],
    ['44571100', 0, 100],
    ['758000', 0, 100],
  ])
  const owed = (site: Site) => [soldOn(site, 2, 1, { payments: paid(4) })]
  assert.deepEqual((await booked(owed)).refused[0].reasons[0].code, 'unpaid')
  const entry = only(await booked(owed, { own }))
  assert.deepEqual(linesOf(entry).at(-1), ['411000', 700, 0])
  assert.deepEqual([entry.lines.at(-1)?.auxiliary, entry.lines.at(-1)?.auxiliaryName], ['CLIENTS', 'CLIENTS'])
  const { data } = await booked(owed, { own: { ...own, layout: 'clearing' } })
  assert.deepEqual(
    data.map((one: BookingEntry) => [one.id.slice(36), one.journal.code, one.totals.debit, one.totals.credit]),
    [
      ['/sales', 'VE', 1100, 1100],
      ['/cash', 'CA', 1100, 1100],
    ],
  )
})

test('gross discounts are booked without tax on both sides', async () => {
  // 2.00 off at 10 %: 2 − 0.18 = 1.82 net.
  const discountsApplied = [{ discountName: 'Fidélité', discountValue: 2, discountCatalogId: idOf('discount', 1) }]
  const sold = (site: Site) => [soldOn(site, 2, 1, { items: [dish(1, 11, 1, { discountsApplied })], totalDiscount: 2 })]
  assert.deepEqual(linesOf(only(await booked(sold, { own: { discounts: 'gross' } }))), [
    ['511500', 1100, 0],
    ['706100', 0, 1182],
    ['709000', 182, 0],
    ['44571100', 0, 100],
  ])
})

test('the most specific row of revenue wins, then the last; a sold gift card is a liability', async () => {
  const free = { taxName: 'TVA 0 %', taxRate: 0, taxAmount: 0, taxCatalogId: idOf('tax', 2) }
  const own = {
    revenueBy: 'category',
    revenue: [
      { category: 'Cartes cadeaux', account: '419100' },
      { rate: 1000, account: '706999' },
      { rate: 1000, account: '706110', accountName: 'Plats' },
    ],
  }
  const answer = await booked(
    (site) => [
      soldOn(site, 2, 1, {
        items: [dish(1, 11, 1), dish(2, 50, 0, { category: 'Cartes cadeaux', tax: free })],
        total: 61,
        payments: paid(61),
      }),
    ],
    { own },
  )
  assert.deepEqual(linesOf(only(answer)), [
    ['511500', 6100, 0],
    ['706110', 0, 1000],
    ['419100', 0, 5000],
    ['44571100', 0, 100],
  ])
})

test('an item of the type voucher is a liability and not a sale, whether the Z counts it or not', async () => {
  const free = { taxName: 'TVA 0 %', taxRate: 0, taxAmount: 0, taxCatalogId: idOf('tax', 2) }
  const sold = (site: Site) => [
    soldOn(site, 2, 1, {
      items: [dish(1, 11, 1), dish(2, 50, 0, { kind: 'voucher', tax: free })],
      total: 61,
      payments: paid(61),
    }),
  ]
  const row = { taxName: 'T', taxRate: 1000, taxAmount: 100, taxableAmount: 1000 }
  const entry = only(await booked(sold, { z: { totalSales: 1100, reportTaxes: [row] } }))
  assert.deepEqual(linesOf(entry), [
    ['511500', 6100, 0],
    ['706100', 0, 1000],
    ['419100', 0, 5000],
    ['44571100', 0, 100],
  ])
})

test('a Z in other units than its orders is refused with that reason', async () => {
  const answer = await booked((site) => [soldOn(site, 2, 1)], {
    z: {
      totalSales: 11,
      reportTaxes: [{ taxName: 'T', taxRate: 1000, taxAmount: 1, taxableAmount: 10 }],
      reportPayments: [{ paymentName: 'Carte bancaire', paymentAmount: 11 }],
    },
  })
  const codes = answer.refused[0].reasons.map(({ code }: any) => code)
  assert.ok(codes.includes('units') && codes.includes('sales'), String(codes))
})

test('a tax that differs by a cent is refused unless the accounts tolerate it; the tax of the Z is booked', async () => {
  const z = { reportTaxes: [{ taxName: 'T', taxRate: 1000, taxAmount: 101, taxableAmount: 999 }] }
  const sold = (site: Site) => [soldOn(site, 2, 1)]
  assert.deepEqual(
    (await booked(sold, { z })).refused[0].reasons.map(({ code, key }: any) => [code, key]),
    [
      ['tax_amount', '1000'],
      ['taxable_amount', '1000'],
    ],
  )
  for (const revenueBy of ['rate', 'category']) {
    const entry = only(await booked(sold, { z, own: { taxTolerance: 1, revenueBy } }))
    assert.deepEqual(linesOf(entry), [
      ['511500', 1100, 0],
      ['706100', 0, 999],
      ['44571100', 0, 101],
    ])
  }
})

test('a Z waits for its orders, and can be accepted from its own figures if they never arrive', async () => {
  const site = await app.addLocation()
  const orders = [soldOn(site, 2, 1)]
  await app.store([report(zOn(site, 2, orders))], site.key)
  await foldAll(app, site)
  const { refused } = (await app.get(path, { key: site.key })).json
  assert.deepEqual([refused[0].state, refused[0].reasons[0].code], ['waiting', 'missing'])
  const one = await app.get(`/v1/reports/${refused[0].id}/entry`, { key: site.key })
  const problem = assertProblem(one, { status: 409, code: 'entry_refused' })
  assert.equal(problem.state, 'waiting')
  const entry = only((await app.get(`${path}&accept=${refused[0].id}`, { key: site.key })).json)
  assert.deepEqual(linesOf(entry), [
    ['511500', 1100, 0],
    ['706100', 0, 1000],
    ['44571100', 0, 100],
  ])
  assert.deepEqual(
    entry.warnings.map(({ code }) => code),
    ['accepted'],
  )
  assertProblem(await app.get(`${path}&accept=Z2`, { key: site.key }), { status: 400, code: 'validation_failed' })
})

test('one source is read by the id of its Z, or by its date', async () => {
  const site = await app.addLocation()
  await storeDays(app, site, { 2: [soldOn(site, 2, 1)] })
  const entry = only((await app.get(path, { key: site.key })).json)
  for (const at of [`/v1/reports/${entry.id}/entry`, `/v1/books/entries/${entry.id.toUpperCase()}`])
    assert.deepEqual((await app.get(at, { key: site.key })).json.data, [entry])
  for (const at of ['/v1/books/entries/2026-03-02', `/v1/reports/${idOf('report', 9)}/entry`, '/v1/books/entries/Z2'])
    assertProblem(await app.get(at, { key: site.key }), { status: 404, code: 'entry_source_not_found' })
})

test('the same Z has the same bytes, with an ETag and a checksum', async () => {
  const site = await app.addLocation()
  await storeDays(app, site, { 2: [soldOn(site, 2, 1)] })
  const first = await app.get(path, { key: site.key })
  assert.equal(first.headers['repr-digest'], `sha-256=:${hash('sha256', first.bytes, 'base64')}:`)
  assert.equal(first.headers['tillgate-accounts-version'], '0')
  const again = await app.get(path, { key: site.key, headers: { 'if-none-match': String(first.headers.etag) } })
  assert.equal(again.status, 304)
})

test('accounts have versions, and a change names the version that it is based on', async () => {
  const site = await app.addLocation()
  const none = await app.get('/v1/books/accounts', { key: site.key })
  assert.deepEqual([none.json.version, none.json.own, none.headers.etag], [0, {}, '"0"'])
  assert.equal(none.json.effective.accounts.cash.account, '530000')
  const own = { payments: [{ name: 'Livréo', account: '467100' }] }
  const set = await put(app, site, own, '"0"')
  assert.deepEqual([set.status, set.json.version, set.json.own], [200, 1, own])
  assertProblem(await put(app, site, {}, '"0"'), { status: 412, code: 'accounts_changed' })
  const history = await app.get('/v1/events/?types=accounts.updated', { key: site.key })
  assert.deepEqual(
    history.json.data.map(({ data }: any) => data),
    [{ version: 1, own }],
  )
  for (const wrong of [
    { payments: [{ name: 'X' }] },
    { payments: [{ name: 'X', account: '511500', cash: true }] },
    { payments: [{ name: 'X', account: '51' }] },
    { payments: [{ name: 'X', account: '511500', accountName: 'a\u0007b' }] },
    { revenue: [{ account: '706000' }] },
    { accounts: { cash: null } },
    { taxTolerance: 101 },
    { layuot: 'direct' },
  ])
    assertProblem(await put(app, site, wrong), { status: 400, code: 'validation_failed' })
  const without = await app.request('PUT', '/v1/books/accounts', {
    key: site.key,
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  assertProblem(without, { status: 400, code: 'validation_failed' })
  assertProblem(
    await app.request('PUT', '/v1/books/accounts', {
      key: app.keys.read,
      headers: { 'content-type': 'application/json', 'if-match': '*' },
      body: '{}',
    }),
    {
      status: 403,
      code: 'scope_missing',
    },
  )
})

test('names without an account are listed with the amount to be booked for each', async () => {
  const site = await app.addLocation()
  const by = (paymentName: string) => [{ paymentName, paymentCatalogId: idOf('payment', 8), paymentAmount: 11 }]
  const reportEntries = [{ entryName: '', entryType: 'loan', entryAmount: 500 }]
  const orders = [soldOn(site, 2, 1, { payments: by('Livréo') }), soldOn(site, 2, 2, { payments: by('Livréo') })]
  const z = zOn(site, 2, orders, { reportEntries, finalCashBalance: 500 })
  await app.store([...orders.map(order), report(z)], site.key)
  await foldAll(app, site)
  const answer = await app.get('/v1/books/unmapped/?since=2026-03-01&until=2026-03-31', { key: site.key })
  assert.deepEqual(answer.json, [
    { what: 'entry', entryType: 'loan', amount: 500, sources: 1 },
    { what: 'payment', name: 'Livréo', amount: 2200, sources: 1 },
  ])
})

test('refused and waiting Zs are listed with their reasons among the names without an account', async () => {
  const site = await app.addLocation()
  const by = (paymentName: string) => [{ paymentName, paymentCatalogId: idOf('payment', 8), paymentAmount: 11 }]
  const [known, hidden] = [soldOn(site, 2, 1), soldOn(site, 3, 2, { payments: by('Livréo') })]
  const wrong = zOn(site, 3, [hidden], { totalSales: 1200 })
  const late = zOn(site, 4, [], { orders: [idOf('order', 999)] })
  await app.store([order(known), order(hidden), ...[zOn(site, 2, [known]), wrong, late].map(report)], site.key)
  await foldAll(app, site)
  const path = '/v1/books/unmapped/?since=2026-03-01&until='
  assert.deepEqual((await app.get(`${path}2026-03-02`, { key: site.key })).json, [])
  const { json } = await app.get(`${path}2026-03-31`, { key: site.key })
  assert.deepEqual(
    json.map(({ what, id, date, state, amount }: any) => [what, id, date, state, amount]),
    [
      ['source', wrong.id, '2026-03-03', 'refused', 0],
      ['source', late.id, '2026-03-04', 'waiting', 0],
    ],
  )
  const { refused } = (await app.get('/v1/books/entries/?since=2026-03-01&until=2026-03-31', { key: site.key })).json
  assert.deepEqual(
    json.map(({ reasons }: any) => reasons),
    refused.map(({ reasons }: any) => reasons),
  )
})

test('every text that a till sends as a name can be given an account', async () => {
  const payments = ['', 'Livré\u0007o\t2\n', 'x'.repeat(300)]
  const sold = (site: Site) =>
    payments.map((paymentName, n) =>
      soldOn(site, 2, n + 1, {
        items: [dish(1, 11, 1, { category: '' })],
        payments: [{ paymentName, paymentCatalogId: idOf('payment', n + 10), paymentAmount: 11 }],
      }),
    )
  const z = { reportEntries: [{ entryName: '', entryAmount: 100, entryType: '' }], finalCashBalance: 100 }
  const own = {
    revenueBy: 'category',
    payments: payments.map((name, n) => ({ name, account: `46710${n}` })),
    revenue: [{ category: '', account: '707000' }],
    entries: [{ entryType: '', account: '580100' }],
  }
  const answer = await booked(sold, { own, z })
  assert.deepEqual(answer.unmapped, [])
  assert.deepEqual(
    only(answer).lines.map(({ account }) => account),
    ['467100', '467101', '467102', '530000', '580100', '707000', '44571100'],
  )
})

test('the calendar lists every day with its state, its Z and its batches', async () => {
  const site = await app.addLocation()
  await storeDays(app, site, { 2: [soldOn(site, 2, 1)] })
  const answer = await app.get('/v1/books/days/?since=2026-03-02&until=2026-03-03', { key: site.key })
  assert.deepEqual(
    answer.json.data.map(({ date: of, state, salesInclTax, sources }: any) => [
      of,
      state,
      salesInclTax,
      sources.length,
    ]),
    [
      [date(2), 'ready', 1100, 1],
      [date(3), null, 0, 0],
    ],
  )
  const headers = { 'if-none-match': String(answer.headers['etag']) }
  const known = await app.get('/v1/books/days/?since=2026-03-02&until=2026-03-03', { key: site.key, headers })
  assert.equal(known.status, 304)
})

test('files can be imported by accounting programs', async () => {
  const site = await app.addLocation()
  await app.store([{ type: 'location', data: locationOf(site.id, { siret: '732 829 320 00074' }) }], site.key)
  await put(app, site, { payments: [{ name: 'Œuf €', account: '467100', accountName: 'Œufs & ł', auxiliary: 'OEUF' }] })
  const by = [{ paymentName: 'Œuf €', paymentCatalogId: idOf('payment', 8), paymentAmount: 11 }]
  await storeDays(app, site, { 2: [soldOn(site, 2, 1, { payments: by })] })
  const fec = await app.get(`${path}&format=fec`, { key: site.key })
  assert.equal(fec.headers['content-disposition'], 'attachment; filename="apercu-732829320FEC20260331.txt"')
  const lines = fec.bytes.toString('latin1').split('\r\n')
  assert.equal(
    lines[0],
    'JournalCode\tJournalLib\tEcritureNum\tEcritureDate\tCompteNum\tCompteLib\tCompAuxNum\tCompAuxLib\tPieceRef\tPieceDate\t' +
      'EcritureLib\tDebit\tCredit\tEcritureLet\tDateLet\tValidDate\tMontantdevise\tIdevise',
  )
  // ISO 8859-15 has Œ at BC and € at A4, and no ł.
  assert.equal(
    lines[1],
    'CA\tJournal de caisse\tCA-2026-P00001\t20260302\t467100\t\u00bcufs & ?\tOEUF\tOEUF\tZ2\t20260302\t' +
      'Encaissement \u00bcuf \u00a4\t11,00\t0,00\t\t\t20260302\t\t',
  )
  assert.deepEqual([lines.length, lines.at(-1)], [5, ''])
  const utf8 = await app.get(`${path}&format=fec&encoding=utf-8`, { key: site.key })
  assert.match(utf8.text, /Encaissement Œuf €\t11,00/)
  const excel = await app.get(`${path}&format=csv`, { key: site.key })
  assert.deepEqual(excel.text.split('\r\n').slice(0, 2), [
    '\ufeffDate;Journal;Écriture;Pièce;Compte;Libellé du compte;Auxiliaire;Libellé;Débit;Crédit;Devise',
    '02/03/2026;CA;CA-2026-P00001;Z2;467100;Œufs & ł;OEUF;Encaissement Œuf €;11,00;0,00;EUR',
  ])
  const rfc = await app.get(`${path}&format=csv&dialect=rfc4180`, { key: site.key })
  assert.deepEqual(rfc.text.split('\r\n').slice(0, 2), [
    'date,journal,number,piece,account,account_name,auxiliary,label,debit,credit,currency',
    '2026-03-02,CA,CA-2026-P00001,Z2,467100,Œufs & ł,OEUF,Encaissement Œuf €,11.00,0.00,EUR',
  ])
  const hledger = await app.get(`${path}&format=hledger`, { key: site.key })
  assert.match(
    hledger.text,
    /\n2026-03-02 \* \(CA-2026-P00001\) Z2\n {4}467100:OEUF {2}11\.00 EUR {2}; Encaissement Œuf €\n/,
  )
  if (hasLedgers()) checkLedgers(hledger.bytes)
})

test('a file for a range with a refused Z is refused, unless that Z is skipped', async () => {
  const site = await app.addLocation()
  const wrong = [soldOn(site, 3, 1)]
  await app.store([...wrong.map(order), report(zOn(site, 3, wrong, { totalSales: 1200 }))], site.key)
  await storeDays(app, site, { 2: [soldOn(site, 2, 1)] })
  const refused = await app.get(`${path}&format=fec`, { key: site.key })
  assert.equal(assertProblem(refused, { status: 409, code: 'books_incomplete' }).refused[0].pieceRef, 'Z3')
  const left = await app.get(`${path}&format=fec&skip=true`, { key: site.key })
  assert.equal(left.text.split('\r\n').length, 5)
})

test('a location with another currency has no FEC file', async () => {
  const site = await app.addLocation()
  await app.pool`update locations set currency = 'CHF' where id = ${site.id}`
  await storeDays(app, site, { 2: [soldOn(site, 2, 1)] })
  assertProblem(await app.get(`${path}&format=fec`, { key: site.key }), { status: 409, code: 'format_unsuitable' })
  const csv = await app.get(`${path}&format=csv&dialect=rfc4180`, { key: site.key })
  assert.match(csv.text, /,CHF\r\n/)
})

test('a Z states why it cannot be booked: its own sums, or single orders', async () => {
  const codesOf = (answer: any): string[] => answer.refused[0].reasons.map(({ code }: any) => code as string)
  const row = { taxName: 'T', taxRate: 1000, taxAmount: 100, taxableAmount: 900 }
  const itself = await booked((site) => [soldOn(site, 2, 1)], { z: { reportTaxes: [row] } })
  assert.deepEqual(codesOf(itself), ['taxable_amount', 'taxes_and_sales'])
  const items = [dish(1, 11, 1)]
  const total = await booked((site) => [soldOn(site, 2, 1, { items, total: 12, payments: paid(12) })])
  assert.ok(codesOf(total).includes('order_total'))
  const tax = await booked((site) => [soldOn(site, 2, 1, { items, totalTax: 3 })])
  assert.deepEqual(codesOf(tax), ['order_tax'])
})

test('a warning reports a Z over two business days, a drawer that does not continue the previous one, and a paid canceled order', async () => {
  const site = await app.addLocation()
  const late = soldOn(site, 2, 2, { closedAt: `${date(3)}T11:00:00.000Z`, updatedAt: `${date(3)}T11:00:00.000Z` })
  const canceled = soldOn(site, 2, 3, { isCanceled: true, cancelReason: 'Erreur' })
  const first = [soldOn(site, 2, 1), soldOn(site, 2, 4), late, canceled]
  const second = [soldOn(site, 4, 1)]
  await app.store(
    [
      ...[...first, ...second].map(order),
      report(zOn(site, 2, first, { initialCashBalance: 10000, finalCashBalance: 10000 })),
      report(zOn(site, 4, second, { initialCashBalance: 15000, finalCashBalance: 15000 })),
    ],
    site.key,
  )
  await foldAll(app, site)
  const { data } = (await app.get(path, { key: site.key })).json
  assert.deepEqual(
    data.map((entry: BookingEntry) => [entry.date, entry.warnings]),
    [
      [
        date(2),
        [
          { code: 'several_days', amount: null },
          { code: 'canceled_paid', amount: 1100 },
        ],
      ],
      [date(4), [{ code: 'drawer_gap', amount: 5000 }]],
    ],
  )
})
