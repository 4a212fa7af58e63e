import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { DeliveryEngine, type EngineOptions } from '../../src/core/delivery/engine.ts'
import { createSender } from '../../src/core/delivery/sender/send.ts'
import { toAddressRange } from '../../src/core/domain/addresses/addresses.ts'
import { secondMs } from '../../src/core/domain/days/time-units.ts'
import { retrySchedule, standardWaitsMs } from '../../src/core/domain/journal/retry-schedule.ts'
import type { EventType } from '../../src/core/schemas/events.ts'
import type { Delivery, Webhook, WebhookStatus } from '../../src/core/contract/webhooks/schema.ts'
import { startApp, type AppChanges, type TestApp } from './app.ts'
import { atEnd } from './database.ts'
import { startReceiver, type Receiver } from './receiver.ts'
import { eventually } from './waiting.ts'

/** Returns a clock that runs like the real one and can be set forward. */
function adjustableClock(): { clock: () => Date; forward(ms: number): void } {
  let ahead = 0
  return {
    clock: () => new Date(Date.now() + ahead),
    forward(ms) {
      ahead += ms
    },
  }
}

/** The standard waits, but with 40 s before the first retry: one step of a test can take 5 s on a busy machine. */
const waitsMs = [40 * secondMs, ...standardWaitsMs.slice(1)]

export type Registered = Webhook & { path: string; secret: string }

export type DeliverySite = {
  app: TestApp
  receiver: Receiver
  /** Sets the clocks of the application and the engines forward. */
  forward(ms: number): void
  /**
   * A delivery worker on the application's database with frequent sweeps; the first retry is due after 32 to 48 s.
   * Errors that it reports fail the test file.
   */
  startEngine(options?: Partial<EngineOptions>): DeliveryEngine
  /** Registers a webhook with its own path and recipient. */
  register(events: readonly EventType[], site?: { id: string; key: string }): Promise<Registered>
  status(webhook: { id: string }, key?: string): Promise<WebhookStatus>
  /** The whole delivery log, oldest attempt first. */
  log(webhook: { id: string }, key?: string): Promise<Delivery[]>
  /**
   * Resolves when the log has this many attempts and the webhook is idle, so that the clock can be changed in a known
   * state.
   */
  attempted(webhook: { id: string }, count: number): Promise<void>
  /**
   * Resolves when the webhook has nothing left to do: it is at the head, no event waits for a retry, and it is not
   * leased.
   */
  settled(webhook: { id: string }, withinMs?: number): Promise<void>
}

/** Starts an application with its own receiver and clock; tests start the engines. Call it from the top of a file. */
export async function startDelivery(changes: AppChanges = {}): Promise<DeliverySite> {
  const { clock, forward } = adjustableClock()
  // A hanging request must not end before its test, even on a slow machine.
  const sender = createSender({
    allowHttp: true,
    allowAddresses: ['127.0.0.0/8'].map(toAddressRange),
    deadlineMs: 600_000,
  })
  const app = await startApp({ clock, sender, ...changes })
  const receiver = await startReceiver()
  atEnd(() => receiver.close())
  const { pool } = app

  const startEngine: DeliverySite['startEngine'] = (options = {}) => {
    const errors: unknown[] = []
    const { hints, sender } = app.context
    const schedule = retrySchedule(waitsMs)
    const engine = new DeliveryEngine({ pool, hints, sender, clock, sweepMs: 20, schedule, ...options })
    engine.events.on('failed', ({ error }) => void errors.push(error))
    engine.start()
    atEnd(async () => {
      await engine.stop()
      assert.deepEqual(errors, [])
    })
    return engine
  }
  const register: DeliverySite['register'] = async (events, site = { id: app.location, key: app.key }) => {
    const path = `/${randomUUID()}`
    const body = { events, endpointUrl: receiver.url(path), locationId: site.id, recipientId: randomUUID() }
    const headers = { 'content-type': 'application/json' }
    const made = await app.request('POST', '/v1/webhooks/', { key: site.key, headers, body: JSON.stringify(body) })
    assert.equal(made.status, 201, made.text)
    const secret = await app.get(`/v1/webhooks/${made.json.id}/secret`, { key: site.key })
    return { ...made.json, path, secret: secret.json.secret }
  }
  return {
    app,
    receiver,
    forward,
    startEngine,
    register,
    async status({ id }, key = app.key) {
      return (await app.get(`/v1/webhooks/${id}/status`, { key })).json
    },
    async log({ id }, key = app.key) {
      const page = await app.get(`/v1/webhooks/${id}/deliveries?size=100`, { key })
      assert.equal(page.json.meta.next, null)
      return page.json.data.toReversed()
    },
    attempted: ({ id }, count) =>
      eventually(async () => {
        const [row] = await pool`
          select w.lease_until is null
            and (select count(*) from webhook_attempts a where a.location_id = w.location_id and a.webhook_id = w.id) >= ${count} as is
          from webhooks w where w.id = ${id}`
        return row?.['is'] === true
      }, `webhook ${id} has ${count} attempts and rests`),
    settled: ({ id }, withinMs) =>
      eventually(
        async () => {
          const [row] = await pool`
          select w.cursor >= s.last_seq and w.lease_until is null
            and not exists (select from webhook_retries r where r.location_id = w.location_id and r.webhook_id = w.id) as is
          from webhooks w join location_seq s using (location_id) where w.id = ${id}`
          return row?.['is'] === true
        },
        `webhook ${id} is settled`,
        withinMs,
      ),
  }
}
