import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { AppError } from '../../../src/core/contract/errors/errors.ts'
import { BodyBudget } from '../../../src/core/ingest/receive/body-budget.ts'
import { Gate } from '../../../src/core/http/guard/gate.ts'
import { RateLimiter } from '../../../src/core/http/guard/rate-limit.ts'
import { readOrders } from '../../../src/modules/figures/projections/stored-orders.ts'
import { assertProblem } from '../conformance/contract.ts'
import { startApp, type Answer } from '../../support/app.ts'
import { openEventStream } from '../../support/event-stream.ts'
import { startReceiver } from '../../support/receiver.ts'
import { order, orderOf, smallOrderOf } from '../../support/records.ts'
import { atEnd } from '../../support/database.ts'
import { eventually, gate } from '../../support/waiting.ts'
import { transact } from '../../../src/core/store/db/database.ts'

const open = { perKey: 0, perProcess: 0 }
const app = await startApp({
  streams: new Gate('streams', { perKey: 2, perProcess: 3 }),
  requests: new Gate('requests', { perKey: 3, perProcess: 4 }),
  limits: { pageBytes: 64 * 1024, webhooksPerLocation: 3, deliveryDays: 30, noticesKept: 1_000 },
})
let now = Date.parse('2026-03-01T10:00:00.000Z')
const testing = await startApp({
  database: app.database,
  clock: () => new Date(now),
  requests: new Gate('requests', open),
  testRate: new RateLimiter(3 / 60, 3, 'a webhook can be tested 3 times per minute'),
})
const receiver = await startReceiver()
atEnd(() => receiver.close())

const json = { 'content-type': 'application/json' }

describe('a gate', () => {
  test('never admits more than its limits, and is empty when all have left', () => {
    const steps = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), leaves: fc.boolean() }), { maxLength: 60 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 6 }), steps, (perKey, perProcess, all) => {
        const counted = new Gate('x', { perKey, perProcess })
        const inside: { key: string; leave: () => void }[] = []
        for (const { key, leaves } of all) {
          const own = inside.filter((one) => one.key === key).length
          if (leaves) {
            const [one] = inside.splice(0, 1)
            one?.leave()
            one?.leave()
            continue
          }
          const expected = own >= perKey ? 'too_many_under_way' : inside.length >= perProcess ? 'overloaded' : 'in'
          try {
            inside.push({ key, leave: counted.enter(key) })
            assert.equal(expected, 'in')
          } catch (error) {
            assert.ok(error instanceof AppError)
            assert.equal(error.code, expected)
          }
          assert.equal(counted.underWay, inside.length)
        }
        for (const { leave } of inside) leave()
        assert.equal(counted.underWay, 0)
        for (let i = 0; i < Math.min(perKey, perProcess); i++) counted.enter('a')
      }),
    )
  })

  test('without limits admits every request', () => {
    const counted = new Gate('x', open)
    for (let i = 0; i < 1_000; i++) counted.enter('a')
    assert.equal(counted.underWay, 1_000)
  })
})

/** Counts the statements that wait for a lock, on any node. */
async function waitingForLocks(): Promise<number> {
  const { pool } = app
  const [row] = await pool<[{ view: string | null }]>`select to_regclass('citus_stat_activity')::text as view`
  const rows = await pool`
    select 1 from ${pool(row.view ?? 'pg_stat_activity')}
    where wait_event_type = 'Lock' and datname = current_database()`
  return rows.length
}

/** Locks the database row that an upsert of a webhook takes, so that requests keep running until it is released. */
async function holdUpserts(location: string): Promise<{ letGo: () => Promise<void> }> {
  const { opened, open: letGo } = gate()
  const held = gate()
  const holding = transact(app.pool, async (tx) => {
    await tx`select 1 from locations where id = ${location} for update`
    held.open()
    await opened
  })
  await held.opened
  return {
    letGo: async () => {
      letGo()
      await holding
    },
  }
}

function register(key: string, location: string, via = app): Promise<Answer> {
  const endpointUrl = receiver.url('/hook')
  const body = { events: ['order.paid'], endpointUrl, locationId: location, recipientId: randomUUID() }
  return via.request('POST', '/v1/webhooks/', { key, headers: json, body: JSON.stringify(body) })
}

describe('requests in progress', () => {
  test('are limited per key and in total: 429, 503, and admitted again when a request has ended', async () => {
    const [first, second] = [await app.addLocation(), await app.addLocation()]
    const { letGo } = await holdUpserts(first.id)
    const under = Array.from({ length: 3 }, () => register(first.key, first.id))
    await eventually(async () => (await waitingForLocks()) >= 3, 'three wait for the row')
    const refused = await app.get('/health/', { key: first.key })
    assertProblem(refused, { status: 429, code: 'too_many_under_way' })
    assert.equal(refused.headers['retry-after'], '1')
    assert.equal((await app.get('/health/', { key: second.key })).status, 200)
    const holding = await holdUpserts(second.id)
    const fourth = register(second.key, second.id)
    await eventually(async () => (await waitingForLocks()) >= 4, 'a fourth waits')
    const busy = await app.get('/health/', { key: app.key })
    assertProblem(busy, { status: 503, code: 'overloaded' })
    assert.equal(busy.headers['retry-after'], '1')
    await Promise.all([letGo(), holding.letGo()])
    for (const answer of await Promise.all([...under, fourth])) assert.equal(answer.status, 201)
    for (let i = 0; i < 6; i++) assert.equal((await app.get('/health/', { key: first.key })).status, 200)
  })

  test('are counted separately from streams and long polls, and a client that disconnects frees its place', async () => {
    const { key } = await app.addLocation()
    const stream = () => openEventStream(`${app.url}/v1/events/`, { 'x-api-key': key })
    const [first, second] = [await stream(), await stream()]
    assertProblem(await app.get('/v1/events/?wait=5', { key }), { status: 429, code: 'too_many_under_way' })
    assert.equal((await stream()).status, 429)
    assert.equal((await app.get('/v1/events/', { key })).status, 200, 'a read that does not wait is none of them')
    assert.equal((await openEventStream(`${app.url}/v1/events/`, { 'x-api-key': app.key })).status, 200)
    assert.equal((await openEventStream(`${app.url}/v1/events/`, { 'x-api-key': app.other.key })).status, 503)
    first.close()
    await eventually(async () => {
      const again = await stream()
      again.close()
      return again.status === 200
    }, 'there is room again')
    second.close()
  })
})

/** Locks the journal and sends five requests for one location: `atOnce` are read, and one for another location. */
async function assertReadAtOnce(path: string, atOnce: number): Promise<void> {
  const [busy, other] = [await testing.addLocation(), await testing.addLocation()]
  for (const { id, key } of [busy, other]) await testing.store([order(smallOrderOf(id, 1))], key)
  const { opened, open: letGo } = gate()
  const held = gate()
  const holding = transact(app.pool, async (tx) => {
    await tx`lock table journal in access exclusive mode`
    held.open()
    await opened
  })
  await held.opened
  const answers = Array.from({ length: 5 }, () => testing.get(path, { key: busy.key }))
  await eventually(async () => (await waitingForLocks()) === atOnce, 'as many as may are read')
  answers.push(testing.get(path, { key: other.key }))
  await eventually(async () => (await waitingForLocks()) > atOnce, 'that of another location is read beside them')
  assert.equal(await waitingForLocks(), atOnce + 1)
  letGo()
  await holding
  for (const { status } of await Promise.all(answers)) assert.equal(status, 200)
}

test('at most two event pages of one location are read at a time, independently of other locations', () =>
  assertReadAtOnce('/v1/events/', 2))

test('catalog changes are compared one request at a time, independently of other locations', () =>
  assertReadAtOnce('/v1/catalog/changes/', 1))

test('unread answers hold no more than their budget: 429, and admitted again when they are read', async () => {
  const answers = new BodyBudget({ process: 2 * 1024 * 1024, key: 1024 * 1024 })
  const patient = await startApp({ database: app.database, requests: new Gate('requests', open), answers })
  const large = order(orderOf(patient.location, 1, { customerId: 'x'.repeat(200_000) }))
  await patient.store([large])
  const request = `GET /v1/orders/ HTTP/1.1\r\nhost: x\r\nx-api-key: ${patient.key}\r\n\r\n`
  const socket = connect(patient.port, '127.0.0.1').pause()
  atEnd(async () => void socket.destroy())
  let count = 0
  const askMore = (requests: number) => {
    count += requests
    socket.write(request.repeat(requests))
  }
  askMore(100)
  let before = 0
  // Many are refused while others are running; the buffers of the connection may accept the rest.
  await eventually(() => {
    if (answers.held === 0) askMore(10)
    const isStill = answers.held > 0 && answers.held === before
    before = answers.held
    return isStill
  }, 'answers wait for their reader')
  let text = ''
  let most = 0
  const watching = setInterval(() => (most = Math.max(most, answers.held)), 1)
  socket
    .setEncoding('latin1')
    .on('data', (bytes) => (text += bytes))
    .resume()
  const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)
  await eventually(() => statuses().length === count, 'every request is answered')
  clearInterval(watching)
  assert.ok(most <= 1024 * 1024)
  assert.deepEqual(new Set(statuses()), new Set(['200', '429']))
  assert.match(text, /"code":"too_many_under_way"/)
  await eventually(() => answers.held === 0, 'all were taken')
  assert.equal((await patient.get('/v1/orders/')).status, 200)
})

describe('a location', () => {
  test('has a limit of webhooks: one more is 409, existing ones can be changed, and a deletion makes room', async () => {
    const site = await app.addLocation()
    const made: Answer[] = []
    for (let i = 0; i < 3; i++) made.push(await register(site.key, site.id))
    assert.deepEqual(
      made.map(({ status }) => status),
      [201, 201, 201],
    )
    assertProblem(await register(site.key, site.id), { status: 409, code: 'webhook_limit' })
    const [{ json: first } = { json: null }] = made
    const changed = await app.request('POST', '/v1/webhooks/', {
      key: site.key,
      headers: json,
      body: JSON.stringify({ ...first, createdAt: undefined, updatedAt: undefined, events: ['report.created'] }),
    })
    assert.equal(changed.status, 200)
    assert.equal((await app.request('DELETE', `/v1/webhooks/${first.id}`, { key: site.key })).status, 204)
    assert.equal((await register(site.key, site.id)).status, 201)
  })
})

describe('the test operation', () => {
  const run = (id: string, key: string) =>
    testing.request('POST', `/v1/webhooks/test/${id}`, { key, headers: json, body: '{}' })

  test('runs one at a time per webhook, and has a rate limit', async () => {
    const site = await testing.addLocation()
    const [one, other] = [await register(site.key, site.id, testing), await register(site.key, site.id, testing)]
    const answered = gate()
    receiver.answer('/hook', async () => {
      await answered.opened
      return 200
    })
    const before = receiver.at('/hook').length
    const first = run(one.json.id, site.key)
    await receiver.waitFor('/hook', before + 1)
    assertProblem(await run(one.json.id, site.key), { status: 429, code: 'too_many_under_way' })
    const beside = run(other.json.id, site.key)
    await receiver.waitFor('/hook', before + 2)
    answered.open()
    for (const answer of await Promise.all([first, beside])) assert.equal(answer.json['order.paid'].success, true)
    assert.equal((await run(one.json.id, site.key)).status, 200)
    const refused = await run(one.json.id, site.key)
    assertProblem(refused, { status: 429, code: 'rate_limited' })
    assert.equal(refused.headers['retry-after'], '20')
    now += 20_000
    assert.equal((await run(one.json.id, site.key)).status, 200)
  })
})

describe('a report with very many orders', () => {
  test('is read in turns, so that other requests are answered in between', async () => {
    const document = JSON.stringify(orderOf(app.location, 1))
    let turns = 0
    let isOver = false
    const count = () => {
      turns += 1
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    const orders = await readOrders(Array.from({ length: 2_500 }, () => document))
    assert.equal(orders.length, 2_500)
    assert.ok(turns >= 5, `${turns} turns`)
    turns = 0
    const large = JSON.stringify(orderOf(app.location, 1, { customerId: 'x'.repeat(250_000) }))
    assert.equal((await readOrders(Array.from({ length: 30 }, () => large))).length, 30)
    isOver = true
    assert.ok(turns >= 9, `${turns} turns`)
  })
})
