import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { readLocations } from '../../../src/modules/operations/cli/location-import.ts'
import { commandsOn, newFolder, toUrl } from '../../support/cli.ts'
import { createDatabase } from '../../support/database.ts'
import { idOf } from '../../support/records.ts'

const { connection, pool } = await createDatabase()
const { run, json, refuses } = commandsOn({ env: { DATABASE_URL: toUrl(connection) } })
const folder = newFolder()

const nameOf = ({ name }: any) => name
const listed = async (id: string) => (await json`location list`).find((one: any) => one.id === id)

test('create creates a location whose journal begins with it, and list shows it', async () => {
  const id = idOf('location', 1)
  const fields = ['--name', 'Bistro Exemple', '--city', 'Paris', '--siret', '98297498200018']
  const made = await json`location create --id ${id.toUpperCase()} ${fields} --time-zone europe/brussels`
  assert.deepEqual(made, {
    id,
    name: 'Bistro Exemple',
    timeZone: 'Europe/Brussels',
    currency: 'EUR',
    dayStartsAt: '05:00',
    fiscalYearStarts: '01-01',
    eReportingCategories: {},
    retiredDevices: {},
    paymentKinds: {},
    reportNumbers: 'consecutive',
  })
  const found = await listed(id)
  assert.deepEqual(Object.keys(found).slice(0, 4), ['id', 'name', 'address', 'siret'])
  assert.deepEqual([found.city, found.zip, found.timeZone], ['Paris', '', 'Europe/Brussels'])
  const entries = await pool`select seq, kind, types from journal where location_id = ${id}`
  assert.deepEqual([...entries], [{ seq: 1, kind: 'location', types: ['location.updated'] }])
  await refuses(/location .+ already exists/)`location create --name Bar --id ${id}`
  await refuses(/--time-zone must be a name such as/)`location create --name Bar --time-zone Europe/Atlantis`
  for (const currency of ['XXZ', 'eur', 'EURO', '']) {
    const { stderr } = await run`location create --name Somewhere --currency ${currency}`
    assert.equal(stderr, `error: --currency must be an ISO 4217 code such as EUR, not ${JSON.stringify(currency)}\n`)
  }
})

test('an update of a location changes the given fields only', async () => {
  const { id } = await json`location create --name Before --city Paris`
  await json`location update ${id} --name After --time-zone europe/zurich --currency CHF --day-starts-at 04:30
    --fiscal-year-starts 07-01 --e-reporting-categories ${'takeaway=TPS1, a=b=TNT1'}
    --retire-device ${'Caisse 3, bar'} --retire-device ${'Caisse 4'}`
  const location = await listed(id)
  const { name, city, timeZone, currency, dayStartsAt, fiscalYearStarts } = location
  assert.deepEqual(
    [name, city, timeZone, currency, dayStartsAt, fiscalYearStarts],
    ['After', 'Paris', 'Europe/Zurich', 'CHF', '04:30', '07-01'],
  )
  assert.deepEqual(Object.keys(location.retiredDevices), ['Caisse 3, bar', 'Caisse 4'])
  assert.match(location.retiredDevices['Caisse 4'], /^\d{4}-\d\d-\d\d$/)
  await json`location update ${id} --city Bern --return-device ${'Caisse 4'}`
  const again = await listed(id)
  assert.deepEqual([again.name, again.city, again.currency], ['After', 'Bern', 'CHF'])
  assert.deepEqual(again.eReportingCategories, { takeaway: 'TPS1', 'a=b': 'TNT1' })
  assert.deepEqual(Object.keys(again.retiredDevices), ['Caisse 3, bar'])
  await refuses(/"code":"usage".*no change was given/)`location update ${id} --json`
  for (const [option, value, expected] of [
    ['--name', ' ', /--name must not be empty/],
    ['--return-device', 'Caisse 4', /must be a device that is out of service \(Caisse 3, bar\), not Caisse 4/],
    ['--day-starts-at', '25:00', /--day-starts-at must be a time such as 05:00, not "25:00/],
    ['--fiscal-year-starts', '02-29', /--fiscal-year-starts must be a month and a day such as 04-01, not "02-29/],
    ['--e-reporting-categories', 'takeaway=goods', /must be pairs such as takeaway=TLB1 with one of TLB1, TPS1/],
    ['--time-zone', 'Mars/Olympus', /--time-zone must be a name such as Europe\/Paris/],
  ] as const)
    await refuses(expected)`location update ${id} ${option} ${value}`
  const unknown = '00000000-0000-4000-8000-000000000000'
  await refuses(/location_not_found/)`location update ${unknown} --city X --json`
  // Otherwise the answer for a mistyped id would be “There is nothing to acknowledge”.
  await refuses(/location_not_found/)`loss acknowledge --location ${unknown} --json`
})

test('locations are imported from a CSV file, with a key each, and a second run creates nothing', async () => {
  const id = '272461e9-4fd9-5db0-b95b-cc91735b6bf6'
  const file = join(folder, 'restaurants.csv')
  const lines = [
    '\ufeffid,name,city,timeZone,currency',
    `${id},"Bistro ""Chez Léa"", Lyon",Lyon,,`,
    ',Bar Exemple,Genève,Europe/Zurich,CHF',
  ]
  await writeFile(file, `${lines.join('\r\n')}\r\n`)
  const made = await json`location import ${file} --key read,ingest`
  const [lea, bar] = ['Bistro "Chez Léa", Lyon', 'Bar Exemple']
  assert.deepEqual(
    made.map(({ name, status }: any) => [name, status]),
    [
      [lea, 'created'],
      [bar, 'created'],
    ],
  )
  const all = await json`location list`
  const { timeZone } = all.find((one: any) => one.id === id && one.name === lea)
  assert.deepEqual([timeZone, all.find((one: any) => one.name === bar).currency], ['Europe/Paris', 'CHF'])
  const keys = async () => (await json`key list`).filter(({ name }: any) => name === 'import')
  assert.deepEqual(
    (await keys()).map(({ scopes }: any) => scopes),
    Array.from({ length: 2 }, () => ['read', 'ingest']),
  )
  const acts = await json`access --location ${id}`
  assert.deepEqual(
    acts.map(({ act, changes }: any) => [
      act,
      Object.fromEntries(changes.map(({ field, after }: any) => [field, after])),
    ]),
    [
      [
        'location.created',
        {
          // A person's name or address is never stored in a chain.
          name: null,
          city: null,
          timeZone: 'Europe/Paris',
          currency: 'EUR',
          dayStartsAt: '05:00',
          fiscalYearStarts: '01-01',
          eReportingCategories: '{}',
          retiredDevices: '{}',
          paymentKinds: '{}',
          reportNumbers: 'consecutive',
        },
      ],
      ['key.created', { name: 'import', scopes: 'read, ingest' }],
    ],
  )

  await writeFile(file, `id,name\n${id},Another name\n`)
  const { stdout } = await run`location import ${file} --key read`
  assert.equal(stdout, `id,name,status,key\n${id},Another name,exists,\n`)
  assert.equal((await keys()).length, 2)

  // A deleted location is not made again, and no other line is stored.
  await run`location deactivate ${id}`
  await run`location delete ${id} --grace 0 --confirm ${lea}`
  await writeFile(file, `id,name\n,New\n${id},Gone\n`)
  await refuses(/was deleted at journal entry 1/)`location import ${file}`
  assert.deepEqual(
    (await json`location list`).map(nameOf).filter((name: string) => [lea, 'New', 'Gone'].includes(name)),
    [],
  )
})

test('a file with an error stores nothing, and every error is reported with its line', async () => {
  const id = idOf('location', 3)
  const text = `name,timeZone,id\n,Europe/Paris,\nBar,Mars/Olympus,\nBistro,,${id}\nBistro,,${id}\nGood,,\n`
  const head = String.raw`^x\.csv: nothing was stored\.\nline 2: name must not be empty\nline 3: --time-zone[^]*`
  const wrong: [string, RegExp][] = [
    [text, new RegExp(`${head}line 5: id ${id} is already in an earlier line: give each location a different id$`)],
    ['name,colour\nBar,red\n', /line 2: unknown column colour: use id, name/],
    ['name\nBar,red\n', /x\.csv is not a CSV file/],
    ['', /it contains no locations/],
  ]
  for (const [content, message] of wrong) assert.throws(() => readLocations('x.csv', content), { message })
  await refuses(/none\.csv cannot be read/)`location import ${join(folder, 'none.csv')}`
})
