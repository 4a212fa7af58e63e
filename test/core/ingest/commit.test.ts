import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { Agent } from 'node:http'
import { test } from 'node:test'
import { isRejection, readRecord } from '../../../src/core/ingest/records.ts'
import { WriteQueue } from '../../../src/core/ingest/write/queue.ts'
import { openPool } from '../../../src/core/store/db/database.ts'
import { openWriteConnection } from '../../../src/core/store/pushes/statement.ts'
import { addKey, addLocation, openServer, send } from '../../support/app.ts'
import { atEnd, createDatabase } from '../../support/database.ts'
import { startFaultProxy, type CommitFault } from '../../support/fault-proxy.ts'
import { idOf, linesOf, order, smallOrderOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'
import { assertSound } from './soundness.ts'

const { connection, pool: direct } = await createDatabase({ server: 'embedded' })
const proxy = await startFaultProxy(connection)
atEnd(() => proxy.close())
const pool = openPool(proxy.connection, { connections: 3, pipelining: true, deadlineMs: 10_000 })
atEnd(() => pool.end({ timeout: 1 }))
const location = await addLocation(direct)
const { key } = await addKey(direct, location)
const server = await openServer(pool)
atEnd(() => server.close())
const agent = new Agent({ keepAlive: true })
atEnd(async () => agent.destroy())

let orders = 0

/** Pushes one order alone. */
async function push(site = { location, key }) {
  const n = ++orders
  const body = linesOf([order(smallOrderOf(site.location, n))])
  const headers = { 'x-api-key': site.key, 'content-type': 'application/x-ndjson' }
  return { id: idOf('order', n), answer: await send(agent, server.port, 'POST', '/v1/ingest/', { headers, body }) }
}

const faults: CommitFault[] = ['rollback', 'cut-before', 'cut-after', 'twice']

test('a push is acknowledged only after the database confirmed COMMIT: each acknowledged sequence is in the journal, once', async () => {
  const acknowledged = new Map<number, string>()
  const refused = new Map<CommitFault, number>()
  for (let round = 0; round < 40; round++) {
    const fault = faults[round % faults.length] as CommitFault
    const before = proxy.commits
    proxy.failCommits(fault)
    // Pushes until a push reaches the fault: earlier pushes may be refused because of a response that the previous
    // round duplicated.
    while (proxy.commits === before) {
      for (const { id, answer } of await Promise.all([push(), push(), push()])) {
        if (answer.status === 503) {
          assert.equal(answer.json.code, 'database_unavailable')
          assert.ok(Number(answer.headers['retry-after']) >= 1)
          refused.set(fault, (refused.get(fault) ?? 0) + 1)
          continue
        }
        assert.equal(answer.status, 200, answer.text)
        const [{ sequence }] = answer.json.results
        assert.ok(!acknowledged.has(sequence), `${sequence} was acknowledged twice`)
        acknowledged.set(sequence, id)
      }
    }
  }
  for (const fault of ['rollback', 'cut-before', 'cut-after'] as const) {
    assert.ok((refused.get(fault) ?? 0) >= 10, `no push was refused by ${fault}`)
  }
  const entries = await assertSound(direct, location)
  for (const [sequence, id] of acknowledged) assert.equal(entries[sequence - 1]?.id, id, `${sequence} is not stored`)
})

test('a push in a single statement is acknowledged only after the database answered it', async () => {
  const acknowledged = new Map<number, string>()
  const pushAlone = async (fault?: CommitFault) => {
    const before = proxy.alone
    if (fault) proxy.failCommits(fault)
    const { id, answer } = await push()
    if (answer.status === 200) acknowledged.set(answer.json.results[0].sequence, id)
    assert.equal(proxy.alone, before + 1, 'it was a transaction')
    return answer.status
  }
  // After two successful pushes the end of the journal is known; a third push is required because one may succeed while
  // a connection is closed.
  const settle = async () => {
    for (let good = 0, tries = 0; good < 3; tries++) {
      assert.ok(tries < 5, 'pushes are refused without a fault')
      if ((await push()).answer.status === 200) good += 1
    }
  }
  for (const fault of ['rollback', 'cut-before', 'cut-after'] as const) {
    await settle()
    assert.equal(await pushAlone(fault), 503, fault)
  }
  await settle()
  assert.equal(await pushAlone('twice'), 200)
  // The statement of this push is rolled back and gets the response of the previous statement.
  assert.equal(await pushAlone('rollback'), 503)
  await settle()
  const entries = await assertSound(direct, location)
  for (const [sequence, id] of acknowledged) assert.equal(entries[sequence - 1]?.id, id, `${sequence} is not stored`)
})

test('a long push is written without a look-up first, and acknowledged only as a whole', async () => {
  const pushMany = async (from: number, count: number) => {
    const records = Array.from({ length: count }, (_, i) => order(smallOrderOf(location, from + i)))
    const headers = { 'x-api-key': key, 'content-type': 'application/x-ndjson' }
    return send(agent, server.port, 'POST', '/v1/ingest/', { headers, body: linesOf(records) })
  }
  let next = 10_000
  const alone = proxy.alone
  const { json } = await pushMany(next, 900)
  assert.deepEqual([json.accepted, json.results.length + json.resultsOmitted], [900, 900])
  assert.ok(proxy.alone >= alone + 2, `${proxy.alone - alone} of three batches were written without looking first`)
  for (const fault of faults) {
    next += 900
    const before = proxy.commits
    const pushing = pushMany(next, 900)
    // The fault occurs in the middle, where one batch is sent after another.
    await eventually(() => proxy.commits > before, 'batches are written')
    proxy.failCommits(fault)
    const { status, text } = await pushing
    assert.ok(status === 503 || status === 200, text)
    let again = await pushMany(next, 900)
    // An error that came too late for the first batch affects the second.
    for (let tries = 0; tries < 5 && again.status === 503; tries++) again = await pushMany(next, 900)
    assert.equal(again.json.accepted + again.json.unchanged, 900, again.text)
    const entries = await assertSound(direct, location)
    assert.equal(new Set(entries.map(({ id }) => id)).size, entries.length, 'an order is in the journal twice')
  }
})

type ChainedEntry = {
  locationId: string
  epoch: string
  seq: number
  acceptedAt: Date
  kind: string
  id: string
  prevSeq: number | null
  types: string[]
  commitment: string
  hash: string
}

/** Returns the hash of an entry that follows another one, as in docs/contract/journal.md. */
function hashAfter(previous: string, entry: ChainedEntry): string {
  const { locationId, epoch, seq, acceptedAt, kind, id, prevSeq, types, commitment } = entry
  const place = [locationId, epoch, seq, acceptedAt.toISOString(), kind, id, prevSeq ?? '', types.join(',')]
  return hash('sha256', ['tillgate journal v2', previous, ...place, commitment].join('\n'))
}

test('a push in a single statement follows the current head of the journal, not a remembered one', async () => {
  const other = await addLocation(direct)
  const site = { location: other, key: (await addKey(direct, other)).key }
  for (let i = 0; i < 3; i++) assert.equal((await push(site)).answer.status, 200)
  const before = proxy.alone
  assert.equal((await push(site)).answer.status, 200)
  assert.equal(proxy.alone, before + 1, 'the end is not known')
  // The state after a restore of the database to an earlier state, after which as many entries were written as were
  // lost.
  const another = 'f'.repeat(64)
  await direct`update location_seq set last_hash = ${another} where location_id = ${other}`
  assert.equal((await push(site)).answer.status, 200)
  const [entry] = await direct<ChainedEntry[]>`
    select location_id as "locationId", (select epoch from location_seq where location_id = ${other}) as epoch, seq,
      accepted_at as "acceptedAt", kind, id, prev_seq as "prevSeq", types, commitment, hash
    from journal where location_id = ${other} order by seq desc limit 1`
  assert.ok(entry)
  assert.equal(entry.hash, hashAfter(another, entry))
})

test('a push that was refused is stored when it is sent again', async () => {
  proxy.failCommits('rollback')
  const { id, answer } = await push()
  assert.equal(answer.status, 503)
  orders -= 1
  const again = await push()
  assert.equal(again.id, id)
  assert.equal(again.answer.json.accepted, 1, again.answer.text)
})

test('if the server has no connection for the fast path, single pushes use the locked path', async () => {
  const few = openPool(connection, { connections: 1, pipelining: true })
  const [{ name }] = (await few`select current_database() as name`) as unknown as [{ name: string }]
  await direct.unsafe(`alter database ${name} connection limit 1`)
  const writing = openWriteConnection(few, 5_000)
  assert.ok(writing)
  try {
    await assert.rejects(async () => writing`select 1`, { code: '53300' })
    const writer = new WriteQueue(few, () => new Date(), { connections: { small: writing, long: writing } })
    for (let i = 0; i < 5; i++) {
      const bytes = Buffer.from(JSON.stringify(order(smallOrderOf(location, ++orders))))
      const record = readRecord(bytes, { line: 1, locationId: location })
      assert.ok(!isRejection(record))
      const submission = { records: [record], rejected: [], bytes: bytes.length, keyId: null }
      assert.equal((await writer.write(location, submission))[0]?.status, 'accepted')
    }
  } finally {
    await direct.unsafe(`alter database ${name} connection limit -1`)
    await writing.end({ timeout: 1 })
    await few.end({ timeout: 1 })
  }
  await assertSound(direct, location)
})

test('in a new database a batch finds its orders by the primary key, although its plan was made for empty tables', async () => {
  const { connection: fresh, pool: own } = await createDatabase({ server: 'embedded' })
  const site = await addLocation(own)
  const { key: till } = await addKey(own, site)
  const another = await openServer(openPool(fresh, { connections: 3, pipelining: true, deadlineMs: 10_000 }))
  const headers = { 'x-api-key': till, 'content-type': 'application/x-ndjson' }
  const pushMany = async (from: number, count: number) => {
    const records = Array.from({ length: count }, (_, i) => order(smallOrderOf(site, from + i)))
    const { json, text } = await send(agent, another.port, 'POST', '/v1/ingest/', { headers, body: linesOf(records) })
    assert.equal(json.accepted, count, text)
  }
  // The shared statement is planned at its third use.
  for (let n = 0; n < 5; n++) await pushMany(n, 1)
  for (let n = 10; n < 2_010; n += 20) await pushMany(n, 20)
  const readsOf = async (index: string) => {
    const [row] = await own<{ scans: number; entries: number }[]>`
      select idx_scan::int as scans, idx_tup_read::int as entries from pg_stat_user_indexes where indexrelname = ${index}`
    return row ?? { scans: 0, entries: 0 }
  }
  // A backend reports its statistics when it ends, all at once.
  await another.close()
  await eventually(async () => (await readsOf('orders_pkey')).scans >= 1_500, 'the orders of rounds were looked up')
  for (const index of ['orders_number', 'orders_created']) {
    const { entries } = await readsOf(index)
    assert.ok(entries < 1_000, `${entries} entries of ${index} were read`)
  }
})
