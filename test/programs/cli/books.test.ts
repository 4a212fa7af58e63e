import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { date, soldOn, zOn } from '../../support/books-site.ts'
import { newFolder } from '../../support/cli.ts'
import { everyRecord, idOf, order, report } from '../../support/records.ts'
import { at, id, newShop, site } from './shop.ts'

const march = ['--since', '2026-03-01', '--until', '2026-03-31']
const folder = newFolder()
const livreo = { payments: [{ name: 'Livréo', account: '467100', accountName: 'Livréo' }] }

async function newBooks() {
  const shop = await newShop()
  const setup = everyRecord(id).filter(({ type }) => type.startsWith('catalog.'))
  const days = [2, 3].flatMap((day) => {
    const by = {
      paymentName: day === 2 ? 'Carte bancaire' : 'Livréo',
      paymentCatalogId: idOf('payment', day),
      paymentAmount: 11,
    }
    const orders = [soldOn(site, day, 1, { payments: [by] })]
    return [...orders.map(order), report(zOn(site, day, orders))]
  })
  assert.equal((await shop.push(...setup, ...days)).rejected, 0)
  return shop
}

test('an accountant can assign accounts, preview, issue and write a file on the command line', async () => {
  const { push, run, json, refuses } = await newBooks()
  const names = await run`books unmapped ${at} ${march}`
  assert.equal(names.code, 1, names.stderr)
  assert.match(names.stdout, /payment {2}Livréo {2}11\.00 {3}1/)
  const refused = await run`books issue ${at} --until ${date(3)}`
  assert.equal(refused.code, 1, refused.stderr)
  assert.match(refused.stderr, /payment Livréo has no account/)
  const file = join(folder, 'accounts.json')
  writeFileSync(file, JSON.stringify(livreo))
  assert.equal((await json`books accounts ${at} --set ${file}`).version, 1)
  writeFileSync(file, JSON.stringify({ payments: [{ name: 'Livréo' }] }))
  await refuses(/must have either account or cash: true, not both/)`books accounts ${at} --set ${file}`
  const status = await run`books status ${at} ${march}`
  assert.equal(status.code, 0, status.stderr)
  assert.match(status.stdout, /2026-03-02 {2}Z2 .* ready/)
  const preview = await run`books entries ${at} ${march} --format csv`
  assert.match(preview.stdout, /^\ufeffDate;Journal;/)
  const issued = await json`books issue ${at} --until ${date(3)} --after 0`
  assert.deepEqual(
    issued.entries.map(({ number }: any) => number),
    ['CA-2026-000001', 'CA-2026-000002'],
  )
  await refuses(/batch_exists/)`books issue ${at} --until ${date(3)} --after 0 --json`
  const out = join(folder, 'mars.txt')
  const written = await run`books batch 1 ${at} --format fec --out ${out}`
  assert.equal(written.code, 0, written.stderr)
  const text = readFileSync(out, 'latin1')
  assert.equal(text.split('\r\n').length, 1 + 3 + 3 + 1)
  assert.match(text, /\tCA-2026-000002\t20260303\t467100\tLivr\u00e9o\t/)
  const list = await json`books batch ${at}`
  assert.deepEqual(
    list.map(({ number, entries }: any) => [number, entries]),
    [[1, 2]],
  )
  // Ten cents too much by card: the Z is refused. Once it is accepted, the preview has its own figures with the
  // difference.
  const sold = soldOn(site, 4, 1)
  const z = zOn(site, 4, [sold])
  const reportPayments = z.reportPayments.map((row) => ({ ...row, paymentAmount: row.paymentAmount + 10 }))
  await push(order(sold), report({ ...z, reportPayments }))
  const fourth = ['books', 'entries', ...at, '--since', date(4), '--until', date(4), '--format', 'csv']
  await refuses(/Z4 cannot be booked: payments/)`${fourth}`
  const inTheWay = await run`books unmapped ${at} ${march}`
  assert.equal(inTheWay.code, 1)
  assert.match(inTheWay.stderr, /Z4 cannot be booked: payments/)
  assert.match(inTheWay.stderr, /Every name has an account in what can be booked\./)
  const before = await run`books unmapped ${at} --since ${date(1)} --until ${date(3)}`
  assert.deepEqual([before.code, before.stderr.trim()], [0, 'Every name has an account.'])
  const accepted = await run`${fourth} --accept ${z.id}`
  assert.match(accepted.stdout, /;471000;[^;]*;;Écart Z4;0,00;0,10;EUR\r\n/, accepted.stderr)
})

test('a restore returns batches and accounts unchanged, and numbers continue in another series', async () => {
  const { run, json } = await newBooks()
  const file = join(folder, 'mapped.json')
  writeFileSync(file, JSON.stringify(livreo))
  await json`books accounts ${at} --set ${file}`
  await json`books issue ${at} --until ${date(3)}`
  const passphrase = join(folder, 'passphrase')
  writeFileSync(passphrase, 'correct horse battery staple\n', { mode: 0o600 })
  const dir = join(folder, 'backup')
  await json`backup ${dir} --passphrase-file ${passphrase}`
  const target = await newShop()
  await target.json`restore ${dir} --passphrase-file ${passphrase}`
  const [batch, restored] = [
    await run`books batch 1 ${at} --format fec`,
    await target.run`books batch 1 ${at} --format fec`,
  ]
  assert.equal(restored.stdout, batch.stdout)
  const accounts = await target.json`books accounts ${at}`
  assert.deepEqual(accounts.own.payments, livreo.payments)
  const states = await target.json`books status ${at} ${march}`
  assert.deepEqual(
    states.flatMap(({ sources }: any) => sources.map(({ state }: any) => state)),
    ['issued', 'issued'],
  )
  const next = await target.json`books issue ${at} --until ${date(3)} --reissue ${idOf('report', 3)}`
  assert.deepEqual(
    next.entries.map(({ number, reverses }: any) => [number, reverses]),
    [
      ['CA-2026b-000001', 'CA-2026-000002'],
      ['CA-2026b-000002', null],
    ],
  )
  const verified = await target.run`verify`
  assert.equal(verified.code, 0, verified.stdout)
})
