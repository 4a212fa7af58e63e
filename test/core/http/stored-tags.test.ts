import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { startApp } from '../../support/app.ts'
import { idOf, order, smallOrderOf } from '../../support/records.ts'

const app = await startApp()

/** Finds two texts of equal length that, after `before`, result in the same checksum. */
function collidingTexts(before: string): [string, string] {
  const start = crc32(before)
  const seen = new Map<number, string>()
  for (let n = 0; ; n += 1) {
    const text = hash('sha1', String(n)).slice(0, 12)
    const checksum = crc32(text, start)
    const other = seen.get(checksum)
    if (other !== undefined) return [other, text]
    seen.set(checksum, text)
  }
}

test('two versions of an order have different ETags, even if their bytes have the same checksum', async () => {
  const id = idOf('order', 1)
  const path = `/v1/orders/${id}`
  const versionWith = (orderPlace: string) => order(smallOrderOf(app.location, 1, { orderPlace }))
  const placeholder = 'x'.repeat(12)
  await app.store([versionWith(placeholder)])
  const [before = ''] = (await app.get(path)).text.split(placeholder)
  const [one, other] = collidingTexts(before)
  await app.store([versionWith(one)])
  const first = await app.get(path)
  await app.store([versionWith(other)])
  const second = await app.get(path)
  assert.equal(crc32(first.bytes), crc32(second.bytes))
  assert.notDeepEqual(first.bytes, second.bytes)
  assert.notEqual(first.headers.etag, second.headers.etag)
  const again = await app.get(path, { headers: { 'if-none-match': String(first.headers.etag) } })
  assert.deepEqual([again.status, again.bytes], [200, second.bytes])
})

test('the ETag of a stored document is the sequence of its entry and a checksum of its bytes', async () => {
  await app.store([order(smallOrderOf(app.location, 2))])
  const { sequence } = (await app.get('/v1/journal/head')).json
  const { bytes, headers } = await app.get(`/v1/orders/${idOf('order', 2)}`)
  assert.equal(headers.etag, `"${sequence}-${crc32(bytes).toString(36)}"`)
})

test('a catalog list that was never pushed has an ETag, too', async () => {
  const site = await app.addLocation()
  const { etag } = (await app.get('/v1/catalog/', { key: site.key })).headers
  const again = await app.get('/v1/catalog/', { key: site.key, headers: { 'if-none-match': String(etag) } })
  assert.equal(again.status, 304)
})
