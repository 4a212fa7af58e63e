import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import type { AddressInfo } from 'node:net'
import { Tillgate, TillgateError } from '../../../client/src/index.ts'
import { toError } from '../../../client/src/errors.ts'
import { isTransient, waitBeforeRetry } from '../../../client/src/transport.ts'
import { startApp } from '../../support/app.ts'
import { everyRecord, idOf, orderOf } from '../../support/records.ts'

const app = await startApp()
await app.store(everyRecord(app.location))
await app.store(Array.from({ length: 250 }, (_, i) => ({ type: 'order', data: orderOf(app.location, 100 + i) })))
const tillgate = new Tillgate({ url: app.url, key: app.key })

/** Starts a server that gives the set responses, and counts requests. */
async function startScript(
  answers: (n: number) => { status: number; headers?: Record<string, string>; body?: string },
) {
  let requests = 0
  const server = createServer((_request, response) => {
    const { status, headers = {}, body = '{}' } = answers(requests++)
    response.writeHead(status, headers).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, count: () => requests }
}

test('iterating over the orders yields each once, in order, over all pages', async () => {
  const ids: string[] = []
  for await (const order of tillgate.orders({ size: 40, state: 'all' })) ids.push(order.id)
  const whole = (await app.get('/v1/orders/?size=100&state=all')).json
  assert.equal(ids.length, whole.meta.totalCount)
  assert.equal(new Set(ids).size, ids.length)
  assert.deepEqual(
    ids.slice(0, 100),
    whole.data.map(({ id }: { id: string }) => id),
  )
})

test('pages have their meta, and an empty list is one empty page', async () => {
  const sizes: number[] = []
  for await (const { data, meta } of tillgate.orders({ size: 100, state: 'all' }).pages()) {
    sizes.push(data.length)
    assert.equal(meta.pageSize, 100)
  }
  assert.equal(sizes.length, 3)
  const empty = []
  for await (const page of tillgate.orders({ since: '2199-01-01' }).pages()) empty.push(page.data.length)
  assert.deepEqual(empty, [0])
})

test('single resources, catalog, location, reports and health are read', async () => {
  const id = idOf('order', 1)
  assert.equal((await tillgate.order(id)).id, id)
  assert.equal((await tillgate.orderHistory(id))[0]?.data.id, id)
  const [report] = await Array.fromAsync(tillgate.reports())
  assert.equal((await tillgate.report(report?.id ?? '')).id, report?.id)
  assert.equal((await tillgate.reconciliation(report?.id ?? '')).reportId ?? report?.id, report?.id)
  const { changes, ...lists } = tillgate.catalog
  for (const read of Object.values(lists)) assert.ok(Array.isArray(await read()))
  const versions = await Array.fromAsync(changes({ list: 'taxes' }))
  assert.deepEqual(
    versions.map(({ added }) => added),
    [(await lists.taxes()).length],
  )
  assert.ok((await tillgate.location({ devices: true })).deviceList)
  assert.equal((await tillgate.health()).apiVersions, 'v1')
})

test('figures, checks, settings and the journal are read', async () => {
  assert.equal((await tillgate.locationSettings()).currency, 'EUR')
  assert.ok((await tillgate.sales({ since: '2026-03-01', until: '2026-03-03' })).totals.orders > 0)
  assert.equal((await tillgate.eReport({ since: '2026-03-01', until: '2026-03-03' })).meta.currency, 'EUR')
  assert.ok((await tillgate.search('1001')).data.length > 0)
  const head = await tillgate.journalHead()
  assert.equal((await tillgate.journalEntry(head.sequence)).hash, head.hash)
  await assert.rejects(tillgate.journalEntry(head.sequence + 1), { code: 'entry_not_found' })
  const { id, to } = await tillgate.verifyJournal({ full: true })
  assert.equal((await tillgate.verification(id)).to, to)
  assert.equal((await tillgate.verifications()).data[0]?.id, id)
  assert.ok((await tillgate.devices()).data.length > 0)
  const pages = await Array.fromAsync(tillgate.reportChecks({ since: '2026-03-01', until: '2026-03-31' }).pages())
  const { verdicts, totalCount } = pages[0]?.meta ?? assert.fail()
  assert.equal(verdicts.balanced + verdicts.unbalanced + verdicts.waiting, totalCount)
  for await (const { sequence } of tillgate.access({ limit: 2 })) assert.ok(sequence > 0)
})

test('a refusal is an error with code, status, request id and the errors inside the request', async () => {
  const missing = await tillgate.order(idOf('order', 9999)).catch((error: unknown) => error)
  assert.ok(missing instanceof TillgateError)
  assert.equal(missing.code, 'order_not_found')
  assert.equal(missing.status, 404)
  assert.match(missing.requestId ?? '', /./)
  const wrong = await Array.fromAsync(tillgate.orders({ since: 'yesterday' })).catch((error: unknown) => error)
  assert.ok(wrong instanceof TillgateError)
  assert.equal(wrong.code, 'validation_failed')
  assert.equal(wrong.errors[0]?.pointer, '/since')
})

test('with a cache an unchanged resource is served from it, and a changed one is read again', async () => {
  const statuses: number[] = []
  const counting: typeof fetch = async (...args) => {
    const response = await fetch(...args)
    statuses.push(response.status)
    return response
  }
  const cached = new Tillgate({ url: app.url, key: app.key, cache: new Map(), fetch: counting })
  const id = idOf('order', 1)
  const first = await cached.order(id)
  assert.deepEqual(await cached.order(id), first)
  await app.store([
    { type: 'order', data: { ...first, guests: first.guests + 1, updatedAt: '2030-01-01T00:00:00.000Z' } },
  ])
  assert.equal((await cached.order(id)).guests, first.guests + 1)
  assert.deepEqual(statuses, [200, 304, 200])
})

test('a 503 and a 429 are retried, not before Retry-After, until there is an answer', async (t) => {
  const script = await startScript((n) =>
    n === 0
      ? { status: 503 }
      : n === 1
        ? { status: 429, headers: { 'retry-after': '1' } }
        : { status: 200, body: '{"status":"ok"}' },
  )
  // A wait of a second takes no time here; the number of earlier requests is noted.
  const countsBefore: number[] = []
  const { setTimeout } = globalThis
  t.mock.method(globalThis, 'setTimeout', (run: () => void, ms: number) => {
    if (ms === 1_000) countsBefore.push(script.count())
    return setTimeout(run, ms === 1_000 ? 0 : ms)
  })
  const { status } = await new Tillgate({ url: script.url, key: 'k' }).health()
  assert.equal(status, 'ok')
  assert.equal(script.count(), 3)
  assert.deepEqual(countsBefore, [2])
})

test('a read waits as long as the vectors state, and is not retried if they exclude it', async () => {
  const { cases } = JSON.parse(await readFile('client/conformance/retry.json', 'utf8')) as {
    cases: {
      name: string
      input: { status: number; retryAfter: string; attempt: number; random: number }
      expect: number | null
    }[]
  }
  for (const { name, input, expect } of cases) {
    const { status, retryAfter, attempt, random } = input
    const headers = retryAfter === '' ? {} : { 'retry-after': retryAfter }
    const error = await toError(new Response('', { status: status === 0 ? 599 : status, headers }))
    const wait = isTransient(status) ? Math.floor(waitBeforeRetry(error, attempt, random)) : null
    assert.equal(wait, expect, name)
  }
})

test('a permanent refusal is not retried', async () => {
  const script = await startScript(() => ({
    status: 404,
    body: '{"code":"order_not_found","detail":"no","title":"no"}',
  }))
  await assert.rejects(new Tillgate({ url: script.url, key: 'k' }).order('x'), { code: 'order_not_found' })
  assert.equal(script.count(), 1)
})

test('a non-idempotent operation is not repeated after a broken connection', async () => {
  let requests = 0
  const enough = new AbortController()
  const breaking: typeof fetch = async () => {
    requests += 1
    if (requests > 2) enough.abort(new Error('enough'))
    throw new TypeError('fetch failed')
  }
  const client = new Tillgate({ url: app.url, key: 'k', fetch: breaking })
  await assert.rejects(client.webhooks.rotateSecret('x'), { code: 'network_error' })
  assert.equal(requests, 1)
  await assert.rejects(client.health({ signal: enough.signal }))
  assert.ok(requests > 2)
})

test('a deadline ends a call without an answer, and a signal ends it at once', async () => {
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  after(() => silent.closeAllConnections())
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  silent.unref()
  await assert.rejects(new Tillgate({ url, key: 'k', deadlineMs: 300 }).health(), { code: 'deadline_exceeded' })
  const ended = new AbortController()
  const asking = new Tillgate({ url, key: 'k' }).health({ signal: ended.signal })
  ended.abort(new Error('enough'))
  await assert.rejects(asking, { message: 'enough' })
})

test('a URL with a path is kept, and an invalid one is refused', async () => {
  const seen: string[] = []
  const noting: typeof fetch = async (url) => {
    seen.push(url as string)
    return new Response('{}', { status: 200 })
  }
  await new Tillgate({ url: 'https://pos.example/shop/', key: 'k', fetch: noting }).health()
  assert.deepEqual(seen, ['https://pos.example/shop/health/'])
  assert.throws(() => new Tillgate({ url: 'ftp://pos.example', key: 'k' }), /must begin with http/)
  assert.throws(() => new Tillgate({ url: 'https://pos.example', key: '' }), /API key/)
})
