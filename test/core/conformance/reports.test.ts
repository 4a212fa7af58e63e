import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PageWithoutLinksOf } from '../../../src/core/contract/paging/schema.ts'
import { Report } from '../../../src/core/contract/reports/schema.ts'
import { startApp } from '../../support/app.ts'
import { idOf, report, reportOf } from '../../support/records.ts'
import { assertProblem, okay } from './contract.ts'
import { assertFields } from './fields.ts'

const ReportPage = PageWithoutLinksOf(Report, 'ReportPage')
const app = await startApp()

const moments: [n: number, createdAt: string][] = [
  [1, '2026-02-28T23:59:59.999Z'],
  [2, '2026-03-01T00:00:00.000Z'],
  [3, '2026-03-01T23:59:59.999Z'],
  [4, '2026-03-02T00:00:00.000Z'],
  [5, '2026-03-02T00:00:00.000Z'],
]
await app.store(moments.map(([n, createdAt]) => report(reportOf(app.location, n, { createdAt }))))
await app.store([report(reportOf(app.other.id, 9)), report(reportOf(app.other.id, 1))], app.other.key)

const numberOf = (id: string) => Number.parseInt(id.slice(-12), 16)

async function list(query: string, key?: string): Promise<number[]> {
  const body = okay(await app.get(`/v1/reports/?${query}`, key === undefined ? {} : { key }), ReportPage)
  assert.equal(body.meta.totalCount, body.data.length)
  return body.data.map((one: { id: string }) => numberOf(one.id))
}

test('[REP-1] GET /v1/reports/{id} returns the report, with or without a trailing slash, with an id in upper or lower case', async () => {
  const id = idOf('report', 3)
  for (const path of [`/v1/reports/${id}`, `/v1/reports/${id}/`, `/v1/reports/${id.toUpperCase()}`]) {
    const body = okay(await app.get(path), Report)
    assertFields('Report', body)
    assert.equal(body.id, id)
  }
})

test('[REP-2] an id without a report is 404, one that is not a UUID 400', async () => {
  const unknown = await app.get(`/v1/reports/${idOf('report', 999)}`)
  assertProblem(unknown, { status: 404, code: 'report_not_found' })
  for (const id of ['1', 'x', '%00']) {
    assertProblem(await app.get(`/v1/reports/${id}`), { status: 400, code: 'validation_failed', pointers: ['/id'] })
  }
})

test('[REP-3] a report of another location is 404, and each location reads its own report with the same id', async () => {
  assertProblem(await app.get(`/v1/reports/${idOf('report', 9)}`), { status: 404, code: 'report_not_found' })
  for (const [key, id] of [[app.key, app.location] as const, [app.other.key, app.other.id] as const]) {
    assert.equal(okay(await app.get(`/v1/reports/${idOf('report', 1)}`, { key }), Report).locationId, id)
  }
})

test('[REP-4] GET /v1/reports/ lists the reports of the location by creation date, ties by id', async () => {
  assert.deepEqual(await list(''), [1, 2, 3, 4, 5])
  assert.deepEqual(await list('', app.other.key), [1, 9])
})

test('[REP-5] sort=-createdAt lists the newest first', async () => {
  assert.deepEqual(await list('sort=-createdAt'), [5, 4, 3, 2, 1])
})

test('[REP-6] since and until include the first and the last day, or the millisecond', async () => {
  assert.deepEqual(await list('since=2026-03-01&until=2026-03-01'), [2, 3])
  assert.deepEqual(await list('since=2026-03-01T23:59:59.999Z&until=2026-03-02T00:00:00.000Z'), [3, 4, 5])
  assert.deepEqual(await list('until=2026-02-28'), [1])
  const wrong = await app.get('/v1/reports/?since=2026-03-02&until=2026-03-01')
  assertProblem(wrong, { status: 400, code: 'validation_failed', pointers: ['/since'] })
  const malformed = await app.get('/v1/reports/?until=2026-02-30')
  assertProblem(malformed, { status: 400, code: 'validation_failed', pointers: ['/until'] })
})

test('[REP-7] parameters that only the order list has, and unknown ones, are 400', async () => {
  for (const query of [`reportId=${idOf('report', 1)}`, 'state=all', 'foo=1']) {
    const name = query.split('=')[0]
    const answer = await app.get(`/v1/reports/?${query}`)
    assertProblem(answer, { status: 400, code: 'validation_failed', pointers: [`/${name}`] })
  }
})

test('[REP-8] a report carries an ETag, and a caller that has it gets 304', async () => {
  const path = `/v1/reports/${idOf('report', 1)}`
  const etag = String((await app.get(path)).headers['etag'])
  const again = await app.get(path, { headers: { 'if-none-match': etag } })
  assert.deepEqual([again.status, again.bytes.length], [304, 0])
})

test('[REP-9] HEAD answers what GET would, without the body', async () => {
  for (const path of ['/v1/reports/', `/v1/reports/${idOf('report', 1)}`]) {
    const [got, head] = [await app.get(path), await app.request('HEAD', path)]
    assert.deepEqual(
      [head.status, head.bytes.length, head.headers['content-length']],
      [200, 0, String(got.bytes.length)],
    )
  }
})
