import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'

const direct = await startApp()
const { database } = direct
const behindProxy = await startApp({ database, trustProxy: ['127.0.0.1'] })
const published = await startApp({ database, publicUrl: 'https://pos.example/api' })

const forwarded = { host: 'inner:4747', 'x-forwarded-host': 'pos.example', 'x-forwarded-proto': 'https' }

test('links name the configured public address, whatever host the caller used', async () => {
  const answer = await published.get('/v1/orders/', { headers: { ...forwarded, host: 'other.example' } })
  assert.equal(answer.json.links.self, 'https://pos.example/api/v1/orders/?index=0&size=10')
  assert.match(String(answer.headers['link']), /^<https:\/\/pos\.example\/api\/v1\/orders\//)
  assert.equal((await published.get('/health/')).json.docURL, 'https://pos.example/api/docs')
  const problem = (await published.get('/nowhere')).json
  assert.equal(problem.type, 'https://pos.example/api/docs/errors/route_not_found')
})

test('forwarded addresses are accepted only from a trusted proxy', async () => {
  const trusted = (await behindProxy.get('/v1/orders/', { headers: forwarded })).json.links.self
  assert.equal(trusted, 'https://pos.example/v1/orders/?index=0&size=10')
  const plain = (await direct.get('/v1/orders/', { headers: forwarded })).json.links.self
  assert.equal(plain, 'http://inner:4747/v1/orders/?index=0&size=10')
})

test('a proxy is trusted by its address: forwarded headers from other addresses are ignored', async () => {
  const elsewhere = await startApp({ database, trustProxy: ['10.0.0.0/8', '::1'] })
  const { self } = (await elsewhere.get('/v1/orders/', { headers: forwarded })).json.links
  assert.equal(self, 'http://inner:4747/v1/orders/?index=0&size=10')
})

test('an invalid host is not repeated in the answer', async () => {
  for (const host of ['"><script>alert(1)</script>', 'a b', 'x'.repeat(50) + '\\@evil', 'evil/..']) {
    const answer = await direct.get('/v1/orders/', { headers: { host } })
    assert.equal(answer.json.links.self, 'http://localhost/v1/orders/?index=0&size=10')
  }
})
