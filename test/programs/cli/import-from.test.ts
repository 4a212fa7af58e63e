import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { zipSync } from 'fflate'
import { addKey, addLocation, startApp } from '../../support/app.ts'
import { createDatabase } from '../../support/database.ts'
import { byId, shops, type Shop } from '../../modules/sources/golden.ts'
import { commandsOn, newFolder, toUrl } from '../../support/cli.ts'
import { offline } from './shop.ts'

const folder = newFolder()

const database = await createDatabase()
const app = await startApp({ clock: () => new Date('2026-07-20T12:00:00.000Z'), database })
const onDatabase = commandsOn({ env: { DATABASE_URL: toUrl(database.connection) } })
const { run, refuses } = commandsOn({ env: offline })

const shopsFolder = join(import.meta.dirname, '../../modules/sources/shops')
const locationOf = ({ expected }: Shop): string => expected[0].data.locationId
const sourceOf = ({ name }: Shop) => name.replace(/-(ca|us)$/, '')

const flagsOf = (shop: Shop, map = join(shopsFolder, 'csv', 'map.json')) => {
  const profile = join(shopsFolder, shop.name, 'profile.json')
  const flags = ['--from', sourceOf(shop), '--location', locationOf(shop), '--profile', profile]
  return shop.name === 'csv' ? [...flags, '--map', map] : flags
}

const shopNamed = (name: string) => shops.find((shop) => shop.name === name) ?? assert.fail(name)

/** Packs the documents of a shop as a ZIP archive, and returns its path. */
function zipOf({ name, files }: Shop): string {
  const path = join(folder, `${name}.zip`)
  writeFileSync(path, zipSync(Object.fromEntries(files.map((file) => [`export/${file.name}`, file.bytes]))))
  return path
}

/** Packs the CSV shop with other items. */
function zipOfItems(name: string, change: (items: string) => Buffer): string {
  const path = join(folder, `${name}.zip`)
  const [items, receipts] = ['items.csv', 'receipts.csv'].map((file) => readFileSync(join(shopsFolder, 'csv', file)))
  writeFileSync(path, zipSync({ 'items.csv': change(String(items)), 'receipts.csv': receipts as Buffer }))
  return path
}

const recordsIn = (path: string) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { type: string; data: unknown })

describe('import --from', () => {
  for (const shop of shops) {
    test(`writes the records of ${shop.name} without a database, from an archive`, async () => {
      const out = join(folder, `${shop.name}.ndjson`)
      const { code, stderr } = await run`import ${zipOf(shop)} ${flagsOf(shop)} --dry-run --records ${out}`
      assert.equal(code, 0, stderr)
      assert.deepEqual(byId(recordsIn(out)), byId(shop.expected))
    })
  }

  test('exits with 1 if it finds no records, and states what was expected', async () => {
    const errors = { errors: [{ code: 'UNAUTHORIZED' }] }
    const expected = {
      square: 'orders of Square',
      toast: 'orders of Toast',
      sumup: 'sales of SumUp',
      loyverse: 'receipts and shifts',
      'lightspeed-k': 'sales of a business day',
    }
    for (const [from, words] of Object.entries(expected)) {
      const shop = shops.find((one) => sourceOf(one) === from) as Shop
      for (const document of [{}, errors, []]) {
        const path = join(folder, 'nothing.json')
        writeFileSync(path, JSON.stringify(document))
        const { code, stderr } = await run`import ${path} ${flagsOf(shop)} --dry-run`
        assert.equal(code, 1, `${from} ${JSON.stringify(document)} ${stderr}`)
        assert.ok(stderr.includes(`--from ${from} expects ${words}`), stderr)
      }
    }
    const csv = shopNamed('csv')
    const bare = csv.files.map((file) => [file.name, Buffer.from(file.bytes.toString().split('\n', 1)[0] as string)])
    const archive = join(folder, 'bare.zip')
    writeFileSync(archive, zipSync(Object.fromEntries(bare)))
    const { code, stderr } = await run`import ${archive} ${flagsOf(csv)} --dry-run`
    assert.deepEqual([code, stderr.includes('expects rows below a header line')], [1, true], stderr)
  })

  test('ignores a script next to the documents in a folder', async () => {
    const shop = shopNamed('square')
    const path = join(folder, 'beside.zip')
    const files = Object.fromEntries(shop.files.map((file) => [file.name, file.bytes]))
    writeFileSync(path, zipSync({ ...files, 'convert.mjs': Buffer.from('export {}') }))
    const out = join(folder, 'beside.ndjson')
    const { code, stderr } = await run`import ${path} ${flagsOf(shop)} --dry-run --records ${out}`
    assert.equal(code, 0, stderr)
    assert.match(stderr, /skipped 1: no JSON file, by its name/)
    assert.deepEqual(byId(recordsIn(out)), byId(shop.expected))
  })

  test('stores the records, finds them unchanged the second time, and prints the days as the source states them', async () => {
    const shop = shopNamed('dsfinvk')
    const location = await addLocation(app.pool, locationOf(shop), { timeZone: 'Europe/Berlin' })
    const path = join(shopsFolder, 'dsfinvk')
    const first = await onDatabase.run`import ${path} ${flagsOf(shop)}`
    assert.equal(first.code, 0, first.stderr)
    assert.match(first.stdout, /2026-07-03 +4 +24\.00 +24\.00 +– +– +7 balanced/)
    assert.match(first.stderr, /skipped 1: broken off/)
    assert.match(first.stdout, /5 accepted/)
    const again = await onDatabase.run`import ${path} ${flagsOf(shop)}`
    assert.match(again.stdout, /0 accepted, 5 unchanged/)
    const { key } = await addKey(app.pool, location)
    const { json } = await app.get('/v1/reports/checks/?since=2026-07-03&until=2026-07-03', { key })
    assert.deepEqual(
      json.data.map(({ verdict }: any) => verdict),
      ['balanced'],
    )
  })

  test('refuses a ticket that does not add up to its own total, with the difference, which the day shows', async () => {
    const shop = shopNamed('square')
    const document = JSON.parse(shop.files[0]!.bytes.toString())
    delete document.pages[0].orders[0].service_charges
    const path = join(folder, 'orders.json')
    writeFileSync(path, JSON.stringify(document))
    const { code, stdout, stderr } = await run`import ${path} ${flagsOf(shop)} --dry-run`
    assert.equal(code, 1)
    assert.match(stderr, /refused ordS1: said\.total is 18\.00, but the items add up to 16\.00: a difference of 2\.00/)
    assert.match(stdout, /2026-07-03 +0 +0\.00 +18\.00 +-18\.00 .* 1 ticket refused/)
  })

  const wrong: [what: string, name: string, content: string | Buffer, args: string[], message: RegExp][] = [
    [
      'a CSV',
      'a.csv',
      'Ticket;Article;TTC\n1;Café;2,50\n',
      [],
      /a\.csv does not contain records: this is a CSV with 3 columns.*Nothing was stored/,
    ],
    [
      'documents of Square',
      'b.json',
      JSON.stringify({ orders: [{ line_items: [] }] }),
      [],
      /this looks like square documents: --from square/,
    ],
    ['a ZIP archive', 'c.zip', Buffer.from('PK\u0003\u0004'), [], /this is a ZIP archive/],
    ['UTF-16', 'd.csv', Buffer.from('\ufeffTicket;Article\n1;Caf\u00e9\n', 'utf16le'), [], /this is UTF-16LE text/],
    ['an unknown source', 'e.json', '{}', ['--from', 'cashpad'], /--from must be one of csv, singer, square/],
    ['a CSV without a map', 'f.csv', 'a,b\n1,2\n', ['--from', 'csv'], /--from csv requires --map/],
  ]
  for (const [what, name, content, args, message] of wrong) {
    test(`recognizes and names ${what}`, async () => {
      const path = join(folder, name)
      writeFileSync(path, content)
      await refuses(message)`import ${path} ${args} --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6`
    })
  }

  test('refuses an unreadable CSV cell with file, line, cell and the place in the map', async () => {
    const shop = shopNamed('csv')
    const bad = zipOfItems('bad', (text) =>
      Buffer.from(text.replace('T4,Tea,,1,2.50,0,0.00,2.50', 'T4,Tea,,1,2.50,0,0.00,2.5O')),
    )
    const { code, stderr } = await run`import ${bad} ${flagsOf(shop)} --dry-run`
    assert.equal(code, 1)
    assert.match(
      stderr,
      /refused R-002: items\.csv, line \d+: Gross: “2\.5O” is not a number \(map \/order\/item\/total\)/,
    )
  })

  test('distinguishes Windows-1252 from UTF-8, and no character becomes �', async () => {
    const shop = shopNamed('csv')
    const path = zipOfItems('latin', (items) => {
      const text = items.replaceAll('Tea', 'Thé glacé – 5 €').slice(1)
      return Buffer.from(text.replaceAll('–', '\u0096').replaceAll('€', '\u0080'), 'latin1')
    })
    const map = JSON.parse(readFileSync(join(shopsFolder, 'csv', 'map.json'), 'utf8'))
    delete map.files.lines.encoding
    const [mapFile, out] = [join(folder, 'latin.json'), join(folder, 'latin.ndjson')]
    writeFileSync(mapFile, JSON.stringify(map))
    const { code, stderr } = await run`import ${path} ${flagsOf(shop, mapFile)} --dry-run --records ${out}`
    assert.equal(code, 0, stderr)
    assert.match(readFileSync(out, 'utf8'), /"description":"Thé glacé – 5 €"/)
  })
})

test('map suggest detects columns, time formats and number formats of a CSV', async () => {
  const { code, stdout } = await run`map suggest ${join(shopsFolder, 'csv', 'items.csv')}`
  assert.equal(code, 0)
  const map = JSON.parse(stdout)
  const { times, numbers, order } = map
  assert.deepEqual([times.format, numbers], ['YYYY-MM-DD HH:mm:ss', { decimal: '.', groups: ',' }])
  assert.deepEqual(
    [order.key, order.item.name, order.item.total, order.item.tax.rate],
    [['Receipt'], 'Item', 'Gross', 'VAT %'],
  )
})

test('map suggest includes the payments of a second file, by its name or from the folder of both', async () => {
  const [items, receipts] = [join(shopsFolder, 'csv', 'items.csv'), join(shopsFolder, 'csv', 'receipts.csv')]
  const [named, folder] = [
    await run`map suggest ${items} ${receipts}`,
    await run`map suggest ${join(shopsFolder, 'csv')}`,
  ]
  assert.deepEqual([named.code, folder.code], [0, 0])
  assert.deepEqual(JSON.parse(named.stdout), JSON.parse(folder.stdout))
  assert.deepEqual(JSON.parse(named.stdout).order.payments.columns, ['Cash', 'Card', 'Gift card'])
})

test('map suggest explains an empty file, or a misplaced quote', async () => {
  const faults: [name: string, text: string, message: RegExp][] = [
    ['empty.csv', '', /^error: empty\.csv is empty: a CSV must begin with the names of its columns\n$/],
    ['quote.csv', 'Receipt,Item,Gross\n1,3" pizza,8.00\n', /^error: quote\.csv is not a CSV: .+ line 2.+\n$/],
  ]
  for (const [name, text, message] of faults) {
    const path = join(folder, name)
    writeFileSync(path, text)
    const { stdout, stderr } = await refuses(message)`map suggest ${path}`
    assert.equal(stdout, '')
    assert.doesNotMatch(stderr, /TILLGATE_DEBUG/)
  }
})
