import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DeviceList, type DeviceState } from '../../../../src/modules/figures/schemas/devices.ts'
import type { Order } from '../../../../src/core/contract/orders/schema.ts'
import { assertProblem, okay } from '../../../core/conformance/contract.ts'
import { startApp } from '../../../support/app.ts'
import { idOf, locationOf, order, orderOf, report } from '../../../support/records.ts'
import { soundOrder, zReportOf } from '../../../support/z-reports.ts'

let now = new Date('2026-03-15T08:00:00.000Z')
const app = await startApp({ clock: () => now })
const site = await app.addLocation()
const at = (time: string) => new Date(`2026-03-15T${time}.000Z`)

const read = async (key = site.key): Promise<DeviceList> =>
  okay(await app.get('/v1/devices/', { key }), DeviceList) as DeviceList
const till = async (n: number): Promise<DeviceState> =>
  (await read()).data.find(({ deviceId }) => deviceId === idOf('device', n)) ?? assert.fail(`no till ${n}`)

const sale = (n: number, device: number, time: string, changes: Partial<Order> = {}): Order => {
  const moment = at(time).toISOString()
  const times = { openedAt: moment, closedAt: moment, createdAt: moment, updatedAt: moment }
  const place = { deviceId: idOf('device', device), orderNumber: `T-${n}`, reportId: null }
  return soundOrder(orderOf(site.id, n, { ...times, ...place, ...changes }))
}

/** Stores an order that is accepted this many milliseconds after its own time. */
async function sold(order_: Order, lateMs: number): Promise<void> {
  now = new Date(Date.parse(order_.updatedAt) + lateMs)
  await app.store([order(order_)], site.key)
}

test('a till that never sent anything is in the list without details', async () => {
  const device = { id: idOf('device', 9), name: 'Réserve', model: 'POS-3' }
  await app.store([{ type: 'location', data: locationOf(site.id, { deviceList: [device] }) }], site.key)
  const { data, meta } = await read()
  assert.deepEqual([data.length, meta.businessDay, meta.completeUntil], [1, '2026-03-15', null])
  const [only] = data
  assert.deepEqual(
    [
      only?.deviceName,
      only?.model,
      only?.state,
      only?.lastSeenAt,
      only?.lastOrder,
      only?.ordersToday,
      only?.silentSince,
    ],
    ['Réserve', 'POS-3', 'idle', null, null, 0, null],
  )
})

test('each till has its last order, open orders, own count, and delay of its orders', async () => {
  for (const [i, time] of ['10:00:00', '10:10:00', '10:20:00', '10:30:00', '10:40:00', '10:50:00'].entries()) {
    await sold(sale(i + 1, 1, time), 1_000 * (i + 1))
  }
  await sold(sale(7, 2, '10:50:40', { closedAt: null }), -20_000)
  const status = { deviceId: idOf('device', 1), at: at('10:51:00').toISOString(), lastNumber: 1041 }
  now = at('10:51:00')
  await app.store([{ type: 'device.status', data: { ...status, completeUntil: status.at } }], site.key)
  const wrong = { ...sale(8, 2, '10:51:00'), color: 'red' }
  assert.equal((await app.push([order(wrong)], { key: site.key })).status, 400)

  const first = await till(1)
  assert.deepEqual(first.lastOrder, {
    id: idOf('order', 6),
    orderNumber: 'T-6',
    openedAt: '2026-03-15T10:50:00.000Z',
    acceptedAt: '2026-03-15T10:50:06.000Z',
  })
  assert.deepEqual(
    [first.lastNumber, first.basis, first.completeUntil, first.openOrders, first.ordersToday, first.rejected24h],
    [1041, 'status', '2026-03-15T10:51:00.000Z', 0, 6, 0],
  )
  assert.deepEqual([first.medianDelayMs, first.clockAheadMs], [3_000, 0])
  const second = await till(2)
  assert.deepEqual(
    [second.openOrders, second.ordersToday, second.rejected24h, second.medianDelayMs, second.clockAheadMs],
    [1, 1, 1, -20_000, 20_000],
  )
  const { headers, json } = await app.get('/v1/devices/', { key: site.key })
  assert.equal(headers['tillgate-sequence'], String(json.meta.sequence))

  // One version in seven arrives too late; a day later it is no longer counted.
  const late = { ...sale(6, 1, '10:50:00'), updatedAt: '2026-03-15T10:49:00.000Z' }
  assert.equal((await app.push([order(late)], { key: site.key })).json.stale, 1)
  assert.deepEqual([(await till(1)).staleShare24h, (await till(2)).staleShare24h], [1 / 7, 0])
  assert.equal((await till(9)).staleShare24h, null)
  now = new Date(now.getTime() + 25 * 3_600_000)
  assert.equal((await till(1)).staleShare24h, null)
})

test('a till is silent after an unusually long pause, until it sends something or has closed with a Z report', async () => {
  // The till sells every ten minutes: a quarter of an hour without a sale is unusually long.
  now = at('11:05:06')
  assert.equal((await till(1)).silentSince, null)
  now = at('11:05:07')
  assert.equal((await till(1)).silentSince, '2026-03-15T10:50:06.000Z')
  // The usual pauses of the second till are unknown.
  assert.equal((await till(2)).silentSince, null)
  now = at('12:50:21')
  assert.equal((await till(2)).silentSince, '2026-03-15T10:50:20.000Z')

  await sold(sale(9, 1, '12:51:00'), 1_000)
  assert.equal((await till(1)).silentSince, null)
  // The longest pause of the till is now two hours.
  now = at('14:30:00')
  assert.equal((await till(1)).silentSince, null)
  now = at('15:30:00')
  assert.equal((await till(1)).silentSince, '2026-03-15T12:51:01.000Z')

  const z = zReportOf(site.id, 1, [sale(9, 1, '12:51:00')], {
    deviceIdentifier: idOf('device', 1),
    deviceName: 'Caisse 1',
    createdAt: at('15:31:00').toISOString(),
    finalizedAt: at('15:31:00').toISOString(),
    reportNumber: 214,
  })
  now = at('15:31:01')
  await app.store([report(z)], site.key)
  const closed = await till(1)
  assert.deepEqual(
    [closed.silentSince, closed.lastReport, closed.deviceName],
    [null, { reportNumber: 214, finalizedAt: '2026-03-15T15:31:00.000Z' }, 'Caisse 1'],
  )

  // On the next day a till without Z reports is no longer expected; a till with Z reports is expected once it sells.
  now = new Date('2026-03-16T10:00:00.000Z')
  assert.deepEqual([(await till(1)).silentSince, (await till(2)).silentSince], [null, null])
  const morning = new Date('2026-03-16T06:00:00.000Z').toISOString()
  const first = sale(10, 1, '06:00:00', {
    openedAt: morning,
    closedAt: morning,
    createdAt: morning,
    updatedAt: morning,
  })
  now = new Date(morning)
  await app.store([order(first)], site.key)
  now = new Date('2026-03-17T10:00:00.000Z')
  assert.equal((await till(1)).silentSince, morning)
})

test('the devices of a location are readable with its key, and with no other', async () => {
  const { data } = await read(app.other.key)
  assert.ok(data.every(({ lastOrder, lastSeenAt }) => lastOrder === null && lastSeenAt === null))
  assertProblem(await app.get('/v1/devices/', { key: app.keys.webhooks }), { status: 403, code: 'scope_missing' })
  assertProblem(await app.get('/v1/devices/?location=x', { key: site.key }), { status: 400, code: 'validation_failed' })
})

test('of more than 500 devices the most recently active are listed, each with its last order', async () => {
  const { id, key } = await app.addLocation()
  const orders = Array.from({ length: 503 }, (_, n) => {
    const moment = new Date(at('08:00:00').getTime() + n * 1_000).toISOString()
    const times = { openedAt: moment, closedAt: moment, createdAt: moment, updatedAt: moment }
    return order(orderOf(id, n + 1, { ...times, deviceId: idOf('device', n + 1) }))
  })
  now = at('12:00:00')
  await app.store(orders, key)
  const { data } = await read(key)
  const listed = new Set(data.map(({ deviceId }) => deviceId))
  assert.deepEqual([data.length, listed.size], [500, 500])
  for (const n of [1, 2, 3]) assert.ok(!listed.has(idOf('device', n)), `device ${n}`)
  assert.ok(data.every(({ lastOrder }) => lastOrder !== null))
})
