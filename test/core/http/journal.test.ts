import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chainHash, genesis } from '../../../src/core/domain/journal/chain.ts'
import { JournalEntry, JournalHead } from '../../../src/core/schemas/events.ts'
import { assertProblem, assertSchema, okay, pathOf } from '../conformance/contract.ts'
import { startApp } from '../../support/app.ts'
import {
  everyRecord,
  idOf,
  locationOf,
  order,
  orderOf,
  timeOf,
  smallOrderOf,
  versionOf,
} from '../../support/records.ts'
import { openEventStream } from '../../support/event-stream.ts'

const app = await startApp()
const small = await startApp({
  database: app.database,
  limits: { pageBytes: 64 * 1024, webhooksPerLocation: 3, deliveryDays: 30, noticesKept: 1_000 },
})
const site = await app.addLocation()
const { key } = site
const head = (options: object = {}) => app.get('/v1/journal/head', { key, ...options })
const entry = (sequence: number | string) => app.get(`/v1/events/${sequence}`, { key })

describe('the head of the journal', () => {
  test('is null before the first entry, and then the last one', async () => {
    assert.deepEqual(okay(await head(), JournalHead), {
      sequence: 0,
      hash: genesis,
      epoch: okay(await head(), JournalHead).epoch,
      acceptedAt: null,
    })
    await app.store(
      [...everyRecord(site.id).slice(1), { type: 'location', data: locationOf(site.id, { name: 'Bistro Autre' }) }],
      key,
    )
    const { sequence, hash, acceptedAt } = okay(await head(), JournalHead)
    const last = okay(await entry(sequence), JournalEntry)
    assert.deepEqual([sequence, hash, acceptedAt], [7, last.hash, last.timestamp])
    assertProblem(await entry(8), { status: 404, code: 'entry_not_found' })
  })

  test('is 304 until there is a new entry', async () => {
    const { etag } = (await head()).headers
    assert.equal((await head({ headers: { 'if-none-match': etag } })).status, 304)
    await app.store([order(orderOf(site.id, 2))], key)
    const moved = await head({ headers: { 'if-none-match': etag } })
    assert.deepEqual([moved.status, moved.headers['tillgate-sequence']], [200, '8'])
  })
})

describe('an entry of the journal', () => {
  test('contains all that the chain covers: every hash can be recomputed from the answers', async () => {
    const { sequence } = (await head()).json
    let previous = genesis
    for (let n = 1; n <= sequence; n++) {
      const { epoch, timestamp, locationId, kind, resourceId, types, previousSequence, commitment, ...chain } = okay(
        await entry(n),
        JournalEntry,
      )
      assert.equal(chain.previousHash, previous)
      const link = { locationId, epoch, seq: n, acceptedAt: timestamp, kind, id: resourceId, types, commitment }
      previous = chainHash(previous, { ...link, prevSeq: previousSequence })
      assert.equal(chain.hash, previous)
    }
  })

  test('exists for every kind of record, and its links work', async () => {
    const kinds = new Set<string>()
    for (let n = 1; n <= 8; n++) {
      const { kind, links, data } = (await entry(n)).json
      kinds.add(kind)
      const resource = await app.get(pathOf(links.resource), { key })
      assert.equal(resource.status, 200, kind)
      if (kind === 'order') assert.deepEqual(resource.json, data)
      for (const link of [links.self, links.next, links.previous, links.history]) {
        if (link !== null) assert.equal((await app.get(pathOf(link), { key })).status, 200, link)
      }
      assert.equal(links.next === null, n === 8)
      assert.equal(links.history === null, kind !== 'order')
    }
    assert.equal(kinds.size, 7)
  })

  test('links to the previous version, and has its events with the ids of their deliveries', async () => {
    const changed = orderOf(site.id, 2, { updatedAt: timeOf(9), isCanceled: true, cancelReason: 'Erreur' })
    await app.store([order(changed)], key)
    const found = okay(await entry(9), JournalEntry)
    assert.deepEqual([found.previousSequence, found.types], [8, ['order.updated', 'order.canceled']])
    assert.deepEqual(found.data, changed)
    const feed = (await app.get('/v1/events/?after=8', { key })).json.data
    assert.deepEqual(
      found.events,
      feed.map(({ id, type }: { id: string; type: string }) => ({ id, type })),
    )
    const before = okay(await app.get(pathOf(found.links.previous), { key }), JournalEntry)
    assert.equal(before.data.isCanceled, false)
  })

  test('exists for a training order too, without events', async () => {
    await app.store([order(orderOf(site.id, 3, { isTraining: true }))], key)
    const found = okay(await entry(10), JournalEntry)
    assert.deepEqual([found.kind, found.resourceId, found.types, found.events], ['order', idOf('order', 3), [], []])
    assertSchema(JournalEntry, found)
  })

  test('of another location is 404, and a sequence must be a number', async () => {
    assertProblem(await app.get('/v1/events/1', { key: app.other.key }), { status: 404, code: 'entry_not_found' })
    for (const wrong of ['0', '-1', '1.5', 'x', '9007199254740992']) {
      assertProblem(await entry(wrong), { status: 400, code: 'validation_failed', pointers: ['/sequence'] })
    }
  })
})

describe('a page', () => {
  /** Returns an order of about 16 kB, which causes one event. */
  const large = (location: string, n: number) => order({ ...smallOrderOf(location, n), customerId: 'x'.repeat(16_000) })

  test('of the feed ends early when its documents reach the size limit, and meta.next continues without a gap', async () => {
    const site = await small.addLocation()
    await small.store(
      Array.from({ length: 20 }, (_, n) => large(site.id, n)),
      site.key,
    )
    const sequences: number[] = []
    let pages = 0
    for (let after = 0; ; pages += 1) {
      const { data, meta } = (await small.get(`/v1/events/?after=${after}&limit=1000`, { key: site.key })).json
      const bytes = Buffer.byteLength(JSON.stringify(data))
      assert.ok(bytes < 64 * 1024 + 2 * 18_000, `${bytes} bytes on a page`)
      sequences.push(...data.map(({ sequence }: { sequence: number }) => sequence))
      if (meta.next === meta.head) break
      assert.ok(meta.next > after, 'each page goes on')
      after = meta.next
    }
    assert.deepEqual(
      [...new Set(sequences)],
      Array.from({ length: 20 }, (_, n) => n + 1),
    )
    assert.ok(pages >= 4, `${pages} pages`)
  })

  test('with a document larger than the limit contains only that document', async () => {
    const site = await small.addLocation()
    const huge = order({ ...smallOrderOf(site.id, 1), customerId: 'x'.repeat(100_000) })
    await small.store([huge, large(site.id, 2)], site.key)
    const { data, meta } = (await small.get('/v1/events/', { key: site.key })).json
    assert.deepEqual([...new Set(data.map(({ sequence }: { sequence: number }) => sequence))], [1])
    assert.deepEqual([meta.next, meta.head], [1, 2])
  })

  test('of a stream is read in parts up to the size limit, and every event arrives', async (t) => {
    const site = await small.addLocation()
    await small.store(
      Array.from({ length: 15 }, (_, n) => large(site.id, n)),
      site.key,
    )
    const queries = t.mock.method(small.context.pool, 'unsafe')
    const stream = await openEventStream(`${small.url}/v1/events/?after=0`, { 'x-api-key': site.key })
    const seen = () => new Set(stream.events.map(({ data }) => data.sequence))
    await stream.until(() => seen().size === 15, 'all have come')
    stream.close()
    const pages: { document: string }[][] = []
    for (const { arguments: of, result } of queries.mock.calls) {
      if (of[0].includes('from journal') && of[1]?.[0] === site.id) pages.push((await result) as never)
    }
    const sizes = pages.map((rows) => rows.reduce((sum, { document }) => sum + Buffer.byteLength(document), 0))
    assert.ok(sizes.length >= 3 && Math.max(...sizes) < 64 * 1024 + 18_000, `${sizes.join(', ')} bytes`)
  })

  test('of a history contains the latest versions that fit', async () => {
    const site = await small.addLocation()
    const id = idOf('order', 1)
    for (let n = 1; n <= 8; n++) {
      const { updatedAt, ...rest } = versionOf(site.id, 1, n) as { updatedAt: string }
      await small.store([order({ ...rest, updatedAt, id, customerId: `${n}${'x'.repeat(16_000)}` })], site.key)
    }
    const versions = (await small.get(`/v1/orders/${id}/history`, { key: site.key })).json as { sequence: number }[]
    assert.ok(versions.length >= 3 && versions.length <= 5, `${versions.length} versions`)
    const sequences = versions.map(({ sequence }) => sequence)
    assert.equal(sequences.at(-1), 8)
    assert.deepEqual(
      sequences,
      sequences.toSorted((a, b) => a - b),
    )
  })
})
