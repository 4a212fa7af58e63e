import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDataDir, holdDatabase, tillgate, tillgateJson } from '../../support/cli.ts'

for (const currency of ['XXZ', 'eur', 'EURO', '']) {
  test(`a location with the invalid currency ${JSON.stringify(currency)} is not created`, async () => {
    const { code, stderr } = await tillgate(['location', 'create', '--name', 'Somewhere', '--currency', currency])
    assert.equal(code, 2)
    assert.equal(stderr, `error: --currency must be an ISO 4217 code such as EUR, not ${JSON.stringify(currency)}\n`)
  })
}

test('an update of a location changes the given fields only', async () => {
  const dataDir = await createDataDir({ filled: true })
  await holdDatabase(dataDir)
  const on = ['--data-dir', dataDir, '--json']
  const { id } = await tillgateJson(['location', 'create', '--name', 'Before', '--city', 'Paris', ...on])
  const settings = [
    '--time-zone',
    'europe/zurich',
    '--currency',
    'CHF',
    '--day-starts-at',
    '04:30',
    '--fiscal-year-starts',
    '07-01',
    '--e-reporting-categories',
    'takeaway=TPS1, a=b=TNT1',
    '--retire-device',
    'Caisse 3, bar',
    '--retire-device',
    'Caisse 4',
  ]
  await tillgateJson(['location', 'update', id, '--name', 'After', ...settings, ...on])
  const [location] = await tillgateJson(['location', 'list', ...on])
  assert.deepEqual(
    [
      location.name,
      location.city,
      location.timeZone,
      location.currency,
      location.dayStartsAt,
      location.fiscalYearStarts,
    ],
    ['After', 'Paris', 'Europe/Zurich', 'CHF', '04:30', '07-01'],
  )
  assert.deepEqual(Object.keys(location.retiredDevices), ['Caisse 3, bar', 'Caisse 4'])
  assert.match(location.retiredDevices['Caisse 4'], /^\d{4}-\d\d-\d\d$/)
  await tillgateJson(['location', 'update', id, '--city', 'Bern', '--return-device', 'Caisse 4', ...on])
  const [again] = await tillgateJson(['location', 'list', ...on])
  assert.deepEqual([again.name, again.city, again.currency], ['After', 'Bern', 'CHF'])
  assert.deepEqual(again.eReportingCategories, { takeaway: 'TPS1', 'a=b': 'TNT1' })
  assert.deepEqual(Object.keys(again.retiredDevices), ['Caisse 3, bar'])
  const idle = await tillgate(['location', 'update', id, ...on])
  assert.deepEqual([idle.code, JSON.parse(idle.stderr).error.code], [2, 'usage'])
  assert.match(idle.stderr, /no change was given/)
  for (const [option, value, expected] of [
    ['--name', ' ', /--name must not be empty/],
    ['--return-device', 'Caisse 4', /must be a device that is out of service \(Caisse 3, bar\), not Caisse 4/],
    ['--day-starts-at', '25:00', /--day-starts-at must be a time such as 05:00, not \\"25:00/],
    ['--fiscal-year-starts', '02-29', /--fiscal-year-starts must be a month and a day such as 04-01, not \\"02-29/],
    ['--e-reporting-categories', 'takeaway=goods', /must be pairs such as takeaway=TLB1 with one of TLB1, TPS1/],
    ['--time-zone', 'Mars/Olympus', /--time-zone must be a name such as Europe\/Paris/],
  ] as const) {
    const { code, stderr } = await tillgate(['location', 'update', id, option, value, ...on])
    assert.equal(code, 2)
    assert.match(stderr, expected)
  }
  const unknown = '00000000-0000-4000-8000-000000000000'
  assert.match((await tillgate(['location', 'update', unknown, '--city', 'X', ...on])).stderr, /location_not_found/)
  // Otherwise the answer for a mistyped id would be “There is nothing to acknowledge”.
  assert.match((await tillgate(['loss', 'acknowledge', '--location', unknown, ...on])).stderr, /location_not_found/)
})
