import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { describe, test } from 'node:test'
import { EventPage, eventSchema, eventTypes } from '../../../src/core/schemas/events.ts'
import { assertProblem, assertSchema, okay } from '../conformance/contract.ts'
import { feedOf, many, one, pairs, type Event } from './feed-calls.ts'
import { send, startApp } from '../../support/app.ts'
import { everyRecord, idOf, order, orderOf, versionOf } from '../../support/records.ts'
import { gate } from '../../support/waiting.ts'

const app = await startApp()
const { readPage, read } = feedOf(app)

const named = (events: readonly Event[]) => events.map(({ sequence, type }) => `${sequence} ${type}`)

describe('the feed', () => {
  test('returns the journal as events, in order, each with the schema of its type', async () => {
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

  test('contains the bytes that GET returned', async () => {
    const site = await app.addLocation()
    const text = JSON.stringify(orderOf(site.id, 1)).replace('"total":22,', '"total":22.00,')
    await app.push(`{"type":"order","data":${text}}\n`, { key: site.key })
    const order = await app.get(`/v1/orders/${idOf('order', 1)}`, { key: site.key })
    const page = await app.get('/v1/events/?types=order.paid', { key: site.key })
    assert.ok(page.text.includes(`"data":${order.text}}`))
  })

  test('is paged by cursor to the end, with any limit, without gaps or duplicates', async () => {
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

  test('returns an empty page at the head', async () => {
    const site = await app.addLocation()
    assert.deepEqual(await read(site), { data: [], meta: { next: 0, head: 0 } })
    await app.store(many(site, 1, 2), site.key)
    assert.deepEqual(await read(site, '?after=2'), { data: [], meta: { next: 2, head: 2 } })
  })

  test('refuses a position beyond the head, as a page and as a stream: 409 with the head', async () => {
    const site = await app.addLocation()
    await app.store(many(site, 1, 2), site.key)
    const { epoch } = (await readPage(site)).meta
    const stream = { accept: 'text/event-stream' }
    const requests: [query: string, headers: Record<string, string>][] = [
      ['?after=3', {}],
      ['?after=3&wait=30', {}],
      [`?after=9007199254740991&epoch=${epoch}`, {}],
      ['?after=3', stream],
      ['', { ...stream, 'last-event-id': '3' }],
      ['', { ...stream, 'last-event-id': `${epoch}_3` }],
    ]
    for (const [query, headers] of requests) {
      const answer = await app.get(`/v1/events/${query}`, { key: site.key, headers })
      assertProblem(answer, { status: 409, code: 'sequence_ahead' })
      assert.deepEqual([answer.json.head, answer.json.epoch], [2, epoch])
    }
  })

  test('names its journal, and refuses a position in another journal: 409', async () => {
    const [site, other] = [await app.addLocation(), await app.addLocation()]
    await app.store(many(site, 1, 2), site.key)
    const { epoch } = (await readPage(site)).meta
    const strange = (await readPage(other)).meta.epoch
    assert.notEqual(epoch, strange)
    assert.deepEqual(named((await readPage(site, `?after=1&epoch=${epoch}`)).data), pairs(2, 2))
    const stream = { accept: 'text/event-stream' }
    const requests: [query: string, headers: Record<string, string>][] = [
      [`?after=1&epoch=${strange}`, {}],
      [`?after=1&epoch=${strange}`, stream],
      ['', { ...stream, 'last-event-id': `${strange}_1` }],
    ]
    for (const [query, headers] of requests) {
      const answer = await app.get(`/v1/events/${query}`, { key: site.key, headers })
      assertProblem(answer, { status: 409, code: 'epoch_changed' })
      assert.deepEqual([answer.json.head, answer.json.epoch], [2, epoch])
    }
  })

  test('builds the id of an event from epoch and sequence', async () => {
    const site = await app.addLocation()
    await app.store(many(site, 1, 1), site.key)
    const { data, meta } = await readPage(site)
    assert.equal(data[1]?.id, `evt_${site.id.replaceAll('-', '')}_${meta.epoch}_1_order-paid`)
  })

  test('returns only the requested types, and skips the others up to the head', async () => {
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

  test('skips training orders', async () => {
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

  test('refuses invalid parameters: 400 naming each', async () => {
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
  test('is answered soon after a commit, with the committed events', async () => {
    const site = await app.addLocation()
    const waiting = read(site, '?wait=30')
    await app.store(many(site, 1, 1), site.key)
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

  test('keeps waiting while events of other types arrive', async () => {
    const site = await app.addLocation()
    const waiting = read(site, '?types=order.updated&wait=30')
    await app.store(many(site, 1, 3), site.key)
    await app.store([order(versionOf(site.id, 1, 2))], site.key)
    const { data, meta } = await waiting
    assert.deepEqual([named(data), meta], [['4 order.updated'], { next: 4, head: 4 }])
  })

  test('returns an empty page with the next position at its timeout', async () => {
    const site = await app.addLocation()
    await app.store(many(site, 1, 2), site.key)
    const began = Date.now()
    assert.deepEqual(await read(site, '?after=2&wait=1'), { data: [], meta: { next: 2, head: 2 } })
    assert.ok(Date.now() - began >= 990)
  })

  test('is answered at once if there are events', async () => {
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
    const began = Date.now()
    const waiting = send(new Agent(), other.port, 'GET', '/v1/events/?wait=60', { headers })
    await listens.opened
    const [answer] = await Promise.all([waiting, other.close()])
    assert.deepEqual([answer.status, answer.json.data], [200, []])
    assert.ok(Date.now() - began < 30_000)
  })

  test('has no gaps or duplicates while many push at once', async () => {
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
