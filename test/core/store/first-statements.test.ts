import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { rotateSecret, upsertWebhook } from '../../../src/core/delivery/webhooks.ts'
import { announceDays } from '../../../src/modules/figures/projections/announcements.ts'
import { seek } from '../../../src/core/domain/redaction/redacted-texts.ts'
import { daysProjection } from '../../../src/modules/figures/projections/days.ts'
import { stepProjection } from '../../../src/modules/figures/projections/projection.ts'
import { salesProjection } from '../../../src/modules/figures/projections/sales.ts'
import { recordAct } from '../../../src/core/store/accounts/access.ts'
import { transact, poolerOf } from '../../../src/core/store/db/database.ts'
import { claimWebhooks } from '../../../src/core/store/webhooks/leases.ts'
import { activateLocation, deactivateLocation, deleteLocation } from '../../../src/core/store/repair/location-states.ts'
import {
  redactAttempts,
  redactRejectedRecords,
  redactWarnings,
} from '../../../src/core/store/repair/redacted-copies.ts'
import { addRule, redactEntries } from '../../../src/core/store/repair/redactions.ts'
import { resumeJournal } from '../../../src/core/store/journal/resumption.ts'
import { enableWebhook, rewindWebhook } from '../../../src/core/contract/webhooks/rows.ts'
import { startApp } from '../../support/app.ts'
import { everyRecord, idOf, order, orderOf, versionOf } from '../../support/records.ts'
import { beginsLate, watchTransactions, type Transcript } from '../../support/transactions.ts'
import { isOneServer } from '../../../src/core/store/pushes/statement.ts'

const app = await startApp()
const { pool } = app
const watch = watchTransactions(pool)
after(() => watch.stop())
const now = new Date()
const sought = seek(['a'], [])

/** Resolves to the statements of the transactions of some work. */
async function transcriptsOf(work: () => Promise<unknown>): Promise<Transcript[]> {
  const before = watch.transcripts.length
  await work()
  return watch.transcripts.slice(before)
}

test('each transaction that writes begins with a write, which keeps its shard in place (SQL rule 17)', async () => {
  const { id, key } = await app.addLocation()
  const rule = { order: idOf('order', 1), fields: ['/operatorName'] }
  const input = { events: ['order.paid' as const], endpointUrl: app.url, locationId: id, recipientId: randomUUID() }
  const registrar = { visibleTo: null, webhooksPerLocation: 10 }
  let webhook = ''
  const claim = { now, breakerThreshold: 5, longestRetryMs: 1_000, token: randomUUID(), leaseMs: 1_000 }
  const works: Record<string, () => Promise<unknown>> = {
    // A single order is one statement without a transaction if the fast path is available.
    'a push of one order': () => app.store([order(orderOf(id, 3))], key),
    'a push of two versions': () =>
      app.store(
        [1, 2].map((v) => order(versionOf(id, 2, v))),
        key,
      ),
    'a push of everything': () => app.store(everyRecord(id), key),
    'a push with a rejected record': () => app.push([{ ...order(orderOf(id, 4)), extra: 1 }], { key }),
    'a webhook that is made': async () => (webhook = (await upsertWebhook(pool, input, registrar, now)).webhook.id),
    'a webhook that is changed': () => upsertWebhook(pool, { ...input, id: webhook }, registrar, now),
    'a new secret': () => rotateSecret(pool, id, webhook, now),
    'a lease': () => claimWebhooks(pool, id, claim),
    'a webhook that is enabled': () => enableWebhook(pool, id, webhook, now),
    'a replay': () => rewindWebhook(pool, id, webhook, 1),
    'sums of sales': () => stepProjection(pool, salesProjection, id),
    'sums of days': () => stepProjection(pool, daysProjection, id),
    'days that are complete': () => announceDays(pool, id, new Date('2026-03-20T00:00:00.000Z')),
    'an act in the log of access': () => recordAct(pool, id, { act: 'data.exported', by: 'cli', subject: null }, now),
    'a rule of redaction': () => addRule(pool, id, rule, now),
    'a redaction': () => redactEntries(pool, id, [6], { rule, reason: 'asked for', now }),
    'rejected records that are blanked': () => redactRejectedRecords(pool, id, { rule, sought, isDry: false }),
    'a log that is blanked': () => redactAttempts(pool, id, { sequences: [1], sought, isDry: false }),
    'warnings that are blanked': () => redactWarnings(pool, id, { sought, isDry: false }),
    'a journal that resumes': () => transact(pool, (tx) => resumeJournal(tx, id, { reason: 'asked for', now })),
    'a location that is deactivated': () => deactivateLocation(pool, id, now),
    'a location that is active again': () => activateLocation(pool, id, now),
    'a location that is deleted': async () => {
      await deactivateLocation(pool, id, now)
      await deleteLocation(pool, id, now)
    },
  }
  const silent: string[] = []
  const late: Record<string, Transcript[]> = {}
  for (const [name, work] of Object.entries(works)) {
    const transcripts = await transcriptsOf(work)
    if (transcripts.length === 0) silent.push(name)
    if (transcripts.some(beginsLate)) late[name] = transcripts.filter(beginsLate)
  }
  const isFast = poolerOf(pool) === 'none' && (await isOneServer(pool))
  const fast = isFast ? ['a push of one order', 'a push of two versions'] : []
  assert.deepEqual({ silent, late }, { silent: fast, late: {} })
})

test('a transaction that reads or locks before it writes is found', () => {
  const write = 'update orders set seq = 1 where id = 2'
  assert.ok(beginsLate(['select 1 from orders', write]))
  assert.ok(beginsLate(['select 1 from orders for update', write]))
  assert.ok(!beginsLate(['set local synchronous_commit = off', write, 'select 1']))
  assert.ok(!beginsLate(['select 1 from orders']))
})
