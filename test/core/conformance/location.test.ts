import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Location } from '../../../src/core/contract/location/schema.ts'
import { startApp } from '../../support/app.ts'
import { locationOf } from '../../support/records.ts'
import { assertProblem, okay } from './contract.ts'

const app = await startApp()
const full = locationOf(app.location, { name: 'Chez é “Nous” 🍕', url: '' })
await app.store([{ type: 'location', data: full }])
const { deviceList, ...plain } = full

test('[LOC-1] GET /v1/locations/own returns the location of the key', async () => {
  for (const path of ['/v1/locations/own', '/v1/locations/own/'])
    assert.deepEqual(okay(await app.get(path), Location), plain)
  assert.equal(okay(await app.get('/v1/locations/own', { key: app.other.key }), Location).id, app.other.id)
})

test('[LOC-2] deviceList is included if devices=true is given, and only then', async () => {
  assert.ok(!('deviceList' in okay(await app.get('/v1/locations/own'), Location)))
  assert.deepEqual(okay(await app.get('/v1/locations/own?devices=true'), Location), full)
  assert.equal(deviceList?.length, 1)
})

test('[LOC-2] a location without devices has an empty deviceList', async () => {
  const site = await app.addLocation()
  await app.store([{ type: 'location', data: locationOf(site.id, { deviceList: [] }) }], site.key)
  const body = okay(await app.get('/v1/locations/own?devices=true', { key: site.key }), Location)
  assert.deepEqual(body.deviceList, [])
})

test('[LOC-3] any value of devices other than true is 400', async () => {
  for (const value of ['', 'false', 'True', 'TRUE', '1', 'yes', 'true%20', 'null']) {
    const answer = await app.get(`/v1/locations/own?devices=${value}`)
    assertProblem(answer, { status: 400, code: 'validation_failed', pointers: ['/devices'] })
  }
  const twice = await app.get('/v1/locations/own?devices=true&devices=true')
  assertProblem(twice, { status: 400, code: 'validation_failed', pointers: ['/devices'] })
})

test('[LOC-4] other parameters are 400, and other locations have no path', async () => {
  const answer = await app.get('/v1/locations/own?id=1')
  assertProblem(answer, { status: 400, code: 'validation_failed', pointers: ['/id'] })
  for (const path of ['/v1/locations/', `/v1/locations/${app.other.id}`, `/v1/locations/${app.location}`]) {
    assertProblem(await app.get(path), { status: 404, code: 'route_not_found' })
  }
})

test('[LOC-5] the location has a separate ETag for each form, and a caller that has it gets 304', async () => {
  const etags = new Set<string>()
  for (const path of ['/v1/locations/own', '/v1/locations/own?devices=true']) {
    const etag = String((await app.get(path)).headers['etag'])
    etags.add(etag)
    assert.equal((await app.get(path, { headers: { 'if-none-match': etag } })).status, 304)
    assert.deepEqual((await app.request('HEAD', path)).headers['etag'], etag)
  }
  assert.equal(etags.size, 2)
})
