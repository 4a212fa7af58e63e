import assert from 'node:assert/strict'
import { test } from 'node:test'
import { announceDays } from '../../../../src/modules/figures/projections/announcements.ts'
import { daysProjection } from '../../../../src/modules/figures/projections/days.ts'
import { stepProjection } from '../../../../src/modules/figures/projections/projection.ts'
import type { Order } from '../../../../src/core/contract/orders/schema.ts'
import { startApp, type Site } from '../../../support/app.ts'
import { idOf, order, orderOf, report } from '../../../support/records.ts'
import { soundOrder, zReportOf } from '../../../support/z-reports.ts'

const now = new Date('2027-06-01T12:00:00.000Z')
const app = await startApp({ clock: () => now })

const dayMs = 86_400_000
const day = '2026-03-14'
const closedAt = `${day}T19:00:00.000Z`

/** Days from the close of an order to its creation. */
const offsets = [-400, -31, -15, -8, -7, -3, -1, 0, 1, 2, 3, 4, 7, 8, 10, 31, 400]

const createdAfter = (days: number) => new Date(Date.parse(closedAt) + days * dayMs).toISOString()

const sold = (site: Site, n: number, changes: Partial<Order>) => {
  const createdAt = changes.createdAt ?? closedAt
  const reportId = idOf('report', 1)
  const deviceId = idOf('device', 1)
  const base = { openedAt: closedAt, closedAt, createdAt, updatedAt: createdAt, reportId, deviceId }
  return soundOrder(orderOf(site.id, n, { ...base, ...changes }))
}

const get = async (site: Site, path: string): Promise<any> => {
  const answer = await app.get(path, { key: site.key })
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

async function work(site: Site): Promise<void> {
  while ((await stepProjection(app.pool, daysProjection, site.id)) === 'behind');
  await announceDays(app.pool, site.id, now)
}

test('a list by day of closing contains the orders of its figure, whenever they were created', async () => {
  const site = await app.addLocation()
  const orders = offsets.map((days, i) => sold(site, i + 1, { createdAt: createdAfter(days) }))
  const others = offsets.map((days, i) => {
    const next = new Date(Date.parse(closedAt) + dayMs).toISOString()
    return sold(site, 100 + i, { createdAt: createdAfter(days), openedAt: next, closedAt: next })
  })
  await app.store([...orders, ...others].map(order), site.key)
  const figure = await get(site, `/v1/sales/?since=${day}&until=${day}`)
  assert.equal(figure.totals.orders, offsets.length)
  const list = `/v1/orders/?closedSince=${day}&isCounted=true`
  const whole = await get(site, `${list}&size=100`)
  assert.equal(whole.meta.totalCount, offsets.length)
  const ids = orders.map(({ id }) => id).toSorted()
  assert.deepEqual(whole.data.map(({ id }: Order) => id).toSorted(), ids)
  // Read page by page, in both directions: each order once, in the order of creation.
  for (const sort of ['createdAt', '-createdAt']) {
    const walked: Order[] = []
    for (let next: string | null = `${list}&size=3&sort=${sort}`; next !== null;) {
      const page: any = await get(site, next)
      walked.push(...page.data)
      next = page.links.next && new URL(page.links.next).pathname + new URL(page.links.next).search
    }
    assert.deepEqual(walked.map(({ id }) => id).toSorted(), ids)
    const created = walked.map((one) => one.createdAt)
    assert.deepEqual(created, sort === 'createdAt' ? created.toSorted() : created.toSorted().toReversed())
  }
  // Creation dates narrow the list.
  const narrowed = await get(
    site,
    `${list}&since=${createdAfter(2).slice(0, 10)}&until=${createdAfter(8).slice(0, 10)}`,
  )
  assert.equal(narrowed.meta.totalCount, offsets.filter((days) => days >= 2 && days <= 8).length)
  const hour = await get(site, `${list}&hour=20`)
  assert.equal(hour.meta.totalCount, offsets.length)
  const byHour = await get(site, `/v1/sales/?by=hour,product&since=${day}&until=${day}`)
  const [first] = orders[0]?.items ?? []
  const units = byHour.data.filter(({ key }: any) => key === first?.itemCatalogId)
  assert.deepEqual(
    units.map(({ orders: n }: any) => n),
    [offsets.length],
  )
})

test('a deduction is found by the close of its order, or by the opening of one never closed, whenever it was created', async () => {
  const site = await app.addLocation()
  const canceled = { isCanceled: true, payments: [] }
  const records = offsets.flatMap((days, i) => [
    sold(site, i + 1, { ...canceled, createdAt: createdAfter(days) }),
    sold(site, 100 + i, { ...canceled, createdAt: createdAfter(days), closedAt: null }),
    sold(site, 200 + i, {
      ...canceled,
      createdAt: createdAfter(days),
      closedAt: null,
      openedAt: `2026-03-15T19:00:00.000Z`,
    }),
  ])
  await app.store(records.map(order), site.key)
  for (const [date, count] of [
    [day, 2],
    ['2026-03-15', 1],
    ['2026-03-13', 0],
    ['2026-03-16', 0],
  ] as const) {
    const { totals } = await get(site, `/v1/deductions/?since=${date}&until=${date}`)
    assert.equal(totals.orderCanceled.count, count * offsets.length, date)
  }
})

test('a revised day names the orders that arrived, changed or left after it was complete, whenever they were created', async () => {
  const site = await app.addLocation()
  const orders = offsets.map((days, i) => sold(site, i + 1, { createdAt: createdAfter(days) }))
  const z = zReportOf(site.id, 1, orders, { finalizedAt: `${day}T22:30:00.000Z`, deviceIdentifier: idOf('device', 1) })
  await app.store([...orders.map(order), report({ ...z, id: idOf('report', 1) })], site.key)
  await work(site)
  assert.equal((await get(site, `/v1/business-days/${day}`)).status, 'complete')
  const updatedAt = '2027-05-31T12:00:00.000Z'
  const elsewhere = new Date(Date.parse(closedAt) + 40 * dayMs).toISOString()
  const [changed, moved, reopened] = [orders[0], orders[8], orders[16]] as [Order, Order, Order]
  const late = offsets.map((days, i) => sold(site, 300 + i, { createdAt: createdAfter(days), reportId: null }))
  await app.store(
    [
      sold(site, 1, { ...changed, updatedAt, isCanceled: true, payments: [] }),
      { ...moved, updatedAt, closedAt: elsewhere },
      { ...reopened, updatedAt, closedAt: null },
      ...late,
    ].map((one) => order(one as Order)),
    site.key,
  )
  await work(site)
  const { data } = await get(site, `/v1/business-days/revised?since=${day}&until=${day}&orders=true`)
  assert.deepEqual(
    data[0].orders.map(({ orderId }: any) => orderId).toSorted(),
    [changed, moved, reopened, ...late].map(({ id }) => id).toSorted(),
  )
})

test('a day of any age that an import completed is sealed, and is revised if one of its orders changes', async () => {
  const site = await app.addLocation()
  const ages = [1, 10, 30, 31, 32, 45, 90, 400, 4_000]
  const dateOf = (age: number) => new Date(now.getTime() - age * dayMs).toISOString().slice(0, 10)
  const made = ages.map((age, i) => {
    const at = `${dateOf(age)}T10:00:00.000Z`
    const one = sold(site, i + 1, { createdAt: at, openedAt: at, closedAt: at, reportId: idOf('report', i + 1) })
    const finalizedAt = `${dateOf(age)}T22:00:00.000Z`
    const z = zReportOf(site.id, i + 1, [one], { finalizedAt, deviceIdentifier: idOf('device', 1) })
    return { date: dateOf(age), one, z: { ...z, id: idOf('report', i + 1), startedAt: at } }
  })
  await app.store(
    made.flatMap(({ one, z }) => [order(one), report(z)]),
    site.key,
  )
  await work(site)
  const datesOf = async (type: string) => {
    const { data } = await get(site, `/v1/events/?after=0&types=${type}&limit=1000`)
    // Days without sales that a till closed are reported as well.
    return data
      .map((event: any) => event.data.date)
      .filter((date: string) => dates.includes(date))
      .toSorted()
  }
  const dates = made.map(({ date }) => date).toSorted()
  const recent = made.filter((_, i) => (ages[i] as number) <= 31).map(({ date }) => date)
  assert.deepEqual(await datesOf('day.completed'), recent.toSorted())
  for (const { one } of made) {
    const changed = { ...one, updatedAt: '2027-06-01T11:00:00.000Z', isCanceled: true, payments: [] } as Order
    await app.store([order(changed)], site.key)
  }
  await work(site)
  assert.deepEqual(await datesOf('day.revised'), dates)
  for (const { date } of made) {
    const { status, revision } = await get(site, `/v1/business-days/${date}`)
    assert.deepEqual([date, status, revision], [date, 'revised', 1])
  }
})
