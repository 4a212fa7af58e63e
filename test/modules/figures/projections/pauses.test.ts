import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDays, daysBetween } from '../../../../src/core/domain/days/business-time.ts'
import { announceDays } from '../../../../src/modules/figures/projections/announcements.ts'
import { daysProjection } from '../../../../src/modules/figures/projections/days.ts'
import { stepProjection } from '../../../../src/modules/figures/projections/projection.ts'
import { findFiguresFault } from '../../../../src/modules/operations/projections/verify.ts'
import type { BusinessDay } from '../../../../src/modules/figures/schemas/business-days.ts'
import { startApp, type Site } from '../../../support/app.ts'
import { idOf, order, orderOf, report } from '../../../support/records.ts'
import { soundOrder, zReportOf } from '../../../support/z-reports.ts'

const now = new Date('2026-03-20T12:00:00.000Z')
const app = await startApp({ clock: () => now })
const { pool } = app

/** Returns the sales of a till on a day, and its Z report in the evening. */
function evening(site: Site, n: number, day: string) {
  const at = `${day}T19:00:00.000Z`
  const device = idOf('device', 1)
  const sold = soundOrder(
    orderOf(site.id, n, {
      openedAt: at,
      closedAt: at,
      createdAt: at,
      updatedAt: at,
      deviceId: device,
      reportId: idOf('report', n),
    }),
  )
  const z = zReportOf(site.id, n, [sold], {
    reportNumber: n,
    deviceIdentifier: device,
    startedAt: `${day}T08:00:00.000Z`,
    finalizedAt: `${day}T22:00:00.000Z`,
    updatedAt: `${day}T22:00:00.000Z`,
  })
  return [order(sold), report(z)]
}

async function lookAt(site: Site): Promise<void> {
  while ((await stepProjection(pool, daysProjection, site.id)) === 'behind');
  await announceDays(pool, site.id, now)
}

async function read(site: Site, since: string, until = since): Promise<BusinessDay[]> {
  const { json } = await app.get(`/v1/business-days/?since=${since}&until=${until}`, { key: site.key })
  return json.data
}

/** Days for which a till is off after it has closed a day and before it closes the next one. */
const pauses = [1, 14, 45]

for (const off of pauses) {
  const first = '2026-01-08'
  const again = addDays(first, off + 1)
  const until = addDays(again, 2)
  for (const order of ['together', 'one after the other', 'the later one first'] as const) {
    test(`a till that was off for ${off} days: its Zs arrive ${order}, and each day is the same read alone and in a range`, async () => {
      const site = await app.addLocation()
      const parts = [evening(site, 1, first), evening(site, 2, again)]
      if (order === 'the later one first') parts.reverse()
      if (order === 'together') await app.store(parts.flat(), site.key)
      else {
        for (const part of parts) {
          await app.store(part, site.key)
          await lookAt(site)
        }
      }
      await lookAt(site)
      const together = await read(site, first, until)
      const alone: BusinessDay[] = []
      for (const day of daysBetween(first, until)) alone.push(...(await read(site, day)))
      assert.deepEqual(alone, together)
      // The till is expected on the 13 days after the day on which it was seen; its next Z closes each of them.
      const expected = daysBetween(first, addDays(first, Math.min(off, 13)))
      for (const day of [...expected, again]) {
        const found = alone.find(({ date }) => date === day)
        assert.deepEqual([day, found?.status, found?.revision, found?.isComplete], [day, 'complete', 0, true])
      }
      assert.equal(await findFiguresFault(pool, site.id, now), undefined)
    })
  }
}
