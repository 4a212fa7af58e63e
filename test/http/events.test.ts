import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Agent } from 'node:http'
import { describe, test } from 'node:test'
import { JournalLooks } from '../../src/http/journal-looks.ts'
import { EventPage, eventSchema, eventTypes, type EventType } from '../../src/schemas/events.ts'
import { assertProblem, assertSchema, okay } from '../conformance/contract.ts'
import { send, startApp, type Site, type TestApp } from '../support/app.ts'
import { openEventStream, type EventStream } from '../support/event-stream.ts'
import { everyRecord, idOf, order, orderOf, versionOf } from '../support/records.ts'
import { eventually, gate } from '../support/waiting.ts'

const app = await startApp()

type Event = { id: string; type: EventType; sequence: number; data: any }

const readPage = async (site: Site, query = '') =>
  okay(await app.get(`/v1/events/${query}`, { key: site.key }), EventPage) as {
    data: Event[]
    meta: { next: number; head: number; epoch: string }
  }

const read = async (site: Site, query = '') => {
  const { data, meta } = await readPage(site, query)
  const { epoch: _, ...place } = meta
  return { data, meta: place }
}

const one = (site: Site, n: number) => order(versionOf(site.id, n, 1))
const many = (site: Site, from: number, count: number) => Array.from({ length: count }, (_, i) => one(site, from + i))

const named = (events: readonly Event[]) => events.map(({ sequence, type }) => `${sequence} ${type}`)

function stream(
  site: Site,
  query = '',
  headers: Record<string, string> = {},
  via: TestApp = app,
): Promise<EventStream> {
  return openEventStream(`${via.url}/v1/events/${query}`, { 'x-api-key': site.key, ...headers })
}

/** Both events of each new, paid order. */
const pairs = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => [`${from + i} order.created`, `${from + i} order.paid`]).flat()

describe('the feed', () => {
  test('hands out the journal as events, in order, each of the schema of its type', async () => {
    const site = await app.addLocation()
    await app.store(everyRecord(site.id), site.key)
    const { data, meta } = await read(site)
    assert.deepEqual(data.map(({ type }) => type).toSorted(), [
      'catalog.modifiers.updated',
      'catalog.payments.updated',
      'catalog.products.updated',
      'catalog.taxes.updated',
      'order.created',
      'order.paid',
      'report.created',
    ])
    for (const event of data) {
      assertSchema(eventSchema(event.type), event)
      assert.deepEqual(Object.keys(event), ['id', 'type', 'timestamp', 'locationId', 'sequence', 'data'])
    }
    const numbers = data.map(({ sequence }) => sequence)
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    )
    assert.deepEqual(meta, { next: meta.head, head: numbers.at(-1) })
  })

  test('carries the bytes that GET answered', async () => {
    const site = await app.addLocation()
    const text = JSON.stringify(orderOf(site.id, 1)).replace('"total":22,', '"total":22.00,')
    await app.push(`{"type":"order","data":${text}}\n`, { key: site.key })
    const order = await app.get(`/v1/orders/${idOf('order', 1)}`, { key: site.key })
    const page = await app.get('/v1/events/?types=order.paid', { key: site.key })
    assert.ok(page.text.includes(`"data":${order.text}}`))
  })

  test('is read to the end by its cursor, whatever the limit, and nothing is missed or doubled', async () => {
    const site = await app.addLocation()
    await app.store(many(site, 1, 25), site.key)
    const whole = named((await read(site)).data)
    assert.deepEqual(whole, pairs(1, 25))
    for (const limit of [1, 2, 7, 24, 25, 26, 1000]) {
      const seen: string[] = []
      for (let after = 0; ;) {
        const { data, meta } = await read(site, `?after=${after}&limit=${limit}`)
        seen.push(...named(data))
        assert.equal(meta.head, 25)
        after = meta.next
        if (after === meta.head) break
      }
      assert.deepEqual(seen, whole)
    }
  })

  test('says at the head that nothing is left', async () => {
    const site = await app.addLocation()
    assert.deepEqual(await read(site), { data: [], meta: { next: 0, head: 0 } })
    await app.store(many(site, 1, 2), site.key)
    assert.deepEqual(await read(site, '?after=2'), { data: [], meta: { next: 2, head: 2 } })
  })

  test('refuses a place beyond the head, as a page and as a stream: 409 with the head', async () => {
    const site = await app.addLocation()
    await app.store(many(site, 1, 2), site.key)
    const { epoch } = (await readPage(site)).meta
    const stream = { accept: 'text/event-stream' }
    const asked: [query: string, headers: Record<string, string>][] = [
      ['?after=3', {}],
      ['?after=3&wait=30', {}],
      [`?after=9007199254740991&epoch=${epoch}`, {}],
      ['?after=3', stream],
      ['', { ...stream, 'last-event-id': '3' }],
      ['', { ...stream, 'last-event-id': `${epoch}_3` }],
    ]
    for (const [query, headers] of asked) {
      const answer = await app.get(`/v1/events/${query}`, { key: site.key, headers })
      assertProblem(answer, { status: 409, code: 'sequence_ahead' })
      assert.deepEqual([answer.json.head, answer.json.epoch], [2, epoch])
    }
  })

  test('names its journal, and refuses a place in another: 409', async () => {
    const [site, other] = [await app.addLocation(), await app.addLocation()]
    await app.store(many(site, 1, 2), site.key)
    const { epoch } = (await readPage(site)).meta
    const strange = (await readPage(other)).meta.epoch
    assert.notEqual(epoch, strange)
    assert.deepEqual(named((await readPage(site, `?after=1&epoch=${epoch}`)).data), pairs(2, 2))
    const stream = { accept: 'text/event-stream' }
    const asked: [query: string, headers: Record<string, string>][] = [
      [`?after=1&epoch=${strange}`, {}],
      [`?after=1&epoch=${strange}`, stream],
      ['', { ...stream, 'last-event-id': `${strange}_1` }],
    ]
    for (const [query, headers] of asked) {
      const answer = await app.get(`/v1/events/${query}`, { key: site.key, headers })
      assertProblem(answer, { status: 409, code: 'epoch_changed' })
      assert.deepEqual([answer.json.head, answer.json.epoch], [2, epoch])
    }
  })

  test('gives an event an id that has the epoch and the sequence', async () => {
    const site = await app.addLocation()
    await app.store(many(site, 1, 1), site.key)
    const { data, meta } = await readPage(site)
    assert.equal(data[1]?.id, `evt_${site.id.replaceAll('-', '')}_${meta.epoch}_1_order-paid`)
  })

  test('gives only the types that are asked for, and passes over the rest to the head', async () => {
    const site = await app.addLocation()
    await app.store(
      [...many(site, 1, 3), order(versionOf(site.id, 1, 2)), ...everyRecord(site.id).slice(1, 2)],
      site.key,
    )
    assert.deepEqual(named((await read(site, '?types=order.updated')).data), ['4 order.updated'])
    const two = await read(site, '?types=order.updated,catalog.products.updated&limit=1')
    assert.deepEqual(named(two.data), ['4 order.updated'])
    const none = await read(site, '?types=report.created&limit=1')
    assert.deepEqual(none, { data: [], meta: { next: 5, head: 5 } })
    const spaced = await read(site, '?types=order.updated,%20order.paid&after=3')
    assert.deepEqual(named(spaced.data), ['4 order.updated'])
  })

  test('keeps training orders to itself and goes on past them', async () => {
    const site = await app.addLocation()
    await app.store([order(orderOf(site.id, 1, { isTraining: true })), one(site, 2)], site.key)
    const { data, meta } = await read(site)
    assert.deepEqual([named(data), meta], [pairs(2, 2), { next: 2, head: 2 }])
  })

  test('caps the limit at 1,000 and the wait at 60', async () => {
    const site = await app.addLocation()
    await app.store(many(site, 1, 1), site.key)
    assert.equal((await read(site, '?limit=100000&wait=100000')).data.length, 2)
  })

  test('shows nothing of another location', async () => {
    const [site, stranger] = [await app.addLocation(), await app.addLocation()]
    await app.store(many(stranger, 1, 3), stranger.key)
    assert.deepEqual((await read(site)).data, [])
  })

  test('refuses what it cannot read: 400 naming each', async () => {
    const wrong: [query: string, pointers: string[]][] = [
      ['after=-1', ['/after']],
      ['after=x', ['/after']],
      ['after=9007199254740992', ['/after']],
      ['limit=0', ['/limit']],
      ['limit=1.5', ['/limit']],
      ['wait=-1', ['/wait']],
      ['types=', ['/types']],
      ['types=order.eaten', ['/types']],
      ['types=order.paid,', ['/types']],
      ['after=1&after=2', ['/after']],
      ['cursor=1', ['/cursor']],
      ['epoch=1', ['/epoch']],
    ]
    for (const [query, pointers] of wrong) {
      assertProblem(await app.get(`/v1/events/?${query}`), { status: 400, code: 'validation_failed', pointers })
    }
    const { errors } = (await app.get('/v1/events/?types=order.eaten')).json
    for (const name of eventTypes) assert.ok(errors[0].detail.includes(name))
  })

  test('needs a key with the scope read, as a page and as a stream', async () => {
    const refused = [
      [null, 401, 'key_missing'],
      [app.keys.unknown, 401, 'key_unknown'],
      [app.keys.expired, 401, 'key_expired'],
      [app.keys.webhooks, 403, 'scope_missing'],
    ] as const
    for (const [key, status, code] of refused) {
      for (const accept of ['application/json', 'text/event-stream']) {
        assertProblem(await app.get('/v1/events/', { key, headers: { accept } }), { status, code })
      }
    }
    okay(await app.get('/v1/events/', { key: app.keys.read }), EventPage)
  })
})

describe('a long poll', () => {
  test('is answered soon after a commit, with what was committed', async () => {
    const site = await app.addLocation()
    const waiting = read(site, '?wait=30')
    await app.store(many(site, 1, 1), site.key)
    // Whoever gets no answer within 15 s fails; the wait would be 30.
    assert.deepEqual(named((await waiting).data), pairs(1, 1))
  })

  test('is answered soon after a commit in another process', async () => {
    const site = await app.addLocation()
    const other = await startApp({ database: app.database })
    const waiting = read(site, '?wait=30')
    await other.store(many(site, 1, 1), site.key)
    assert.deepEqual(named((await waiting).data), pairs(1, 1))
    await other.close()
  })

  test('waits on past events that are not asked for', async () => {
    const site = await app.addLocation()
    const waiting = read(site, '?types=order.updated&wait=30')
    await app.store(many(site, 1, 3), site.key)
    await app.store([order(versionOf(site.id, 1, 2))], site.key)
    const { data, meta } = await waiting
    assert.deepEqual([named(data), meta], [['4 order.updated'], { next: 4, head: 4 }])
  })

  test('without news is answered when its time is over, empty, with the place to go on', async () => {
    const site = await app.addLocation()
    await app.store(many(site, 1, 2), site.key)
    const began = Date.now()
    assert.deepEqual(await read(site, '?after=2&wait=1'), { data: [], meta: { next: 2, head: 2 } })
    assert.ok(Date.now() - began >= 990)
  })

  test('with something to tell does not wait', async () => {
    const site = await app.addLocation()
    await app.store(many(site, 1, 1), site.key)
    assert.deepEqual(named((await read(site, '?wait=30')).data), pairs(1, 1))
  })

  test('is answered when the server closes', async () => {
    const site = await app.addLocation()
    const other = await startApp({ database: app.database })
    const { hints } = other.context
    const listens = gate()
    const subscribe = hints.subscribe.bind(hints)
    hints.subscribe = (listener) => {
      listens.open()
      return subscribe(listener)
    }
    const headers = { 'x-api-key': site.key }
    // Whoever gets no answer within 15 s fails; the wait would be 60.
    const waiting = send(new Agent(), other.port, 'GET', '/v1/events/?wait=60', { headers })
    await listens.opened
    const [answer] = await Promise.all([waiting, other.close()])
    assert.deepEqual([answer.status, answer.json.data], [200, []])
  })

  test('misses and doubles nothing while many push at once', async () => {
    const site = await app.addLocation()
    const total = 120
    const reader = async () => {
      const seen: string[] = []
      for (let after = 0; after < total;) {
        const { data, meta } = await read(site, `?after=${after}&limit=9&wait=10`)
        seen.push(...named(data))
        after = meta.next
      }
      return seen
    }
    const readers = [reader(), reader(), reader()]
    await Promise.all(Array.from({ length: total }, (_, n) => app.store([one(site, n + 1)], site.key)))
    for (const seen of await Promise.all(readers)) assert.deepEqual(seen, pairs(1, total))
  })
})

describe('the stream', () => {
  const sent = (opened: EventStream) => opened.events.map(({ data }) => `${data.sequence} ${data.type}`)

  test('sends what comes next, with place, type and body', async () => {
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
      // The number goes with the last event of a change only: one that was cut in between comes again.
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

  test('begins after the sequence that is asked for', async () => {
    const site = await app.addLocation()
    await app.store(many(site, 1, 5), site.key)
    const opened = await stream(site, '?after=3')
    await opened.until(() => opened.events.length >= 4, 'the last two')
    assert.deepEqual(sent(opened), pairs(4, 5))
    opened.close()
  })

  test('sends only the types that are asked for', async () => {
    const site = await app.addLocation()
    const opened = await stream(site, '?types=order.updated')
    await app.store([...many(site, 1, 3), order(versionOf(site.id, 2, 2))], site.key)
    await opened.until(() => opened.events.length > 0, 'the update')
    assert.deepEqual(sent(opened), ['4 order.updated'])
    opened.close()
  })

  test('resumes by Last-Event-ID, which goes before `after`', async () => {
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

  test('misses and doubles nothing over a restart of the server, while tills go on pushing', async () => {
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

  test('misses and doubles nothing while many push at once', async () => {
    const site = await app.addLocation()
    const opened = await Promise.all(Array.from({ length: 5 }, () => stream(site)))
    await Promise.all(Array.from({ length: 150 }, (_, n) => app.store([one(site, n + 1)], site.key)))
    for (const each of opened) {
      await each.until(() => each.events.length >= 300, 'all events')
      assert.deepEqual(sent(each), pairs(1, 150))
      each.close()
    }
  })

  test('waits for a reader that is slow, and then goes on without a gap', async () => {
    const site = await app.addLocation()
    const big = 'x'.repeat(60_000)
    const records = Array.from({ length: 120 }, (_, i) => order(orderOf(site.id, i + 1, { orderPlace: big })))
    for (let at = 0; at < records.length; at += 30) await app.store(records.slice(at, at + 30), site.key)
    const warnings: Error[] = []
    const onWarning = (warning: Error) => void warnings.push(warning)
    process.on('warning', onWarning)
    const opened = await stream(site, '?after=0')
    await opened.until(() => opened.events.length >= 240, 'all events')
    assert.deepEqual(sent(opened), pairs(1, 120))
    opened.close()
    process.off('warning', onWarning)
    assert.deepEqual(warnings, [])
  })

  test('reads no more than 1 MiB of documents at once, for they wait until its client takes them', async (t) => {
    const site = await app.addLocation()
    const big = 'x'.repeat(200_000)
    const records = Array.from({ length: 12 }, (_, i) => order(orderOf(site.id, i + 1, { orderPlace: big })))
    await app.store(records, site.key)
    const asked = t.mock.method(app.context.pool, 'unsafe')
    const opened = await stream(site, '?after=0')
    await opened.until(() => opened.events.length >= 24, 'all events')
    opened.close()
    const limits = asked.mock.calls.flatMap(({ arguments: [text, parameters = []] }) =>
      /from journal/.test(text) && parameters[0] === site.id ? [Number(parameters[4])] : [],
    )
    assert.ok(limits.length > 2)
    assert.deepEqual(new Set(limits), new Set([1024 * 1024]))
  })

  test('finds what no hint told of', async () => {
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

  test('looks for that once a second, together with all others of its location', async () => {
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
      const asked = await Promise.all(Array.from({ length: 1_000 }, () => journal.isBeyond(location, from)))
      assert.deepEqual(new Set(asked), new Set([from < 5]))
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

  test('of a reader that left leaves nothing behind', async () => {
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

describe('a key that ends', () => {
  const time = { ms: 1_000_000 }
  /** Ends a key of the location and lets the three seconds pass that the server keeps what it knows of a key. */
  const endings: Record<string, (id: string) => Promise<unknown>> = {
    key_revoked: (id) => app.pool`update api_keys set revoked_at = now() where id = ${id}`,
    key_expired: (id) => app.pool`update api_keys set expires_at = now() where id = ${id}`,
  }

  for (const [code, end] of Object.entries(endings)) {
    test(`ends its streams and its waiting reads: ${code}`, async () => {
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
