import assert from 'node:assert/strict'
import test from 'node:test'
import { startApp } from '../support/app.ts'

const app = await startApp()

test('/docs is a page, with or without a trailing slash and without a key', async () => {
  for (const path of ['/docs', '/docs/']) {
    let answer = await app.get(path, { key: null })
    // One of the two is where the other leads.
    if (answer.status >= 300 && answer.status < 400) {
      answer = await app.get(new URL(String(answer.headers['location']), app.url + path).pathname, { key: null })
    }
    assert.equal(answer.status, 200)
    assert.match(String(answer.headers['content-type']), /^text\/html/)
    assert.match(answer.text, /openapi\.json/)
  }
})

test('the page loads nothing from outside', async () => {
  const page = await app.get('/docs/', { key: null })
  const loaded = [...page.text.matchAll(/<(?:script|link|img|iframe)[^>]*(?:src|href)="([^"]+)"/g)].map(
    (match) => match[1] ?? '',
  )
  assert.ok(loaded.length > 0)
  for (const source of loaded) {
    const url = new URL(source, `${app.url}/docs/`)
    assert.equal(url.origin, app.url, source)
    assert.equal((await app.get(url.pathname, { key: null })).status, 200, source)
  }
  assert.doesNotMatch(page.text, /https?:\/\/(?!127\.0\.0\.1)[^"'\s]*\.(?:js|css|woff2?)/)
})

test('/openapi.json is the document, without a key', async () => {
  const answer = await app.get('/openapi.json', { key: null })
  assert.equal(answer.status, 200)
  assert.match(String(answer.headers['content-type']), /^application\/json/)
  assert.equal(answer.json.openapi, '3.1.0')
  assert.equal(answer.json.info.version, '0.0.0')
})
