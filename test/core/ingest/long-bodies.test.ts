import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { deflateSync, gzipSync } from 'node:zlib'
import { IngestAnswer, type RecordResult } from '../../../src/core/schemas/ingest.ts'
import { batchSize } from '../../../src/core/ingest/write/queue.ts'
import { listRejected } from '../../../src/core/store/pushes/rejected.ts'
import { assertProblem, assertSchema } from '../conformance/contract.ts'
import { deactivateLocation } from '../../../src/core/store/repair/location-states.ts'
import { startApp } from '../../support/app.ts'
import { idOf, linesOf, order, productsOf, smallOrderOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'
import { assertSound } from './soundness.ts'

const app = await startApp()
const { location } = app
const lineMiB = 1024 * 1024

const good = (n: number, locationId = location) => JSON.stringify(order(smallOrderOf(locationId, n)))

/** Returns the record's verdict, and the pointer of its first error. */
const fate = ({ status, code, errors }: RecordResult) =>
  [status, code, errors?.[0]?.pointer].filter((part) => part !== undefined).join(' ')

/** Pushes lines to a new location. Checks the response against its schema, and the stored data for consistency. */
async function fates(lines: string | Buffer, headers: Record<string, string> = {}) {
  const { id, key } = await app.addLocation()
  const body = Buffer.isBuffer(lines) ? lines : lines.replaceAll(location, id)
  const answer = await app.push(body, { key, headers })
  if (answer.status !== 400) assertSchema(IngestAnswer, answer.json)
  else assertProblem(answer, { status: 400, code: 'nothing_usable' })
  await assertSound(app.pool, id)
  return { id, key, status: answer.status, answer: answer.json, fates: answer.json.results.map(fate) as string[] }
}

const gzip = { 'content-encoding': 'gzip' }

test('a gzipped body is read, with one member or several, and other encodings are 415', async () => {
  const { id, key } = await app.addLocation()
  const parts = [1, 2].map((n) => gzipSync(`${good(n, id)}\n`))
  assert.equal(
    (await app.push(gzipSync(good(3, id)), { key, headers: { 'content-encoding': 'GZIP' } })).json.accepted,
    1,
  )
  assert.equal((await app.push(Buffer.concat(parts), { key, headers: gzip })).json.accepted, 2)
  const asJson = await app.push(gzipSync(good(4, id)), { key, headers: gzip, type: 'application/json' })
  assert.equal(asJson.json.accepted, 1)
  for (const encoding of ['deflate', 'br', 'zstd', 'gzip, gzip', 'x']) {
    const answer = await app.push(deflateSync(good(1)), { headers: { 'content-encoding': encoding } })
    assertProblem(answer, { status: 415, code: 'media_type_unsupported' })
  }
})

test('a damaged gzipped body is reported as stopped, and the complete records before are stored', async () => {
  const { id, key } = await app.addLocation()
  const lines = Array.from({ length: 2000 }, (_, n) => `${good(n, id)}\n`)
  const whole = gzipSync(lines.join(''), { level: 1 })
  const cut = await app.push(whole.subarray(0, whole.length / 2), { key, headers: gzip })
  assert.equal(cut.status, 207, cut.text.slice(0, 300))
  assertSchema(IngestAnswer, cut.json)
  assert.equal(cut.json.stopped.code, 'gzip_invalid')
  assert.ok(cut.json.accepted > 100 && cut.json.rejected === 0)
  const entries = await assertSound(app.pool, id)
  assert.equal(entries.length, cut.json.accepted)
  assert.deepEqual(
    entries.map((entry) => entry.id),
    entries.map((_, n) => idOf('order', n)),
  )
})

test('a body with Content-Encoding gzip that is not gzip is 400', async () => {
  for (const body of ['hello', '', gzipSync(good(1)).subarray(0, 15), Buffer.alloc(3_000_000, 'x')]) {
    const answer = await app.push(body, { headers: gzip })
    assertProblem(answer, { status: 400, code: 'nothing_usable' })
    assertProblem(await app.push(body, { headers: gzip, type: 'application/json' }), {
      status: 400,
      code: 'body_invalid',
    })
  }
})

test('a gzip bomb is never unpacked completely, whatever it contains', async () => {
  for (const fill of ['\n', 'x', '[']) {
    const bomb = gzipSync(Buffer.alloc(60_000_000, fill))
    const answer = await app.push(bomb, { headers: gzip })
    assertProblem(answer, { status: 400, code: 'nothing_usable' })
    assert.match(answer.json.stopped.code, /^(gzip_bomb|line_too_long|too_many_blank_lines)$/)
    const asJson = await app.push(bomb, { headers: gzip, type: 'application/json' })
    assertProblem(asJson, { status: 413, code: 'body_too_large' })
  }
  assert.equal((await app.get('/health/')).status, 200)
})

test('a line over 1 MiB is rejected and its neighbors are stored; a line that never ends stops the push', async () => {
  const long = JSON.stringify(order(smallOrderOf(location, 9, { customerId: 'x'.repeat(lineMiB) })))
  const { id, fates: found } = await fates(`${good(1)}\n${long}\n${good(2)}`)
  assert.deepEqual(found, ['accepted', 'rejected line_too_long ', 'accepted'])
  const [kept] = await listRejected(app.pool, id, 1)
  assert.ok(long.startsWith((kept?.record ?? '?').slice(0, 60)) && (kept?.record.length ?? 0) >= 1000)
  const endless = await fates(Buffer.concat([Buffer.from(`${good(1)}\n`), Buffer.alloc(66 * lineMiB, 'x')]))
  assert.equal(endless.answer.stopped.code, 'line_too_long')
})

test('unlimited nesting is refused without recursion', async () => {
  for (const depth of [100, 300_000]) {
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`
    const objects = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`.slice(0, lineMiB)
    for (const inner of [deep, objects]) {
      const found = await fates(
        `${good(1)}\n{"type":"order","data":${inner}}\n{"type":"x","data":${inner}}\n${good(2)}`,
      )
      assert.deepEqual([found.status, found.answer.rejected, found.answer.accepted], [207, 2, 2])
    }
    const asJson = await app.push(`[${deep},{"type":"x","data":${deep}}]`, { type: 'application/json' })
    assertProblem(asJson, { status: 400, code: 'nothing_usable' })
  }
})

test('a push of invalid lines stops after ten thousand, and the answer states this', async () => {
  const found = await fates(`${good(1)}\n${'x\n'.repeat(200_000)}`)
  const { rejected, accepted, stopped, results } = found.answer
  assert.deepEqual([found.status, accepted, stopped.code], [207, 1, 'too_many_rejected'])
  assert.deepEqual([rejected, stopped.line], [10_001, 10_002])
  assert.ok(results.length <= 10_000)
  const whole = await fates(`${good(2)}\n${'x\n'.repeat(10_000)}`)
  assert.deepEqual([whole.answer.rejected, whole.answer.stopped], [10_000, undefined])
})

test('a push without a usable record stops after a thousand records', async () => {
  const found = await fates('x\n'.repeat(200_000))
  const { rejected, stopped } = found.answer
  assert.deepEqual([found.status, stopped.code], [400, 'too_many_rejected'])
  assert.match(stopped.detail, /^none of the first \d+ records could be used: reading stopped$/)
  assert.deepEqual([rejected, stopped.line], [1_001, 1_001])
  const whole = await fates('x\n'.repeat(1_000))
  assert.deepEqual([whole.answer.rejected, whole.answer.stopped], [1_000, undefined])
  for (const element of ['1.0', '0', '{}', '"\\u0041"']) {
    const count = 100_000
    const answer = await app.push(`[${`${element},`.repeat(count)}${element}]`, { type: 'application/json' })
    assert.deepEqual([answer.status, answer.json.stopped.code], [400, 'too_many_rejected'])
    assert.equal(answer.json.rejected, 1_001)
  }
})

test('a push stops when it has ten thousand more blank lines than others', async () => {
  const blank = '\n'.repeat(10_000)
  const most = await fates(`${blank}${good(1)}\n`)
  assert.deepEqual([most.status, most.answer.accepted, most.answer.stopped], [200, 1, undefined])
  const found = await fates(`${good(2)}\n\n${blank}\n${good(3)}`)
  const { accepted, stopped } = found.answer
  assert.deepEqual([found.status, accepted, stopped.code, stopped.line], [207, 1, 'too_many_blank_lines', 10_003])
})

test('valid records late in a body are stored if no more than a thousand invalid ones precede them', async () => {
  const found = await fates(`${'x\n'.repeat(1_000)}${good(1)}\n${'x\n'.repeat(2_000)}${good(2)}`)
  assert.deepEqual([found.status, found.answer.accepted, found.answer.rejected], [207, 2, 3_000])
  assert.equal(found.answer.stopped, undefined)
})

test('a long gzipped push of valid and invalid records is reported line by line', async () => {
  const { id, key } = await app.addLocation()
  const records = Array.from({ length: 3000 }, (_, n) =>
    n % 10 === 3 ? { type: 'order', data: { n } } : order(smallOrderOf(id, n)),
  )
  const answer = await app.push(gzipSync(linesOf(records)), { key, headers: gzip })
  const { accepted, rejected, unchanged, stale, results, resultsOmitted } = answer.json
  assert.deepEqual([answer.status, accepted, rejected, unchanged, stale], [207, 2700, 300, 0, 0])
  const bad = results.filter(({ status }: RecordResult) => status === 'rejected').map(({ line }: RecordResult) => line)
  assert.deepEqual(
    bad,
    Array.from({ length: 300 }, (_, i) => i * 10 + 4),
  )
  assert.equal(results.length + resultsOmitted, 3000)
  await assertSound(app.pool, id)
  assert.equal((await listRejected(app.pool, id, 1000)).length, 300)
})

test('a catalog list of thousands of products is one record', async () => {
  const { id, key } = await app.addLocation()
  const data = productsOf(3000)
  await app.store([{ type: 'catalog.products', data }], key)
  assert.deepEqual((await app.get('/v1/catalog/', { key })).json, data)
  await assertSound(app.pool, id)
})

test('a push whose key ends is stopped at its next batch: earlier records are stored, later ones are not', async () => {
  const time = { ms: 1_000_000 }
  const via = await startApp({ database: app.database, keyRing: { monotonic: () => time.ms } })
  const site = await via.addLocation()
  const { id, key } = await via.addKey(site.id, { scopes: ['ingest'] })
  const outgoing = request(`${via.url}/v1/ingest/`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/x-ndjson' },
  })
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>
  outgoing.write(linesOf(Array.from({ length: batchSize }, (_, n) => order(smallOrderOf(site.id, n)))))
  const stored = async () => (await via.get('/v1/orders/', { key: site.key })).json.meta.totalCount as number
  await eventually(async () => (await stored()) === batchSize, 'the first batch is stored')
  await via.pool`update api_keys set revoked_at = now() where id = ${id}`
  time.ms += 3_000
  outgoing.end(linesOf(Array.from({ length: batchSize + 200 }, (_, n) => order(smallOrderOf(site.id, batchSize + n)))))
  const [response] = await answered
  const answer = JSON.parse(Buffer.concat(await response.toArray()).toString()) as IngestAnswer
  assertSchema(IngestAnswer, answer)
  assert.equal(response.statusCode, 207)
  assert.deepEqual(
    [answer.accepted, answer.stopped?.line, answer.stopped?.code],
    [batchSize, batchSize + 1, 'key_revoked'],
  )
  assert.equal(await stored(), batchSize)
})

test('a push whose key ends before anything of it was stored is refused like the next one', async () => {
  const time = { ms: 1_000_000 }
  const via = await startApp({ database: app.database, keyRing: { monotonic: () => time.ms } })
  const ways = [
    [401, 'key_revoked', (id: string) => via.pool`update api_keys set revoked_at = now() where location_id = ${id}`],
    [403, 'location_inactive', (id: string) => deactivateLocation(via.pool, id, new Date())],
  ] as const
  for (const [status, code, end] of ways) {
    const { id, key } = await via.addLocation()
    const outgoing = request(`${via.url}/v1/ingest/`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/x-ndjson', expect: '100-continue' },
    })
    const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>
    const [first, second] = [1, 2].map((n) => linesOf([order(smallOrderOf(id, n))]))
    outgoing.flushHeaders()
    await once(outgoing, 'continue')
    outgoing.write(first)
    await eventually(async () => (await via.get('/v1/orders/', { key })).status === 200, 'the key is known')
    await end(id)
    time.ms += 3_000
    outgoing.end(second)
    const [response] = await answered
    const problem = JSON.parse(Buffer.concat(await response.toArray()).toString())
    const next = await via.push([order(smallOrderOf(id, 3))], { key })
    assert.deepEqual([response.statusCode, problem.code, problem.accepted], [status, code, 0])
    assert.deepEqual([next.status, next.json.code], [status, code])
    assert.equal(response.headers['www-authenticate'], next.headers['www-authenticate'])
  }
})
