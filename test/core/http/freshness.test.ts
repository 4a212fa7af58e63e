import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertProblem } from '../conformance/contract.ts'
import { startApp } from '../../support/app.ts'
import { soldOn, storeDays } from '../../support/books-site.ts'
import { everyRecord, idOf, order, versionOf } from '../../support/records.ts'

const app = await startApp()
await app.store(everyRecord(app.location))
const books = { id: app.location, key: app.key }
await storeDays(app, books, { 2: [soldOn(books, 2, 1)] })
const second = await startApp({ database: app.database })

/** Every operation of `/v1` that reads pushed data; the headers in the document ensure that none is missing. */
const reads = [
  '/v1/orders/',
  '/v1/orders/?state=all&size=1&index=1',
  '/v1/orders/?since=2026-01-01T10:30:00.000Z',
  `/v1/orders/?reportId=${idOf('report', 1)}`,
  `/v1/orders/${idOf('order', 1)}`,
  `/v1/orders/${idOf('order', 1)}/history`,
  '/v1/reports/',
  `/v1/reports/${idOf('report', 1)}`,
  `/v1/reports/${idOf('report', 1)}/history`,
  `/v1/reports/${idOf('report', 1)}/reconciliation`,
  '/v1/catalog/',
  '/v1/catalog/modifiers/',
  '/v1/catalog/payments/',
  '/v1/catalog/taxes/',
  '/v1/locations/own',
  '/v1/locations/own?devices=true',
  '/v1/catalog/changes/',
  '/v1/reports/checks/?since=2026-01-01&until=2026-01-31',
  '/v1/sales/?since=2026-01-01&until=2026-01-31&by=product',
  '/v1/e-reporting/?since=2026-01-01&until=2026-01-31',
  '/v1/books/accounts',
  '/v1/books/entries/?since=2026-03-01&until=2026-03-31',
  `/v1/books/entries/${idOf('report', 2)}`,
  `/v1/reports/${idOf('report', 2)}/entry`,
  '/v1/books/days/?since=2026-03-01&until=2026-03-31',
  '/v1/books/unmapped/?since=2026-03-01&until=2026-03-31',
  '/v1/business-days/?since=2026-01-01&until=2026-01-31',
  '/v1/business-days/2026-01-01',
  '/v1/business-days/2026-01-01/message',
  '/v1/business-days/revised?since=2026-01-01&until=2026-01-31',
  '/v1/deductions/?since=2026-01-01&until=2026-01-31',
  '/v1/completeness/',
  '/v1/devices/',
  '/v1/search/?q=1',
  '/v1/journal/head',
  '/v1/events/1',
  '/v1/events/?limit=1000',
]

const headOf = async (key = app.key) => (await app.get('/v1/events/', { key })).json.meta.head as number

async function numbersOf(key: string): Promise<Set<number>> {
  const answers = await Promise.all(reads.map((path) => app.get(path, { key })))
  return new Set(answers.map(({ headers }) => Number(headers['tillgate-sequence'])))
}

describe('Tillgate-Sequence', () => {
  test('is on every answer that reads the location, and equals the head of its journal', async () => {
    const head = await headOf()
    for (const path of reads) {
      const { status, headers } = await app.get(path)
      assert.equal(status, 200, path)
      assert.equal(headers['tillgate-sequence'], String(head), path)
    }
    await app.store([order(versionOf(app.location, 77, 1))])
    assert.deepEqual(await numbersOf(app.key), new Set([head + 1]))
  })

  test('is described for each of these operations, and for no other', async () => {
    const { paths } = (await app.get('/openapi.json')).json as { paths: Record<string, { get?: any }> }
    const takes = ({ get }: { get?: any }) => get?.parameters?.some((one: any) => one.name === 'tillgate-min-sequence')
    const described = Object.keys(paths).filter((path) => takes(paths[path] ?? {}))
    const routeOf = (read: string) =>
      described.find((path) =>
        new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(read.replace(/\?.*/, '')),
      ) ?? read
    assert.deepEqual([...new Set(reads.map(routeOf))].toSorted(), described.toSorted())
    for (const path of described) assert.ok(paths[path]?.get.responses['200'].headers['tillgate-sequence'], path)
  })

  test('is on an answer without a body, and on a 404', async () => {
    const head = String(await headOf())
    const path = `/v1/orders/${idOf('order', 1)}`
    const { etag = '' } = (await app.get(path)).headers
    const known = await app.get(path, { headers: { 'if-none-match': etag } })
    assert.deepEqual([known.status, known.headers['tillgate-sequence']], [304, head])
    const missing = await app.get(`/v1/orders/${idOf('order', 9_999)}`)
    assert.deepEqual([missing.status, missing.headers['tillgate-sequence']], [404, head])
  })

  test('is 0 before the first push, and counts one location only', async () => {
    const site = await app.addLocation()
    for (const path of ['/v1/orders/', '/v1/reports/', '/v1/catalog/', '/v1/locations/own', '/v1/events/']) {
      assert.equal((await app.get(path, { key: site.key })).headers['tillgate-sequence'], '0', path)
    }
  })

  test('is never ahead of the data of the answer while tills push', async () => {
    const site = await app.addLocation()
    let pushed = 0
    const pushing = (async () => {
      for (; pushed < 60; pushed++) await app.store([order(versionOf(site.id, pushed + 1, 1))], site.key)
    })()
    // Each push creates one order, so a response with sequence n must count at least n orders.
    const paths = [
      '/v1/orders/?size=1',
      '/v1/orders/?size=1&since=2020-01-01T00:00:00.001Z',
      '/v1/orders/?size=100&sort=-createdAt',
    ]
    while (pushed < 60) {
      for (const path of paths) {
        const { headers, json } = await second.get(path, { key: site.key })
        assert.ok(
          json.meta.totalCount >= Number(headers['tillgate-sequence']),
          `${path}: ${String(headers['tillgate-sequence'])}`,
        )
      }
    }
    await pushing
  })
})

describe('Tillgate-Min-Sequence', () => {
  const asking = (least: string) => ({ headers: { 'tillgate-min-sequence': least } })

  test('is answered at once if the journal has reached it', async () => {
    const head = await headOf()
    for (const path of reads) {
      assert.equal((await app.get(path, asking(String(head)))).status, 200, path)
      assert.equal((await app.get(path, asking('0'))).status, 200, path)
    }
  })

  test('waits for a sequence that arrives within a moment, and the answer contains it', async () => {
    // On a busy machine a push may take longer than a request waits.
    for (let version = 1; ; version++) {
      const head = await headOf()
      const path = `/v1/orders/${idOf('order', 1)}`
      const waiting = second.get(path, { key: app.key, ...asking(String(head + 1)) })
      // The server answers later requests meanwhile: a request that does not wait is answered before the push.
      let isWaiting = true
      void waiting.then(() => (isWaiting = false))
      for (let i = 0; i < 5; i++) await second.get(path, { key: app.key })
      if (isWaiting) await app.store([order(versionOf(app.location, 500, version))])
      const answer = await waiting
      if (answer.status === 503 && version < 20) continue
      assert.equal(answer.status, 200)
      assert.equal(answer.headers['tillgate-sequence'], String(head + 1))
      return
    }
  })

  test('beyond the journal is 503 with the head, in each form of the request', async () => {
    const head = await headOf()
    const least = { 'tillgate-min-sequence': String(head + 1) }
    const forms: [string, Record<string, string>][] = [
      ...reads.map((path): [string, Record<string, string>] => [path, {}]),
      ['/v1/sales/', { accept: 'text/csv' }],
      ['/v1/sales/', { 'if-none-match': (await app.get('/v1/sales/')).headers.etag ?? '' }],
      ['/v1/journal/head', { 'if-none-match': '*' }],
      ['/v1/events/', { accept: 'text/event-stream' }],
      [`/v1/events/?after=${head}&wait=60`, {}],
    ]
    const ask = async ([path, headers]: (typeof forms)[0]) => {
      const answer = await app.get(path, { headers: { ...headers, ...least } })
      assertProblem(answer, { status: 503, code: 'sequence_not_reached' })
      assert.equal(answer.json.sequence, head, path)
      assert.equal(answer.headers['tillgate-sequence'], String(head), path)
      assert.equal(answer.headers['retry-after'], '1')
    }
    await Promise.all(forms.map(ask))
  })

  test('refers to the location of the key', async () => {
    const [small, head] = [await app.addLocation(), await headOf()]
    const of = (key: string) => app.get('/v1/sales/', { key, ...asking(String(head)) })
    assert.deepEqual([(await of(app.key)).status, (await of(small.key)).status], [200, 503])
  })

  test('is 400 with a pointer if it is not a number', async () => {
    for (const wrong of ['x', '-1', '1.5', '1e3', '9'.repeat(16), '0x10', '1, 2']) {
      for (const path of ['/v1/orders/', '/v1/sales/', '/v1/events/']) {
        const answer = await app.get(path, asking(wrong))
        assertProblem(answer, { status: 400, code: 'validation_failed' })
        const [fault] = answer.json.errors
        assert.deepEqual([fault.in, fault.pointer], ['header', '/tillgate-min-sequence'])
      }
    }
  })
})
