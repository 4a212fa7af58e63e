import { randomUUID } from 'node:crypto'
import { insertWarnings } from '../../../src/modules/warnings/store/ingest-warnings.ts'
import { insertWebhook } from '../../../src/core/contract/webhooks/rows.ts'
import type { TestApp } from '../../support/app.ts'
import { everyRecord, idOf, order, orderOf, versionOf } from '../../support/records.ts'
import { takenAt } from './support.ts'

export const passphrase = 'correct horse battery staple'
export const secret = 'whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0'

/** Fills an installation, so that each table of a backup has rows. */
export async function fill(app: TestApp): Promise<void> {
  const { pool, location } = app
  await app.store(everyRecord(location))
  const orders = Array.from({ length: 40 }, (_, n) => order(orderOf(location, 100 + n)))
  await app.store(orders)
  await app.store([1, 2, 3].map((v) => order(versionOf(location, 100, v))))
  await app.store([order(orderOf(location, 300, { closedAt: null, reportId: null }))])
  await app.push('{"type":"order","data":{"total":"x"}}\n{"no\n')
  const warning = { id: randomUUID(), receivedAt: takenAt, keyId: null, line: 1, type: 'order' } as const
  const about = { resourceId: idOf('order', 1), pointer: '/data', code: 'unknown_device', detail: 'no device' } as const
  await insertWarnings(pool, location, [{ ...warning, ...about }])
  const status = { deviceId: idOf('device', 1), at: '2026-03-14T20:00:00.000Z', lastNumber: 3 }
  await app.store([{ type: 'device.status', data: { ...status, completeUntil: status.at } }])
  await app.store(everyRecord(app.other.id), app.other.key)
  const webhook = { locationId: location, id: randomUUID(), recipientId: randomUUID() }
  await insertWebhook(pool, {
    ...webhook,
    events: ['order.created', 'order.paid'],
    endpointUrl: 'http://127.0.0.1:1/hook',
    createdAt: takenAt,
    secret,
  })
  await pool`
    update webhooks set cursor = 5, failures = 2, failing_since = ${takenAt}, retry_at = ${takenAt}
    where id = ${webhook.id}`
  await pool`
    insert into webhook_retries (location_id, webhook_id, seq, type, kind, resource_id, attempts, next_at)
    values (${location}, ${webhook.id}, 5, 'order.created', 'order', ${idOf('order', 1)}, 2, ${takenAt})`
  await pool`update locations set time_zone = 'Europe/Zurich', currency = 'CHF' where id = ${location}`
}
