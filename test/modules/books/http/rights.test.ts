import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BookBatch } from '../../../../src/modules/books/schemas/books.ts'
import { readChain } from '../../../../src/core/store/journal/journal.ts'
import { redactEntries } from '../../../../src/core/store/repair/redactions.ts'
import { assertProblem } from '../../../core/conformance/contract.ts'
import { startApp } from '../../../support/app.ts'
import { date, foldAll, issue, put, soldOn, storeDays, zOn } from '../../../support/books-site.ts'
import { order, report } from '../../../support/records.ts'

const now = new Date('2026-03-31T12:00:00.000Z')
const app = await startApp({ clock: () => now })

const range = 'since=2026-03-01&until=2026-03-31'
const looks = ['entries/', 'days/', 'unmapped/'].map((path) => `/v1/books/${path}?${range}`)

test('the books of another location can be neither read nor changed', async () => {
  const [site, other] = [await app.addLocation(), await app.addLocation()]
  await put(app, site, { payments: [{ name: 'Livréo', account: '467100' }] })
  await storeDays(app, site, { 2: [soldOn(site, 2, 1)] })
  const batch = (await issue(app, site, { until: date(3), after: 0, skip: true })).json as BookBatch
  const { id } = batch.entries[0] as { id: string }
  for (const path of [`/v1/books/entries/${id}`, `/v1/reports/${id}/entry`])
    assertProblem(await app.get(path, { key: other.key }), { status: 404, code: 'entry_source_not_found' })
  assertProblem(await app.get('/v1/books/batches/1', { key: other.key }), { status: 404, code: 'batch_not_found' })
  for (const path of looks) assert.doesNotMatch((await app.get(path, { key: other.key })).text, new RegExp(id))
  assert.deepEqual((await app.get('/v1/books/batches/', { key: other.key })).json.data, [])
  assert.deepEqual((await app.get('/v1/books/accounts', { key: other.key })).json.own, {})
  const accept = [{ reportId: id, reason: 'x' }]
  assertProblem(await issue(app, other, { until: date(3), after: 0, skip: true, accept }), {
    status: 404,
    code: 'entry_source_not_found',
  })
  assert.deepEqual((await issue(app, other, { until: date(3), after: 0, skip: true })).json, { batch: null })
})

test('reading needs the scope read, accounts and batches the scope books', async () => {
  const site = await app.addLocation()
  const { key: reader } = await app.addKey(site.id, { scopes: ['read'] })
  const { key: accountant } = await app.addKey(site.id, { scopes: ['books'] })
  for (const path of [...looks, '/v1/books/accounts', '/v1/books/batches/', '/v1/books/batches/1'])
    assertProblem(await app.get(path, { key: accountant }), { status: 403, code: 'scope_missing' })
  assertProblem(await issue(app, { ...site, key: reader }, { until: date(3), after: 0 }), {
    status: 403,
    code: 'scope_missing',
  })
  assert.equal((await issue(app, { ...site, key: accountant }, { until: date(3), after: 0, skip: true })).status, 200)
})

test('changes of accounts, issued batches and reads are in the access log', async () => {
  const site = await app.addLocation()
  await put(app, site, { drawer: false })
  await storeDays(app, site, { 2: [soldOn(site, 2, 1)] })
  await issue(app, site, { until: date(3), after: 0, skip: true })
  for (const path of looks) await app.get(path, { key: site.key })
  await app.context.access.flush(true)
  const { data } = (await app.get('/v1/access/', { key: site.key })).json
  const acts = data.filter(({ kind }: any) => kind === 'act').map(({ act, subject }: any) => [act, subject])
  assert.deepEqual(acts, [
    ['accounts.changed', '1'],
    ['batch.issued', '1'],
  ])
  const read = data.filter(({ kind }: any) => kind === 'reads').map(({ operation }: any) => operation)
  for (const path of ['entries/', 'days/', 'unmapped/']) assert.ok(read.includes(`GET /v1/books/${path}`), String(read))
})

test('redacted data is in no batch, and batches have the same bytes afterwards', async () => {
  const site = await app.addLocation()
  const reportEntries = [{ entryName: 'Avance Camille Dupont', entryType: 'cash_out', entryAmount: -500 }]
  const orders = [soldOn(site, 2, 1, { operatorName: 'Camille Dupont', customerId: 'K-17' })]
  const z = zOn(site, 2, orders, { reportEntries, finalCashBalance: -500, clerkName: 'Camille Dupont' })
  await app.store([...orders.map(order), report(z)], site.key)
  await foldAll(app, site)
  const issued = await issue(app, site, { until: date(3), after: 0, skip: true })
  assert.equal(issued.status, 201, issued.text)
  assert.doesNotMatch(issued.text, /Camille|Dupont|K-17/)
  const entries = await readChain(app.pool, site.id, 0, { entries: 100, bytes: 1e9 })
  const seqs = entries.filter(({ kind }) => kind === 'report').map(({ seq }) => seq)
  const rule = { fields: ['/reportEntries/*/entryName', '/clerkName'], report: z.id }
  assert.equal((await redactEntries(app.pool, site.id, seqs, { rule, reason: 'asked', now })).length, 1)
  await foldAll(app, site)
  assert.equal((await app.get('/v1/books/batches/1', { key: site.key })).text, issued.text)
  assert.deepEqual((await issue(app, site, { until: date(3), after: 1, skip: true })).json, { batch: null })
})
