import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { measureForeseen } from '../../../../src/modules/operations/server/foreseen.ts'
import { listSilent } from '../../../../src/modules/operations/store/silence.ts'
import { startApp } from '../../../support/app.ts'
import { order, smallOrderOf } from '../../../support/records.ts'

const app = await startApp()
const { pool } = app
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const weekMs = 7 * dayMs
const now = new Date('2026-04-01T12:00:00.000Z')
const before = (ms: number) => new Date(now.getTime() - ms).toISOString()

async function gauges(): Promise<Record<string, number>> {
  const registry = new Registry()
  measureForeseen(
    registry,
    pool,
    () => now,
    (error) => assert.fail(error as Error),
  )
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('tillgate_'))
  return Object.fromEntries(lines.map((line) => [line.split(' ')[0], Number(line.split(' ')[1])]))
}

/** Creates a location that sold at these times before now. */
async function selling(agesMs: readonly number[]): Promise<string> {
  const { id, key } = await app.addLocation()
  const orders = agesMs.map((ms, n) => {
    const at = before(ms)
    return order(smallOrderOf(id, n, { createdAt: at, updatedAt: at, closedAt: at }))
  })
  await app.store(orders, key)
  return id
}

test('a restaurant without sales for two hours longer than at this time of other weeks is silent, and is named', async () => {
  // In each of four weeks, an order at this time and one an hour later.
  const rhythm = (offsetMs: number) =>
    [1, 2, 3, 4].flatMap((weeks) => [weeks * weekMs + offsetMs, weeks * weekMs + offsetMs - hourMs])
  const quiet = await selling([...rhythm(4 * hourMs), 4 * hourMs])
  await selling([...rhythm(2 * hourMs), 2 * hourMs])
  // The location is too new for a weekly rhythm, so a day is used.
  const newer = await selling([25 * hourMs])
  await selling([23 * hourMs])
  const closed = await selling([30 * dayMs])
  await pool`update locations set deactivated_at = ${now} where id = ${closed}`
  const silent = await listSilent(pool, now)
  const expected = [
    { id: quiet, since: new Date(before(4 * hourMs)) },
    { id: newer, since: new Date(before(25 * hourMs)) },
  ]
  assert.deepEqual(
    silent,
    expected.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  )
  assert.equal((await gauges())['tillgate_locations_silent'], 2)
})

test('keys in use that expire within a week are counted, unused ones are not', async () => {
  const cases: [ends: number | null, used: number | null, revoked: boolean][] = [
    [6 * dayMs, hourMs, false],
    [8 * dayMs, hourMs, false],
    [6 * dayMs, 2 * dayMs, false],
    [6 * dayMs, null, false],
    [6 * dayMs, hourMs, true],
    [-hourMs, hourMs, false],
    [null, hourMs, false],
  ]
  for (const [ends, used, revoked] of cases) {
    const { id } = await app.addKey(app.location)
    await pool`
      update api_keys set expires_at = ${ends === null ? null : before(-ends)}, last_used_at = ${used === null ? null : before(used)},
        revoked_at = ${revoked ? before(1) : null} where id = ${id}`
  }
  assert.equal((await gauges())['tillgate_keys_ending'], 1)
})

test('a journal ahead of the database clock is reported with the difference', async () => {
  const [row] = await pool<{ ahead: number }[]>`
    select coalesce(extract(epoch from max(last_accepted_at) - clock_timestamp()), 0)::float8 as ahead from location_seq`
  assert.ok((row?.ahead ?? 0) <= 0, 'nothing is ahead before')
  assert.equal((await gauges())['tillgate_journal_ahead_seconds'], 0)
  const [{ at }] = await pool<[{ at: Date }]>`select clock_timestamp() + interval '800 days' as at`
  await pool`update location_seq set last_accepted_at = ${at} where location_id = ${app.location}`
  const ahead = (await gauges())['tillgate_journal_ahead_seconds'] ?? 0
  assert.ok(Math.abs(ahead - 800 * 86_400) < 60, String(ahead))
})
