import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Counter, Gauge, Registry } from 'prom-client'
import { createLog } from '../../../src/core/server/log.ts'
import { Retired, takeSnapshot, writeMetrics } from '../../../src/core/server/metrics/aggregate.ts'
import { measureDelivery } from '../../../src/core/server/metrics/delivery.ts'
import { measureService } from '../../../src/core/server/metrics/service.ts'
import { openPool, transact, watchPool } from '../../../src/core/store/db/database.ts'
import { measureClockOffset } from '../../../src/core/store/db/observation.ts'
import type { LogLine } from '../../support/app.ts'
import { atEnd } from '../../support/database.ts'
import { startDelivery } from '../../support/delivery.ts'
import { order, versionOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'

const site = await startDelivery()
const { app, receiver, forward } = site
const { pool } = app
const { events } = site.startEngine({ random: () => 0.5 })

/** Resolves to the lines of a metric in the Prometheus format. */
async function linesOf(registry: Registry, name: string): Promise<string[]> {
  return (await registry.metrics()).split('\n').filter((line) => line.startsWith(name))
}

test('attempts are counted by outcome and error class, the first one of a change with its lag', async () => {
  const registry = new Registry()
  const unavailable = new Counter({
    name: 'unavailable_total',
    help: 'x',
    labelNames: ['where'],
    registers: [registry],
  })
  measureDelivery(registry, events, unavailable)
  const place = await app.addLocation()
  const webhook = await site.register(['order.created'], place)
  receiver.answer(webhook.path, (_receipt, earlier) => (earlier === 0 ? 503 : 200))
  await app.store([order(versionOf(place.id, 1, 1))], place.key)
  await site.attempted(webhook, 1)
  forward(60_000)
  await site.settled(webhook)
  assert.deepEqual(await linesOf(registry, 'tillgate_delivery_attempts_total'), [
    'tillgate_delivery_attempts_total{outcome="failure",error_class="http"} 1',
    'tillgate_delivery_attempts_total{outcome="success",error_class="none"} 1',
  ])
  assert.deepEqual(await linesOf(registry, 'tillgate_delivery_lag_seconds_count'), [
    'tillgate_delivery_lag_seconds_count 1',
  ])
  assert.deepEqual(await linesOf(registry, 'tillgate_delivery_phase_seconds_count{phase="first_byte"}'), [
    'tillgate_delivery_phase_seconds_count{phase="first_byte"} 2',
  ])
})

test('a retried transaction is counted with its SQLSTATE, and each begin with its wait', async () => {
  const waits: number[] = []
  const retries: string[] = []
  // No other test starts a transaction in this process.
  const own = openPool(pool.from, { connections: 1, pipelining: true })
  atEnd(() => own.end())
  watchPool(own, { waited: (ms) => void waits.push(ms), retried: (state) => void retries.push(state) })
  let attempt = 0
  await transact(own, async (tx) => {
    attempt += 1
    if (attempt === 1) await tx.unsafe(`do $$ begin raise exception 'again' using errcode = '40001'; end $$`)
  })
  assert.deepEqual(retries, ['40001'])
  assert.equal(waits.length, 2)
  assert.ok(waits.every((ms) => ms >= 0))
})

test('the clock offset is measured, and logged as a warning above two seconds', async () => {
  // The query takes ten seconds, as on a very busy machine, so the two clocks may be equal.
  const offsets = [-5_000, 5_000]
  assert.equal(await measureClockOffset(pool, () => new Date(Date.now() + (offsets.shift() ?? 0))), 0)
  const ahead = await measureClockOffset(pool, () => new Date(Date.now() + 3_600_000))
  assert.ok(Math.abs(ahead - 3_600_000) < 60_000, `${ahead} ms`)
  const lines: LogLine[] = []
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) })
  const about = { version: '0.0.0', role: 'all' }
  const late = measureService(pool, about, log, () => new Date(Date.now() - 3_600_000))
  await eventually(() => lines.length > 0, 'it is warned of')
  late.close()
  const [offset = ''] = await linesOf(late.registry, 'tillgate_clock_offset_seconds')
  assert.ok(Math.abs(Number(offset.split(' ')[1]) + 3600) < 60, offset)
  assert.deepEqual([lines[0]?.level, lines[0]?.msg.includes('NTP')], ['warn', true])
})

test('metrics from the database are read once for all concurrent readers, and cached for a while', async () => {
  const place = await app.addLocation()
  const service = measureService(pool, { version: '0.0.0', role: 'all' }, createLog('silent'))
  const disabled = async () => (await linesOf(service.registry, 'tillgate_webhooks{state="disabled"}'))[0]
  const before = await disabled()
  const webhook = await site.register(['order.created'], place)
  await pool`update webhooks set state = 'disabled' where id = ${webhook.id}`
  assert.deepEqual(await Promise.all([disabled(), disabled(), disabled()]), [before, before, before])
  service.close()
})

test('the totals over processes drop the gauges of an ended process, and keep its counters', async () => {
  const processes = await Promise.all(
    [3, 4].map(async (n) => {
      const registry = new Registry()
      new Counter({ name: 'counted_total', help: 'x', registers: [registry] }).inc(n)
      new Gauge({ name: 'open', help: 'x', registers: [registry] }).set(n)
      return takeSnapshot(registry)
    }),
  )
  const [first = [], second = []] = processes
  const retired = new Retired()
  retired.saw(1, first)
  retired.saw(2, second)
  const values = async (...snapshots: Parameters<typeof writeMetrics>[0]) =>
    (await writeMetrics(snapshots)).split('\n').filter((line) => /^(counted_total|open) /.test(line))
  assert.deepEqual(await values(retired.counters, first, second), ['counted_total 7', 'open 7'])
  await retired.retire(1)
  assert.deepEqual(await values(retired.counters, second), ['counted_total 7', 'open 4'])
  await retired.retire(2)
  assert.deepEqual(await values(retired.counters), ['counted_total 7'])
})
