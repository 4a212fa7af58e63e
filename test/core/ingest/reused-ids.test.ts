import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { modifiers, order, orderOf } from '../../support/records.ts'
import { soundOrder } from '../../support/z-reports.ts'

const now = new Date('2026-03-14T12:00:00.000Z')
const app = await startApp({ clock: () => now })
/** A process that was started later. */
const restarted = await startApp({ clock: () => now, database: app.database })

test('a sale that overwrites a different stored sale causes a warning, also after a restart and among other records', async () => {
  const site = await app.addLocation()
  const sale = (n: number, openedAt: string) => {
    const closedAt = openedAt.replace('T12', 'T13')
    return soundOrder(
      orderOf(site.id, n, { orderNumber: `17-${n}`, createdAt: openedAt, updatedAt: closedAt, openedAt, closedAt }),
    )
  }
  const [first, second] = ['2026-03-10T12:00:00.000Z', '2026-03-13T12:00:00.000Z'] as const
  await app.store(
    [1, 2, 3].map((n) => order(sale(n, first))),
    site.key,
  )
  const codes = async ({ push }: typeof app, records: unknown[], query = '') => {
    const { json } = await push(records, {
      key: site.key,
      ...(query ? { headers: { 'Tillgate-Dry-Run': query } } : {}),
    })
    return json.results.map(({ status, warnings = [] }: any) => [status, ...warnings.map(({ code }: any) => code)])
  }
  assert.deepEqual(await codes(restarted, [order(sale(1, second))]), [['accepted', 'id_reused']])
  assert.deepEqual(await codes(app, [{ type: 'catalog.modifiers', data: modifiers }, order(sale(2, second))]), [
    ['accepted'],
    ['accepted', 'id_reused'],
  ])
  // The same order sent again is not another sale, and neither is a correction of it.
  assert.deepEqual(await codes(app, [order(sale(2, second))]), [['unchanged']])
  assert.deepEqual(await codes(app, [order({ ...sale(3, first), updatedAt: second, orderPlace: 'T2' })]), [
    ['accepted'],
  ])
  const { json } = await app.get('/v1/ingest/warnings/', { key: site.key })
  assert.deepEqual(
    json.data.map(({ code }: any) => code),
    ['id_reused', 'id_reused'],
  )
})
