import assert from 'node:assert/strict'
import { test } from 'node:test'
import { liveSources, type LiveSource } from '../../../src/modules/sources/schemas/sources.ts'
import { listComparedDays } from '../../../src/modules/sources/store/days.ts'
import { findNotices } from '../../../src/modules/sources/store/notices.ts'
import { addLocation } from '../../support/app.ts'
import { createDatabase } from '../../support/database.ts'
import { FakeSquare } from './fake-square.ts'
import { startFake, VirtualClock } from './faults.ts'
import { pollOf } from './polled.ts'
import { fakes } from './polling.ts'

const { pool } = await createDatabase()

const hourMs = 3_600_000

async function openShop(
  adapter: LiveSource,
  seed: number,
  shop: (clock: VirtualClock) => ReturnType<(typeof fakes)[LiveSource]>,
) {
  const clock = new VirtualClock('2026-03-26T10:00:00.000Z')
  const own = shop(clock)
  const fake = await startFake(own, { seed, clock, isLogin: ({ path }) => path.includes('login') })
  fake.calm()
  const settings = { timeZone: 'Europe/London', currency: 'GBP', dayStartsAt: '04:00' } as const
  const locationId = await addLocation(pool, undefined, settings)
  const secretOf = (token: string) => (adapter === 'toast' ? `client:${token}` : token)
  const polled = await pollOf(pool, { adapter, account: own.account, locationId, fake, clock, seed, secretOf })
  return { clock, shop: own, fake, locationId, polled }
}

const eventsOf = async (locationId: string) =>
  (
    await pool<{ document: string }[]>`
      select document from journal where location_id = ${locationId} and 'source.differs' = any(types) order by seq`
  ).map(({ document }) => JSON.parse(document) as Record<string, unknown>)

for (const adapter of liveSources) {
  test(`${adapter}: the stored records of a night equal the payments that its system reports in another way`, async () => {
    const { clock, shop, fake, locationId, polled } = await openShop(adapter, 3, (of) => fakes[adapter](3, of))
    for (let i = 0; i < 50; i++) {
      clock.advance(hourMs)
      shop.act()
    }
    shop.settle()
    clock.advance(20 * hourMs)
    assert.equal((await polled.runWhole()).kind, 'done')
    const days = await listComparedDays(pool, polled.source, '2026-03-01')
    assert.ok(days.filter(({ there }) => there !== 0).length >= 2, 'there is something to compare')
    for (const { day, here, there } of days) assert.equal(here, there, day)
    assert.deepEqual(await eventsOf(locationId), [])
    const statuses = await pool<{ until: Date }[]>`
      select complete_until as until from device_statuses where location_id = ${locationId}`
    // After this many hours the data of a source is complete; for Loyverse, shifts state this.
    const hours = { square: 72, toast: 6, sumup: 72, 'lightspeed-k': 24, loyverse: null }[adapter]
    const expected = hours === null ? [] : [new Date(clock.ms - hours * hourMs)]
    assert.equal(statuses.length, expected.length)
    for (const { until } of statuses) assert.ok(Math.abs(until.getTime() - (expected[0] as Date).getTime()) < 600_000)
    await fake.close()
    await polled.close()
  })
}

test('after a difference the documents are read again, and each remaining difference is reported once', async () => {
  let square!: FakeSquare
  const { clock, fake, locationId, polled } = await openShop('square', 5, (of) => (square = new FakeSquare(5, of)))
  for (let i = 0; i < 40; i++) {
    clock.advance(hourMs / 4)
    square.act()
  }
  square.settle()
  const paid = square.payments().filter(({ amount_money }) => amount_money.amount > 0)
  const [missed, gone] = [...new Set(paid.map(({ order_id }) => order_id as string))]
  const paidFor = (id: string | undefined) =>
    paid
      .filter(({ order_id }) => order_id === id)
      .reduce((sum, { amount_money, tip_money }) => sum + amount_money.amount + tip_money.amount, 0)
  square.hide(missed as string, false)
  square.hide(gone as string, true)
  clock.advance(26 * hourMs)
  assert.equal((await polled.runWhole()).kind, 'done')
  const keys = new Set((await polled.stored()).map(({ externalOrderId }) => externalOrderId as string))
  assert.ok(keys.has(missed as string), 'what no list had was read by its key')
  assert.ok(!keys.has(gone as string))
  const [event, ...more] = await eventsOf(locationId)
  assert.deepEqual(more, [])
  assert.equal(event?.['difference'], -paidFor(gone))
  assert.equal((event?.['here'] as number) - (event?.['there'] as number), -paidFor(gone))
  assert.deepEqual([event?.['source'], event?.['account'], event?.['sourceId']], ['square', 'L1', polled.source.id])
  const [status] = await pool<{ until: Date }[]>`
    select complete_until as until from device_statuses where location_id = ${locationId}`
  assert.ok(
    (status?.until.getTime() ?? 0) <= Date.parse(`${String(event?.['date'])}T04:00:00Z`),
    'no day that differs is complete',
  )
  assert.deepEqual([...(await findNotices(pool, polled.source, [gone as string])).keys()], [])

  clock.advance(24 * hourMs)
  assert.equal((await polled.runWhole()).kind, 'done')
  assert.equal((await eventsOf(locationId)).length, 1, 'the same difference is reported once')

  square.hide(gone as string, false)
  clock.advance(24 * hourMs)
  assert.equal((await polled.runWhole()).kind, 'done')
  const [day] = (await listComparedDays(pool, polled.source, '2026-03-01')).filter(({ day }) => day === event?.['date'])
  assert.equal(day?.here, day?.there)
  assert.equal((await eventsOf(locationId)).length, 1)
  await fake.close()
  await polled.close()
})
