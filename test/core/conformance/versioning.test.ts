import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { assertProblem } from './contract.ts'

const app = await startApp()
const document = (await app.get('/openapi.json', { key: null })).json
const paths = Object.keys(document.paths)

test('[VER-1] the data operations live under /v1/', () => {
  const outside = paths.filter((path) => !path.startsWith('/v1/'))
  assert.deepEqual(
    outside.filter((path) => !['/livez', '/readyz', '/metrics'].includes(path)),
    ['/health/'],
  )
})

test('[VER-2] health is outside the prefix and names the versions', async () => {
  assert.equal((await app.get('/health/')).json.apiVersions, 'v1')
  assertProblem(await app.get('/v1/health/'), { status: 404, code: 'route_not_found' })
})

test('[VER-3] an unknown version is a 404 that names the supported ones', async () => {
  for (const path of ['/v2/orders/', '/v0/orders/', '/v10/', '/v2', '/v01/orders/']) {
    assert.match(
      assertProblem(await app.get(path), { status: 404, code: 'version_unsupported' }).detail,
      /is not supported: use v1$/,
    )
  }
  for (const path of ['/orders/', '/V1/orders/', '/v1/', '/v1']) {
    assertProblem(await app.get(path), { status: 404, code: 'route_not_found' })
  }
  // `/` returns no data of a location: it lists the versions and where to continue.
  assert.deepEqual((await app.get('/')).json.apiVersions, ['v1'])
})
