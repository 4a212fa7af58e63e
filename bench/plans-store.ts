import { randomUUID } from 'node:crypto'
import { breakerThreshold, retrySchedule } from '../src/core/domain/journal/retry-schedule.ts'
import type { Pool } from '../src/core/store/db/database.ts'
import { findSequenceAt } from '../src/core/store/journal/journal.ts'
import { claimWebhooks, findDueLocations, recordProgress } from '../src/core/store/webhooks/leases.ts'
import { walkDocuments } from '../src/core/contract/paging/pages.ts'
import { listRejected } from '../src/core/store/pushes/rejected.ts'
import { listDeliveries, pruneDeliveries } from '../src/core/store/webhooks/webhook-attempts.ts'
import { listRetries } from '../src/core/store/webhooks/webhook-retries.ts'
import type { Work } from './sql.ts'
import { fillWebhooks } from './sweeps.ts'

/** The first of the locations that `fillWebhooks` creates; its webhook has the same id. */
const first = '00000000-0000-4000-8000-000000000001'

/** Creates webhooks of 10,000 locations, and for one a long log, many deferred events and many rejected records. */
async function fill(pool: Pool): Promise<void> {
  await fillWebhooks(pool, 1, 10_000)
  const id = pool`('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid`
  const at = pool`timestamptz '2026-01-01' + n * interval '1 second'`
  await pool`
    insert into webhook_attempts (location_id, webhook_id, at, id, seq, type, ok, document)
    select ${first}, ${first}, ${at}, ${id}, n, 'order.paid', n % 20 <> 0, repeat('x', 600)
    from generate_series(1, 200000) n`
  await pool`
    insert into webhook_retries (location_id, webhook_id, seq, type, kind, resource_id, attempts, next_at)
    select ${first}, ${first}, n, 'order.paid', 'order', ${id}, 1, '2026-01-01' from generate_series(1, 5000) n`
  await pool`
    insert into rejected_records (location_id, id, received_at, line, code, detail, errors, record)
    select ${first}, ${id}, ${at}, n, 'unknown_field', 'x', '[]', repeat('x', 2000) from generate_series(1, 10000) n`
  await pool`update location_seq set last_seq = 2 where location_id = ${first}`
  await pool`vacuum analyze`
}

/**
 * Resolves to statements that no request sends: those of the delivery worker, of its log and of an export, and former
 * versions for comparison.
 */
export async function storeWorks(pool: Pool, locationId: string, orders: number): Promise<Work[]> {
  await fill(pool)
  const due = () => ({ now: new Date(), breakerThreshold, longestRetryMs: retrySchedule().longestMs })
  const state = { cursor: 1, failures: 0, failingSince: null, retryAt: null, disabled: null }
  const nothing = { attempts: [], setAside: [], settled: [] }
  const everything = {
    event: null,
    success: null,
    from: new Date(0),
    to: new Date('2027-01-01'),
    after: null,
    limit: 50,
  }
  const webhook = { locationId: first, id: first }
  const claim = (token: string) => claimWebhooks(pool, first, { ...due(), token, leaseMs: 60_000 })
  const report = (token: string) =>
    recordProgress(pool, first, [
      { webhookId: first, recipientSince: new Date(0), token, ...state, ...nothing, lease: null },
    ])
  return [
    { row: 'sweep, 10,000 webhooks', run: () => findDueLocations(pool, due(), 5_000) },
    {
      row: 'lease and report',
      run: async () => {
        const token = randomUUID()
        await claim(token)
        await report(token)
      },
    },
    { row: '50 deliveries', run: () => listDeliveries(pool, first, first, everything) },
    { row: '50 failures', run: () => listDeliveries(pool, first, first, { ...everything, success: false }) },
    {
      row: '100 events set aside',
      run: () => listRetries(pool, webhook, { after: 0, upTo: Number.MAX_SAFE_INTEGER }, 100),
    },
    { row: 'attempts too old', run: () => pruneDeliveries(pool, new Date('2020-01-01')) },
    { row: '50 rejected records', run: () => listRejected(pool, first, 50) },
    { row: 'first entry of a moment', run: () => findSequenceAt(pool, locationId, new Date()) },
    {
      row: 'export, 500 orders',
      run: async () => {
        const walk = walkDocuments(pool, 'orders', locationId)
        await walk.next()
        await walk.next()
      },
    },
    {
      row: 'for comparison: a page by offset alone',
      run: () => pool`
        select document from orders where location_id = ${locationId} and closed
        order by created_at, id limit 100 offset ${Math.floor(orders * 0.95)}`,
    },
    {
      row: 'for comparison: count of all',
      run: () => pool`select count(*) from orders where location_id = ${locationId} and closed`,
    },
  ]
}
