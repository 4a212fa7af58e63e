import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { PageOf } from '../../../src/core/contract/paging/schema.ts'
import { eventTypes } from '../../../src/core/schemas/events.ts'
import { TestResult, Webhook } from '../../../src/core/contract/webhooks/schema.ts'
import { assertProblem, assertRequestId, assertSchema, linksOf, okay, pathOf } from '../conformance/contract.ts'
import { startApp, type Answer, type Site } from '../../support/app.ts'
import { endpointUrl, inputFor, json, registrationsOf } from './webhook-calls.ts'
import { startReceiver } from '../../support/receiver.ts'
import { atEnd } from '../../support/database.ts'

const app = await startApp()
/** A second app on the same database, with the default policy: https only, and no private address. */
const strict = await startApp({ database: app.database, endpointPolicy: { allowHttp: false, allowAddresses: [] } })
const receiver = await startReceiver()
atEnd(() => receiver.close())

const WebhookPage = PageOf(Webhook, 'WebhookPage')
const { post, create } = registrationsOf(app)

const count = async (site: Site) => okay(await app.get('/v1/webhooks/', { key: site.key }), WebhookPage).meta.totalCount

describe('POST /v1/webhooks/', () => {
  test('returns 201 with the new webhook, its fields in the documented order', async () => {
    const site = await app.addLocation()
    const input = inputFor(site)
    const answer = await post('/v1/webhooks/', input, site.key)
    assert.equal(answer.status, 201)
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
    assertRequestId(answer)
    assertSchema(Webhook, answer.json)
    const { id, createdAt, updatedAt, ...rest } = answer.json
    assert.deepEqual(Object.keys(answer.json), [
      'id',
      'createdAt',
      'updatedAt',
      'events',
      'endpointUrl',
      'locationId',
      'recipientId',
    ])
    assert.deepEqual(rest, {
      events: ['order.paid'],
      endpointUrl,
      locationId: site.id,
      recipientId: input['recipientId'],
    })
    assert.equal(createdAt, updatedAt)
    assert.ok(id)
  })

  test('for the same pair again returns 200 and updates the existing webhook', async () => {
    const site = await app.addLocation()
    const made = await create(site)
    const changed = { ...made, events: ['report.created', 'order.paid'], endpointUrl: `${endpointUrl}/new` }
    const { events, endpointUrl: url, locationId, recipientId } = changed
    const answer = await post('/v1/webhooks/', { events, endpointUrl: url, locationId, recipientId }, site.key)
    const updated = okay(answer, Webhook)
    assert.deepEqual({ ...updated, updatedAt: '' }, { ...changed, updatedAt: '' })
    assert.ok(updated.updatedAt >= made.updatedAt)
    assert.deepEqual(okay(await app.get(`/v1/webhooks/${made.id}`, { key: site.key }), Webhook), updated)
    assert.equal(await count(site), 1)
  })

  test('keeps the signing secret on updates', async () => {
    const site = await app.addLocation()
    const made = await create(site)
    const secret = async () => (await app.get(`/v1/webhooks/${made.id}/secret`, { key: site.key })).json.secret
    const before = await secret()
    const { id, createdAt: _createdAt, updatedAt: _updatedAt, ...input } = made
    okay(await post('/v1/webhooks/', { ...input, id, endpointUrl: `${endpointUrl}/2` }, site.key), Webhook)
    assert.equal(await secret(), before)
  })

  test('with an id creates the webhook with that id, and then updates it, whatever the pair', async () => {
    const site = await app.addLocation()
    const id = randomUUID()
    const made = await create(site, { id })
    assert.equal(made.id, id)
    const recipientId = randomUUID()
    const answer = await post('/v1/webhooks/', inputFor(site, { id: id.toUpperCase(), recipientId }), site.key)
    assert.deepEqual([okay(answer, Webhook).id, answer.json.recipientId], [id, recipientId])
    assert.equal(await count(site), 1)
  })

  test('for a pair with several webhooks updates the one with that endpoint', async () => {
    const site = await app.addLocation()
    const recipientId = randomUUID()
    const [one, other] = [
      await create(site, { id: randomUUID(), recipientId, endpointUrl: `${endpointUrl}/1` }),
      await create(site, { id: randomUUID(), recipientId, endpointUrl: `${endpointUrl}/2` }),
    ]
    const input = inputFor(site, { recipientId, endpointUrl: other.endpointUrl, events: ['order.created'] })
    const updated = okay(await post('/v1/webhooks/', input, site.key), Webhook)
    assert.deepEqual([updated.id, updated.events], [other.id, ['order.created']])
    assert.deepEqual((await app.get(`/v1/webhooks/${one.id}`, { key: site.key })).json, one)
  })

  test('for a pair with several webhooks and a new endpoint is 409 and names them', async () => {
    const site = await app.addLocation()
    const recipientId = randomUUID()
    const ids = [randomUUID(), randomUUID()]
    for (const [i, id] of ids.entries()) await create(site, { id, recipientId, endpointUrl: `${endpointUrl}/${i}` })
    const answer = await post('/v1/webhooks/', inputFor(site, { recipientId }), site.key)
    const { detail } = assertProblem(answer, { status: 409, code: 'webhook_ambiguous' })
    for (const id of ids) assert.ok(detail.includes(id))
    for (const id of ids) okay(await post('/v1/webhooks/', inputFor(site, { id, recipientId }), site.key), Webhook)
    // Now both have the same endpoint, which no longer distinguishes them.
    const again = await post('/v1/webhooks/', inputFor(site, { recipientId }), site.key)
    assertProblem(again, { status: 409, code: 'webhook_ambiguous' })
  })

  test('with the id of another location’s webhook is 409 and changes nothing there', async () => {
    const [site, stranger] = [await app.addLocation(), await app.addLocation()]
    const made = await create(stranger)
    const answer = await post('/v1/webhooks/', inputFor(site, { id: made.id }), site.key)
    assertProblem(answer, { status: 409, code: 'webhook_id_taken' })
    assert.deepEqual((await app.get(`/v1/webhooks/${made.id}`, { key: stranger.key })).json, made)
    assert.equal(await count(site), 0)
  })

  test('removes duplicate events and keeps their order', async () => {
    const site = await app.addLocation()
    const made = await create(site, { events: ['report.created', 'order.paid', 'report.created', 'order.paid'] })
    assert.deepEqual(made.events, ['report.created', 'order.paid'])
  })

  test('accepts every known event', async () => {
    const site = await app.addLocation()
    assert.deepEqual((await create(site, { events: eventTypes })).events, eventTypes)
  })

  test('accepts ids in either case and returns them in lower case', async () => {
    const site = await app.addLocation()
    const recipientId = randomUUID()
    const made = await create(site, { recipientId: recipientId.toUpperCase(), locationId: site.id.toUpperCase() })
    assert.deepEqual([made.recipientId, made.locationId], [recipientId, site.id])
    const again = await post('/v1/webhooks/', inputFor(site, { recipientId }), site.key)
    assert.equal(okay(again, Webhook).id, made.id)
  })

  test('called concurrently for one pair creates one webhook', async () => {
    const site = await app.addLocation()
    const recipientId = randomUUID()
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, i) => {
        const input = inputFor(site, { recipientId, endpointUrl: `${endpointUrl}/${i}` })
        return post('/v1/webhooks/', input, site.key, i % 2 === 0 ? app : strict)
      }),
    )
    const statuses = answers.map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 201).length, 1)
    assert.ok(statuses.every((status) => status === 201 || status === 200))
    assert.equal(new Set(answers.map((answer) => answer.json.id)).size, 1)
    assert.equal(await count(site), 1)
  })

  test('called concurrently for one id creates one webhook', async () => {
    const site = await app.addLocation()
    const id = randomUUID()
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        post('/v1/webhooks/', inputFor(site, { id }), site.key, i % 2 === 0 ? app : strict),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 201).length, 1)
    assert.ok(answers.every(({ status }) => status === 201 || status === 200))
    assert.equal(await count(site), 1)
  })
})

describe('GET /v1/webhooks/', () => {
  test('pages by creation date, and meta, links and the Link header lead to every page', async () => {
    const site = await app.addLocation()
    const made: string[] = []
    for (let i = 0; i < 7; i++) made.push((await create(site)).id)
    let path: string | null = '/v1/webhooks/?size=3'
    const seen: string[] = []
    for (let index = 0; path !== null; index++) {
      const answer: Answer = await app.get(path, { key: site.key })
      const page = okay(answer, WebhookPage)
      assert.deepEqual(Object.keys(page), ['data', 'meta', 'links'])
      assert.deepEqual(page.meta, { totalCount: 7, currentPageIndex: index, totalPage: 3, pageSize: 3 })
      assert.equal(linksOf(answer)['next'] ?? null, page.links.next)
      seen.push(...page.data.map(({ id }: { id: string }) => id))
      path = page.links.next === null ? null : pathOf(page.links.next)
    }
    assert.deepEqual(seen, made)
  })

  test('has defaults of 10 and 0, caps the size at 100, and is empty past the end', async () => {
    const site = await app.addLocation()
    await create(site)
    const meta = async (query: string) =>
      okay(await app.get(`/v1/webhooks/${query}`, { key: site.key }), WebhookPage).meta
    assert.deepEqual(await meta(''), { totalCount: 1, currentPageIndex: 0, totalPage: 1, pageSize: 10 })
    assert.equal((await meta('?size=5000')).pageSize, 100)
    const past = okay(await app.get('/v1/webhooks/?index=9007199254740991', { key: site.key }), WebhookPage)
    assert.deepEqual([past.data, past.links.next], [[], null])
  })

  test('is 400 for a size below 1, a negative index, a non-integer, and unknown parameters', async () => {
    for (const query of ['size=0', 'size=-1', 'size=x', 'size=1.5', 'index=-1', 'index=x', 'since=2026-01-01']) {
      const pointers = [`/${query.split('=')[0]}`]
      assertProblem(await app.get(`/v1/webhooks/?${query}`), { status: 400, code: 'validation_failed', pointers })
    }
  })

  test('lists no webhook of another location', async () => {
    const [site, stranger] = [await app.addLocation(), await app.addLocation()]
    await create(stranger)
    assert.equal(await count(site), 0)
  })
})

describe('POST /v1/webhooks/test/{id}', () => {
  const site = { id: app.location, key: app.key }

  async function webhookAt(path: string, events: string[] = ['order.paid', 'report.created']) {
    return create(site, { endpointUrl: receiver.url(path), events })
  }

  test('sends one signed payload per event and returns the outcome of each', async () => {
    const { id } = await webhookAt('/test-ok')
    receiver.answer('/test-ok', ({ event }) => ({
      status: event.type === 'order.paid' ? 201 : 503,
      headers: { 'x-own': event.type },
      body: 'noted',
    }))
    const body = okay(await post(`/v1/webhooks/test/${id}`, { locationId: app.location }), TestResult)
    assert.deepEqual(Object.keys(body), ['order.paid', 'report.created'])
    const { 'order.paid': paid, 'report.created': report } = body
    assert.deepEqual(Object.keys(paid), ['status', 'success', 'message', 'response'])
    assert.deepEqual([paid.status, paid.success, paid.response.body], [201, true, 'noted'])
    assert.deepEqual([report.status, report.success], [503, false])
    assert.equal(paid.response.headers['x-own'], 'order.paid')
    assert.match(report.message, /503/)
    for (const { headers } of receiver.at('/test-ok')) assert.equal(headers['webhook-test'], 'true')
    assert.equal(receiver.at('/test-ok').length, 2)
  })

  test('leaves no trace: nothing is retried, logged, counted or journaled', async () => {
    const { id } = await webhookAt('/test-trace')
    receiver.answer('/test-trace', () => 500)
    const head = async () => (await app.get('/v1/events/')).json.meta.head
    const before = await head()
    for (let i = 0; i < 6; i++) okay(await post(`/v1/webhooks/test/${id}`, {}), TestResult)
    const status = (await app.get(`/v1/webhooks/${id}/status`)).json
    assert.deepEqual([status.state, status.failures, status.setAside], ['enabled', 0, 0])
    assert.deepEqual((await app.get(`/v1/webhooks/${id}/deliveries`)).json.data, [])
    assert.equal(await head(), before)
  })

  test('of an unreachable endpoint is 200 with status 0 and an empty response', async () => {
    const { id } = await create(site, { endpointUrl: 'http://127.0.0.1:1/' })
    const { 'order.paid': entry } = okay(await post(`/v1/webhooks/test/${id}`, {}), TestResult)
    assert.deepEqual([entry.status, entry.success, entry.response], [0, false, {}])
    assert.ok(entry.message.length > 0)
  })

  test('needs no body, and accepts a trailing slash', async () => {
    const { id } = await webhookAt('/test-empty')
    okay(await app.request('POST', `/v1/webhooks/test/${id}`), TestResult)
    okay(await app.request('POST', `/v1/webhooks/test/${id}/`, { headers: json }), TestResult)
    okay(await post(`/v1/webhooks/test/${id}`, { locationId: app.location.toUpperCase() }), TestResult)
  })

  test('is 403 for another location, 400 for an invalid body and for unknown fields', async () => {
    const { id } = await webhookAt('/test-refused')
    const forbidden = await post(`/v1/webhooks/test/${id}`, { locationId: app.other.id })
    assertProblem(forbidden, { status: 403, code: 'location_forbidden' })
    for (const body of ['[]', '"x"', '1']) {
      const answer = await post(`/v1/webhooks/test/${id}`, body)
      assertProblem(answer, { status: 400, code: 'validation_failed', pointers: [''] })
    }
    const unknown = await post(`/v1/webhooks/test/${id}`, { events: ['order.paid'], locationId: 'x' })
    assertProblem(unknown, { status: 400, code: 'validation_failed', pointers: ['/events', '/locationId'] })
    assert.equal(receiver.at('/test-refused').length, 0)
  })
})

test('addresses of this machine are refused at registration, by the same check as at each delivery', () => {
  const { isOwnAddress } = app.context.endpointPolicy
  assert.deepEqual([isOwnAddress?.('127.0.0.1'), isOwnAddress?.('8.8.8.8')], [true, false])
})
