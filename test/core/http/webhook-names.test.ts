import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from '../../../src/core/contract/webhooks/schema.ts'
import { startApp } from '../../support/app.ts'
import { assertProblem, okay } from '../conformance/contract.ts'

const app = await startApp()

test('a webhook keeps its given name; without one the answer is as documented, and an empty name removes it', async () => {
  const site = await app.addLocation()
  const input = {
    locationId: site.id,
    recipientId: crypto.randomUUID(),
    endpointUrl: 'https://partner.example/hooks',
    events: ['order.paid'],
  }
  const put = (more: object) =>
    app.request('POST', '/v1/webhooks/', {
      key: site.key,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...input, ...more }),
    })
  const made = (await put({})).json
  const documented = ['id', 'createdAt', 'updatedAt', 'events', 'endpointUrl', 'locationId', 'recipientId']
  assert.deepEqual(Object.keys(made), documented)
  const read = async () => okay(await app.get(`/v1/webhooks/${made.id}`, { key: site.key }), Webhook)
  assert.equal((await put({ name: ' Comptabilité ' })).json.name, 'Comptabilité')
  // A request without a name leaves the name unchanged.
  assert.equal((await put({ events: ['order.created'] })).json.name, 'Comptabilité')
  assert.equal((await read()).name, 'Comptabilité')
  const { data } = (await app.get('/v1/webhooks/', { key: site.key })).json
  assert.equal(data[0].name, 'Comptabilité')
  assert.deepEqual(Object.keys((await put({ name: '' })).json), documented)
  const { errors } = assertProblem(await put({ name: 'n'.repeat(101) }), { status: 400, code: 'validation_failed' })
  assert.equal(errors?.[0]?.pointer, '/name')
})
