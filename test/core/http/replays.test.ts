import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ReplayAnswer, WebhookStatus } from '../../../src/core/contract/webhooks/schema.ts'
import { assertProblem, okay } from '../conformance/contract.ts'
import { one } from '../../support/events.ts'
import { startDelivery } from '../../support/delivery.ts'
import { gate } from '../../support/waiting.ts'

const site = await startDelivery()
const { app, receiver } = site
site.startEngine()

const json = { 'content-type': 'application/json' }

describe('replay and enable', () => {
  const replay = (id: string, body: unknown) =>
    app.request('POST', `/v1/webhooks/${id}/replay`, { headers: json, body: JSON.stringify(body) })

  test('return the state of the webhook', async () => {
    const webhook = await site.register(['order.paid'])
    okay(await replay(webhook.id, { sequence: 1 }), ReplayAnswer)
    okay(await replay(webhook.id, { since: '2026-01-01' }), ReplayAnswer)
    okay(await replay(webhook.id, { since: '2026-01-01T10:00:00+02:00' }), ReplayAnswer)
    okay(await app.request('POST', `/v1/webhooks/${webhook.id}/enable`), WebhookStatus)
  })

  test('refuse invalid values: 400 naming each', async () => {
    const webhook = await site.register(['order.paid'])
    const wrong: [body: unknown, pointers: string[]][] = [
      [{}, ['']],
      [{ sequence: 1, since: '2026-01-01' }, ['']],
      [{ sequence: 0 }, ['/sequence']],
      [{ sequence: 1.5 }, ['/sequence']],
      [{ sequence: '1' }, ['/sequence']],
      [{ sequence: 1e300 }, ['/sequence']],
      [{ since: 'yesterday' }, ['/since']],
      [{ since: 5 }, ['/since']],
      [{ since: '9999-01-01' }, ['/since']],
      [{ from: 1 }, ['/from']],
      [[], ['']],
    ]
    for (const [body, pointers] of wrong) {
      assertProblem(await replay(webhook.id, body), { status: 400, code: 'validation_failed', pointers })
    }
    assertProblem(await app.request('POST', `/v1/webhooks/${webhook.id}/replay`, { headers: json, body: '{' }), {
      status: 400,
      code: 'body_invalid',
    })
  })
})

test('a replay is refused while another is in progress, 409, and after six in an hour, 429', async () => {
  const place = await app.addLocation()
  const webhook = await site.register(['order.created'], place)
  await app.store([one(place.id, 1), one(place.id, 2)], place.key)
  await site.settled(webhook)
  const replay = () =>
    app.request('POST', `/v1/webhooks/${webhook.id}/replay`, { key: place.key, headers: json, body: '{"sequence":1}' })
  const { opened, open } = gate()
  receiver.answer(webhook.path, () => opened.then(() => 200))
  assert.equal((await replay()).status, 200)
  assertProblem(await replay(), { status: 409, code: 'replay_running' })
  await receiver.waitFor(webhook.path, 3)
  assertProblem(await replay(), { status: 409, code: 'replay_running' })
  open()
  for (let n = 4; n <= 6; n++) {
    await site.settled(webhook)
    assert.equal((await replay()).status, 200)
  }
  await site.settled(webhook)
  const refused = await replay()
  assertProblem(refused, { status: 429, code: 'rate_limited' })
  assert.ok(Number(refused.headers['retry-after']) > 0)
})

test('a replay from beyond the head is refused with the head: 409', async () => {
  const webhook = await site.register(['order.paid'])
  const { head } = (await app.get('/v1/events/')).json.meta
  const options = { headers: json, body: JSON.stringify({ sequence: head + 2 }) }
  const answer = await app.request('POST', `/v1/webhooks/${webhook.id}/replay`, options)
  assertProblem(answer, { status: 409, code: 'sequence_ahead' })
  assert.equal(answer.json.head, head)
})
