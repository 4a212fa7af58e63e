import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { PageOf } from '../../src/schemas/pages.ts'
import { eventTypes } from '../../src/schemas/events.ts'
import { TestResult, Webhook } from '../../src/schemas/webhooks.ts'
import { assertProblem, assertRequestId, assertSchema, linksOf, okay, pathOf } from '../conformance/contract.ts'
import { startApp, type Answer, type Site, type TestApp } from '../support/app.ts'
import { startReceiver } from '../support/receiver.ts'
import { atEnd } from '../support/database.ts'

const app = await startApp()
/** Beside it on the same database, as strict as an installation is when nothing is allowed. */
const strict = await startApp({ database: app.database, endpointPolicy: { allowHttp: false, allowAddresses: [] } })
const receiver = await startReceiver()
atEnd(() => receiver.close())

const WebhookPage = PageOf(Webhook, 'WebhookPage')
const json = { 'content-type': 'application/json' }
const endpointUrl = 'https://partner.example/hooks'

const post = (path: string, body: unknown, key = app.key, via: TestApp = app) =>
  via.request('POST', path, { key, headers: json, body: typeof body === 'string' ? body : JSON.stringify(body) })

function inputFor(site: Site, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { events: ['order.paid'], endpointUrl, locationId: site.id, recipientId: randomUUID(), ...changes }
}

async function create(site: Site, changes: Record<string, unknown> = {}) {
  const answer = await post('/v1/webhooks/', inputFor(site, changes), site.key)
  assert.equal(answer.status, 201, answer.text)
  return answer.json
}

const count = async (site: Site) => okay(await app.get('/v1/webhooks/', { key: site.key }), WebhookPage).meta.totalCount

/** Every operation on one webhook. */
const operations = (id: string): [method: string, path: string, body?: unknown][] => [
  ['GET', `/v1/webhooks/${id}`],
  ['GET', `/v1/webhooks/${id}/secret`],
  ['GET', `/v1/webhooks/${id}/status`],
  ['GET', `/v1/webhooks/${id}/deliveries`],
  ['POST', `/v1/webhooks/${id}/secret/rotate`],
  ['POST', `/v1/webhooks/${id}/enable`],
  ['POST', `/v1/webhooks/${id}/replay`, { sequence: 1 }],
  ['POST', `/v1/webhooks/test/${id}`, {}],
  ['DELETE', `/v1/webhooks/${id}`],
]

const call = ([method, path, body]: [string, string, unknown?], key: string | null) =>
  app.request(method, path, { key, ...(body === undefined ? {} : { headers: json, body: JSON.stringify(body) }) })

describe('POST /v1/webhooks/', () => {
  test('is 201 with the new webhook, its fields in the documented order', async () => {
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

  test('again for the same pair is 200 and updates the one that is there', async () => {
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

  test('keeps the signing secret over updates', async () => {
    const site = await app.addLocation()
    const made = await create(site)
    const secret = async () => (await app.get(`/v1/webhooks/${made.id}/secret`, { key: site.key })).json.secret
    const before = await secret()
    const { id, createdAt: _createdAt, updatedAt: _updatedAt, ...input } = made
    okay(await post('/v1/webhooks/', { ...input, id, endpointUrl: `${endpointUrl}/2` }, site.key), Webhook)
    assert.equal(await secret(), before)
  })

  test('with an id creates the webhook of that id, and from then on updates it, whatever the pair', async () => {
    const site = await app.addLocation()
    const id = randomUUID()
    const made = await create(site, { id })
    assert.equal(made.id, id)
    const recipientId = randomUUID()
    const answer = await post('/v1/webhooks/', inputFor(site, { id: id.toUpperCase(), recipientId }), site.key)
    assert.deepEqual([okay(answer, Webhook).id, answer.json.recipientId], [id, recipientId])
    assert.equal(await count(site), 1)
  })

  test('for a pair with several updates the one with that endpoint', async () => {
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

  test('for a pair with several and no such endpoint is 409 and names them', async () => {
    const site = await app.addLocation()
    const recipientId = randomUUID()
    const ids = [randomUUID(), randomUUID()]
    for (const [i, id] of ids.entries()) await create(site, { id, recipientId, endpointUrl: `${endpointUrl}/${i}` })
    const answer = await post('/v1/webhooks/', inputFor(site, { recipientId }), site.key)
    const { detail } = assertProblem(answer, { status: 409, code: 'webhook_ambiguous' })
    for (const id of ids) assert.ok(detail.includes(id))
    for (const id of ids) okay(await post('/v1/webhooks/', inputFor(site, { id, recipientId }), site.key), Webhook)
    // Now both have the same endpoint, which tells them apart no more.
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

  test('drops duplicate events and keeps their order', async () => {
    const site = await app.addLocation()
    const made = await create(site, { events: ['report.created', 'order.paid', 'report.created', 'order.paid'] })
    assert.deepEqual(made.events, ['report.created', 'order.paid'])
  })

  test('takes every known event', async () => {
    const site = await app.addLocation()
    assert.deepEqual((await create(site, { events: eventTypes })).events, eventTypes)
  })

  test('takes ids in either case and answers them in lower case', async () => {
    const site = await app.addLocation()
    const recipientId = randomUUID()
    const made = await create(site, { recipientId: recipientId.toUpperCase(), locationId: site.id.toUpperCase() })
    assert.deepEqual([made.recipientId, made.locationId], [recipientId, site.id])
    const again = await post('/v1/webhooks/', inputFor(site, { recipientId }), site.key)
    assert.equal(okay(again, Webhook).id, made.id)
  })

  test('from many callers at once for one pair makes exactly one webhook', async () => {
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

  test('from many callers at once for one id makes exactly one webhook', async () => {
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

describe('POST /v1/webhooks/ refuses', () => {
  const badEvents: [what: string, events: unknown, pointers: string[]][] = [
    ['no events', [], ['/events']],
    ['an unknown event', ['order.paid', 'order.eaten'], ['/events/1']],
    ['an event in another case', ['Order.Paid'], ['/events/0']],
    ['an empty event', [''], ['/events/0']],
    ['events that are no text', [1, null, {}], ['/events/0', '/events/1', '/events/2']],
    ['events as text', 'order.paid', ['/events']],
    ['events as an object', { 0: 'order.paid' }, ['/events']],
    ['null', null, ['/events']],
  ]
  for (const [what, events, pointers] of badEvents) {
    test(`${what}: 400 naming the place`, async () => {
      const answer = await post('/v1/webhooks/', inputFor({ id: app.location, key: app.key }, { events }))
      assertProblem(answer, { status: 400, code: 'validation_failed', pointers })
    })
  }

  test('an unknown event by listing the known ones', async () => {
    const answer = await post(
      '/v1/webhooks/',
      inputFor({ id: app.location, key: app.key }, { events: ['order.eaten'] }),
    )
    const { errors } = assertProblem(answer, { status: 400, code: 'validation_failed' })
    for (const name of eventTypes) assert.ok(errors[0].detail.includes(name), errors[0].detail)
  })

  const long = (length: number) => `https://partner.example/${'a'.repeat(length - 'https://partner.example/'.length)}`
  const badUrls: [what: string, url: unknown, code: string][] = [
    ['relative', '/hooks', 'endpoint_url_invalid'],
    ['without a scheme', 'partner.example/hooks', 'endpoint_url_invalid'],
    ['relative to a scheme', '//partner.example/hooks', 'endpoint_url_invalid'],
    ['without a host', 'https:///hooks', 'endpoint_url_invalid'],
    ['empty', '', 'endpoint_url_invalid'],
    ['with a blank', 'https://partner.example/a b', 'endpoint_url_invalid'],
    ['with a fragment', 'https://partner.example/#a', 'endpoint_url_invalid'],
    ['with credentials', 'https://user:secret@partner.example/', 'endpoint_url_credentials'],
    ['with a user', 'https://user@partner.example/', 'endpoint_url_credentials'],
    ['of another scheme', 'ftp://partner.example/', 'endpoint_url_scheme'],
    ['that is a script', 'javascript:alert(1)', 'endpoint_url_scheme'],
    ['that is a file', 'file:///etc/passwd', 'endpoint_url_scheme'],
    ['over 2,048 characters', long(2_049), 'endpoint_url_too_long'],
    ['at a private address', 'https://10.0.0.7/', 'endpoint_url_address'],
    ['at the metadata address', 'https://169.254.169.254/latest/', 'endpoint_url_address'],
    ['at a private address of IPv6', 'https://[fd00::1]/', 'endpoint_url_address'],
    ['at a mapped address', 'https://[::ffff:10.0.0.1]/', 'endpoint_url_address'],
    ['that is a number', 7, 'invalid_type'],
    ['that is null', null, 'invalid_type'],
  ]
  for (const [what, url, code] of badUrls) {
    test(`an endpoint ${what}: 400`, async () => {
      const input = inputFor({ id: app.location, key: app.key }, { endpointUrl: url })
      const answer = await post('/v1/webhooks/', input)
      const problem = assertProblem(answer, { status: 400, code: 'validation_failed', pointers: ['/endpointUrl'] })
      assert.equal(problem.errors[0].code, code)
    })
  }

  test('http and loopback where nothing is allowed, and takes https', async () => {
    const site = await app.addLocation()
    const refused: [string, string][] = [
      ['http://partner.example/', 'endpoint_url_scheme'],
      ['https://127.0.0.1/', 'endpoint_url_address'],
      ['https://localhost/', 'endpoint_url_address'],
      ['https://2130706433/', 'endpoint_url_address'],
      ['https://[::1]/', 'endpoint_url_address'],
    ]
    for (const [url, code] of refused) {
      const answer = await post('/v1/webhooks/', inputFor(site, { endpointUrl: url }), site.key, strict)
      assert.equal(assertProblem(answer, { status: 400, code: 'validation_failed' }).errors[0].code, code)
    }
    const longest = inputFor(site, { endpointUrl: long(2_048) })
    assert.equal((await post('/v1/webhooks/', longest, site.key, strict)).status, 201)
  })

  const bodies: [what: string, body: string, code: string, pointers: string[]][] = [
    ['an array', '[]', 'validation_failed', ['']],
    ['text', '"x"', 'validation_failed', ['']],
    ['a number', '1', 'validation_failed', ['']],
    ['true', 'true', 'validation_failed', ['']],
    ['null', 'null', 'body_invalid', ['']],
    ['broken JSON', '{"events":', 'body_invalid', ['']],
    ['an empty object', '{}', 'validation_failed', ['/events', '/endpointUrl', '/locationId', '/recipientId']],
    ['nothing', '', 'validation_failed', ['/events', '/endpointUrl', '/locationId', '/recipientId']],
  ]
  for (const [what, body, code, pointers] of bodies) {
    test(`${what} as body: 400`, async () => {
      const answer = await post('/v1/webhooks/', body)
      if (code === 'body_invalid') assertProblem(answer, { status: 400, code })
      else assertProblem(answer, { status: 400, code, pointers })
    })
  }

  test('unknown fields and ids that are none: 400 naming each', async () => {
    const wrong = { secret: 'whsec_x', recipientId: 'me', id: '42', locationId: `{${app.location}}` }
    const answer = await post('/v1/webhooks/', inputFor({ id: app.location, key: app.key }, wrong))
    const pointers = ['/secret', '/recipientId', '/id', '/locationId']
    assertProblem(answer, { status: 400, code: 'validation_failed', pointers })
  })

  test('a key given twice in the body: 400', async () => {
    const input = JSON.stringify(inputFor({ id: app.location, key: app.key }))
    const twice = input.replace('{', '{"endpointUrl":"https://other.example/",')
    assertProblem(await post('/v1/webhooks/', twice), { status: 400, code: 'body_invalid' })
  })

  test('a packed body: 415, whatever its bytes, for it is not unpacked here', async () => {
    const input = JSON.stringify(inputFor({ id: app.location, key: app.key }))
    for (const encoding of ['gzip', 'br', 'deflate', 'zstd', 'GZIP', 'identity, gzip']) {
      for (const body of [input, gzipSync(input)]) {
        const headers = { 'content-type': 'application/json', 'content-encoding': encoding }
        const answer = await app.request('POST', '/v1/webhooks/', { headers, body })
        assertProblem(answer, { status: 415, code: 'media_type_unsupported' })
      }
    }
    const headers = { 'content-type': 'application/json', 'content-encoding': 'Identity' }
    assertProblem(await app.request('POST', '/v1/webhooks/', { headers, body: '{}' }), {
      status: 400,
      code: 'validation_failed',
    })
  })

  test('a body of another type: 415, and one over 64 KiB: 413', async () => {
    const input = inputFor({ id: app.location, key: app.key })
    for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'application/x-ndjson']) {
      const headers = { 'content-type': type }
      const answer = await app.request('POST', '/v1/webhooks/', { headers, body: JSON.stringify(input) })
      assertProblem(answer, { status: 415, code: 'media_type_unsupported' })
    }
    const answer = await post('/v1/webhooks/', { ...input, endpointUrl: long(70_000) })
    assertProblem(answer, { status: 413, code: 'body_too_large' })
  })

  test('the location of another key: 403', async () => {
    const answer = await post('/v1/webhooks/', inputFor(app.other), app.key)
    assertProblem(answer, { status: 403, code: 'location_forbidden' })
    assert.equal(await count(app.other), 0)
  })
})

describe('GET /v1/webhooks/', () => {
  test('pages by creation date, with meta, links and a Link header that lead through all', async () => {
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

  test('is 400 for a size below 1, a negative index, what is no integer, and unknown parameters', async () => {
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

describe('one webhook', () => {
  test('is read, deleted with 204 and no body, and then 404 for every operation', async () => {
    const site = await app.addLocation()
    const made = await create(site)
    assert.deepEqual(okay(await app.get(`/v1/webhooks/${made.id}`, { key: site.key }), Webhook), made)
    const deleted = await app.request('DELETE', `/v1/webhooks/${made.id}`, { key: site.key })
    assert.deepEqual([deleted.status, deleted.text], [204, ''])
    for (const operation of operations(made.id)) {
      assertProblem(await call(operation, site.key), { status: 404, code: 'webhook_not_found' })
    }
  })

  test('of another location is 404 for every operation, and stays as it was', async () => {
    const [site, stranger] = [await app.addLocation(), await app.addLocation()]
    const made = await create(stranger)
    const secret = await app.get(`/v1/webhooks/${made.id}/secret`, { key: stranger.key })
    for (const operation of operations(made.id)) {
      assertProblem(await call(operation, site.key), { status: 404, code: 'webhook_not_found' })
    }
    assert.deepEqual((await app.get(`/v1/webhooks/${made.id}`, { key: stranger.key })).json, made)
    assert.equal((await app.get(`/v1/webhooks/${made.id}/secret`, { key: stranger.key })).text, secret.text)
  })

  test('is 400 for every operation when its id is none', async () => {
    for (const operation of operations('42')) {
      assertProblem(await call(operation, app.key), { status: 400, code: 'validation_failed', pointers: ['/id'] })
    }
  })

  test('needs a key, and one with the scope webhooks, for every operation', async () => {
    const site = { id: app.location, key: app.key }
    const { id } = await create(site)
    const all = [
      ...operations(id),
      ['GET', '/v1/webhooks/'] as [string, string],
      ['GET', '/v1/webhooks/event-types/'] as [string, string],
      ['POST', '/v1/webhooks/', inputFor(site)] as [string, string, unknown],
    ]
    const refused = [
      [null, 401, 'key_missing'],
      [app.keys.unknown, 401, 'key_unknown'],
      [app.keys.expired, 401, 'key_expired'],
      [app.keys.revoked, 401, 'key_revoked'],
      [app.keys.read, 403, 'scope_missing'],
      [app.keys.ingest, 403, 'scope_missing'],
    ] as const
    for (const operation of all) {
      for (const [key, status, code] of refused) assertProblem(await call(operation, key), { status, code })
    }
    okay(await app.get('/v1/webhooks/', { key: app.keys.webhooks }), WebhookPage)
    okay(await app.get(`/v1/webhooks/${id}`), Webhook)
  })

  test('answers 405 with Allow to a method that a path does not take', async () => {
    const { id } = await create({ id: app.location, key: app.key })
    const wrong: [method: string, path: string, allow: string][] = [
      ['PUT', `/v1/webhooks/${id}`, 'DELETE, GET, HEAD'],
      ['PATCH', '/v1/webhooks/', 'GET, HEAD, POST'],
      ['GET', `/v1/webhooks/test/${id}`, 'POST'],
      ['DELETE', `/v1/webhooks/${id}/secret`, 'GET, HEAD'],
    ]
    for (const [method, path, allow] of wrong) {
      const answer = await app.request(method, path)
      assertProblem(answer, { status: 405, code: 'method_not_allowed' })
      assert.equal(answer.headers['allow'], allow)
    }
  })
})

describe('a key that is bound to a recipient', () => {
  test('sees and changes only the webhooks of that recipient', async () => {
    const site = await app.addLocation()
    const [own, other] = [randomUUID(), randomUUID()]
    const bound = (await app.addKey(site.id, { recipientId: own })).key
    const theirs = await create(site, { recipientId: other })
    const mine = await create({ id: site.id, key: bound }, { recipientId: own })
    const page = okay(await app.get('/v1/webhooks/', { key: bound }), WebhookPage)
    assert.deepEqual([page.data, page.meta.totalCount], [[mine], 1])
    assert.equal(await count(site), 2)
    for (const operation of operations(theirs.id)) {
      assertProblem(await call(operation, bound), { status: 404, code: 'webhook_not_found' })
    }
    assert.deepEqual((await app.get(`/v1/webhooks/${theirs.id}`, { key: site.key })).json, theirs)
  })

  test('is refused the recipient of another: 403, also with the id of its own webhook', async () => {
    const site = await app.addLocation()
    const own = randomUUID()
    const bound = (await app.addKey(site.id, { recipientId: own })).key
    const { id } = await create({ id: site.id, key: bound }, { recipientId: own })
    for (const changes of [{}, { id }]) {
      const answer = await post('/v1/webhooks/', inputFor(site, changes), bound)
      assertProblem(answer, { status: 403, code: 'recipient_forbidden' })
    }
    const upper = await post('/v1/webhooks/', inputFor(site, { recipientId: own.toUpperCase() }), bound)
    assert.equal(okay(upper, Webhook).id, id)
  })

  test('cannot take over the webhook of another by its id: 409', async () => {
    const site = await app.addLocation()
    const own = randomUUID()
    const bound = (await app.addKey(site.id, { recipientId: own })).key
    const theirs = await create(site)
    const answer = await post('/v1/webhooks/', inputFor(site, { id: theirs.id, recipientId: own }), bound)
    assertProblem(answer, { status: 409, code: 'webhook_id_taken' })
    assert.deepEqual((await app.get(`/v1/webhooks/${theirs.id}`, { key: site.key })).json, theirs)
  })
})

describe('POST /v1/webhooks/test/{id}', () => {
  const site = { id: app.location, key: app.key }

  async function webhookAt(path: string, events: string[] = ['order.paid', 'report.created']) {
    return create(site, { endpointUrl: receiver.url(path), events })
  }

  test('sends one signed payload per event and answers what became of each', async () => {
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

  test('of an endpoint that is not there is 200 with status 0 and an empty response', async () => {
    const { id } = await create(site, { endpointUrl: 'http://127.0.0.1:1/' })
    const { 'order.paid': entry } = okay(await post(`/v1/webhooks/test/${id}`, {}), TestResult)
    assert.deepEqual([entry.status, entry.success, entry.response], [0, false, {}])
    assert.ok(entry.message.length > 0)
  })

  test('takes no body at all, and a trailing slash', async () => {
    const { id } = await webhookAt('/test-empty')
    okay(await app.request('POST', `/v1/webhooks/test/${id}`), TestResult)
    okay(await app.request('POST', `/v1/webhooks/test/${id}/`, { headers: json }), TestResult)
    okay(await post(`/v1/webhooks/test/${id}`, { locationId: app.location.toUpperCase() }), TestResult)
  })

  test('is 403 for another location, 400 for a body that is none and for unknown fields', async () => {
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

describe('another recipient', () => {
  const attempts = async (site: Site, id: string) =>
    (await app.get(`/v1/webhooks/${id}/deliveries`, { key: site.key })).json.data as { id: string }[]
  const secretOf = async (site: Site, id: string) =>
    (await app.get(`/v1/webhooks/${id}/secret`, { key: site.key })).json.secret as string

  /** As the delivery engine writes one. */
  async function deliver(site: Site, webhookId: string, at = new Date()): Promise<void> {
    const id = randomUUID()
    const { examples } = (JSON.parse(await readFile('openapi.json', 'utf8')) as { components: any }).components
    const document = JSON.stringify({ ...examples.listDeliveries.value.data[0], id })
    const attempt = { id, at, seq: 1, type: 'order.paid', ok: true, document }
    await app.pool`
      insert into webhook_attempts (location_id, webhook_id, at, id, seq, type, ok, document)
      values (${site.id}, ${webhookId}, ${attempt.at}, ${id}, ${attempt.seq}, ${attempt.type}, ${attempt.ok},
        ${attempt.document})`
  }

  test('of a webhook that moved gets a secret of its own at once, and sees what is sent from then on', async () => {
    const site = await app.addLocation()
    const made = await create(site)
    // By the clock of the database, which may be ahead of ours.
    const ahead = Date.now() + 3_600_000
    await deliver(site, made.id, new Date(ahead))
    const before = await secretOf(site, made.id)
    assert.equal((await attempts(site, made.id)).length, 1)
    const moved = await post('/v1/webhooks/', inputFor(site, { id: made.id, recipientId: randomUUID() }), site.key)
    okay(moved, Webhook)
    assert.notEqual(await secretOf(site, made.id), before)
    const [row] = await app.pool`select previous_secret as previous from webhooks where id = ${made.id}`
    assert.equal(row?.['previous'], null, 'the former recipient signs nothing more')
    assert.deepEqual(await attempts(site, made.id), [])
    await deliver(site, made.id, new Date(ahead + 1))
    assert.equal((await attempts(site, made.id)).length, 1)
  })

  test('keeps secret and log when anything but the recipient changes', async () => {
    const site = await app.addLocation()
    const made = await create(site)
    await deliver(site, made.id)
    const before = await secretOf(site, made.id)
    const input = inputFor(site, { id: made.id, recipientId: made.recipientId, events: ['report.created'] })
    okay(await post('/v1/webhooks/', input, site.key), Webhook)
    assert.equal(await secretOf(site, made.id), before)
    assert.equal((await attempts(site, made.id)).length, 1)
  })

  test('that makes a webhook with the id of a deleted one reads nothing of it', async () => {
    const site = await app.addLocation()
    const made = await create(site)
    await deliver(site, made.id)
    assert.equal((await app.request('DELETE', `/v1/webhooks/${made.id}`, { key: site.key })).status, 204)
    assert.equal((await app.pool`select 1 from webhook_attempts where webhook_id = ${made.id}`).length, 0)
    // A session that was under way may write its last attempt after that.
    await deliver(site, made.id)
    const again = await post('/v1/webhooks/', inputFor(site, { id: made.id, recipientId: randomUUID() }), site.key)
    assert.equal(again.status, 201)
    assert.deepEqual(await attempts(site, made.id), [])
  })
})

test('addresses of this machine are told at registration, by the same look as at each call', () => {
  const { isOwnAddress } = app.context.endpointPolicy
  assert.deepEqual([isOwnAddress?.('127.0.0.1'), isOwnAddress?.('8.8.8.8')], [true, false])
})
