import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp, type Site } from '../../../support/app.ts'
import { card, date, dish, foldAll, issue, put, soldOn, storeDays, zOn } from '../../../support/books-site.ts'
import { nameOfFile, readFec, type FecInput } from '../../../support/fec-rules.ts'
import { order, report } from '../../../support/records.ts'

const app = await startApp({ clock: () => new Date('2026-03-31T12:00:00.000Z') })

/** Two entries as an accountant would write them: 11.00 including 10 % of tax, and the reversal. */
const good = [
  'JournalCode\tJournalLib\tEcritureNum\tEcritureDate\tCompteNum\tCompteLib\tCompAuxNum\tCompAuxLib\tPieceRef\tPieceDate\tEcritureLib\tDebit\tCredit\tEcritureLet\tDateLet\tValidDate\tMontantdevise\tIdevise',
  'CA\tCaisse\tCA-2026-000007\t20260302\t411000\tClients\tCAISSE\tClients de la caisse\tZ2\t20260302\tRèglement\t11,00\t0,00\t\t\t20260331\t\t',
  'CA\tCaisse\tCA-2026-000007\t20260302\t706100\tVentes 10 %\t\t\tZ2\t20260302\tVentes\t0,00\t10,00\t\t\t20260331\t\t',
  'CA\tCaisse\tCA-2026-000007\t20260302\t44571100\tTVA 10 %\t\t\tZ2\t20260302\tTVA\t0,00\t1,00\t\t\t20260331\t\t',
  'CA\tCaisse\tCA-2026-000008\t20260302\t706100\tVentes 10 %\t\t\tZ2\t20260302\tVentes\t10,00\t0,00\t\t\t20260331\t\t',
  'CA\tCaisse\tCA-2026-000008\t20260302\t44571100\tTVA 10 %\t\t\tZ2\t20260302\tTVA\t1,00\t0,00\t\t\t20260331\t\t',
  'CA\tCaisse\tCA-2026-000008\t20260302\t411000\tClients\tCAISSE\tClients de la caisse\tZ2\t20260302\tRèglement\t0,00\t11,00\t\t\t20260331\t\t',
  '',
].join('\r\n')

const faultsOf = (text: string, changes: Partial<FecInput> = {}): string[] =>
  readFec({
    bytes: Buffer.from(text, 'latin1'),
    name: '732829320FEC20260331.txt',
    until: date(31),
    isPreview: false,
    ...changes,
  }).faults

test('the rules find nothing in a correct file, and each error in a modified one', () => {
  assert.deepEqual(faultsOf(good), [])
  const spoiled: [what: string | RegExp, by: string, fault: RegExp][] = [
    ['JournalLib\t', 'JournalLibelle\t', /names of the columns/],
    ['Debit\tCredit', 'Credit\tDebit', /names of the columns/],
    ['11,00', '11.00', /amount is not written/],
    ['11,00', '1 1,00', /amount is not written/],
    ['11,00', '11,01', /does not balance/],
    ['0,00\t10,00', '\t10,00', /Credit|Debit is empty/],
    ['0,00\t10,00', '3,00\t10,00', /not one of Debit and Credit/],
    ['20260302\t411000', '20260230\t411000', /not a date/],
    ['20260302\t411000', '02032026\t411000', /not a date/],
    ['\t411000\t', '\tC11000\t', /three digits/],
    ['\tVentes 10 %\t', '\t\t', /CompteLib is empty/],
    ['\tClients de la caisse\t', '\t\t', /CompAuxNum without CompAuxLib/],
    ['Z2\t', 'Z2|\t', /separator/],
    ['\tTVA\t', '\tTVA \t', /blanks/],
    ['\tTVA\t', '\tT\u0007VA\t', /control character/],
    ['\tTVA\t', '\tT\u0092VA\t', /control character/],
    ['\t\t\r\nCA', '\t\t\nCA', /ended in two ways/],
    [/\r\n$/, '', /not ended/],
    ['\t\t\t20260331\t\t', '\t\t20260331\t\t', /17 fields/],
    [/000008/g, '000009', /leaves a gap/],
    ['CA-2026-000008', 'CA-2026-000007', /does not balance/],
    ['Z2\t20260302\tTVA', 'Z3\t20260302\tTVA', /two PieceRef/],
    ['CA\tCaisse', 'CA\tBanque', /two names/],
  ]
  for (const [what, by, fault] of spoiled) {
    const text = good.replace(what, by)
    assert.notEqual(text, good, String(what))
    assert.match(faultsOf(text).join('\n'), fault, `${what} by ${by}`)
  }
  assert.match(faultsOf(`\u00EF\u00BB\u00BF${good}`, { encoding: 'utf-8' }).join('\n'), /byte order mark/)
  for (const name of [
    '732829321FEC20260331.txt',
    'FEC20260331.txt',
    '732829320FEC20260330.txt',
    'apercu-732829320FEC20260331.txt',
  ])
    assert.match(faultsOf(good, { name }).join('\n'), /^name: /m)
})

async function batchFile(site: Site, number: number): Promise<{ text: string; input: FecInput }> {
  const { status, bytes, headers, text } = await app.get(`/v1/books/batches/${number}?format=fec`, { key: site.key })
  assert.equal(status, 200, text)
  const name = nameOfFile(headers['content-disposition'] as string)
  return { text: bytes.toString('latin1'), input: { bytes, name, until: date(30), isPreview: false } }
}

test('issued batches follow the rules, alone and in sequence, with hostile names, reversals and a late day', async () => {
  const site = await app.addLocation()
  const hostile = 'Ca|rte\t"bancaire"\r\n\u202E=1+1 \uD83D\uDCB3 œuvre €'
  const odd = { ...card, paymentName: hostile }
  const on = (day: number, n: number) =>
    soldOn(site, day, n, {
      items: [dish(1, 11, 1, { category: '\u0007Vins; "rouges" | blancs\u2028' })],
      payments: [{ ...odd, paymentAmount: 11 }],
    })
  await storeDays(app, site, { 2: [on(2, 1), on(2, 2)], 3: [on(3, 1)] })
  const own = { layout: 'clearing', revenueBy: 'category', payments: [{ name: 'x', account: '512000' }] }
  assert.equal((await put(app, site, own)).status, 200)
  const first = await issue(app, site, { until: date(30), after: 0, skip: true, unmapped: 'suspense' })
  assert.equal(first.status, 201, first.text)
  // A third order of the second day arrives late, with a new version of its Z; and a fourth day.
  await storeDays(app, site, { 4: [on(4, 1)] })
  const three = [on(2, 1), on(2, 2), on(2, 3)]
  await app.store([order(on(2, 3)), report(zOn(site, 2, three, { updatedAt: `${date(5)}T10:00:00.000Z` }))], site.key)
  await foldAll(app, site)
  const second = await issue(app, site, { until: date(30), after: 1, skip: true, unmapped: 'suspense' })
  assert.equal(second.status, 201, second.text)
  assert.ok(second.json.entries.some(({ reverses }: any) => reverses !== null))
  const [one, two] = [await batchFile(site, 1), await batchFile(site, 2)]
  for (const { input } of [one, two]) assert.deepEqual(readFec(input).faults, [])
  assert.match(one.text, /Ca rte "bancaire" =1\+1 \? \u00BDuvre \u00A4/)
  const both = one.text + two.text.slice(two.text.indexOf('\r\n') + 2)
  const read = readFec({ ...one.input, bytes: Buffer.from(both, 'latin1') })
  assert.deepEqual(read.faults, [])
  // Sales of three days, each order once: 3, 1 and 1 orders of 10.00 and 1.00 of tax.
  const credit = (account: string) =>
    read.rows
      .filter(({ CompteNum }) => CompteNum === account)
      .reduce(
        (sum, { Debit = '', Credit = '' }) => sum + Number(Credit.replace(',', '')) - Number(Debit.replace(',', '')),
        0,
      )
  assert.deepEqual([credit('706100'), credit('44571100'), credit('411000'), credit('471000')], [5000, 500, 0, -5500])
})
