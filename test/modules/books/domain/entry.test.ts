import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { BookAccountsOwn } from '../../../../src/modules/books/schemas/books-accounts.ts'
import { balanced, orders, reportId } from '../../../core/domain/balanced-report.ts'
import { amountsOf, ofDay, ofReport, ordersOf, rowsOf, textsOf, zOf } from './booked.ts'

// Amounts are added by hand; accounts and the order of lines are from docs/modules/books.md.

const menu = ordersOf('11/1@10 Carte=11')
const menuZ = zOf(menu, '1100 1000:1000+100 Carte=1100')

test('the documented example of an entry has its lines, names, totals and hash', () => {
  const { drafts, ...judged } = ofReport(menuZ, menu)
  assert.deepEqual(judged, { standing: 'ready', reasons: [], warnings: [], unmapped: [] })
  const text = `tillgate entry v1\n${reportId}\nCA\n2026-03-14\nZ358\nEUR\n511500||1100|0\n706100||0|1000\n44571100||0|100\n`
  const line = (account: string, accountName: string, debit: number, credit: number) => {
    return { account, accountName, auxiliary: null, auxiliaryName: null, debit, credit }
  }
  const head = { side: 'all', id: reportId, journal: { code: 'CA', name: 'Journal de caisse' }, pieceRef: 'Z358' }
  assert.deepEqual(drafts, [
    {
      ...head,
      date: '2026-03-14',
      pieceDate: '2026-03-14',
      currency: 'EUR',
      lines: [
        {
          ...line('511500', 'Cartes bancaires à encaisser', 1100, 0),
          label: 'Encaissement Carte',
          role: 'payment',
          key: 'Carte',
        },
        { ...line('706100', 'Ventes 10 %', 0, 1000), label: 'Ventes 10 %', role: 'revenue', key: '1000' },
        { ...line('44571100', 'TVA collectée 10 %', 0, 100), label: 'TVA 10 %', role: 'tax', key: '1000' },
      ],
      totals: { debit: 1100, credit: 1100 },
      hash: createHash('sha256').update(text).digest('hex'),
    },
  ])
})

test('each setting of the accounts changes the lines of a Z as documented', () => {
  // 5.00 of wine at 20 % (0.83 of tax) and 0.30 of coffee at 10 % (0.03) make 5.30; 11.00 were spent, 0.50 were found.
  const paid = '530000 230, 511500 300'
  const drawer = '530000 -1100, 471000 1100, 530000 50, 758000 -50'
  const net = '706200 -417, 706100 -27'
  const taxes = '44571200 -83, 44571100 -3'
  for (const [own, lines] of [
    [{}, `${paid}, ${drawer}, ${net}, ${taxes}`],
    [{ drawer: false }, `${paid}, ${net}, ${taxes}`],
    [{ revenueBy: 'category' }, `${paid}, ${drawer}, ${net}, ${taxes}`],
    // 1.00 of discount at 20 %: 0.17 is tax (100 × 20 / 120), 0.83 is net; 4.17 + 0.83 = 5.00.
    [{ discounts: 'gross' }, `${paid}, ${drawer}, 706200 -500, 706100 -27, 709000 83, ${taxes}`],
    [{ layout: 'clearing' }, `411000 530, ${net}, ${taxes} // ${paid}, ${drawer}, 411000 -530`],
  ] as [BookAccountsOwn, string][]) {
    const judged = ofReport(balanced, orders, { own })
    assert.equal(amountsOf(judged), lines)
    // The tip names no payment, and the canceled order was paid with 50.00.
    const warnings = judged.warnings.map(({ code, amount }) => `${code} ${amount}`)
    assert.deepEqual(warnings, ['tip_without_payment 100', 'canceled_paid 5000'])
  }
})

test('entries of the layout clearing have the ids, journals and auxiliary account of their side, and equal totals', () => {
  const { drafts } = ofReport(balanced, orders, { own: { layout: 'clearing', tills: { 'Caisse 1': 'C1' } } })
  assert.deepEqual(
    drafts.map((one) => [one.side, one.id, one.journal.code, one.pieceRef, one.totals.debit, one.totals.credit]),
    [
      ['sales', `${reportId}/sales`, 'VE', 'C1-Z1', 530, 530],
      // 2.30 + 3.00 + 11.00 + 0.50.
      ['cash', `${reportId}/cash`, 'CA', 'C1-Z1', 1680, 1680],
    ],
  )
  const clearing = drafts.flatMap(({ lines }) => lines.filter(({ role }) => role === 'clearing'))
  assert.deepEqual(
    clearing.map((line) => [line.auxiliary, line.auxiliaryName, line.label, line.key]),
    ['Ventes C1-Z1', 'Règlements C1-Z1'].map((label) => ['CAISSE', 'Clients de la caisse', label, null]),
  )
})

test('each type of drawer movement has its account, and never the text typed by a cashier', () => {
  for (const [entryType, amount, account, label] of [
    ['cash_in', 5000, '580000', 'Apport de caisse'],
    ['cash_out', -5000, '580000', 'Retrait de caisse'],
    ['bank_deposit', -20_000, '580000', 'Remise en banque'],
    ['expense', -450, '471000', 'Dépense de caisse'],
    ['tip_out', -300, '467000', 'Pourboires versés'],
    ['refund', -100, '471000', 'Remboursement de caisse'],
    ['count_overage', 5, '758000', 'Excédent de caisse'],
    ['count_shortage', -5, '658000', 'Manquant de caisse'],
    ['correction', 7, '471000', 'Correction de caisse'],
    ['petty', -7, '471000', 'Mouvement de caisse'],
    ['opening_float', 15_000, null, ''],
    ['no_sale', 3, null, ''],
  ] as const) {
    const final = entryType === 'opening_float' ? 15_000 : 15_000 + amount
    const reportEntries = [{ entryName: 'Avance de Camille', entryType, entryAmount: amount }]
    const z = { ...menuZ, initialCashBalance: 15_000, finalCashBalance: final, reportEntries }
    const judged = ofReport(z, menu)
    const moved = account === null ? '' : ` 530000 ${amount}, ${account} ${-amount},`
    assert.equal(amountsOf(judged), `511500 1100,${moved} 706100 -1000, 44571100 -100`)
    const text = `drawer=${entryType} ${label}`
    assert.deepEqual(textsOf(judged).slice(1, -2), account === null ? [] : [text, text])
    assert.deepEqual(judged.unmapped, entryType === 'petty' ? [{ of: { what: 'entry', entryType }, amount }] : [])
  }
})

const accounts = { overpaid: { account: '758100' }, unpaid: { account: '416000' } }

test('amounts of a day without a Z have the account of their class, and each line its order', () => {
  const settings = {
    none: {},
    category: { revenueBy: 'category' },
    gross: { discounts: 'gross' },
    accounts: { accounts },
  } as const
  for (const [text = '', lines = '', setting = 'none'] of rowsOf(`
    11/1@10 Carte=11 ; 511500 1100, 706100 -1000, 44571100 -100
    # A refund changes sides.
    -11/-1@10 Carte=-11 ; 511500 -1100, 706100 1000, 44571100 100
    # The highest rate first, then sales without a rate; no tax at 0 %.
    3/0@0 4/0@- 11/1@10 12/2@20 21.1/1.1@5.5 10.21/0.21@2.1 10.85/0.85@8.5 11/1@10 Carte=83.16 ; 511500 8316, 706200 -1000, 706100 -2000, 706085 -1000, 706055 -2000, 706021 -1000, 706000 -300, 706900 -400, 44571200 -200, 44571100 -200, 44571085 -85, 44571055 -110, 44571021 -21
    # Vouchers and deposits are debts without their tax, and are not split; a charge is revenue: 15.00 and 1.00.
    1.1/0.1@10Vins 11/1@10 4/0@-Vins 5/0@- voucher:24/4@20 voucher:50/0@- voucher:3/0@0 deposit:-2/0@- charge:5.5/0.5@10 Carte=101.6 ; 511500 10160, 706100 -1500, 706100 -100, 706900 -500, 706900 -400, 419100 -2000, 419100 -300, 419100 -5000, 419100 200, 44571200 -400, 44571100 -160 ; category
    # By list price: 0.09 of each 1.00 of discount at 10 % is tax, so that 9.09 + 0.91 are sold twice. Without a rate all is discount.
    10/0.91@10-1 10/0.91@10Vins-1 4/0@--1 Carte=24 ; 511500 2400, 706100 -2000, 706900 -500, 709000 182, 709000 100, 44571100 -182 ; gross
    10/0.91@10-1 Carte=10 ; 511500 1000, 706100 -909, 44571100 -91
    # Payments by their kind, in the order of their names.
    11/1@10 Rechnung=4 Gotówka=3 Geschenkkarte=4 ; 419100 400, 530000 300, 411100 400, 706100 -1000, 44571100 -100
    # Tips on top of the payment, inside it, 1.00 of 3.00 inside it, refunded, in cash, and without a payment.
    11/1@10 Carte=11 tip=2:Carte ; 511500 1100, 511500 200, 706100 -1000, 44571100 -100, 467000 -200
    11/1@10 Carte=13 tip=2 ; 511500 1300, 706100 -1000, 44571100 -100, 467000 -200
    11/1@10 Carte=12 tip=3:Carte ; 511500 1200, 511500 200, 706100 -1000, 44571100 -100, 467000 -300
    -11/-1@10 Carte=-13 tip=-2 ; 511500 -1300, 706100 1000, 44571100 100, 467000 200
    -11/-1@10 Carte=-12 tip=-3:Carte ; 511500 -1200, 511500 -200, 706100 1000, 44571100 100, 467000 300
    11/1@10 Cash=11 tip=2:Cash ; 530000 1100, 706100 -1000, 44571100 -100
    11/1@10 Carte=11 tip=2 ; 511500 1100, 706100 -1000, 44571100 -100
    # What is inside is the tip of the card first: 2.00 of 2.00 and 1.00.
    11/1@10 Carte=12 Cash=1 tip=1:Cash tip=2:Carte ; 511500 1200, 530000 100, 706100 -1000, 44571100 -100, 467000 -200
    # Tips in the order of the names of their payments.
    33/3@10 Chèque=11 Carte=11 Visa=11 tip=1:Chèque tip=2:Carte tip=1:Carte tip=1:Visa ; 511500 1100, 511200 1100, 471000 1100, 511500 300, 511200 100, 471000 100, 706100 -3000, 44571100 -300, 467000 -500
    # Paid 1.00 too much or too little, of a sale and of a refund.
    11/1@10 Carte=12 ; 511500 1200, 706100 -1000, 44571100 -100, 758100 -100 ; accounts
    11/1@10 Carte=14 tip=2 ; 511500 1400, 706100 -1000, 44571100 -100, 467000 -200, 758100 -100 ; accounts
    11/1@10 Carte=10 ; 511500 1000, 706100 -1000, 44571100 -100, 416000 100 ; accounts
    -11/-1@10 Carte=-10 ; 511500 -1000, 706100 1000, 44571100 100, 416000 -100 ; accounts
    # Cash is rounded to 0.05: 11.02 to 11.00, and with 2.00 of tips inside 10.98 to 13.00; a till can send the rounding.
    11.02/1@10 Cash=11 ; 530000 1100, 706100 -1002, 44571100 -100, 658100 2
    -11.02/-1@10 Cash=-11 ; 530000 -1100, 706100 1002, 44571100 100, 658100 -2
    10.98/1@10 Cash=13 tip=2 ; 530000 1300, 706100 -998, 44571100 -100, 467000 -200, 658100 -2
    10.98/1@10 Cash=11 Arrondi=-0.02 ; 530000 1100, 706100 -998, 44571100 -100, 658100 -2
    # 1.005 + 1.005 = 2.01, but each payment is rounded to 1.01: the remainder is in the same line.
    1.005/0.09@10 Carte=1.005 | 1.005/0.09@10 Chèque=1.005 ; 511500 101, 511200 101, 706100 -183, 44571100 -18, 658100 -1
    # What no account fits is on the suspense account.
    11.9/1.9@19 Bitcoin=11.9 ; 471000 1190, 471000 -1000, 471000 -190
    0/0@10 Carte=0 ;
  `)) {
    const judged = ofDay(ordersOf(text), { own: settings[setting as 'none'] })
    assert.equal(amountsOf(judged), lines, text)
    assert.deepEqual([judged.standing, judged.reasons], [lines === '' ? 'empty' : 'ready', []], text)
    const heads = judged.drafts.map(({ id, pieceRef, totals }) => [id, pieceRef, totals.debit - totals.credit])
    assert.deepEqual(heads, lines === '' ? [] : [['2026-03-14', 'J20260314', 0]], text)
  }
})

test('each line has a role, a key and a French label', () => {
  const all =
    '12/2@20-1 3/0@--1 voucher:24/4@20 deposit:1/0@- Carte=40 tip=2:Carte | 11.02/1@10 Cash=11 | 11/1@10 Carte=10 | 11/1@10 Carte=12'
  const texts = textsOf(ofDay(ordersOf(all), { own: { discounts: 'gross', revenueBy: 'serviceType', accounts } }))
  const rows = rowsOf(`
    payment=Carte Encaissement Carte ; payment=Cash Encaissement Cash ; tip_paid=Carte Pourboires Carte
    revenue=2000 eat_in Ventes 20 % eat_in ; revenue=1000 eat_in Ventes 10 % eat_in
    untaxed=eat_in Ventes sans taux de TVA eat_in ; voucher=2000 Bons vendus ; deposit Acomptes et consignes
    discount=2000 Remises 20 % ; discount Remises ; tax=2000 TVA 20 % ; tax=1000 TVA 10 %
    tips Pourboires à reverser ; overpaid Trop-perçu ; unpaid Impayé ; rounding Arrondis
  `)
  assert.deepEqual(texts, rows.flat())
  const category = ofDay(ordersOf('5.5/0.29@5.5Vins Carte=5.5'), { own: { revenueBy: 'category' } })
  assert.equal(textsOf(category)[1], 'revenue=550 Vins Ventes 5,5 % Vins')
  // Parts of a rate are ordered by their names, whatever the order of the items.
  const parts = ordersOf('11/1@10Plats Carte=11 | 11/1@10Vins Carte=11').map((one, i) => {
    return i === 0 ? one : { ...one, serviceType: 'delivery' }
  })
  const keys = textsOf(ofDay(parts, { own: { revenueBy: 'serviceType' } })).slice(1, 3)
  assert.deepEqual(
    keys,
    ['delivery', 'eat_in'].map((part) => `revenue=1000 ${part} Ventes 10 % ${part}`),
  )
})

test('a Z that differs by rounding, or includes or omits non-sales, is booked with its own taxes', () => {
  const settings = {
    category: { revenueBy: 'category' },
    1: { taxTolerance: 1 },
    3: { taxTolerance: 3 },
    '': {},
  } as const
  for (const [text = '', z = '', lines, setting = ''] of rowsOf(`
    # Six coffees of 1.00 with 0.09 of tax have 0.54; the Z divides 6.00 by 11: 0.55. The cent is in the largest part.
    1/0.09@10 1/0.09@10 1/0.09@10Vins 1/0.09@10Vins 1/0.09@10Vins 1/0.09@10Vins Carte=6 ; 600 1000:545+55 Carte=600 ; 511500 600, 706100 -182, 706100 -363, 44571100 -55 ; category
    # The Z leaves the voucher out, or not: its tax of 4.00 is booked all the same, and a cent less is one of the sales.
    12/2@20 voucher:24/4@20 Carte=36 ; 1200 2000:1000+200 Carte=3600 ; 511500 3600, 706200 -1000, 419100 -2000, 44571200 -600
    12/2@20 voucher:24/4@20 Carte=36 ; 3600 2000:3000+600 Carte=3600 ; 511500 3600, 706200 -1000, 419100 -2000, 44571200 -600
    12/2@20 voucher:24/4@20 Carte=36 ; 3600 2000:3001+599 Carte=3600 ; 511500 3600, 706200 -1001, 419100 -2000, 44571200 -599 ; 1
    # 0.03 more of tax than in the orders, which are tolerated: 11.00 − 1.03. A rate of the Z that no order has.
    11/1@10 Carte=11 ; 1100 1000:997+103 Carte=1100 ; 511500 1100, 706100 -997, 44571100 -103 ; 3
    11/1@10 Carte=11 ; 1100 1000:1000+100 2000:-2+2 Carte=1100 ; 511500 1100, 706200 2, 706100 -1000, 44571200 -2, 44571100 -100 ; 3
    # Sections that the Z does not state are those of its orders. Payments of one name are one, in the order of the Z.
    11/1@10 Carte=11 ; 1100 ; 511500 1100, 706100 -1000, 44571100 -100
    11/1@10 Chèque=5 Carte=6 ; 1100 Chèque=500 Carte=200 Carte=400 ; 511200 500, 511500 600, 706100 -1000, 44571100 -100
    # The Z states the rounding of cash as a payment, or does not.
    10.98/1@10 Cash=11 Arrondi=-0.02 ; 1098 Cash=1100 Arrondi=-2 ; 530000 1100, 658100 -2, 706100 -998, 44571100 -100
    11.02/1@10 Cash=11 ; 1102 Cash=1100 Arrondi=2 ; 530000 1100, 658100 2, 706100 -1002, 44571100 -100
    10.98/1@10 Cash=11 Arrondi=-0.02 ; 1098 ; 530000 1100, 706100 -998, 44571100 -100, 658100 -2
  `)) {
    const made = ordersOf(text)
    const judged = ofReport(zOf(made, z), made, { own: settings[setting as ''] })
    assert.deepEqual([amountsOf(judged), judged.reasons], [lines, []], z)
  }
})

test('an accepted Z is booked from its own figures, and the difference is one line of the suspense account', () => {
  const settings = { category: { revenueBy: 'category' }, clearing: { layout: 'clearing' }, '': {} } as const
  for (const [text = '', z = '', lines = '', setting = ''] of rowsOf(`
    # Payments 0.10 below sales of 10.00; 0.10 above them in two entries; tips are not in the figures of a Z.
    11/1@10 Carte=11 ; 1000 1000:909+91 Carte=990 ; 511500 990, 706100 -909, 44571100 -91, 471000 10
    11/1@10 Carte=11 ; 1000 1000:909+91 Carte=1010 ; 411000 1000, 706100 -909, 44571100 -91 // 511500 1010, 411000 -1000, 471000 -10 ; clearing
    11/1@10 Carte=11 tip=2:Carte ; 1000 1000:909+91 Carte=1000 ; 511500 1000, 706100 -909, 44571100 -91
    # Two rows of a rate are one, the highest rate first; without bases, the totals are those of the orders: 11.00 − 0.91.
    11/1@10 Carte=11 ; 1000 1000:809+81 1000:100+10 Carte=1000 ; 511500 1000, 706100 -909, 44571100 -91
    11/1@10 Carte=11 ; 1000 550:95+5 1000:818+82 Carte=1000 ; 511500 1000, 706100 -818, 706055 -95, 44571100 -82, 44571055 -5
    11/1@10 12/2@20 Carte=23 ; 2200 1000:0+90 1000:0+1 2000:0+200 Carte=2200 ; 511500 2200, 706200 -1000, 706100 -1009, 44571200 -200, 44571100 -91, 471000 100
    # Without taxes and payments, the Z has those of its orders.
    11/1@10 Carte=11 ; 1000 ; 511500 1100, 706100 -1000, 44571100 -100
    # The voucher is in the 0 % of the Z or not; in its 20 % (20.01 + 10.00, 4.01 + 2.00) or not.
    11/1@10 voucher:50/0@0 Carte=61 ; 6000 1000:909+91 0:5000+0 Carte=6000 ; 511500 6000, 706100 -909, 419100 -5000, 44571100 -91
    11/1@10 voucher:50/0@0 Carte=61 ; 1000 1000:909+91 Carte=6000 ; 511500 6000, 706100 -909, 419100 -5000, 44571100 -91
    24/4@20 voucher:12/2@20 Carte=36 ; 3602 2000:3001+601 Carte=3602 ; 511500 3602, 706200 -2001, 419100 -1000, 44571200 -601
    24/4@20 voucher:12/2@20 Carte=36 ; 2402 2000:2001+401 Carte=3602 ; 511500 3602, 706200 -2001, 419100 -1000, 44571200 -601
    # Sales without a rate are in the row of 0 %, and are not split.
    11/1@10 5/0@- 4/0@-Vins Carte=20 ; 1900 1000:909+91 0:900+0 Carte=1900 ; 511500 1900, 706100 -909, 706900 -900, 44571100 -91 ; category
  `)) {
    const made = ordersOf(text)
    assert.equal(ofReport(zOf(made, z), made).standing, 'refused', z)
    const judged = ofReport(zOf(made, z), made, { isAccepted: true, own: settings[setting as ''] })
    assert.deepEqual([amountsOf(judged), judged.reasons.length > 0], [lines, true], z)
    assert.deepEqual(judged.warnings, [{ code: 'accepted', amount: null }], z)
    if (lines.includes('471000')) assert.equal(textsOf(judged).at(-1), 'difference Écart Z358')
  }
  // Nothing is accepted if there is no reason to refuse the Z.
  const usual = ofReport(menuZ, menu, { isAccepted: true })
  assert.deepEqual([usual.reasons, usual.warnings], [[], []])
})

test('an accepted day is booked from its orders, with their tips and rounding', () => {
  for (const [text = '', total, lines = ''] of rowsOf(`
    # Items of 18.00 in an order of 17.00, and of 12.00 in one of 11.02 that is paid with 11.00.
    12/2@20 6/1@20Vins Carte=17 tip=2:Carte ; 17 ; 511500 1700, 511500 200, 706200 -1000, 706200 -500, 44571200 -300, 467000 -200, 471000 100
    12/2@20 Cash=11 ; 11.02 ; 530000 1100, 706200 -1000, 44571200 -200, 658100 2, 471000 98
    # Half a cent is rounding for each order, payment and (twice) row of revenue: 0.02 with one row, 0.03 with two.
    11.04/1@10 Cash=11 ; 11.02 ; 530000 1100, 706100 -1004, 44571100 -100, 658100 4
    11/1@10 Carte=10.97 ; 10.97 ; 511500 1097, 706100 -1000, 44571100 -100, 471000 3
    11/1@10 12/2@20 Carte=22.97 ; 22.97 ; 511500 2297, 706200 -1000, 706100 -1000, 44571200 -200, 44571100 -100, 658100 3
    11/1@10 12/2@20 Carte=22.96 ; 22.96 ; 511500 2296, 706200 -1000, 706100 -1000, 44571200 -200, 44571100 -100, 471000 4
  `)) {
    const made = ordersOf(text).map((one) => ({ ...one, total: Number(total) }))
    const judged = ofDay(made, { isAccepted: true, own: { revenueBy: 'category' } })
    const last = lines.includes('471000') ? 'difference Écart J20260314' : 'rounding Arrondis'
    assert.deepEqual([amountsOf(judged), textsOf(judged).at(-1)], [lines, last])
  }
})

test('names without an account are listed with their amounts, and a closed period changes only the date', () => {
  const text = '11.9/1.9@19Vins 0/0@7 Bitcoin=11.9 Jeton=0 tip=1:Bitcoin'
  const revenue = { what: 'revenue', rate: 1900 }
  for (const revenueBy of ['rate', 'category'] as const) {
    assert.deepEqual(ofDay(ordersOf(text), { own: { revenueBy } }).unmapped, [
      { of: { what: 'payment', name: 'Bitcoin' }, amount: 1190 },
      { of: { what: 'payment', name: 'Bitcoin' }, amount: 100 },
      { of: revenueBy === 'rate' ? revenue : { ...revenue, category: 'Vins' }, amount: 1000 },
      { of: { what: 'tax', rate: 1900 }, amount: 190 },
    ])
  }
  for (const [closedUntil, date] of [
    ['2026-03-10', '2026-03-14'],
    ['2026-03-14', '2026-03-15'],
    ['2026-03-31', '2026-04-01'],
  ] as const) {
    const [draft] = ofDay(menu, { own: { closedUntil } }).drafts
    assert.deepEqual([draft?.date, draft?.pieceDate], [date, '2026-03-14'], closedUntil)
  }
  // Rows for a category or a service also apply to parts of the revenue without a rate.
  const rows = [
    { category: 'Vins', account: '707001' },
    { serviceType: 'eat_in', account: '707002' },
  ]
  for (const [revenueBy, account] of [
    ['category', '707001'],
    ['serviceType', '707002'],
  ] as const) {
    const judged = ofDay(ordersOf('11/1@10Vins 5/0@-Vins Carte=16'), { own: { revenueBy, revenue: rows } })
    assert.equal(amountsOf(judged), `511500 1600, ${account} -1000, ${account} -500, 44571100 -100`)
  }
})
