import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import {
  AdminSource,
  AdminSourceCheck,
  AdminSourceDetail,
  AdminSourceList,
  SourceBell,
} from '../../../../src/modules/sources/schemas/sources.ts'
import { AdminDeleted } from '../../../../src/modules/operations/schemas/admin.ts'
import { assertProblem, okay } from '../../../core/conformance/contract.ts'
import { FakeSquare } from '../fake-square.ts'
import { startFake, VirtualClock } from '../faults.ts'
import { Lookups } from '../../../../src/core/http/guard/lookups.ts'
import type { SourceRow } from '../../../../src/modules/sources/store/sources.ts'
import { addLocation, startApp } from '../../../support/app.ts'
import { atEnd } from '../../../support/database.ts'
import { adminOf, made } from '../../operations/http/admin-calls.ts'

const secret = 'EAAAl-the-token'
const bell = 'the-key-of-the-bell'
process.env['SOURCE_HTTP_TOKEN'] = secret
process.env['SOURCE_HTTP_BELL'] = bell

const clock = new VirtualClock(new Date(Date.now() - 2 * 86_400_000).toISOString())
const shop = new FakeSquare(11, clock)
for (let i = 0; i < 40; i++) {
  clock.advance(60 * 60_000)
  shop.act()
}
shop.settle()
clock.ms = Date.now()
const fake = await startFake(shop, { seed: 11, clock })
fake.calm()
fake.token = secret
atEnd(() => fake.close())

const app = await startApp()
app.context.polling.limits = { secretsDir: '/run/secrets/tillgate', urls: [fake.url] }
const { get, send } = await adminOf(app)
const settings = { timeZone: 'Europe/London', currency: 'GBP', dayStartsAt: '04:00' } as const
const location = await addLocation(app.pool, undefined, settings)

const input = { locationId: location, source: 'square', account: shop.account, secret: 'env:SOURCE_HTTP_TOKEN' }

const add = async (more: object = {}) => {
  const source = made(await send('POST', 'sources/', { ...input, ...more }), AdminSource)
  // The API does not set the URL of the system, so a fake replaces Square here.
  await app.pool`update sources set base_url = ${fake.url} where id = ${source.id}`
  return source
}

test('a source is added paused, checked against the statement of its system, resumed, paused and deleted', async () => {
  const source = await add()
  assert.deepEqual([source.state, source.storedFrom, source.hasBell], ['paused', null, false])
  assert.deepEqual(okay(await get(`sources/?location=${location}`), AdminSourceList).data, [source])
  const check = okay(await send('POST', `sources/${source.id}/check`), AdminSourceCheck)
  assert.equal(check.difference, 0)
  assert.ok(check.orders > 0 && check.there > 0)
  const [{ n } = { n: -1 }] = await app.pool<{ n: number }[]>`
    select count(*)::int as n from orders where location_id = ${location}`
  assert.equal(n, 0, 'a check stores nothing')
  assertProblem(await send('POST', `sources/${source.id}/run`), { status: 409, code: 'source_inactive' })
  assert.equal(okay(await send('POST', `sources/${source.id}/resume`), AdminSource).state, 'active')
  assert.equal(okay(await send('POST', `sources/${source.id}/run`), AdminSource).state, 'active')
  const detail = okay(await get(`sources/${source.id}`), AdminSourceDetail)
  assert.deepEqual([detail.currency, detail.days, detail.notices], ['GBP', [], []])
  assert.equal(okay(await send('POST', `sources/${source.id}/pause`), AdminSource).state, 'paused')
  assert.deepEqual(okay(await send('DELETE', `sources/${source.id}`), AdminDeleted), { deleted: 1 })
  assertProblem(await get(`sources/${source.id}`), { status: 404, code: 'source_not_found' })
  const acts = (await get(`acts/?location=${location}`)).json.data.toReversed()
  const names = acts.map(({ act }: { act: string }) => act).filter((act: string) => act.startsWith('source.'))
  assert.deepEqual(names, ['source.added', 'source.resumed', 'source.run', 'source.paused', 'source.deleted'])
})

test('a refusal by the system is reported in its words, without the secret', async () => {
  const { id } = await add()
  fake.token = 'another'
  const answer = await send('POST', `sources/${id}/check`)
  fake.token = secret
  assertProblem(answer, { status: 409, code: 'source_failed' })
  assert.match(answer.json.detail, /401 Unauthorized/)
  assert.ok(!answer.text.includes(secret))
})

test('an HTTP request can refer to no other file or variable of the server', async () => {
  for (const wrong of [
    'env:DATABASE_URL',
    'env:PATH',
    'file:/etc/passwd',
    'file:/run/secrets/../../etc/passwd',
    'file:/run/secrets/tillgate/../postgres',
    'file:/run/secrets/postgres',
    'file:/run/secrets/tillgate-of-others/token',
    'file:/run/secrets/tillgate/',
    'env:SOURCE_',
    'env:MY_SOURCE_TOKEN',
    'env:source_token',
    secret,
  ]) {
    const answer = await send('POST', 'sources/', { ...input, secret: wrong })
    assertProblem(answer, { status: 400, code: 'validation_failed' })
    assert.equal(answer.json.errors[0].pointer, '/secret', wrong)
  }
  assertProblem(await send('POST', 'sources/', { ...input, locationId: randomUUID() }), {
    status: 404,
    code: 'location_not_found',
  })
})

test('keys of a location can read no source, not even their own', async () => {
  const { id } = await add()
  const { key } = await app.addKey(location)
  for (const path of ['/v1/admin/sources/', `/v1/admin/sources/${id}`]) {
    assertProblem(await app.get(path, { key }), { status: 403, code: 'scope_missing' })
  }
})

const ring = (id: string, body: string, headers: Record<string, string>) =>
  app.request('POST', `/v1/sources/${id}/bell`, { headers: { 'content-type': 'application/json', ...headers }, body })

/** Returns the signature of Square: over the address, then the body as it is sent. */
const signed = (id: string, body: string, key = bell) =>
  createHmac('sha256', key).update(`http://127.0.0.1:${app.port}/v1/sources/${id}/bell${body}`).digest('base64')

test('the bell of a source starts a run only with a signature of its system', async () => {
  const silent = await send('POST', 'sources/', {
    ...input,
    source: 'lightspeed-k',
    bellSecret: 'env:SOURCE_HTTP_BELL',
  })
  assertProblem(silent, { status: 400, code: 'validation_failed' })
  assert.match(silent.text, /lightspeed-k does not support/)
  const { id } = await add({ bellSecret: 'env:SOURCE_HTTP_BELL' })
  const body = '{"type":"order.updated","merchant_id":"M1"}'
  const header = 'x-square-hmacsha256-signature'
  const dueAt = async () =>
    (await app.pool<{ at: Date | null }[]>`select due_at as at from sources where id = ${id}`)[0]?.at ?? null
  assert.deepEqual(okay(await ring(id, body, { [header]: signed(id, body) }), SourceBell), { rung: false })
  assert.equal(await dueAt(), null, 'what is paused stays so')
  okay(await send('POST', `sources/${id}/resume`), AdminSource)
  await app.pool`update sources set due_at = now() + interval '1 day' where id = ${id}`
  const wrong: [string, Record<string, string>][] = [
    [body, {}],
    [body, { [header]: signed(id, body, 'another key') }],
    [`${body} `, { [header]: signed(id, body) }],
    [body, { [header]: signed(randomUUID(), body) }],
  ]
  for (const [text, headers] of wrong) {
    assertProblem(await ring(id, text, headers), { status: 401, code: 'bell_refused' })
  }
  const unknown = randomUUID()
  assertProblem(await ring(unknown, body, { [header]: signed(unknown, body) }), { status: 401, code: 'bell_refused' })
  assert.ok(((await dueAt()) as Date).getTime() > Date.now() + 3_600_000, 'a forged bell begins nothing')
  assert.deepEqual(okay(await ring(id, body, { [header]: signed(id, body) }), SourceBell), { rung: true })
  assert.ok(((await dueAt()) as Date).getTime() <= Date.now())
})

test('a caller with invented ids is refused beyond a budget, by network and without a query for each', async () => {
  const options = { unknownPerSecond: 20, what: 'source', monotonic: () => 0 }
  const bells = new Lookups<SourceRow>(async () => undefined, options)
  const strangers = await startApp({
    bells,
    clock: () => new Date('2026-11-28T12:00:00.000Z'),
    trustProxy: ['127.0.0.1'],
  })
  const seen = new Map<number, number>()
  for (let i = 0; i < 130; i++) {
    const from = `2001:db8:1:2::${i.toString(16)}`
    const answer = await strangers.request('POST', `/v1/sources/${randomUUID()}/bell`, {
      headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
      body: '{}',
    })
    seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
  }
  assert.deepEqual([seen.get(401), seen.get(429)], [20, 110])
  assert.equal(bells.counts.miss, 120, 'the network has its share, whatever the address')
})
