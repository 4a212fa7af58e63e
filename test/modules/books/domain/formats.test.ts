import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toBooksCsv } from '../../../../src/modules/books/domain/csv.ts'
import { entryHash } from '../../../../src/modules/books/domain/entry.ts'
import { toFec, toLatin9 } from '../../../../src/modules/books/domain/fec.ts'
import { toHledger } from '../../../../src/modules/books/domain/hledger.ts'
import { numberText, seriesOf } from '../../../../src/modules/books/domain/numbers.ts'
import { withPreviewNumbers } from '../../../../src/modules/books/domain/rendered.ts'
import { reverse } from '../../../../src/modules/books/domain/reversal.ts'
import { decimalText, sirenOf } from '../../../../src/modules/books/domain/texts.ts'
import type { BookingEntry } from '../../../../src/modules/books/schemas/books.ts'

const line = (account: string, amount: number, changes: Partial<BookingEntry['lines'][number]> = {}) => ({
  account,
  accountName: `Compte ${account}`,
  auxiliary: null,
  auxiliaryName: null,
  label: 'Ventes',
  debit: Math.max(amount, 0),
  credit: Math.max(-amount, 0),
  role: 'revenue' as const,
  key: null,
  ...changes,
})

const lines = [
  line('411000', 110_005, {
    accountName: '[Clients] : divers',
    auxiliary: 'BAR;1',
    auxiliaryName: 'Au bar',
    label: '=Total [1]:x  "bar"',
  }),
  line('706100', -110_000, { accountName: 'Ventes 10 %' }),
  line('658100', -5, { accountName: 'Arrondis' }),
]

const entry: BookingEntry = {
  id: 'e1',
  source: { type: 'report', reportId: 'e1', reportNumber: 358, deviceName: 'Caisse 1', sequence: 2 },
  state: 'issued',
  journal: { code: 'CA', name: 'Journal de caisse' },
  date: '2026-04-01',
  pieceRef: 'C1-Z358',
  pieceDate: '2026-03-31',
  currency: 'EUR',
  lines,
  totals: { debit: 110_005, credit: 110_005 },
  accountsVersion: 1,
  hash: '',
  number: 'CA-2026-000001',
  batch: 1,
  reverses: null,
  warnings: [],
}
const rendered = { entries: [entry], validDate: '2026-04-07', decimals: 2 }
const preview = { entries: [{ ...entry, number: null }], validDate: null, decimals: 2 }

test('the FEC has the 18 columns of article A47 A-1 by name and order, tabs, CRLF, decimal commas and dates YYYYMMDD', () => {
  // The names of the table in section VII of the article; letters, their date and a foreign currency are empty.
  const head =
    'JournalCode JournalLib EcritureNum EcritureDate CompteNum CompteLib CompAuxNum CompAuxLib PieceRef PieceDate ' +
    'EcritureLib Debit Credit EcritureLet DateLet ValidDate Montantdevise Idevise'
  const row = (number: string, valid: string, ...of: string[]) => {
    const [account, name, auxiliary, auxiliaryName, label, debit, credit] = of
    return [
      'CA',
      'Journal de caisse',
      number,
      '20260401',
      account,
      name,
      auxiliary,
      auxiliaryName,
      'C1-Z358',
      '20260331',
      label,
      debit,
      credit,
      '',
      '',
      valid,
      '',
      '',
    ].join('\t')
  }
  const file = (number: string, valid: string) =>
    [
      head.replaceAll(' ', '\t'),
      row(number, valid, '411000', '[Clients] : divers', 'BAR;1', 'Au bar', '=Total [1]:x  "bar"', '1100,05', '0,00'),
      row(number, valid, '706100', 'Ventes 10 %', '', '', 'Ventes', '0,00', '1100,00'),
      row(number, valid, '658100', 'Arrondis', '', '', 'Ventes', '0,00', '0,05'),
      '',
    ].join('\r\n')
  assert.equal(toFec(rendered), file('CA-2026-000001', '20260407'))
  assert.equal(toFec(preview), file('', '20260401'))
})

test('CSV follows RFC 4180 or the French spreadsheet format, and escapes cells that would run as a formula', () => {
  assert.equal(
    toBooksCsv(rendered, 'rfc4180'),
    [
      'date,journal,number,piece,account,account_name,auxiliary,label,debit,credit,currency',
      `2026-04-01,CA,CA-2026-000001,C1-Z358,411000,[Clients] : divers,"BAR;1","'=Total [1]:x  ""bar""",1100.05,0.00,EUR`,
      '2026-04-01,CA,CA-2026-000001,C1-Z358,706100,Ventes 10 %,,Ventes,0.00,1100.00,EUR',
      '2026-04-01,CA,CA-2026-000001,C1-Z358,658100,Arrondis,,Ventes,0.00,0.05,EUR\r\n',
    ].join('\r\n'),
  )
  assert.equal(
    toBooksCsv(preview, 'excel-fr'),
    [
      '\uFEFFDate;Journal;Écriture;Pièce;Compte;Libellé du compte;Auxiliaire;Libellé;Débit;Crédit;Devise',
      `01/04/2026;CA;;C1-Z358;411000;[Clients] : divers;"BAR;1";"'=Total [1]:x  ""bar""";1100,05;0,00;EUR`,
      '01/04/2026;CA;;C1-Z358;706100;Ventes 10 %;;Ventes;0,00;1100,00;EUR',
      '01/04/2026;CA;;C1-Z358;658100;Arrondis;;Ventes;0,00;0,05;EUR\r\n',
    ].join('\r\n'),
  )
})

test('hledger output declares currencies and accounts, puts two spaces before an amount, and has no tags or dates in comments', () => {
  const body = `    411000:BAR 1  1100.05 EUR  ; =Total 1 x "bar"
    706100  -1100.00 EUR  ; Ventes
    658100  -0.05 EUR  ; Ventes
`
  const head = `commodity EUR
    format 1000.00 EUR

; Clients divers
account 411000:BAR 1

; Arrondis
account 658100

; Ventes 10 %
account 706100
`
  assert.equal(toHledger(rendered), `${head}\n2026-04-01 * (CA-2026-000001) C1-Z358\n${body}`)
  assert.equal(toHledger(preview), `${head}\n2026-04-01 * C1-Z358\n${body}`)
  const yen = { ...entry, currency: 'JPY', lines: [] }
  const both = toHledger({ entries: [yen, { ...entry, lines: [] }, yen], validDate: null, decimals: 3 })
  const titles = `2026-04-01 * (CA-2026-000001) C1-Z358\n`
  assert.equal(
    both,
    `commodity EUR\n    format 1000.000 EUR\n\ncommodity JPY\n    format 1000.000 JPY\n\n${titles}\n${titles}\n${titles}`,
  )
  const named = { ...entry, lines: [line('411000', 1, { auxiliary: ' A:(b) [c]  "d" ' })] }
  assert.match(toHledger({ ...rendered, entries: [named] }), /\n {4}411000:A b c d {2}0\.01 EUR {2}; Ventes\n$/)
})

test('previews are numbered by accounting journal and fiscal year, and numbers have six digits', () => {
  const of = (code: string, date: string) => ({ ...entry, number: null, date, journal: { code, name: code } })
  const numbered = withPreviewNumbers(
    [of('CA', '2026-03-31'), of('VE', '2026-03-31'), of('CA', '2026-03-31'), of('CA', '2026-04-01')],
    '04-01',
  )
  assert.deepEqual(
    numbered.map(({ number }) => number),
    ['CA-2025-P00001', 'VE-2025-P00001', 'CA-2025-P00002', 'CA-2026-P00001'],
  )
  assert.deepEqual({ ...numbered[0], number: null }, of('CA', '2026-03-31'))
  assert.equal(numberText('CA-2026', 12), 'CA-2026-000012')
  // Beyond the letters, the number follows a z.
  const series = [25, 26].map((resumed) => seriesOf('CA', { day: '2026-01-01', startsOn: '01-01', resumed }))
  assert.deepEqual(series, ['CA-2026z', 'CA-2026z26'])
})

test('a reversal swaps the sides, names the reversed number, and keeps the piece and its day', () => {
  const uneven = { ...entry, totals: { debit: 1, credit: 2 } }
  const reversed = reverse(uneven, '2026-05-02')
  const swapped = lines.map((one) => ({ ...one, debit: one.credit, credit: one.debit }))
  const labels = ['Extourne =Total [1]:x "bar"', 'Extourne Ventes', 'Extourne Ventes']
  const { number: _, batch: __, accountsVersion: ___, ...kept } = entry
  assert.deepEqual(reversed, {
    ...kept,
    date: '2026-05-02',
    lines: swapped.map((one, i) => ({ ...one, label: labels[i] })),
    totals: { debit: 2, credit: 1 },
    hash: entryHash({ ...entry, date: '2026-05-02' }, swapped),
    reverses: 'CA-2026-000001',
  })
})

test('minor units are written as decimals of the currency', () => {
  for (const [amount, decimals, text] of [
    [123_450, 2, '1234.50'],
    [5, 2, '0.05'],
    [0, 2, '0.00'],
    [-7, 2, '-0.07'],
    [-1250, 3, '-1.250'],
    [42, 0, '42'],
    [-42, 0, '-42'],
  ] as const)
    assert.equal(decimalText(amount, decimals), text)
})

test('a character that ISO 8859-15 cannot represent is a question mark, and a SIREN is checked by its check digit', () => {
  assert.equal(toLatin9('\u0301').toString('latin1'), '?')
  // 982 974 982: 2 + (16 − 9) + 9 + 8 + 7 + (18 − 9) + 2 + (16 − 9) + 9 = 60.
  assert.deepEqual([sirenOf('98297498200018'), sirenOf('982974992')], ['982974982', null])
})
