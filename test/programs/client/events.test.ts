import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Tillgate, type CopyChange, type FeedPosition, type TillgateEvent } from '../../../client/src/index.ts'
import { startApp } from '../../support/app.ts'
import { orderOf } from '../../support/records.ts'

const app = await startApp()
const orders = (from: number, n: number, location: string) =>
  Array.from({ length: n }, (_, i) => ({ type: 'order', data: orderOf(location, from + i) }))

/** Reads this many events. */
async function take(events: AsyncGenerator<TillgateEvent>, n: number): Promise<TillgateEvent[]> {
  const taken: TillgateEvent[] = []
  for await (const event of events) {
    taken.push(event)
    if (taken.length === n) break
  }
  return taken
}

for (const transport of ['stream', 'poll'] as const) {
  test(`past and then new events arrive in order, each once (${transport})`, async () => {
    const site = await app.addLocation()
    const tillgate = new Tillgate({ url: app.url, key: site.key })
    await app.store(orders(1, 30, site.id), site.key)
    const reading = take(tillgate.events({ after: 0, types: ['order.created'], transport }), 40)
    await app.store(orders(31, 10, site.id), site.key)
    const events = await reading
    assert.equal(new Set(events.map(({ id }) => id)).size, 40)
    const sequences = events.map(({ sequence }) => sequence)
    assert.deepEqual(
      sequences,
      sequences.toSorted((a, b) => a - b),
    )
  })

  test(`a stopped reader continues where it stopped (${transport})`, async () => {
    const site = await app.addLocation()
    const tillgate = new Tillgate({ url: app.url, key: site.key })
    await app.store(orders(1, 12, site.id), site.key)
    let position: FeedPosition = { after: 0 }
    const options = {
      types: ['order.created'] as const,
      transport,
      onPosition: (reached: FeedPosition) => (position = reached),
    }
    const first = await take(tillgate.events({ after: 0, ...options }), 5)
    const { after, epoch } = position
    // The fifth event was not processed when the reading ended, so it is repeated.
    const rest = await take(tillgate.events({ after, ...(epoch ? { epoch } : {}), ...options }), 8)
    const ids = new Set([...first, ...rest].map(({ id }) => id))
    assert.equal(ids.size, 12)
  })
}

test('a broken stream is resumed without a loss', async () => {
  const site = await app.addLocation()
  await app.store(orders(1, 20, site.id), site.key)
  let opened = 0
  const cutting: typeof fetch = async (...args) => {
    const response = await fetch(...args)
    if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) return response
    opened += 1
    if (opened > 4) return response
    // The stream ends after the first bytes with content.
    let bytes = 0
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const room = 9_000 - bytes
        controller.enqueue(chunk.subarray(0, Math.max(room, 0)))
        bytes += chunk.length
        if (bytes >= 9_000) controller.terminate()
      },
    })
    return new Response(response.body.pipeThrough(cut), response)
  }
  const tillgate = new Tillgate({ url: app.url, key: site.key, fetch: cutting })
  const seen = new Set<string>()
  for await (const { id } of tillgate.events({ after: 0, types: ['order.created'], transport: 'stream' })) {
    seen.add(id)
    if (seen.size === 20) break
  }
  assert.ok(opened > 1)
})

test('if streams do not work the feed is polled', async () => {
  const site = await app.addLocation()
  await app.store(orders(1, 3, site.id), site.key)
  const refusing: typeof fetch = async (url, init) => {
    const { accept } = { ...init }.headers as Record<string, string>
    if (accept === 'text/event-stream')
      return new Response('a proxy page', { headers: { 'content-type': 'text/html' } })
    return fetch(url, init)
  }
  const tillgate = new Tillgate({ url: app.url, key: site.key, fetch: refusing })
  assert.equal((await take(tillgate.events({ after: 0, types: ['order.created'] }), 3)).length, 3)
})

test('a position beyond the journal, or of another journal, ends the reader with a code', async () => {
  const site = await app.addLocation()
  await app.store(orders(1, 1, site.id), site.key)
  const tillgate = new Tillgate({ url: app.url, key: site.key })
  for (const transport of ['stream', 'poll'] as const) {
    await assert.rejects(take(tillgate.events({ after: 999, transport }), 1), { code: 'sequence_ahead' })
    await assert.rejects(take(tillgate.events({ after: 0, epoch: 'ffffffff', transport }), 1), {
      code: 'epoch_changed',
    })
  }
  const { key } = app
  await assert.rejects(take(new Tillgate({ url: app.url, key: `${key}x` }).events({ after: 0 }), 1), { status: 401 })
})

/** Creates a copy in memory, with a transaction that can be made to fail. */
function createCopy() {
  const documents = new Map<string, CopyChange>()
  let position: FeedPosition | undefined
  let failing = false
  return {
    documents,
    fail: (value: boolean) => (failing = value),
    position: () => position,
    apply(changes: readonly CopyChange[], reached: FeedPosition) {
      if (failing) throw new Error('the disk is full')
      for (const change of changes) documents.set(`${change.key.kind} ${change.key.id}`, change)
      position = reached
    },
    count: () => ({ order: documents.size }),
    clear() {
      documents.clear()
      position = undefined
    },
  }
}

test('a copy catches up, continues after a failure of its store, and has the latest version of each resource', async () => {
  const site = await app.addLocation()
  const tillgate = new Tillgate({ url: app.url, key: site.key })
  await app.store(orders(1, 25, site.id), site.key)
  const copy = createCopy()
  copy.fail(true)
  await assert.rejects(tillgate.sync(copy), { message: 'the disk is full' })
  copy.fail(false)
  const first = await tillgate.sync(copy)
  assert.equal(first.isComplete, true)
  assert.equal(copy.documents.size, 25)
  const changed = { ...orderOf(site.id, 3), guests: 77, updatedAt: '2031-01-01T00:00:00.000Z' }
  await app.store([{ type: 'order', data: changed }], site.key)
  const second = await tillgate.sync(copy)
  assert.ok(second.applied > 0 && second.applied < 5)
  for (const { key, document } of copy.documents.values()) {
    assert.deepEqual(JSON.parse(document), (await app.get(`/v1/orders/${key.id}`, { key: site.key })).json)
  }
})

test('a copy with follow applies new events until it is stopped', async () => {
  const site = await app.addLocation()
  const tillgate = new Tillgate({ url: app.url, key: site.key })
  const copy = createCopy()
  const ending = new AbortController()
  // The copy may end while the response to the last push is still being sent.
  const ended = assert.rejects(
    tillgate.sync(copy, {
      follow: true,
      signal: ending.signal,
      onApplied: () => copy.documents.size === 6 && ending.abort(new Error('seen enough')),
    }),
    { message: 'seen enough' },
  )
  await app.store(orders(1, 4, site.id), site.key)
  await app.store(orders(5, 2, site.id), site.key)
  await ended
})

test('a copy of another journal is refused, or rebuilt on request', async () => {
  const [one, two] = [await app.addLocation(), await app.addLocation()]
  await app.store(orders(1, 5, one.id), one.key)
  await app.store(orders(1, 2, two.id), two.key)
  const copy = createCopy()
  await new Tillgate({ url: app.url, key: one.key }).sync(copy)
  const other = new Tillgate({ url: app.url, key: two.key })
  await assert.rejects(other.sync(copy), { code: 'epoch_changed' })
  await other.sync(copy, { restartOnNewJournal: true })
  assert.equal(copy.documents.size, 2)
})
