import assert from 'node:assert/strict'
import { once } from 'node:events'
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { AccessLog } from '../../../src/core/http/guard/access-log.ts'
import { AccessPage } from '../../../src/core/schemas/access.ts'
import { KeyErrorList, KeyUsage, OwnKey } from '../../../src/core/schemas/keys.ts'
import { findAccessFault } from '../../../src/core/store/accounts/access.ts'
import { assertProblem, okay } from '../conformance/contract.ts'
import { startApp, type Site } from '../../support/app.ts'
import { openEventStream } from '../../support/event-stream.ts'
import { everyRecord, idOf, order, smallOrderOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'

let now = Date.parse('2026-03-01T10:00:30.000Z')
const app = await startApp({ clock: () => new Date(now) })
const { access } = app.context

/** Ends the minute, and writes its record. */
async function nextMinute(): Promise<void> {
  now += 60_000
  await access.flush()
}

async function entriesOf(site: Site, query = ''): Promise<any[]> {
  return (okay(await app.get(`/v1/access/${query}`, { key: site.key }), AccessPage) as { data: any[] }).data
}

const reads = async (site: Site) => (await entriesOf(site)).filter(({ kind }) => kind === 'reads')

/**
 * Resolves to the entries of one operation once this many requests are written: a request is counted after its response
 * was sent completely.
 */
async function readsOf(site: Site, operation: string, requests: number): Promise<any> {
  let of: any[] = []
  await eventually(async () => {
    await nextMinute()
    of = (await reads(site)).filter((entry) => entry.operation === operation)
    return of.reduce((sum, entry) => sum + entry.requests, 0) >= requests
  }, `${requests} requests of ${operation} are written`)
  const [first] = of
  const total = (name: string) => of.reduce((sum, entry) => sum + entry[name], 0) as number
  return { ...first, requests: total('requests'), refused: total('refused'), documents: total('documents') }
}

describe('reads', () => {
  test('are counted by key, operation and minute, with documents and the requested range', async () => {
    const site = await app.addLocation()
    const { id, key } = await app.addKey(site.id, { scopes: ['read'] })
    await app.store(everyRecord(site.id), site.key)
    await app.store(
      Array.from({ length: 25 }, (_, n) => order(smallOrderOf(site.id, 50 + n))),
      site.key,
    )
    const total = (await app.get('/v1/orders/?size=100', { key })).json.data.length as number
    await app.get('/v1/orders/?size=5&since=2026-01-05&until=2026-02-01', { key })
    await app.get('/v1/orders/?size=5&since=2026-01-02T12:00:00.000Z', { key })
    const [one] = (await app.get('/v1/orders/?size=1&index=1', { key })).json.data as { id: string }[]
    for (let i = 0; i < 3; i++) await app.get(`/v1/orders/${one?.id}`, { key })
    assert.equal((await app.get(`/v1/orders/${idOf('order', 999)}`, { key })).status, 404)
    assert.equal((await app.get('/v1/webhooks/', { key })).status, 403)
    const list = await readsOf(site, 'GET /v1/orders/', 4)
    assert.deepEqual([list.keyId, list.keyName], [id, 'test'])
    assert.equal(list.minute, '2026-03-01T10:00:00.000Z')
    assert.deepEqual([list.requests, list.refused], [4, 0])
    assert.ok(list.documents > total, `${list.documents} documents`)
    assert.deepEqual([list.from, list.to], ['2026-01-02T12:00:00.000Z', '2026-02-01T00:00:00.000Z'])
    const single = await readsOf(site, 'GET /v1/orders/:id', 4)
    assert.deepEqual([single.requests, single.refused, single.documents], [4, 1, 3])
    const refused = await readsOf(site, 'GET /v1/webhooks/', 1)
    assert.deepEqual([refused.requests, refused.refused, refused.documents], [1, 1, 0])
  })

  test('of the feed and of a stream are recorded with the sequences that were sent', async () => {
    const site = await app.addLocation()
    await app.store(
      Array.from({ length: 8 }, (_, n) => order(smallOrderOf(site.id, n))),
      site.key,
    )
    await app.get('/v1/events/?after=2&limit=3', { key: site.key })
    await app.get('/v1/events/?after=8', { key: site.key })
    const stream = await openEventStream(`${app.url}/v1/events/?after=5`, { 'x-api-key': site.key })
    await stream.until(() => stream.events.at(-1)?.data.sequence === 8, 'all have come')
    stream.close()
    await eventually(async () => {
      await nextMinute()
      return (await reads(site)).filter(({ operation }) => operation === 'GET /v1/events/').length === 2
    }, 'the stream is counted when it has ended')
    const feeds = (await reads(site)).filter(({ operation }) => operation === 'GET /v1/events/')
    const [first, last] = [Math.min(...feeds.map(({ from }) => from)), Math.max(...feeds.map(({ to }) => to))]
    assert.deepEqual([first, last], [3, 8])
  })

  test('of an open stream and of an aborted export are counted while they are being sent', async () => {
    const site = await app.addLocation()
    await app.store(
      Array.from({ length: 8 }, (_, n) => order(smallOrderOf(site.id, n))),
      site.key,
    )
    const stream = await openEventStream(`${app.url}/v1/events/?after=0`, { 'x-api-key': site.key })
    await stream.until(() => stream.events.at(-1)?.data.sequence === 8, 'all have come')
    const documents = async (operation: string) => {
      await nextMinute()
      return (await reads(site))
        .filter((entry) => entry.operation === operation)
        .reduce((sum: number, entry) => sum + entry.documents, 0)
    }
    assert.equal(await documents('GET /v1/events/'), stream.events.length)
    await app.store([order(smallOrderOf(site.id, 20))], site.key)
    await stream.until(() => stream.events.at(-1)?.data.sequence === 9, 'one more has come')
    assert.equal(await documents('GET /v1/events/'), stream.events.length)
    stream.close()
    await readsOf(site, 'GET /v1/events/', 1)
    assert.equal(await documents('GET /v1/events/'), stream.events.length, 'and nothing twice')

    const many = Array.from({ length: 1_500 }, (_, n) =>
      order(smallOrderOf(site.id, 100 + n, { closedAt: '2026-01-05T12:00:00.000Z', customerId: 'x'.repeat(4_000) })),
    )
    for (let at = 0; at < many.length; at += 300) await app.store(many.slice(at, at + 300), site.key)
    const path = '/v1/exports/orders?format=ndjson&month=2026-01'
    // A separate connection reads the first bytes and disconnects.
    const socket = connect(app.port, '127.0.0.1')
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${site.key}\r\n\r\n`)
    await once(socket, 'data')
    socket.destroy()
    await eventually(async () => (await documents('GET /v1/exports/:table')) > 0, 'what was taken is counted')
    const taken = await documents('GET /v1/exports/:table')
    const answer = await fetch(`${app.url}${path}`, { headers: { 'x-api-key': site.key } })
    const whole = (await answer.text()).trimEnd().split('\n').length
    await readsOf(site, 'GET /v1/exports/:table', 2)
    assert.equal(await documents('GET /v1/exports/:table'), taken + whole)
  })

  test('that the database could not store are written later, once each', async () => {
    const site = await app.addLocation()
    await readsOf(site, 'GET /v1/access/', 0)
    await app.get('/health/', { key: site.key })
    await app.get('/health/', { key: site.key })
    now += 60_000
    await app.pool`alter table access_entries rename to access_away`
    await assert.rejects(access.flush())
    await app.pool`alter table access_away rename to access_entries`
    await app.get('/health/', { key: site.key })
    assert.equal((await readsOf(site, 'GET /health/', 3)).requests, 3)
    assert.equal(await findAccessFault(app.pool, site.id), undefined)
  })

  test('of a request that is never answered are counted too', async () => {
    const site = await app.addLocation()
    const controller = new AbortController()
    const waiting = fetch(`${app.url}/v1/events/?wait=60`, {
      headers: { 'x-api-key': site.key },
      signal: controller.signal,
    })
    await eventually(() => app.app.server.listening, 'it listens')
    await app.get('/health/', { key: site.key })
    controller.abort()
    await assert.rejects(waiting)
    assert.equal((await readsOf(site, 'GET /v1/events/', 1)).requests, 1)
  })
})

describe('operations on a webhook', () => {
  test('are each recorded at once, with the key that performed them', async () => {
    const site = await app.addLocation()
    const { id: keyId, key } = await app.addKey(site.id, { scopes: ['webhooks'] })
    const headers = { 'content-type': 'application/json' }
    const input = {
      events: ['order.paid'],
      endpointUrl: 'http://127.0.0.1:1/',
      locationId: site.id,
      recipientId: randomUUID(),
    }
    const upsert = () => app.request('POST', '/v1/webhooks/', { key, headers, body: JSON.stringify(input) })
    const { id } = (await upsert()).json
    await upsert()
    await app.get(`/v1/webhooks/${id}/secret`, { key })
    for (const path of ['secret/rotate', 'enable']) await app.request('POST', `/v1/webhooks/${id}/${path}`, { key })
    await app.request('POST', `/v1/webhooks/${id}/replay`, { key, headers, body: '{"sequence":1}' })
    await app.request('DELETE', `/v1/webhooks/${id}`, { key })
    const acts = (await entriesOf(site)).filter(({ kind }) => kind === 'act')
    assert.deepEqual(
      acts.map(({ act }) => act),
      [
        'webhook.created',
        'webhook.changed',
        'webhook.secret_read',
        'webhook.secret_rotated',
        'webhook.enabled',
        'webhook.replayed',
        'webhook.deleted',
      ],
    )
    for (const { by, subject } of acts) assert.deepEqual([by, subject], [keyId, id])
  })
})

describe('GET /v1/access/', () => {
  test('continues from meta.next, and from a given time', async () => {
    const site = await app.addLocation()
    for (let i = 0; i < 3; i++) {
      await app.get('/health/', { key: site.key })
      await nextMinute()
    }
    const first = (await app.get('/v1/access/?limit=2', { key: site.key })).json
    assert.deepEqual([first.data.length, first.meta.next], [2, 2])
    const rest = (await app.get(`/v1/access/?after=${first.meta.next}`, { key: site.key })).json
    assert.deepEqual([rest.data[0].sequence, rest.meta.next, rest.meta.head], [3, 3, 3])
    const since = new Date(now).toISOString()
    assert.deepEqual(
      (await entriesOf(site, `?since=${since}`)).map(({ sequence }) => sequence),
      [3],
    )
    const end = (await app.get('/v1/access/?after=3', { key: site.key })).json
    assert.deepEqual(end, { data: [], meta: { next: 3, head: 3 } })
    const beyond = await app.get('/v1/access/?after=4', { key: site.key })
    assertProblem(beyond, { status: 409, code: 'sequence_ahead' })
    assert.equal(beyond.json.head, 3)
    assert.equal((await app.get('/v1/access/?limit=0', { key: site.key })).status, 400)
    assert.equal((await app.get('/v1/access/?since=x', { key: site.key })).status, 400)
  })

  test('needs a location key with the scope read: no key 401, another scope 403, a recipient’s key 403', async () => {
    assertProblem(await app.get('/v1/access/', { key: null }), { status: 401, code: 'key_missing' })
    assertProblem(await app.get('/v1/access/', { key: app.keys.ingest }), { status: 403, code: 'scope_missing' })
    const bound = await app.addKey(app.location, { recipientId: randomUUID() })
    assertProblem(await app.get('/v1/access/', { key: bound.key }), { status: 403, code: 'recipient_forbidden' })
  })

  test('shows nothing of another location', async () => {
    const [site, other] = [await app.addLocation(), await app.addLocation()]
    await app.get('/health/', { key: site.key })
    await nextMinute()
    assert.equal((await entriesOf(other)).length, 0)
    assert.equal((await entriesOf(site)).length, 1)
  })
})

test('minutes that the database does not accept are dropped, oldest first, and the drop is reported', async () => {
  const site = await app.addLocation()
  const given: number[] = []
  const log = new AccessLog(
    app.pool,
    () => new Date(now),
    0,
    (minutes) => void given.push(minutes),
  )
  const count = (n: number) => {
    const key = { id: randomUUID(), locationId: site.id }
    const request = { key, method: 'GET', route: { url: `/v1/${n}` }, query: {}, handedOut: null }
    log.count(request as never, 200)
  }
  const nextWrite = () => ((now += 60_000), log.flush())
  const stored = async () => {
    const rows = await app.pool<{ operation: string }[]>`
      select document::json->>'operation' as operation from access_entries where location_id = ${site.id} order by seq`
    return rows.map(({ operation }) => Number(operation.replace('GET /v1/', '')))
  }
  await app.pool`alter table access_entries rename to access_entries_away`
  for (let n = 0; n < 9_998; n++) count(n)
  await assert.rejects(nextWrite(), /access_entries/)
  assert.deepEqual(given, [])
  for (let n = 9_998; n < 10_003; n++) count(n)
  await assert.rejects(nextWrite(), /access_entries/)
  assert.deepEqual(given, [3])
  await app.pool`alter table access_entries_away rename to access_entries`
  await nextWrite()
  assert.deepEqual(
    await stored(),
    Array.from({ length: 10_000 }, (_, n) => n + 3),
  )
})

describe('a key', () => {
  test('reads its own description, number of requests and refusals, and nothing about other keys', async () => {
    const site = await app.addLocation()
    const { id, key } = await app.addKey(site.id, { scopes: ['read'] })
    const own = okay(await app.get('/v1/keys/own', { key }), OwnKey)
    assert.deepEqual([own.id, own.kind, own.scopes, own.locationId], [id, 'key', ['read'], site.id])
    for (let n = 0; n < 3; n++) await app.get('/v1/webhooks/', { key })
    await app.get('/v1/orders/?size=x', { key })
    await app.get('/v1/orders/?size=x', { key: site.key })
    const errors = okay(await app.get('/v1/keys/own/errors', { key }), KeyErrorList).data
    assert.deepEqual(
      errors.map(({ code, operation, count }: any) => [code, operation, count]),
      [
        ['scope_missing', 'GET /v1/webhooks/', 3],
        ['validation_failed', 'GET /v1/orders/', 1],
      ],
    )
    const usage = async () => okay(await app.get('/v1/keys/own/usage?step=1h', { key }), KeyUsage).data
    await eventually(async () => {
      await nextMinute()
      return (await usage()).reduce((sum: number, { requests }: any) => sum + requests, 0) >= 6
    }, 'the requests are counted')
    assert.equal(
      (await usage()).reduce((sum: number, { refused }: any) => sum + refused, 0),
      4,
    )
    const { key: other } = await app.addKey(site.id, { scopes: ['read'] })
    assert.deepEqual(okay(await app.get('/v1/keys/own/errors', { key: other }), KeyErrorList).data, [])
    assertProblem(await app.get('/v1/keys/own', { key: null }), { status: 401, code: 'key_missing' })
    assert.equal((await app.get('/v1/keys/own/usage?step=1m&since=2020-01-01', { key })).status, 400)
  })
})
