import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readLocations } from '../../../src/modules/operations/cli/location-import.ts'
import { createDataDir, holdDatabase, tillgate, tillgateJson } from '../../support/cli.ts'
import { atEnd } from '../../support/database.ts'

const folder = await mkdtemp(join(tmpdir(), 'tillgate-locations-'))
atEnd(() => rm(folder, { recursive: true, force: true }))
const dataDir = await createDataDir({ filled: true })
const on = ['--data-dir', dataDir]
const id = '272461e9-4fd9-5db0-b95b-cc91735b6bf6'

test('locations are imported from a CSV file, with a key each, and a second run creates nothing', async () => {
  await tillgate(['migrate', ...on])
  await holdDatabase(dataDir)
  const file = join(folder, 'restaurants.csv')
  const lines = [
    '\ufeffid,name,city,timeZone,currency',
    `${id},"Bistro ""Chez Léa"", Lyon",Lyon,,`,
    ',Bar Exemple,Genève,Europe/Zurich,CHF',
  ]
  await writeFile(file, `${lines.join('\r\n')}\r\n`)
  const made = await tillgateJson(['location', 'import', file, '--key', 'read,ingest', ...on])
  assert.deepEqual(
    made.map(({ name, status }: any) => [name, status]),
    [
      ['Bistro "Chez Léa", Lyon', 'created'],
      ['Bar Exemple', 'created'],
    ],
  )
  const listed = await tillgateJson(['location', 'list', ...on])
  const byName = new Map<string, any>(listed.map((location: any) => [location.name, location]))
  assert.equal(byName.get('Bistro "Chez Léa", Lyon').id, id)
  assert.equal(byName.get('Bistro "Chez Léa", Lyon').timeZone, 'Europe/Paris')
  assert.equal(byName.get('Bar Exemple').currency, 'CHF')
  const keys = await tillgateJson(['key', 'list', ...on])
  assert.deepEqual(
    keys.map(({ scopes, name }: any) => [scopes, name]),
    [
      [['read', 'ingest'], 'import'],
      [['read', 'ingest'], 'import'],
    ],
  )

  const acts = await tillgateJson(['access', '--location', id, ...on])
  assert.deepEqual(
    acts.map(({ act, changes }: any) => [act, changes.map(({ field, after }: any) => [field, after])]),
    [
      [
        'location.created',
        [
          // A person's name or address is never stored in a chain.
          ['name', null],
          ['city', null],
          ['timeZone', 'Europe/Paris'],
          ['currency', 'EUR'],
          ['dayStartsAt', '05:00'],
          ['fiscalYearStarts', '01-01'],
          ['eReportingCategories', '{}'],
          ['retiredDevices', '{}'],
          ['paymentKinds', '{}'],
          ['reportNumbers', 'consecutive'],
        ],
      ],
      [
        'key.created',
        [
          ['name', 'import'],
          ['scopes', 'read, ingest'],
        ],
      ],
    ],
  )

  await writeFile(file, `id,name\n${id},Another name\n`)
  const { stdout } = await tillgate(['location', 'import', file, '--key', 'read', ...on])
  assert.equal(stdout, `id,name,status,key\n${id},Another name,exists,\n`)
  assert.equal((await tillgateJson(['key', 'list', ...on])).length, 2)

  // A deleted location is not made again, and no other line is stored.
  await tillgate(['location', 'deactivate', id, ...on])
  await tillgate(['location', 'delete', id, '--grace', '0', '--confirm', 'Bistro "Chez Léa", Lyon', ...on])
  await writeFile(file, `id,name\n,New\n${id},Gone\n`)
  const refused = await tillgate(['location', 'import', file, ...on])
  assert.match(refused.stderr, /was deleted at journal entry 1/)
  assert.equal((await tillgateJson(['location', 'list', ...on])).length, listed.length - 1)
})

test('a file with an error stores nothing, and every error is reported with its line', async () => {
  const text = `name,timeZone,id\n,Europe/Paris,\nBar,Mars/Olympus,\nBistro,,${id}\nBistro,,${id}\nGood,,\n`
  assert.throws(
    () => readLocations('x.csv', text),
    (error: Error) => {
      assert.match(error.message, /^x\.csv: nothing was stored\.\nline 2: name must not be empty\nline 3: --time-zone/)
      assert.match(error.message, /line 5: id 272461e9\S+ is already in an earlier line$/)
      return true
    },
  )
  assert.throws(() => readLocations('x.csv', 'name,colour\nBar,red\n'), /line 2: unknown column colour: use id, name/)
  assert.throws(() => readLocations('x.csv', 'name\nBar,red\n'), /x\.csv is not a CSV file/)
  assert.throws(() => readLocations('x.csv', ''), /it contains no locations/)
  const refused = await tillgate(['location', 'import', join(folder, 'none.csv'), ...on])
  assert.match(refused.stderr, /none\.csv cannot be read/)
})
