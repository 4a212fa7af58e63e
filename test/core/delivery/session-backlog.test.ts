import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { numbersOf } from '../../support/events.ts'
import { startDelivery } from '../../support/delivery.ts'
import { order, versionOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'
import { dayMs } from '../../../src/core/domain/days/time-units.ts'
import { transact } from '../../../src/core/store/db/database.ts'

const site = await startDelivery()
const { app, receiver } = site

/** By endpoint: for each request that started, the number of requests running at that moment, including itself. */
const underWay = new Map<string, number[]>()
const now = new Map<string, number>()
const { sender } = app.context
site.startEngine({
  random: () => 0.5,
  sender: {
    async send(request) {
      const { url } = request
      now.set(url, (now.get(url) ?? 0) + 1)
      underWay.set(url, [...(underWay.get(url) ?? []), now.get(url)!])
      return sender.send(request).finally(() => now.set(url, now.get(url)! - 1))
    },
    close: () => sender.close(),
  },
})

describe('a webhook with a backlog', () => {
  test('with more deferred events than a session holds sends all of them before it reads on', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created', 'order.updated'], place)
    // The first events are not reported, because they are settled without a request.
    const [silent, count] = [4_990, 5_100]
    // Deferred immediately, as the engine does: a webhook with pending retries states when the next one is due.
    await transact(app.pool, async (sql) => {
      await sql`
        insert into journal (location_id, seq, accepted_at, kind, id, prev_seq, types, document, salt, commitment, hash)
        select ${place.id}, seq, now(), 'order', ('0a0a0a0a-0000-4000-8000-' || lpad(to_hex(seq), 12, '0'))::uuid, null,
          case when seq > ${silent} then '{order.updated}' else '{order.canceled}' end::text[], '{}', '', '', ''
        from generate_series(1, ${count}::bigint) as seq`
      await sql`
        insert into webhook_retries (location_id, webhook_id, seq, type, kind, resource_id, attempts, next_at)
        select ${place.id}, ${webhook.id}, seq, types[1], 'order', id, 1, ${app.context.clock()}
        from journal where location_id = ${place.id}`
      await sql`update location_seq set last_seq = ${count} where location_id = ${place.id}`
      await sql`
        update webhooks set cursor = ${count}, retry_at = ${app.context.clock()} where id = ${webhook.id}`
    })
    // A new version of the order that is deferred last: the first session has not loaded this order.
    await app.store([order(versionOf(place.id, count, 2))], place.key)
    await site.settled(webhook)
    const numbers = numbersOf(receiver.at(webhook.path))
    assert.equal(numbers.length, count - silent + 1)
    assert.equal(new Set(numbers).size, numbers.length)
    assert.ok(numbers.indexOf(count) < numbers.indexOf(count + 1))
  })

  test('with more deferred events behind its cursor than a session holds sends none of them early', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.updated'], place)
    const count = 5_002
    // Only the last two events are reported; they wait for tomorrow, and the first session has not loaded them.
    const tomorrow = new Date(app.context.clock().getTime() + dayMs)
    await transact(app.pool, async (sql) => {
      await sql`
        insert into journal (location_id, seq, accepted_at, kind, id, prev_seq, types, document, salt, commitment, hash)
        select ${place.id}, seq, now(), 'order', ('0a0a0a0a-0000-4000-8000-' || lpad(to_hex(seq), 12, '0'))::uuid, null,
          case when seq > ${count - 2} then '{order.updated}' else '{order.created}' end::text[], '{}', '', '', ''
        from generate_series(1, ${count}::bigint) as seq`
      await sql`
        insert into webhook_retries (location_id, webhook_id, seq, type, kind, resource_id, attempts, next_at)
        select ${place.id}, ${webhook.id}, seq, types[1], 'order', id, 1, ${tomorrow} from journal where location_id = ${place.id}`
      await sql`update location_seq set last_seq = ${count} where location_id = ${place.id}`
      await sql`update webhooks set cursor = 0, retry_at = ${app.context.clock()} where id = ${webhook.id}`
    })
    await eventually(async () => {
      const { cursor, leaseUntil } = (
        await app.pool<{ cursor: number; leaseUntil: Date | null }[]>`
        select cursor, lease_until as "leaseUntil" from webhooks where id = ${webhook.id}`
      )[0]!
      return cursor === count && leaseUntil === null
    }, 'all is read')
    assert.deepEqual(receiver.at(webhook.path), [])
    const left = await app.pool`select seq from webhook_retries where webhook_id = ${webhook.id} order by seq`
    assert.deepEqual(
      left.map(({ seq }) => seq),
      [count - 1, count],
    )
  })
})
