import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, test, type TestContext } from 'node:test'
import { JournalLooks } from '../../../src/core/http/answers/journal-looks.ts'
import { assertProblem } from '../conformance/contract.ts'
import { feedOf, many, one, pairs } from './feed-calls.ts'
import { startApp, type Site, type TestApp } from '../../support/app.ts'
import { openEventStream, type EventStream } from '../../support/event-stream.ts'
import { order, orderOf, versionOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'

const app = await startApp()
const { readPage, read } = feedOf(app)

function stream(
  site: Site,
  query = '',
  headers: Record<string, string> = {},
  via: TestApp = app,
): Promise<EventStream> {
  return openEventStream(`${via.url}/v1/events/${query}`, { 'x-api-key': site.key, ...headers })
}

/**
 * Opens a stream whose client reads only after `resume`. `early` lists writes of events and reads of the journal by the
 * server while the client is behind.
 */
async function unreadStream(t: TestContext, site: Site) {
  const served = once(app.app.server, 'request')
  const opening = stream(site, '?after=0')
  const [, response] = (await served) as [unknown, ServerResponse]
  const early: string[] = []
  const note = (what: string) => void (response.writableNeedDrain && early.push(what))
  const write = response.write.bind(response) as (text: string) => boolean
  t.mock.method(response, 'write', (text: string) => (note('write'), write(text)))
  const { pool } = app.context
  const unsafe = pool.unsafe.bind(pool)
  const queries = t.mock.method(pool, 'unsafe', (...call: Parameters<typeof unsafe>) => {
    if (/from journal/.test(call[0]) && call[1]?.[0] === site.id) note('read')
    return unsafe(...call)
  })
  const opened = await opening
  opened.pause()
  await eventually(() => response.writableNeedDrain, 'the client has to read')
  return { opened, early, queries }
}

describe('the stream', () => {
  const sent = (opened: EventStream) => opened.events.map(({ data }) => `${data.sequence} ${data.type}`)

  test('reduces data to the id of the resource on request; a page does not', async () => {
    const site = await app.addLocation()
    const opened = await stream(site, '?data=id')
    await app.store([one(site, 1)], site.key)
    await opened.until(() => opened.events.length >= 2, 'both events')
    const whole = await read(site, '?after=0')
    const light = whole.data.map((event: any) => ({ ...event, data: { id: event.data.id } }))
    assert.deepEqual(
      opened.events.map(({ data }) => data),
      light,
    )
    const page = await app.get('/v1/events/?after=0&data=id', { key: site.key })
    assertProblem(page, { status: 400, code: 'validation_failed' })
    assertProblem(await app.get('/v1/events/?data=all', { key: site.key }), { status: 400, code: 'validation_failed' })
    opened.close()
  })

  test('sends new events with id, type and body', async () => {
    const site = await app.addLocation()
    await app.store(many(site, 1, 1), site.key)
    const opened = await stream(site)
    assert.equal(opened.status, 200)
    assert.equal(opened.headers['content-type'], 'text/event-stream; charset=utf-8')
    assert.equal(opened.headers['cache-control'], 'private, no-store')
    assert.ok(opened.headers['x-request-id'])
    await app.store([one(site, 2)], site.key)
    await opened.until(() => opened.events.length >= 2, 'both events')
    assert.deepEqual(
      opened.events.map(({ id, event, data }) => [id, event, data.sequence]),
      // Only the last event of a change carries the sequence: a change that was cut off is repeated.
      [
        [null, 'order.created', 2],
        [`${(await readPage(site)).meta.epoch}_2`, 'order.paid', 2],
      ],
    )
    const page = await read(site, '?after=1')
    assert.deepEqual(
      opened.events.map(({ data }) => data),
      page.data,
    )
    opened.close()
  })

  test('begins after the requested sequence', async () => {
    const site = await app.addLocation()
    await app.store(many(site, 1, 5), site.key)
    const opened = await stream(site, '?after=3')
    await opened.until(() => opened.events.length >= 4, 'the last two')
    assert.deepEqual(sent(opened), pairs(4, 5))
    opened.close()
  })

  test('sends only the requested types', async () => {
    const site = await app.addLocation()
    const opened = await stream(site, '?types=order.updated')
    await app.store([...many(site, 1, 3), order(versionOf(site.id, 2, 2))], site.key)
    await opened.until(() => opened.events.length > 0, 'the update')
    assert.deepEqual(sent(opened), ['4 order.updated'])
    opened.close()
  })

  test('resumes by Last-Event-ID, which takes precedence over `after`', async () => {
    const site = await app.addLocation()
    await app.store(many(site, 1, 5), site.key)
    const opened = await stream(site, '?after=1', { 'last-event-id': '4' })
    await opened.until(() => opened.events.length >= 2, 'the last')
    assert.deepEqual(sent(opened), pairs(5, 5))
    opened.close()
    const wrong = await app.get('/v1/events/', {
      key: site.key,
      headers: { accept: 'text/event-stream', 'last-event-id': 'five' },
    })
    assertProblem(wrong, { status: 400, code: 'validation_failed', pointers: ['/last-event-id'] })
  })

  test('has no gaps or duplicates over a restart of the server while tills push', async () => {
    const site = await app.addLocation()
    const first = await startApp({ database: app.database })
    const opened = await stream(site, '?after=0', {}, first)
    const pushing = (async () => {
      for (let n = 1; n <= 60; n++) await app.store([one(site, n)], site.key)
    })()
    await opened.until(() => opened.events.length >= 20, 'some events')
    await first.close()
    await opened.ended
    const second = await startApp({ database: app.database })
    const again = await stream(site, '', { 'last-event-id': opened.lastEventId() }, second)
    await pushing
    const seen = () => [
      ...sent(opened).filter((name) => Number.parseInt(name, 10) <= Number(opened.lastEventId().split('_')[1])),
      ...sent(again),
    ]
    await again.until(() => seen().length >= 120, 'the rest')
    assert.deepEqual(seen(), pairs(1, 60))
    again.close()
    await second.close()
  })

  test('has no gaps or duplicates while many push at once', async () => {
    const site = await app.addLocation()
    const opened = await Promise.all(Array.from({ length: 5 }, () => stream(site)))
    await Promise.all(Array.from({ length: 150 }, (_, n) => app.store([one(site, n + 1)], site.key)))
    for (const each of opened) {
      await each.until(() => each.events.length >= 300, 'all events')
      assert.deepEqual(sent(each), pairs(1, 150))
      each.close()
    }
  })

  test('waits for a slow reader, and then continues without a gap', async (t) => {
    const site = await app.addLocation()
    const big = 'x'.repeat(60_000)
    const records = Array.from({ length: 120 }, (_, i) => order(orderOf(site.id, i + 1, { orderPlace: big })))
    for (let at = 0; at < records.length; at += 30) await app.store(records.slice(at, at + 30), site.key)
    const warnings: Error[] = []
    const onWarning = (warning: Error) => void warnings.push(warning)
    process.on('warning', onWarning)
    const { opened, early } = await unreadStream(t, site)
    opened.resume()
    await opened.until(() => opened.events.length >= 240, 'all events')
    assert.deepEqual(early, [])
    assert.deepEqual(sent(opened), pairs(1, 120))
    opened.close()
    process.off('warning', onWarning)
    assert.deepEqual(warnings, [])
  })

  test('loads at most 1 MiB of documents at once, and more only when its client has read them', async (t) => {
    const site = await app.addLocation()
    const big = 'x'.repeat(200_000)
    const records = Array.from({ length: 12 }, (_, i) => order(orderOf(site.id, i + 1, { orderPlace: big })))
    await app.store(records, site.key)
    const { opened, early, queries } = await unreadStream(t, site)
    opened.resume()
    await opened.until(() => opened.events.length >= 24, 'all events')
    opened.close()
    const limits = queries.mock.calls.flatMap(({ arguments: [text, parameters = []] }) =>
      /from journal/.test(text) && parameters[0] === site.id ? [Number(parameters[3])] : [],
    )
    assert.ok(limits.length > 2)
    assert.deepEqual(early, [])
    assert.deepEqual(new Set(limits), new Set([1024 * 1024]))
  })

  test('finds events without a hint', async () => {
    const site = await app.addLocation()
    const { hints } = app.context
    const subscribe = hints.subscribe.bind(hints)
    hints.subscribe = () => () => {}
    const opened = await stream(site)
    await app.store([one(site, 1)], site.key)
    await opened.until(() => opened.events.length >= 2, 'both events')
    assert.deepEqual(sent(opened), pairs(1, 1))
    opened.close()
    hints.subscribe = subscribe
  })

  test('polls for them once a second, together with all other streams of its location', async () => {
    let [nowMs, looks] = [1_000, 0]
    const { hints } = app.context
    const location = randomUUID()
    const journal = new JournalLooks(
      hints,
      async () => {
        looks += 1
        if (looks === 1) throw new Error('the database is away')
        return 5
      },
      () => nowMs,
    )
    const looksOf = async (from: number) => {
      const before = looks
      const answers = await Promise.all(Array.from({ length: 1_000 }, () => journal.isBeyond(location, from)))
      assert.deepEqual(new Set(answers), new Set([from < 5]))
      return looks - before
    }
    await assert.rejects(journal.isBeyond(location, 4), /away/)
    assert.equal(await looksOf(4), 1, 'after a look that failed')
    nowMs += 999
    assert.equal(await looksOf(5), 0, 'within a second')
    nowMs += 2
    assert.equal(await looksOf(5), 1, 'after a second')
    hints.committed(location)
    assert.equal(await looksOf(4), 1, 'after a hint')
  })

  test('leaves nothing behind when its reader disconnects', async () => {
    const site = await app.addLocation()
    const { hints } = app.context
    const listening = new Set<object>()
    const subscribe = hints.subscribe.bind(hints)
    hints.subscribe = (listener) => {
      listening.add(listener)
      const unsubscribe = subscribe(listener)
      return () => {
        listening.delete(listener)
        unsubscribe()
      }
    }
    const opened = await stream(site)
    await eventually(() => listening.size === 1, 'it listens')
    opened.close()
    await eventually(() => listening.size === 0, 'it has gone')
    hints.subscribe = subscribe
  })
})

describe('an ended key', () => {
  const time = { ms: 1_000_000 }
  /** Ways to end a key of the location. */
  const endings: Record<string, (id: string) => Promise<unknown>> = {
    key_revoked: (id) => app.pool`update api_keys set revoked_at = now() where id = ${id}`,
    key_expired: (id) => app.pool`update api_keys set expires_at = now() where id = ${id}`,
  }

  for (const [code, end] of Object.entries(endings)) {
    test(`ends its streams and its long polls: ${code}`, async () => {
      const via = await startApp({ database: app.database, keyRing: { monotonic: () => time.ms } })
      const site = await via.addLocation()
      const { id, key } = await via.addKey(site.id)
      const watching = await stream({ ...site, key }, '', {}, via)
      const waiting = via.get('/v1/events/?wait=60', { key })
      await end(id)
      time.ms += 3_000
      await watching.ended
      await via.store([one(site, 1)], site.key)
      assert.deepEqual(watching.events, [])
      assertProblem(await waiting, { status: 401, code })
    })
  }
})
