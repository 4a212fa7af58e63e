import assert from 'node:assert/strict'
import { assertFields } from './fields.ts'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eventTypes } from '../../../src/core/schemas/events.ts'
import { PageOf } from '../../../src/core/contract/paging/schema.ts'
import { Webhook, WebhookSecret } from '../../../src/core/contract/webhooks/schema.ts'
import { startApp, type Site } from '../../support/app.ts'
import { assertProblem, assertSchema, linksOf, okay, pathOf } from './contract.ts'

const app = await startApp()

const WebhookPage = PageOf(Webhook, 'WebhookPage')
const json = { 'content-type': 'application/json' }
const endpointUrl = 'https://partner.example/hooks'

const inputFor = (site: Site, changes: Record<string, unknown> = {}) => ({
  events: ['order.paid'],
  endpointUrl,
  locationId: site.id,
  recipientId: randomUUID(),
  ...changes,
})

const post = (path: string, body: unknown, key = app.key) =>
  app.request('POST', path, { key, headers: json, body: typeof body === 'string' ? body : JSON.stringify(body) })

const upsert = (site: Site, changes: Record<string, unknown> = {}) =>
  post('/v1/webhooks/', inputFor(site, changes), site.key)

async function create(site: Site, changes: Record<string, unknown> = {}) {
  const answer = await upsert(site, changes)
  assert.equal(answer.status, 201, answer.text)
  assertSchema(Webhook, answer.json)
  return answer.json
}

const listOf = async (site: Site, query = '') =>
  okay(await app.get(`/v1/webhooks/${query}`, { key: site.key }), WebhookPage)

const own: Site = { id: app.location, key: app.key }

test('[WEB-1] the list is data, meta and links, and a webhook has the documented fields in order', async () => {
  const site = await app.addLocation()
  const made = await create(site)
  const answer = await app.get('/v1/webhooks/', { key: site.key })
  const body = okay(answer, WebhookPage)
  assert.deepEqual(Object.keys(body), ['data', 'meta', 'links'])
  assert.deepEqual(body.data, [made])
  assertFields('Webhook', body.data[0])
  assert.deepEqual(Object.keys(body.links), ['self', 'first', 'last', 'next', 'prev'])
  assert.deepEqual([body.links.next, body.links.prev], [null, null])
  assert.equal(linksOf(answer)['first'], body.links.first)
})

test('[WEB-2] index defaults to 0 and size to 10; size is capped at 100, and below 1 is 400', async () => {
  const site = await app.addLocation()
  for (let i = 0; i < 12; i++) await create(site)
  const { data, meta } = await listOf(site)
  assert.deepEqual([data.length, meta], [10, { totalCount: 12, currentPageIndex: 0, totalPage: 2, pageSize: 10 }])
  assert.equal((await listOf(site, '?index=1')).data.length, 2)
  assert.deepEqual((await listOf(site, '?index=2')).data, [])
  assert.equal((await listOf(site, '?size=101')).meta.pageSize, 100)
  for (const query of ['size=0', 'index=-1', 'size=ten']) {
    assertProblem(await app.get(`/v1/webhooks/?${query}`), { status: 400, code: 'validation_failed' })
  }
})

test('[WEB-2] index has no maximum: past every page the list is empty, and its links lead back', async () => {
  const site = await app.addLocation()
  await create(site)
  const largest = Number.MAX_SAFE_INTEGER
  for (const index of ['7', String(largest), '9007199254740992', '9'.repeat(400)]) {
    const { data, meta, links } = await listOf(site, `?index=${index}`)
    assert.deepEqual([data, meta.totalCount, meta.currentPageIndex], [[], 1, Math.min(Number(index), largest)])
    assert.equal(links.next, null)
    assert.equal((await listOf(site, new URL(links.prev).search)).data.length, 1)
  }
  assertProblem(await app.get('/v1/webhooks/?index=1.0'), {
    status: 400,
    code: 'validation_failed',
    pointers: ['/index'],
  })
})

test('[WEB-3] the list is ordered by creation date, and following next returns all webhooks of the location', async () => {
  const site = await app.addLocation()
  await create(await app.addLocation())
  const made: string[] = []
  for (let i = 0; i < 5; i++) made.push((await create(site)).id)
  const seen: string[] = []
  for (let path: string | null = '/v1/webhooks/?size=2'; path !== null;) {
    const page = okay(await app.get(path, { key: site.key }), WebhookPage)
    seen.push(...page.data.map(({ id }: { id: string }) => id))
    path = page.links.next === null ? null : pathOf(page.links.next)
  }
  assert.deepEqual(seen, made)
})

test('[WEB-4] POST creates the webhook if the pair has none: 201 with the webhook', async () => {
  const site = await app.addLocation()
  const input = inputFor(site)
  const answer = await post('/v1/webhooks/', input, site.key)
  assert.equal(answer.status, 201)
  assertSchema(Webhook, answer.json)
  assertFields('Webhook', answer.json)
  const { events, endpointUrl: url, locationId, recipientId } = answer.json
  assert.deepEqual({ events, endpointUrl: url, locationId, recipientId }, input)
})

test('[WEB-5] POST updates the webhook if the pair has one: 200 with the webhook', async () => {
  const site = await app.addLocation()
  const made = await create(site)
  const changes = { recipientId: made.recipientId, events: ['report.created'], endpointUrl: `${endpointUrl}/2` }
  const updated = okay(await upsert(site, changes), Webhook)
  assert.deepEqual({ ...updated, updatedAt: null }, { ...made, ...changes, updatedAt: null })
  assert.equal((await listOf(site)).meta.totalCount, 1)
})

test('[WEB-6] POST with an id updates that webhook or creates it; an id of another location is 409', async () => {
  const site = await app.addLocation()
  const id = randomUUID()
  assert.equal((await create(site, { id })).id, id)
  assert.equal(
    okay(await upsert(site, { id, endpointUrl: `${endpointUrl}/2` }), Webhook).endpointUrl,
    `${endpointUrl}/2`,
  )
  const answer = await upsert(await app.addLocation(), { id })
  assertProblem(answer, { status: 409, code: 'webhook_id_taken' })
})

test('[WEB-7] if the pair has several webhooks, the one with the same endpoint is updated; if none has it, 409', async () => {
  const site = await app.addLocation()
  const recipientId = randomUUID()
  const urls = [`${endpointUrl}/1`, `${endpointUrl}/2`]
  const made = []
  for (const url of urls) made.push(await create(site, { id: randomUUID(), recipientId, endpointUrl: url }))
  const updated = okay(await upsert(site, { recipientId, endpointUrl: urls[1], events: ['order.created'] }), Webhook)
  assert.equal(updated.id, made[1].id)
  const { detail } = assertProblem(await upsert(site, { recipientId }), { status: 409, code: 'webhook_ambiguous' })
  for (const { id } of made) assert.ok(detail.includes(id))
})

test('[WEB-8] concurrent upserts of one pair create one webhook', async () => {
  const site = await app.addLocation()
  const recipientId = randomUUID()
  const answers = await Promise.all(Array.from({ length: 10 }, () => upsert(site, { recipientId })))
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  assert.equal(answers.filter(({ status }) => status === 200).length, 9)
  assert.equal((await listOf(site)).meta.totalCount, 1)
})

test('[WEB-9] events are known names, at least one; an unknown one is a 400 that lists the known ones; duplicates are removed', async () => {
  const site = await app.addLocation()
  assert.deepEqual((await create(site, { events: ['order.paid', 'order.paid'] })).events, ['order.paid'])
  for (const events of [[], ['order.eaten'], 'order.paid', [7]]) {
    assertProblem(await upsert(site, { events }), { status: 400, code: 'validation_failed' })
  }
  const { errors } = assertProblem(await upsert(site, { events: ['order.eaten'] }), {
    status: 400,
    code: 'validation_failed',
    pointers: ['/events/0'],
  })
  for (const name of eventTypes) assert.ok(errors[0].detail.includes(name))
})

test('[WEB-10] endpointUrl is absolute, has no credentials, at most 2,048 characters, and no refused address', async () => {
  const site = await app.addLocation()
  const wrong = [
    '/hooks',
    'ftp://partner.example/',
    'https://user:word@partner.example/',
    `https://partner.example/${'a'.repeat(2_048)}`,
    'https://10.0.0.1/',
    'https://169.254.169.254/',
    'https://[fe80::1]/',
  ]
  for (const url of wrong) {
    const answer = await upsert(site, { endpointUrl: url })
    assertProblem(answer, { status: 400, code: 'validation_failed', pointers: ['/endpointUrl'] })
  }
  assert.equal((await listOf(site)).meta.totalCount, 0)
})

test('[WEB-11] bodies are sent as application/json; another type is 415, and a body that is not an object is 400', async () => {
  const body = JSON.stringify(inputFor(own))
  for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
    const answer = await app.request('POST', '/v1/webhooks/', { headers: { 'content-type': type }, body })
    assertProblem(answer, { status: 415, code: 'media_type_unsupported' })
  }
  for (const text of ['[]', '"text"', '7', 'null', '{"events":']) {
    assert.equal((await post('/v1/webhooks/', text)).status, 400)
  }
  const charset = { 'content-type': 'application/json; charset=utf-8' }
  assert.equal((await app.request('POST', '/v1/webhooks/', { headers: charset, body })).status, 201)
})

test('[WEB-12] locationId must be the key’s, and so must recipientId if the key is bound to one, otherwise 403', async () => {
  const site = await app.addLocation()
  const answer = await post('/v1/webhooks/', inputFor(app.other), site.key)
  assertProblem(answer, { status: 403, code: 'location_forbidden' })
  const { key } = await app.addKey(site.id, { recipientId: randomUUID() })
  assertProblem(await upsert({ id: site.id, key }), { status: 403, code: 'recipient_forbidden' })
})

test('[WEB-13] a key bound to a recipient sees and changes that recipient’s webhooks only', async () => {
  const site = await app.addLocation()
  const recipientId = randomUUID()
  const { key } = await app.addKey(site.id, { recipientId })
  const theirs = await create(site)
  const mine = await create({ id: site.id, key }, { recipientId })
  assert.deepEqual((await listOf({ id: site.id, key })).data, [mine])
  for (const method of ['GET', 'DELETE']) {
    const answer = await app.request(method, `/v1/webhooks/${theirs.id}`, { key })
    assertProblem(answer, { status: 404, code: 'webhook_not_found' })
  }
})

test('[WEB-14] a webhook can be read and deleted; one that does not exist, or of another location, is 404', async () => {
  const site = await app.addLocation()
  const made = await create(site)
  const path = `/v1/webhooks/${made.id}`
  assert.deepEqual(okay(await app.get(path, { key: site.key }), Webhook), made)
  for (const method of ['GET', 'DELETE']) {
    assertProblem(await app.request(method, path, { key: app.other.key }), { status: 404, code: 'webhook_not_found' })
  }
  assert.equal((await app.request('DELETE', path, { key: site.key })).status, 204)
  assertProblem(await app.get(path, { key: site.key }), { status: 404, code: 'webhook_not_found' })
})

test('[WEB-15] the secret is not a field of the webhook; separate operations read and replace it', async () => {
  const { id } = await create(own)
  const secret = async () => okay(await app.get(`/v1/webhooks/${id}/secret`), WebhookSecret).secret
  const first = await secret()
  assert.match(first, /^whsec_/)
  const rotated = okay(await app.request('POST', `/v1/webhooks/${id}/secret/rotate`), WebhookSecret).secret
  assert.notEqual(rotated, first)
  assert.equal(await secret(), rotated)
  assert.ok(!(await app.get(`/v1/webhooks/${id}`)).text.includes('whsec_'))
})
