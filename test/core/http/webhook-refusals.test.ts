import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { PageOf } from '../../../src/core/contract/paging/schema.ts'
import { eventTypes } from '../../../src/core/schemas/events.ts'
import { Webhook } from '../../../src/core/contract/webhooks/schema.ts'
import { assertProblem, okay } from '../conformance/contract.ts'
import { startApp, type Site } from '../../support/app.ts'
import { inputFor, json, registrationsOf } from './webhook-calls.ts'

const app = await startApp()
/** A second app on the same database, with the default policy: https only, and no private address. */
const strict = await startApp({ database: app.database, endpointPolicy: { allowHttp: false, allowAddresses: [] } })

const WebhookPage = PageOf(Webhook, 'WebhookPage')
const { post, create } = registrationsOf(app)
const count = async (site: Site) => okay(await app.get('/v1/webhooks/', { key: site.key }), WebhookPage).meta.totalCount

/** Returns every operation on one webhook. */
const operations = (id: string): [method: string, path: string, body?: unknown][] => [
  ['GET', `/v1/webhooks/${id}`],
  ['GET', `/v1/webhooks/${id}/secret`],
  ['GET', `/v1/webhooks/${id}/status`],
  ['GET', `/v1/webhooks/${id}/deliveries`],
  ['POST', `/v1/webhooks/${id}/secret/rotate`],
  ['POST', `/v1/webhooks/${id}/disable`],
  ['POST', `/v1/webhooks/${id}/enable`],
  ['POST', `/v1/webhooks/${id}/replay`, { sequence: 1 }],
  ['POST', `/v1/webhooks/test/${id}`, {}],
  ['DELETE', `/v1/webhooks/${id}`],
]

const call = ([method, path, body]: [string, string, unknown?], key: string | null) =>
  app.request(method, path, { key, ...(body === undefined ? {} : { headers: json, body: JSON.stringify(body) }) })

describe('POST /v1/webhooks/ refuses', () => {
  const badEvents: [what: string, events: unknown, pointers: string[]][] = [
    ['no events', [], ['/events']],
    ['an unknown event', ['order.paid', 'order.eaten'], ['/events/1']],
    ['an event in another case', ['Order.Paid'], ['/events/0']],
    ['an empty event', [''], ['/events/0']],
    ['events that are not text', [1, null, {}], ['/events/0', '/events/1', '/events/2']],
    ['events as text', 'order.paid', ['/events']],
    ['events as an object', { 0: 'order.paid' }, ['/events']],
    ['null', null, ['/events']],
  ]
  for (const [what, events, pointers] of badEvents) {
    test(`${what}: 400 with a pointer`, async () => {
      const answer = await post('/v1/webhooks/', inputFor({ id: app.location, key: app.key }, { events }))
      assertProblem(answer, { status: 400, code: 'validation_failed', pointers })
    })
  }

  test('an unknown event: 400 with the known ones', async () => {
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
    ['with a space', 'https://partner.example/a b', 'endpoint_url_invalid'],
    ['with a fragment', 'https://partner.example/#a', 'endpoint_url_invalid'],
    ['with characters outside a URI', 'https://bücher.example/é', 'endpoint_url_invalid'],
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

  test('http and loopback unless they are allowed', async () => {
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
    ['null', 'null', 'validation_failed', ['']],
    ['broken JSON', '{"events":', 'body_invalid', ['']],
    ['an empty object', '{}', 'validation_failed', ['/events', '/endpointUrl', '/locationId', '/recipientId']],
    ['an empty body', '', 'validation_failed', ['/events', '/endpointUrl', '/locationId', '/recipientId']],
  ]
  for (const [what, body, code, pointers] of bodies) {
    test(`${what} as body: 400`, async () => {
      const answer = await post('/v1/webhooks/', body)
      if (code === 'body_invalid') assertProblem(answer, { status: 400, code })
      else assertProblem(answer, { status: 400, code, pointers })
    })
  }

  test('unknown fields and invalid ids: 400 naming each', async () => {
    const wrong = { secret: 'whsec_x', recipientId: 'me', id: '42', locationId: `{${app.location}}` }
    const answer = await post('/v1/webhooks/', inputFor({ id: app.location, key: app.key }, wrong))
    const pointers = ['/secret', '/recipientId', '/id', '/locationId']
    assertProblem(answer, { status: 400, code: 'validation_failed', pointers })
  })

  test('a duplicate key in the body: 400', async () => {
    const input = JSON.stringify(inputFor({ id: app.location, key: app.key }))
    const twice = input.replace('{', '{"endpointUrl":"https://other.example/",')
    assertProblem(await post('/v1/webhooks/', twice), { status: 400, code: 'body_invalid' })
  })

  test('a compressed body: 415, whatever its bytes', async () => {
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

describe('a webhook', () => {
  test('can be read, is deleted with 204 and no body, and is then 404 for every operation', async () => {
    const site = await app.addLocation()
    const made = await create(site)
    assert.deepEqual(okay(await app.get(`/v1/webhooks/${made.id}`, { key: site.key }), Webhook), made)
    const deleted = await app.request('DELETE', `/v1/webhooks/${made.id}`, { key: site.key })
    assert.deepEqual([deleted.status, deleted.text], [204, ''])
    for (const operation of operations(made.id)) {
      assertProblem(await call(operation, site.key), { status: 404, code: 'webhook_not_found' })
    }
  })

  test('of another location is 404 for every operation, and does not change', async () => {
    const [site, stranger] = [await app.addLocation(), await app.addLocation()]
    const made = await create(stranger)
    const secret = await app.get(`/v1/webhooks/${made.id}/secret`, { key: stranger.key })
    for (const operation of operations(made.id)) {
      assertProblem(await call(operation, site.key), { status: 404, code: 'webhook_not_found' })
    }
    assert.deepEqual((await app.get(`/v1/webhooks/${made.id}`, { key: stranger.key })).json, made)
    assert.equal((await app.get(`/v1/webhooks/${made.id}/secret`, { key: stranger.key })).text, secret.text)
  })

  test('with an invalid id is 400 for every operation, but 404 for the test, which accepts any string', async () => {
    for (const operation of operations('42')) {
      if (operation[1].includes('/test/'))
        assertProblem(await call(operation, app.key), { status: 404, code: 'webhook_not_found' })
      else assertProblem(await call(operation, app.key), { status: 400, code: 'validation_failed', pointers: ['/id'] })
    }
  })

  test('needs a key with the scope webhooks for every operation', async () => {
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

  test('with an id that two locations send at the same moment is created once at most', async () => {
    const [one, other] = [await app.addLocation(), await app.addLocation()]
    for (let round = 0; round < 40; round++) {
      const id = randomUUID()
      const make = ({ id: locationId, key }: typeof one) =>
        app.request('POST', '/v1/webhooks/', {
          key,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            id,
            events: ['order.paid'],
            endpointUrl: 'https://partner.example/',
            locationId,
            recipientId: randomUUID(),
          }),
        })
      const answers = await Promise.all([make(one), make(other)])
      const made = answers.filter(({ status }) => status === 201)
      assert.ok(made.length < 2, 'both have it')
      for (const answer of answers)
        if (answer.status !== 201) assertProblem(answer, { status: 409, code: 'webhook_id_taken' })
      const [row] = await app.pool<[{ n: number }]>`select count(*)::int as n from webhooks where id = ${id}`
      assert.equal(row.n, made.length)
    }
  })

  test('has paths that answer 405 with Allow to an unsupported method', async () => {
    const { id } = await create({ id: app.location, key: app.key })
    const wrong: [method: string, path: string, allow: string][] = [
      ['PUT', `/v1/webhooks/${id}`, 'DELETE, GET, HEAD'],
      ['PATCH', '/v1/webhooks/', 'GET, HEAD, POST'],
      ['GET', `/v1/webhooks/test/${id}`, 'POST'],
      ['DELETE', `/v1/webhooks/${id}/secret`, 'GET, HEAD'],
      ['DELETE', '/v1/webhooks/event-types/', 'GET, HEAD'],
      ['DELETE', '/v1/webhooks/event-types', 'GET, HEAD'],
      ['DELETE', '/v1/webhooks/statistics?x=1', 'GET, HEAD'],
    ]
    for (const [method, path, allow] of wrong) {
      const answer = await app.request(method, path)
      assertProblem(answer, { status: 405, code: 'method_not_allowed' })
      assert.equal(answer.headers['allow'], allow)
    }
  })
})

test('the answer to an endpoint with spaces around it, or an invalid port, states this', async () => {
  for (const [endpointUrl, detail] of [
    [' https://partner.example/', 'The URL begins or ends with a space. Remove it.'],
    ['https://partner.example/\n', 'The URL begins or ends with a space. Remove it.'],
    ['https://partner.example:99999/', 'The URL has port 99999; the highest is 65535.'],
    ['https://[::1]:70000?a=1:80000', 'The URL has port 70000; the highest is 65535.'],
    ['https://partner.example:x/', 'The value must be an absolute URL with a host.'],
  ] as const) {
    const answer = await post('/v1/webhooks/', inputFor({ id: app.location, key: app.key }, { endpointUrl }))
    const { errors } = assertProblem(answer, { status: 400, code: 'validation_failed', pointers: ['/endpointUrl'] })
    assert.deepEqual([errors[0].code, errors[0].detail], ['endpoint_url_invalid', `endpointUrl: ${detail}`])
  }
})
