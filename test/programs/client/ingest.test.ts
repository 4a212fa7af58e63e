import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Tillgate, type PushedRecord } from '../../../client/src/index.ts'
import { startApp } from '../../support/app.ts'
import { orderOf } from '../../support/records.ts'

const app = await startApp()

const ordersOf = (location: string, n: number): PushedRecord[] =>
  Array.from({ length: n }, (_, i) => ({ type: 'order', data: orderOf(location, i + 1) }) as PushedRecord)

test('records are pushed in batches, and each gets its result, in order', async () => {
  const site = await app.addLocation()
  const tillgate = new Tillgate({ url: app.url, key: site.key })
  const records = ordersOf(site.id, 120)
  const verdicts = await Array.fromAsync(tillgate.ingest(records, { batch: 50 }))
  assert.deepEqual(
    verdicts.map(({ record }) => record),
    records,
  )
  assert.ok(verdicts.every(({ status }) => status === 'accepted'))
  const again = await Array.fromAsync(tillgate.ingest(records, { gzip: false }))
  assert.ok(again.every(({ status }) => status === 'unchanged'))
})

test('the source is read further only after the previous records were answered', async () => {
  const site = await app.addLocation()
  const tillgate = new Tillgate({ url: app.url, key: site.key })
  let given = 0
  let answered = 0
  async function* source() {
    for (const record of ordersOf(site.id, 90)) {
      // One batch is at the server, and one record of the next batch has been read.
      assert.ok(given - answered <= 31, `${given} were taken while ${answered} were answered`)
      given += 1
      yield record
    }
  }
  for await (const _ of tillgate.ingest(source(), { batch: 30 })) answered += 1
  assert.equal(answered, 90)
})

test('a push with a lost answer is sent again, and counts once', async () => {
  const site = await app.addLocation()
  let calls = 0
  const losing: typeof fetch = async (...args) => {
    const response = await fetch(...args)
    calls += 1
    if (calls > 1) return response
    await response.arrayBuffer()
    throw new TypeError('fetch failed')
  }
  const tillgate = new Tillgate({ url: app.url, key: site.key, fetch: losing })
  const verdicts = await Array.fromAsync(tillgate.ingest(ordersOf(site.id, 5)))
  assert.deepEqual(
    verdicts.map(({ status }) => status),
    Array.from({ length: 5 }, () => 'unchanged'),
  )
})

test('an unavailable server is retried until it is back', async () => {
  const site = await app.addLocation()
  let calls = 0
  const away: typeof fetch = async (...args) => {
    calls += 1
    if (calls < 4) throw new TypeError('fetch failed')
    return fetch(...args)
  }
  const tillgate = new Tillgate({ url: app.url, key: site.key, fetch: away })
  assert.equal((await Array.fromAsync(tillgate.ingest(ordersOf(site.id, 2)))).length, 2)
})

test('records that cannot be stored are returned with code and pointers, also if none could be stored', async () => {
  const site = await app.addLocation()
  const tillgate = new Tillgate({ url: app.url, key: site.key })
  const bad = { type: 'order', data: { ...orderOf(site.id, 1), surprise: 1 } } as PushedRecord
  const [alone] = await Array.fromAsync(tillgate.ingest([bad]))
  assert.equal(alone?.status, 'rejected')
  assert.equal(alone?.errors?.[0]?.pointer, '/data/surprise')
  const mixed = await Array.fromAsync(tillgate.ingest([...ordersOf(site.id, 1), bad]))
  assert.deepEqual(
    mixed.map(({ status }) => status),
    ['accepted', 'rejected'],
  )
})

test('a key without the scope ends the push with an error code', async () => {
  const tillgate = new Tillgate({ url: app.url, key: app.keys.read })
  await assert.rejects(Array.fromAsync(tillgate.ingest(ordersOf(app.location, 1))), { code: 'scope_missing' })
})
