import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { announceDays } from '../../../../src/modules/figures/projections/announcements.ts'
import { readCompleteness, readDays } from '../../../../src/modules/figures/projections/days-answer.ts'
import { daysProjection, readPendingDays } from '../../../../src/modules/figures/projections/days.ts'
import { readExactly } from '../../../../src/modules/figures/projections/exact.ts'
import { stepProjection } from '../../../../src/modules/figures/projections/projection.ts'
import type { BusinessDay } from '../../../../src/modules/figures/schemas/business-days.ts'
import type { Order } from '../../../../src/core/contract/orders/schema.ts'
import { updateLocationSettings } from '../../../../src/core/contract/location/rows.ts'
import { startApp, type Site } from '../../../support/app.ts'
import { idOf, orderOf } from '../../../support/records.ts'
import { runsOf } from '../../../support/seed.ts'
import { soundOrder, zReportOf } from '../../../support/z-reports.ts'
import { hourMs } from '../../../../src/core/domain/days/time-units.ts'

let now = new Date('2026-03-20T00:00:00.000Z')
const app = await startApp({ clock: () => now })
const { pool } = app

const startMs = Date.parse('2026-03-26T00:00:00.000Z')
const tills = 2
const days = 4

type Sent = { atMs: number; till: number; record: { type: string; data: unknown } }

/** The sales of a till on a day, the time of its Z report, and the delay of its records. */
const tillDay = fc.record({
  sales: fc.array(fc.integer({ min: 0, max: 13 }), { minLength: 1, maxLength: 3 }),
  lateHours: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 50 })),
  reportFirst: fc.boolean(),
})

const trade = fc.array(tillDay, { minLength: tills * days, maxLength: tills * days })

type TillDay = typeof tillDay extends fc.Arbitrary<infer One> ? One : never

/**
 * Returns everything that the tills close, and when each record arrives. A till opens nine hours into the UTC day,
 * makes a Z report after its last order, and sends its days in order: late records delay later ones.
 */
function plan(site: Site, drawn: readonly TillDay[]): { truth: Order[]; sent: Sent[] } {
  const truth: Order[] = []
  const sent: Sent[] = []
  for (let till = 1; till <= tills; till++) {
    let notBefore = 0
    for (let day = 0; day < days; day++) {
      const { sales, lateHours, reportFirst } = drawn[day * tills + till - 1] as TillDay
      const opensMs = startMs + day * 24 * hourMs + 9 * hourMs
      const number = 10 * till + day
      // All records of the first day arrive on time, because no day waits for a till that is not known yet.
      const late = day === 0 ? 0 : lateHours * hourMs
      const orders = sales.map((hour, i) => {
        const closedAt = new Date(opensMs + hour * hourMs + i * 60_000).toISOString()
        return soundOrder(
          orderOf(site.id, number * 10 + i, {
            openedAt: closedAt,
            closedAt,
            deviceId: idOf('device', till),
            reportId: idOf('report', number),
          }),
        )
      })
      const finalizedMs = opensMs + 14 * hourMs
      const z = zReportOf(site.id, number, orders, {
        finalizedAt: new Date(finalizedMs).toISOString(),
        deviceIdentifier: idOf('device', till),
        deviceName: `Caisse ${till}`,
      })
      truth.push(...orders)
      const send = (record: Sent['record'], fromMs: number) => {
        notBefore = Math.max(notBefore, fromMs)
        sent.push({ atMs: notBefore, till, record })
      }
      const ofOrders = () => {
        for (const order of orders) send({ type: 'order', data: order }, Date.parse(order.closedAt as string) + late)
      }
      const ofReport = () => send({ type: 'report', data: z }, finalizedMs + late)
      if (reportFirst) {
        ofReport()
        notBefore += hourMs
        ofOrders()
      } else {
        ofOrders()
        ofReport()
      }
    }
  }
  return { truth, sent: sent.toSorted((a, b) => a.atMs - b.atMs) }
}

async function read(site: Site): Promise<{ completeUntil: string | null; days: BusinessDay[] }> {
  const range = { since: '2026-03-25', until: '2026-03-30' }
  return readExactly(pool, site.id, daysProjection, async (tx) => {
    const live = await readPendingDays(tx, site.id)
    if (!live) return undefined
    const { completeUntil } = await readCompleteness(tx, site.id, live, now)
    const found = await readDays(tx, site.id, live, { range, now })
    return { completeUntil, days: found.map(({ day }) => day) }
  })
}

const dayEvents = async (site: Site): Promise<{ type: string; data: BusinessDay; sequence: number }[]> =>
  (await app.get('/v1/events/?after=0&types=day.completed,day.revised&limit=100', { key: site.key })).json.data

for (const { timeZone, dayStartsAt } of [
  { timeZone: 'Europe/Paris', dayStartsAt: '05:00' },
  { timeZone: 'America/Sao_Paulo', dayStartsAt: '05:00' },
  { timeZone: 'Asia/Kathmandu', dayStartsAt: '05:00' },
]) {
  test(`in ${timeZone} nothing is complete before its last order has arrived, however late tills are, and everything is afterwards`, async () => {
    await fc.assert(
      fc.asyncProperty(trade, async (drawn) => {
        const site = await app.addLocation()
        await updateLocationSettings(pool, site.id, {
          timeZone,
          dayStartsAt,
          currency: 'EUR',
          eReportingCategories: {},
          retiredDevices: {},
          paymentKinds: {},
          reportNumbers: 'consecutive',
          fiscalYearStarts: '01-01',
        })
        const { truth, sent } = plan(site, drawn)
        const arrived = new Set<string>()
        for (const [at, group] of Map.groupBy(sent, ({ atMs }) => atMs)) {
          now = new Date(at + 60_000)
          await app.store(
            group.map(({ record }) => record),
            site.key,
          )
          for (const { record } of group) if (record.type === 'order') arrived.add((record.data as Order).id)
          const onTheWay = truth.filter(({ id }) => !arrived.has(id)).map(({ closedAt }) => closedAt as string)
          const { completeUntil, days } = await read(site)
          for (const closedAt of onTheWay) {
            assert.ok(
              completeUntil === null || closedAt > completeUntil,
              `${closedAt} is on its way, and all is here until ${completeUntil}`,
            )
            const day = days.find(({ startsAt, endsAt }) => closedAt >= startsAt && closedAt < endsAt)
            assert.equal(day?.isComplete ?? false, false, `${closedAt} is on its way, and ${day?.date} is complete`)
          }
          while ((await stepProjection(pool, daysProjection, site.id)) === 'behind');
          await announceDays(pool, site.id, now)
        }
        now = new Date(startMs + (days + 4) * 24 * hourMs)
        await announceDays(pool, site.id, now)
        const end = await read(site)
        const last = truth.map(({ closedAt }) => closedAt as string).reduce((a, b) => (a > b ? a : b))
        assert.ok(end.completeUntil !== null && end.completeUntil > last)
        const traded = end.days.filter(({ sales }) => sales.orders > 0)
        for (const day of traded) assert.ok(day.isComplete && day.status === 'complete', `${day.date} ${day.status}`)
        const events = await dayEvents(site)
        assert.deepEqual(
          events.map(({ type, data }) => `${type} ${data.date}`).toSorted(),
          traded.map(({ date }) => `day.completed ${date}`),
        )
      }),
      { numRuns: runsOf(2) },
    )
  })
}
