import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Order } from '../../../src/core/contract/orders/schema.ts'
import type { Report } from '../../../src/core/contract/reports/schema.ts'
import { startApp, type Site } from '../../support/app.ts'
import { order, orderOf, report, reportOf } from '../../support/records.ts'
import { soundOrder } from '../../support/z-reports.ts'

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
let nowMs = Date.parse('2026-03-14T12:00:00.000Z')
const clock = () => new Date(nowMs)
const app = await startApp({ clock })
/** A second process, which knows nothing of the first. */
const other = await startApp({ clock, database: app.database })

const at = (ms: number) => new Date(nowMs + ms).toISOString()
const months = '2027-03-14T12:00:00.000Z'

let n = 0
/** Returns a bill that a till opened, by the till's clock. */
function open(site: Site, aheadMs: number): Order {
  n += 1
  const times = { createdAt: at(aheadMs), updatedAt: at(aheadMs), openedAt: at(aheadMs) }
  return { ...soundOrder(orderOf(site.id, n, { ...times, closedAt: null })), payments: [] }
}

const paid = (bill: Order, aheadMs = 0): Order => {
  const { total } = bill
  const payments = [
    { paymentAmount: total, paymentName: 'Carte', paymentCatalogId: '1e2d3c4b-5a69-4788-9a0b-1c2d3e4f5061' },
  ]
  return { ...bill, updatedAt: at(aheadMs), closedAt: at(aheadMs), payments }
}

async function push(site: Site, ...orders: Order[]): Promise<string[]> {
  const { json } = await app.push(orders.map(order), { key: site.key })
  return json.results.map(({ status }: { status: string }) => status)
}

const closedAt = async (site: Site, { id }: Order) =>
  (await app.get(`/v1/orders/${id}`, { key: site.key })).json.closedAt

/** Checks that the sale is still closed. */
async function assertPaid(site: Site, bill: Order): Promise<void> {
  assert.notEqual(await closedAt(site, bill), null)
}

test('a bill that was open when the clock of its till was corrected is paid', async () => {
  for (const aheadMs of [5 * minute + 1, 2 * hour, 365 * day]) {
    const site = await app.addLocation()
    const bill = open(site, aheadMs)
    const answer = await app.push([order(bill)], { key: site.key })
    const codes = answer.json.results[0].warnings.map(({ code, pointer }: any) => `${code} ${pointer}`)
    assert.ok(codes.includes('time_ahead /data/updatedAt'), String(codes))
    nowMs += minute
    const done = paid(bill)
    assert.deepEqual(await push(site, done), ['accepted'])
    await assertPaid(site, bill)
    const { json } = await app.get('/v1/events/?after=0&types=order.paid', { key: site.key })
    assert.equal(json.data.length, 1)
    const figure = await app.get('/v1/sales/', { key: site.key })
    assert.equal(figure.json.totals.salesInclTax, Math.round(bill.total * 100))
    // A version with a time ahead does not return, whichever process receives it, alone or with its successor.
    assert.deepEqual(await push(site, bill), ['stale'])
    assert.deepEqual(await push(site, bill, done), ['stale', 'unchanged'])
    nowMs += 3 * hour
    const again = await other.push([order(bill)], { key: site.key })
    assert.equal(again.json.results[0].status, 'stale')
    await assertPaid(site, bill)
    // The time of a version that was ahead does not block a correction either.
    assert.deepEqual(await push(site, { ...done, updatedAt: at(0), orderPlace: 'T9' }), ['accepted'])
    await assertPaid(site, bill)
    assert.equal((await app.get(`/v1/orders/${bill.id}`, { key: site.key })).json.orderPlace, 'T9')
  }
})

test('in one push the version with the correct time wins over an earlier one with a time ahead, however often it is sent', async () => {
  const site = await app.addLocation()
  const bill = open(site, 2 * hour)
  const done = paid(bill)
  assert.deepEqual(await push(site, bill, done), ['accepted', 'accepted'])
  for (let i = 0; i < 3; i++) {
    assert.deepEqual(await push(site, bill, done), ['stale', 'unchanged'])
    await assertPaid(site, bill)
  }
})

test('a version older than the clock error does not replace one with a time ahead', async () => {
  const site = await app.addLocation()
  const first = open(site, -hour)
  const second = { ...first, updatedAt: at(2 * hour), orderPlace: 'T2' }
  assert.deepEqual(await push(site, first, second), ['accepted', 'accepted'])
  assert.deepEqual(await push(site, first), ['stale'])
  // A later version that waited for the network is newer, although it was made before the second version arrived.
  const third = paid(first, -30 * minute)
  assert.deepEqual(await push(site, third), ['accepted'])
  await assertPaid(site, first)
})

test('while a clock is ahead the newer version wins, and the later push wins after it is set back by a day', async () => {
  const site = await app.addLocation()
  const bill = open(site, 365 * day)
  const newer = { ...bill, updatedAt: at(365 * day + minute), orderPlace: 'T2' }
  assert.deepEqual(await push(site, newer), ['accepted'])
  assert.deepEqual(await push(site, bill), ['stale'])
  nowMs += minute
  const later = paid(bill, 2 * hour)
  assert.deepEqual(await push(site, later), ['accepted'])
  await assertPaid(site, bill)
  assert.deepEqual(await push(site, newer), ['stale'])
  await assertPaid(site, bill)
})

test('a clock that is ahead by up to five minutes is accepted: the older version is stale', async () => {
  const site = await app.addLocation()
  const bill = open(site, 5 * minute)
  assert.deepEqual(await push(site, { ...bill, orderPlace: 'T2' }), ['accepted'])
  nowMs += minute
  assert.deepEqual(await push(site, paid(bill)), ['stale'])
})

test('a Z report with a time ahead is replaced by its correction', async () => {
  const site = await app.addLocation()
  const z = { ...reportOf(site.id, 1), createdAt: months, updatedAt: months } as Report
  assert.equal((await app.push([report(z)], { key: site.key })).json.results[0].status, 'accepted')
  const corrected = { ...z, updatedAt: at(0), guestsNumber: 99 }
  assert.equal((await app.push([report(corrected)], { key: site.key })).json.results[0].status, 'accepted')
  assert.equal((await app.push([report(z)], { key: site.key })).json.results[0].status, 'stale')
  assert.equal((await app.get(`/v1/reports/${z.id}`, { key: site.key })).json.guestsNumber, 99)
})
