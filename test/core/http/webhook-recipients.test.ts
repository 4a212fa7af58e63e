import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { PageOf } from '../../../src/core/contract/paging/schema.ts'
import { Webhook } from '../../../src/core/contract/webhooks/schema.ts'
import { assertProblem, okay } from '../conformance/contract.ts'
import { startApp, type Site } from '../../support/app.ts'
import { inputFor, json, registrationsOf } from './webhook-calls.ts'

const app = await startApp()

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

describe('a key that is bound to a recipient', () => {
  test('reads and changes only the webhooks of that recipient', async () => {
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

  test('gets a 403 for another recipient, also with the id of its own webhook', async () => {
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

  test('cannot take over another recipient’s webhook by its id: 409', async () => {
    const site = await app.addLocation()
    const own = randomUUID()
    const bound = (await app.addKey(site.id, { recipientId: own })).key
    const theirs = await create(site)
    const answer = await post('/v1/webhooks/', inputFor(site, { id: theirs.id, recipientId: own }), bound)
    assertProblem(answer, { status: 409, code: 'webhook_id_taken' })
    assert.deepEqual((await app.get(`/v1/webhooks/${theirs.id}`, { key: site.key })).json, theirs)
  })
})

describe('a change of the recipient', () => {
  const attempts = async (site: Site, id: string) =>
    (await app.get(`/v1/webhooks/${id}/deliveries`, { key: site.key })).json.data as { id: string }[]
  const secretOf = async (site: Site, id: string) =>
    (await app.get(`/v1/webhooks/${id}/secret`, { key: site.key })).json.secret as string

  /** Writes a delivery as the delivery engine does. */
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

  test('creates a new secret at once, and the new recipient sees only later deliveries', async () => {
    const site = await app.addLocation()
    const made = await create(site)
    // An attempt has the time of the database, whose clock may be ahead of this process’s clock: here by an hour.
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

  test('is the only change that replaces secret and log', async () => {
    const site = await app.addLocation()
    const made = await create(site)
    await deliver(site, made.id)
    const before = await secretOf(site, made.id)
    const input = inputFor(site, { id: made.id, recipientId: made.recipientId, events: ['report.created'] })
    okay(await post('/v1/webhooks/', input, site.key), Webhook)
    assert.equal(await secretOf(site, made.id), before)
    assert.equal((await attempts(site, made.id)).length, 1)
  })

  test('leaves no data of a deleted webhook to a new one with its id', async () => {
    const site = await app.addLocation()
    const made = await create(site)
    await deliver(site, made.id)
    assert.equal((await app.request('DELETE', `/v1/webhooks/${made.id}`, { key: site.key })).status, 204)
    assert.equal((await app.pool`select 1 from webhook_attempts where webhook_id = ${made.id}`).length, 0)
    // A session that was running may write its last attempt after the deletion.
    await deliver(site, made.id)
    const again = await post('/v1/webhooks/', inputFor(site, { id: made.id, recipientId: randomUUID() }), site.key)
    assert.equal(again.status, 201)
    assert.deepEqual(await attempts(site, made.id), [])
  })
})
