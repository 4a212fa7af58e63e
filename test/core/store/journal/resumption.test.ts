import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { verifyLocation } from '../../../../src/modules/operations/cli/verify.ts'
import { JournalTail } from '../../../../src/core/delivery/journal-tail.ts'
import { generateSecret } from '../../../../src/core/delivery/secrets.ts'
import { webhookStatus } from '../../../../src/core/delivery/webhooks.ts'
import { mayHaveResumed } from '../../../../src/core/domain/journal/chain.ts'
import { resumedAt, writeLost } from '../../../../src/core/domain/journal/marks.ts'
import { listWebhooksOf } from '../../../../src/modules/operations/store/admin.ts'
import { transact } from '../../../../src/core/store/db/database.ts'
import { getHead, readEntries } from '../../../../src/core/store/journal/journal.ts'
import { countEntries, resumeJournal } from '../../../../src/core/store/journal/resumption.ts'
import { summariseStatus } from '../../../../src/modules/operations/store/status.ts'
import { getWebhook, insertWebhook } from '../../../../src/core/contract/webhooks/rows.ts'
import { assertProblem } from '../../conformance/contract.ts'
import { assertSound } from '../../ingest/soundness.ts'
import { startApp, type Site } from '../../../support/app.ts'
import { idOf, order, versionOf } from '../../../support/records.ts'

let now = new Date('2026-03-14T12:00:00.000Z')
/** The number of a resumption now (a million per second since 2020); an immediate second one is two million higher. */
const firstAt = 195_652_800_000_000
const secondAt = firstAt + 2_000_000
const app = await startApp({ clock: () => now })
const { pool } = app

const orders = (site: Site, from: number, to: number, version = 1) =>
  Array.from({ length: to - from + 1 }, (_, i) => order(versionOf(site.id, from + i, version)))

const resume = (site: Site) => transact(pool, (tx) => resumeJournal(tx, site.id, { reason: 'a test', now }))

/** Restores the whole location to an earlier state, as restoring the database would. */
async function setBack(site: Site, seq: number) {
  await pool`delete from journal where location_id = ${site.id} and seq > ${seq}`
  await pool`delete from orders where location_id = ${site.id} and seq > ${seq}`
  await pool`update day_counts set n = (select count(*) from orders where location_id = ${site.id}), seq = ${seq}
    where location_id = ${site.id} and kind = 'order.closed'`
  await pool`update location_seq
    set last_seq = ${seq}, last_hash = (select hash from journal where location_id = ${site.id} and seq = ${seq})
    where location_id = ${site.id}`
}

test('the sequence of a resumed entry is a round million: a million for each second since 2020, and above any known one', () => {
  const highests = [0, 1, 950, 999_999, 1_000_000, 1_000_001, 5_999_999]
  for (const highest of highests) {
    // 1 January 2020 and ten seconds, and clocks that are too far behind or broken.
    const at = resumedAt(highest, new Date('2020-01-01T00:00:10.999Z'))
    assert.equal(at, 10_000_000)
    assert.ok(mayHaveResumed(highest, at))
    for (const clock of ['1970-01-01', '2019-12-31', '2020-01-01', '2099-01-01'].map((day) => new Date(day))) {
      const behind = resumedAt(highest, clock)
      assert.equal(behind % 1_000_000, 0)
      assert.ok(behind - highest >= 1_000_000 && behind - highest <= 2_000_000, `${highest} ${clock.toISOString()}`)
    }
  }
  // A sequence that was used once is skipped, whatever the clock says.
  assert.equal(resumedAt(10_000_001, new Date('2020-01-01T00:00:11Z')), 12_000_000)
  assert.deepEqual(
    [mayHaveResumed(5, 6), mayHaveResumed(6, 5), mayHaveResumed(999_999, 1_000_000)],
    [false, true, true],
  )
})

describe('a journal that was resumed', () => {
  test('continues beyond every sequence that could have been assigned, states the reason, and verifies', async () => {
    const site = await app.addLocation()
    await app.store(orders(site, 1, 3), site.key)
    assert.deepEqual(await resume(site), { after: 3, sequence: firstAt })
    assert.deepEqual(await resume(site), { after: firstAt, sequence: secondAt })
    const { results } = await app.store([...orders(site, 1, 1, 2), ...orders(site, 4, 4)], site.key)
    assert.deepEqual(
      results.map(({ sequence }) => sequence),
      [secondAt + 1, secondAt + 2],
    )
    const resumed = [
      { sequence: firstAt, after: 3, reason: 'a test' },
      { sequence: secondAt, after: firstAt, reason: 'a test' },
    ]
    const verdict = await verifyLocation(pool, site.id)
    const { epoch: firstEpoch } = await getHead(pool, site.id)
    const [e1, e2] = (verdict.verified ? (verdict.resumed ?? []) : []).map(({ epoch }) => String(epoch))
    assert.equal(new Set([firstEpoch, e1, e2]).size, 3)
    const epochs = [
      { epoch: e1, continues: firstEpoch },
      { epoch: e2, continues: e1 },
    ]
    const expected = resumed.map((one, i) => ({ ...one, ...epochs[i] }))
    assert.deepEqual(verdict, { entries: 7, resumed: expected, verified: true })
    assert.equal(await countEntries(pool, site.id), 7)
    const entries = await assertSound(pool, site.id)
    assert.deepEqual(
      entries
        .filter(({ kind }) => kind === 'resumed')
        .map(({ document, prevSeq }) => [JSON.parse(String(document)), prevSeq]),
      [
        [{ after: 3, ...epochs[0], reason: 'a test' }, null],
        [{ after: firstAt, ...epochs[1], reason: 'a test' }, firstAt],
      ],
    )
  })

  test('is read by the feed and the history across the gap, and from no position inside it', async () => {
    const site = await app.addLocation()
    await app.store(orders(site, 1, 2), site.key)
    await resume(site)
    await app.store(orders(site, 1, 1, 2), site.key)
    for (const after of [3, firstAt - 1]) {
      assertProblem(await app.get(`/v1/events/?after=${after}`, { key: site.key }), {
        status: 409,
        code: 'sequence_ahead',
      })
    }
    for (const after of [2, firstAt]) {
      const { data, meta } = (await app.get(`/v1/events/?after=${after}`, { key: site.key })).json
      assert.deepEqual(
        data.map(({ sequence, type }: any) => [sequence, type]),
        [[firstAt + 1, 'order.updated']],
      )
      assert.deepEqual([meta.next, meta.head], [firstAt + 1, firstAt + 1])
    }
    const history = (await app.get(`/v1/orders/${idOf('order', 1)}/history`, { key: site.key })).json
    assert.deepEqual(
      history.map(({ sequence }: any) => sequence),
      [1, firstAt + 1],
    )
  })

  test('verifies only while its resumed entry names its predecessor', async () => {
    const site = await app.addLocation()
    await app.store(orders(site, 1, 4), site.key)
    await resume(site)
    await pool`delete from journal where location_id = ${site.id} and seq = 4`
    const verdict = await verifyLocation(pool, site.id)
    assert.deepEqual([verdict.verified, 'sequence' in verdict && verdict.sequence], [false, 4])
  })

  test('is delivered across the gap, whatever each webhook had read before', async () => {
    const site = await app.addLocation()
    await app.store(orders(site, 1, 4), site.key)
    const tail = new JournalTail(pool)
    const numbers = async (after: number) => (await tail.read(site.id, after)).map(({ seq }) => seq)
    assert.deepEqual(await numbers(0), [1, 2, 3, 4])
    await setBack(site, 2)
    await resume(site)
    await app.store(orders(site, 3, 3), site.key)
    assert.deepEqual(await numbers(4), [firstAt, firstAt + 1])
    // Lost entries are not returned from memory.
    assert.deepEqual(await numbers(2), [firstAt, firstAt + 1])
    assert.deepEqual(await numbers(0), [1, 2, firstAt, firstAt + 1])
    assert.deepEqual(await numbers(firstAt), [firstAt + 1])
    assert.deepEqual(await numbers(firstAt + 1), [])
    await app.store(orders(site, 4, 4), site.key)
    assert.deepEqual(await numbers(firstAt + 1), [firstAt + 2])
    assert.deepEqual(await numbers(firstAt - 1), [firstAt, firstAt + 1, firstAt + 2])
  })
})

test('the number of entries, and how far a webhook is behind, exclude the skipped sequences', async () => {
  const site = await app.addLocation()
  const entries = async () => (await summariseStatus(pool, now, now)).entries
  const before = await entries()
  await app.store(orders(site, 1, 2), site.key)
  const id = randomUUID()
  const endpointUrl = 'https://example.com/'
  const secret = generateSecret()
  await insertWebhook(pool, {
    locationId: site.id,
    id,
    recipientId: id,
    events: ['order.updated'],
    endpointUrl,
    createdAt: now,
    secret,
  })
  await app.store(orders(site, 3, 4), site.key)
  await resume(site)
  await app.store(orders(site, 5, 5), site.key)
  await resume(site)
  await app.store(orders(site, 6, 7), site.key)
  // The webhook starts after the second of nine.
  const lags = async () => [
    (await webhookStatus(pool, await getWebhook(pool, site.id, id))).behind,
    (await listWebhooksOf(pool, [site.id]))[0]?.behind,
    (await summariseStatus(pool, now, now)).behind,
  ]
  assert.equal((await entries()) - before, 9)
  assert.deepEqual(await lags(), [7, 7, 7])
  // In the skipped sequences, at a `resumed` entry, and after the end of a journal that was restored to an earlier
  // state.
  for (const [cursor, behind] of [
    [4, 5],
    [1_000_000, 5],
    [firstAt, 4],
    [firstAt + 1, 3],
    [secondAt + 2, 0],
    [secondAt + 5_000_000, 0],
  ] as const) {
    await pool`update webhooks set cursor = ${cursor} where location_id = ${site.id} and id = ${id}`
    assert.deepEqual(await lags(), [behind, behind, behind])
  }
})

describe('after the database was restored to an earlier state', () => {
  const total = async (site: Site) => (await app.get('/v1/orders/', { key: site.key })).json.meta.totalCount

  test('a process refuses to assign a sequence again, counts this once, and continues after a resumption', async () => {
    const [site, other] = [await app.addLocation(), await app.addLocation()]
    // Stored one by one, so that the process has the end of the journal in memory.
    for (const n of [1, 2, 3, 4]) await app.store(orders(site, n, n), site.key)
    await setBack(site, 2)
    const { rewinds } = app.context.seenHeads
    for (let attempt = 0; attempt < 3; attempt++) {
      const answer = await app.push(orders(site, 5, 5), { key: site.key })
      assertProblem(answer, { status: 503, code: 'journal_rewound' })
    }
    assert.equal(app.context.seenHeads.rewinds, rewinds + 1)
    assert.equal((await getHead(pool, site.id)).seq, 2)
    // Other locations are not affected.
    await app.store(orders(other, 1, 1), other.key)
    await resume(site)
    assert.equal((await app.store(orders(site, 5, 5), site.key)).results[0]?.sequence, firstAt + 1)
    await setBack(site, 2)
    assertProblem(await app.push(orders(site, 6, 6), { key: site.key }), { status: 503, code: 'journal_rewound' })
    assert.equal(app.context.seenHeads.rewinds, rewinds + 2)
  })

  test('a read-only process notices it too, and refuses from then on', async () => {
    const site = await app.addLocation()
    await app.store(orders(site, 1, 4), site.key)
    const reading = await startApp({ database: app.database })
    const read = () => reading.get('/v1/events/', { key: site.key })
    await read()
    await setBack(site, 2)
    assert.equal((await read()).json.meta.head, 2)
    assert.equal((await read()).json.meta.head, 2)
    assert.equal(reading.context.seenHeads.rewinds, 1)
    assert.equal(reading.lines.filter(({ level, msg }) => level === 'error' && msg.includes('has seen 4')).length, 1)
    assertProblem(await reading.push(orders(site, 5, 5), { key: site.key }), { status: 503, code: 'journal_rewound' })
    await reading.close()
  })

  test('the lists count the current documents, although more were counted before', async () => {
    const site = await app.addLocation()
    await app.store(orders(site, 1, 4), site.key)
    assert.equal(await total(site), 4)
    await setBack(site, 2)
    assert.equal(await total(site), 2)
  })

  test('the lists count the current documents, also if nobody read them before the resumption', async () => {
    const site = await app.addLocation()
    await app.store(orders(site, 1, 4), site.key)
    assert.equal(await total(site), 4)
    await setBack(site, 2)
    await resume(site)
    assert.equal(await total(site), 2)
    await app.store(orders(site, 7, 7), site.key)
    assert.equal(await total(site), 3)
  })

  test('a server of another timeline makes the journal resume before its first entry, once', async () => {
    const site = await app.addLocation()
    await app.store(orders(site, 1, 2), site.key)
    await pool`update location_seq set timeline = 'FFFFFFFF' where location_id = ${site.id}`
    const [third] = (await app.store(orders(site, 3, 3), site.key)).results
    const [fourth] = (await app.store(orders(site, 4, 4), site.key)).results
    assert.deepEqual([third?.sequence, fourth?.sequence], [firstAt + 1, firstAt + 2])
    const [entry] = await readEntries(pool, site.id, 2, 1)
    assert.match(
      String(entry?.document),
      /^\{"after":2,"epoch":"[0-9a-f]{8}","continues":"[0-9a-f]{8}","reason":"the database server changed from timeline FFFFFFFF to /,
    )
    const resumed = [{ sequence: firstAt, ...JSON.parse(String(entry?.document)) }]
    assert.deepEqual(await verifyLocation(pool, site.id), { entries: 5, resumed, verified: true })
  })
})

test('times of acceptance never go back with the clock, and a replay from one of them skips nothing', async () => {
  const site = await app.addLocation()
  const start = now
  for (const [n, offset] of [0, 5_000, 3_000, -60_000, 5_000, 5_001].entries()) {
    now = new Date(start.getTime() + offset)
    await app.store(orders(site, n + 1, n + 1), site.key)
  }
  const { data } = (await app.get('/v1/events/?types=order.created', { key: site.key })).json
  const at = (ms: number) => new Date(start.getTime() + ms).toISOString()
  assert.deepEqual(
    data.map(({ timestamp }: any) => timestamp),
    [at(0), at(5_000), at(5_000), at(5_000), at(5_000), at(5_001)],
  )
  now = start
})

test('a loss that spans a resumption does not claim that all its numbers were used', () => {
  assert.equal(writeLost({ from: 3, to: 4 }), '3 to 4')
  assert.equal(
    writeLost({ from: 3, to: 218_242_012_000_001 }),
    '3 to 218242012000001 (some of these numbers may never have been used)',
  )
})
