import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultLocationSettings } from '../../../../src/core/ingest/write/locations.ts'
import type { Order } from '../../../../src/core/contract/orders/schema.ts'
import type { Report } from '../../../../src/core/contract/reports/schema.ts'
import { updateLocationSettings } from '../../../../src/core/contract/location/rows.ts'
import { startApp, type Site } from '../../../support/app.ts'
import { assertProblem } from '../../../core/conformance/contract.ts'
import { idOf, order, orderOf, report } from '../../../support/records.ts'
import { eventually } from '../../../support/waiting.ts'
import { soundOrder, zReportOf } from '../../../support/z-reports.ts'

let now = new Date('2026-03-15T06:00:00.000Z')
const app = await startApp({ clock: () => now })

const sold = (site: Site, day: number, till: number): Order => {
  const at = `2026-03-${day}T19:00:00.000Z`
  const reportId = idOf('report', day * 10 + till)
  const place = { openedAt: at, closedAt: at, createdAt: at, updatedAt: at }
  return soundOrder(orderOf(site.id, day * 10 + till, { ...place, deviceId: idOf('device', till), reportId }))
}

/** Returns a day of one till: its order and its Z report. */
const dayOf = (site: Site, day: number, till: number) => {
  const sale = sold(site, day, till)
  const at = `2026-03-${day}T22:30:00.000Z`
  const z = zReportOf(site.id, day * 10 + till, [sale], {
    deviceIdentifier: idOf('device', till),
    deviceName: `Caisse ${till}`,
    createdAt: at,
    finalizedAt: at,
    reportNumber: day,
  })
  return [order(sale), report(z)]
}

const site = await app.addLocation()
const get = (path: string) => app.get(path, { key: site.key })
const untilOf = async (path: string) => (await get(path)).headers['tillgate-complete-until']

test('reads of orders, reports and sales state the time up to which all data has arrived, once it is known', async () => {
  await app.store([order(sold(site, 13, 1))], site.key)
  const paths = [
    '/v1/orders/',
    `/v1/orders/${idOf('order', 131)}`,
    '/v1/reports/',
    `/v1/reports/${idOf('report', 131)}`,
    '/v1/sales/',
    '/v1/sales/?by=day',
  ]
  for (const path of paths) assert.equal(await untilOf(path), undefined, path)
  assert.equal((await get('/v1/sales/')).json.meta.completeUntil, null)
  await app.store(dayOf(site, 13, 1), site.key)
  const at = '2026-03-13T22:30:00.000Z'
  await eventually(async () => (await untilOf('/v1/orders/')) === at, 'the header says at')
  // A replica at an earlier sequence does not report data that it does not have.
  assert.equal(app.context.watermarks.at(site.id, 1), null)
  for (const path of paths) assert.equal(await untilOf(path), at, path)
  assert.equal((await get('/v1/sales/')).json.meta.completeUntil, at)
  assert.equal(await untilOf('/v1/catalog/'), undefined)

  // A second till with only one order: completeness is now unknown.
  await app.store([order(sold(site, 13, 2))], site.key)
  await eventually(async () => (await untilOf('/v1/orders/')) === undefined, 'the header says undefined')
  await app.store(dayOf(site, 13, 2), site.key)
  await eventually(async () => (await untilOf('/v1/orders/')) === at, 'the header says at')
})

test('the ETag of sales changes when more of them is known to be complete', async () => {
  const { headers } = await get('/v1/sales/?since=2026-03-13')
  const again = await app.get('/v1/sales/?since=2026-03-13', {
    key: site.key,
    headers: { 'if-none-match': headers.etag as string },
  })
  assert.deepEqual([again.status, again.headers['tillgate-complete-until']], [304, headers['tillgate-complete-until']])

  // The location is read while its first response is made, and nothing is pushed in the meantime.
  const fresh = await app.addLocation()
  await app.store(dayOf(fresh, 13, 1), fresh.key)
  const ask = (etag = '') =>
    app.get('/v1/sales/?since=2026-03-13', { key: fresh.key, headers: { 'if-none-match': etag } })
  const before = await ask()
  assert.equal(before.headers['tillgate-complete-until'], undefined)
  await eventually(async () => (await ask()).headers['tillgate-complete-until'] !== undefined, 'the header is there')
  const after = await ask(before.headers.etag as string)
  assert.deepEqual([after.status, after.json.meta.sequence], [200, before.json.meta.sequence])
})

test('closed days without any record do not delay completeness', async () => {
  const place = await app.addLocation()
  const [moment, day] = [now, (n: number) => dayOf(place, n, 1)]
  now = new Date('2026-03-29T06:00:00.000Z')
  const [sale, z] = day(28) as [ReturnType<typeof order>, ReturnType<typeof report>]
  const next = report({ ...(z.data as Report), reportNumber: 11 })
  await app.store([...day(10), sale, next], place.key)
  const ask = (until: string) =>
    app.get(`/v1/sales/?since=2026-03-10&until=${until}&require=complete`, { key: place.key })
  assert.equal((await ask('2026-03-28')).status, 200)
  assert.deepEqual((await ask('2026-03-29')).json.days, ['2026-03-29'])
  now = moment
})

test('a range requested with require=complete is refused while something is missing, with the missing tills', async () => {
  await app.store(dayOf(site, 14, 1), site.key)
  const range = {
    '/v1/sales/': 'since=2026-03-13&until=2026-03-14',
    '/v1/orders/': 'since=2026-03-13&until=2026-03-14',
    '/v1/reports/': 'until=2026-03-14',
  }
  const late = { deviceId: idOf('device', 2), deviceName: 'Caisse 2', completeUntil: '2026-03-13T22:30:00.000Z' }
  for (const [path, query] of Object.entries(range)) {
    assert.equal((await get(`${path}?${query}`)).status, 200)
    const answer = await get(`${path}?${query}&require=complete`)
    assertProblem(answer, { status: 409, code: 'incomplete' })
    assert.deepEqual([answer.json.days, answer.json.devices], [['2026-03-14'], [late]], path)
    assert.match(answer.json.detail, /2026-03-14.*Caisse 2/)
  }
  await app.store(dayOf(site, 14, 2), site.key)
  for (const [path, query] of Object.entries(range))
    assert.equal((await get(`${path}?${query}&require=complete`)).status, 200, path)
})

test('require=complete includes records that have just arrived', async () => {
  const place = await app.addLocation()
  assert.equal((await app.get('/v1/completeness/', { key: place.key })).status, 200)
  await app.store(dayOf(place, 14, 1), place.key)
  // The list uses UTC days, so it overlaps the previous business day, which precedes the first business day with data.
  const list = '/v1/orders/?since=2026-03-14&until=2026-03-14&require=complete'
  assert.equal((await app.get(list, { key: place.key })).status, 200)
})

test('a day that is not over is not complete, and neither is a location without records', async () => {
  for (const path of ['/v1/sales/', '/v1/orders/', '/v1/orders/?since=2026-03-15', '/v1/reports/?since=2026-03-14']) {
    const answer = await get(`${path}${path.includes('?') ? '&' : '?'}require=complete`)
    assertProblem(answer, { status: 409, code: 'incomplete' })
    assert.deepEqual(answer.json.days, ['2026-03-15'], path)
    assert.equal(answer.json.devices.length, 2)
  }
  const other = await app.get('/v1/orders/?until=2026-03-01&require=complete', { key: app.other.key })
  assertProblem(other, { status: 409, code: 'incomplete' })
  assertProblem(await get('/v1/orders/?require=everything'), { status: 400, code: 'validation_failed' })
})

test('a skipped number is reported with its till', async () => {
  now = new Date('2026-03-18T06:00:00.000Z')
  await app.store(
    [...dayOf(site, 16, 1), ...dayOf(site, 16, 2), ...dayOf(site, 17, 1), ...dayOf(site, 17, 2)],
    site.key,
  )
  const { json } = await get('/v1/sales/?since=2026-03-16&until=2026-03-17&require=complete')
  assert.deepEqual(
    [json.days, json.devices.map(({ deviceName }: { deviceName: string }) => deviceName)],
    [['2026-03-16'], ['Caisse 1', 'Caisse 2']],
  )
})

test('a till taken out of service does not delay completeness, until it is active on a later day', async () => {
  const place = await app.addLocation()
  const read = async (path: string) => (await app.get(path, { key: place.key })).json
  const statusOn = async (date: string) => {
    const { status, waitingFor } = await read(`/v1/business-days/${date}`)
    return [status, waitingFor.map(({ deviceName }: { deviceName: string }) => deviceName)]
  }
  const stateOf = async (till: string) => {
    const { devices, completeUntil } = await read('/v1/completeness/')
    const found = devices.find(({ deviceName }: { deviceName: string }) => deviceName === till)
    return [found.state, completeUntil]
  }
  const retire = (retiredDevices: Record<string, string>) =>
    updateLocationSettings(app.pool, place.id, { ...defaultLocationSettings, retiredDevices })
  now = new Date('2026-03-23T12:00:00.000Z')
  await app.store([...dayOf(place, 20, 1), ...dayOf(place, 20, 2), ...dayOf(place, 21, 1)], place.key)
  await app.store([...dayOf(place, 22, 1)], place.key)
  assert.deepEqual(await statusOn('2026-03-22'), ['open', ['Caisse 2']])
  assert.deepEqual(await stateOf('Caisse 2'), ['active', '2026-03-20T22:30:00.000Z'])

  await retire({ 'Caisse 2': '2026-03-22' })
  assert.deepEqual(await stateOf('Caisse 2'), ['retired', '2026-03-22T22:30:00.000Z'])
  assert.deepEqual(await statusOn('2026-03-21'), ['complete', []])
  assert.deepEqual(await statusOn('2026-03-22'), ['complete', []])
  assert.deepEqual(await statusOn('2026-03-20'), ['complete', []])
  await retire({ [idOf('device', 2).toUpperCase()]: '2026-03-22' })
  assert.deepEqual(await stateOf('Caisse 2'), ['retired', '2026-03-22T22:30:00.000Z'])

  // The sales of the till on the day on which it broke will never be in a Z report. The day does not wait for one, and
  // is complete.
  await app.store([order(sold(place, 22, 2))], place.key)
  const broken = await read('/v1/business-days/2026-03-22')
  assert.deepEqual([broken.status, broken.waitingFor, broken.orders.extra.length], ['complete', [], 0])
  const loose = { ...sold(place, 22, 2), reportId: null, updatedAt: '2026-03-22T20:00:00.000Z' }
  await app.store([order(loose)], place.key)
  assert.deepEqual(await statusOn('2026-03-22'), ['closed', []])

  await app.store(dayOf(place, 23, 2), place.key)
  now = new Date('2026-03-24T12:00:00.000Z')
  assert.equal((await stateOf('Caisse 2'))[0], 'active')
  assert.deepEqual(await statusOn('2026-03-23'), ['open', ['Caisse 1']])
  await app.store(dayOf(place, 23, 1), place.key)
  now = new Date('2026-03-25T12:00:00.000Z')
  await app.store(dayOf(place, 24, 1), place.key)
  assert.deepEqual(await statusOn('2026-03-24'), ['open', ['Caisse 2']])
})

test('a till without Z reports can state until when it has pushed everything', async () => {
  const shop = await app.addLocation()
  const device = { deviceId: idOf('device', 9), reportId: null }
  const web = (n: number, time: string) => {
    const at = `2026-03-20T${time}:00.000Z`
    return order({ ...sold(shop, 20, n), ...device, openedAt: at, closedAt: at, createdAt: at, updatedAt: at })
  }
  const status = (at: string, changes: object = {}) => ({
    type: 'device.status',
    data: { deviceId: device.deviceId, at, completeUntil: at, ...changes },
  })
  const completeness = async () => (await app.get('/v1/completeness/', { key: shop.key })).json
  now = new Date('2026-03-20T21:00:00.000Z')
  await app.store([web(1, '19:00')], shop.key)
  assert.equal((await completeness()).completeUntil, null)

  const first = status('2026-03-20T20:00:00.000Z', { lastNumber: 10 })
  const { results } = await app.store([first], shop.key)
  const [{ warnings, ...accepted }] = results as [any]
  assert.deepEqual(accepted, { line: 1, status: 'accepted', type: 'device.status', id: device.deviceId })
  // The device list of the location does not contain this device.
  assert.deepEqual(
    warnings.map(({ code, pointer }: any) => [code, pointer]),
    [['unknown_device', '/data/deviceId']],
  )
  const { completeUntil, sequence, devices } = await completeness()
  assert.deepEqual([completeUntil, devices[0].basis, sequence], ['2026-03-20T20:00:00.000Z', 'status', 1])
  const verdictOf = async (record: unknown) => (await app.push([record], { key: shop.key })).json.results[0].status
  assert.equal(await verdictOf(first), 'unchanged')
  assert.equal(await verdictOf(status('2026-03-20T19:59:00.000Z')), 'stale')

  // The till counted two more orders, one of which has not arrived.
  now = new Date('2026-03-21T06:00:00.000Z')
  const second = status('2026-03-21T05:00:00.000Z', { lastNumber: 12 })
  await app.store([web(2, '20:30'), second], shop.key)
  const short = await completeness()
  assert.deepEqual([short.completeUntil, short.devices[0].missingOrders], [null, 1])
  assert.equal((await app.get('/v1/business-days/2026-03-20', { key: shop.key })).json.status, 'open')
  await app.store([web(3, '20:45')], shop.key)
  const whole = await completeness()
  assert.deepEqual([whole.completeUntil, whole.devices[0].missingOrders], ['2026-03-21T05:00:00.000Z', 0])
  assert.equal((await app.get('/v1/business-days/2026-03-20', { key: shop.key })).json.status, 'complete')

  // The next count is compared with the last one that matched.
  await app.store([status('2026-03-21T05:30:00.000Z', { lastNumber: 13 })], shop.key)
  assert.equal((await completeness()).devices[0].missingOrders, 1)
})

test('an invalid till status, or one in the future, is rejected', async () => {
  now = new Date('2026-03-21T06:00:00.000Z')
  const status = (changes: object) => ({
    type: 'device.status',
    data: {
      deviceId: idOf('device', 1),
      at: '2026-03-21T06:00:00.000Z',
      completeUntil: '2026-03-21T06:00:00.000Z',
      ...changes,
    },
  })
  const faultOf = async (record: unknown) => {
    const { status, json } = await app.push([record])
    assert.equal(status, 400)
    return [json.results[0].code, json.results[0].errors[0].pointer]
  }
  assert.deepEqual(await faultOf(status({ completeUntil: '2026-03-21T06:05:00.001Z' })), [
    'clock_ahead',
    '/data/completeUntil',
  ])
  assert.deepEqual(await faultOf(status({ at: '2030-01-01T00:00:00.000Z' })), ['clock_ahead', '/data/at'])
  assert.deepEqual(await faultOf(status({ lastNumber: -1 })), ['out_of_range', '/data/lastNumber'])
  assert.deepEqual(await faultOf(status({ locationId: site.id })), ['unknown_field', '/data/locationId'])
  await app.store([status({ at: '2026-03-21T06:05:00.000Z' })])
})
