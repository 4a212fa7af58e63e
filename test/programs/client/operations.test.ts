import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { Tillgate, TillgateError } from '../../../client/src/index.ts'
import { installationId } from '../../../src/core/domain/accounts/keys.ts'
import { startApp } from '../../support/app.ts'
import { assertDescribed } from '../../support/described-answers.ts'
import { everyRecord, idOf, order, orderOf } from '../../support/records.ts'

type Described = { paths: Record<string, Record<string, { operationId?: string }>> }

const app = await startApp()
await app.store(everyRecord(app.location))
const { key: adminKey } = await app.addKey(installationId, { scopes: ['admin'] })
const { paths } = JSON.parse(await readFile('openapi.json', 'utf8')) as Described

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId = '' }]) => {
    const form = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    return { name: operationId, method: method.toUpperCase(), form, isFixed: !path.includes('{') }
  }),
)
// `/v1/webhooks/statistics` is not an id.
operations.sort((one, other) => Number(other.isFixed) - Number(one.isFixed))

/** Operations without a method of the client: probes, and notifications that point-of-sale systems send. */
const probes = new Set(['getMetrics', 'getLive', 'getReady', 'ringSource'])

/** Methods that request the same operation as another method, but a different form of the response. */
const otherForms = new Set(['eventsPage', 'entriesFile', 'batchFile'])

const reached = new Set<string>()

const isJson = ({ headers }: Response): boolean => headers.get('content-type')?.includes('json') === true

/** Sends a request, notes its operation, and compares the response with `openapi.json`. */
const noting: typeof fetch = async (url, init) => {
  const response = await fetch(url, init)
  const { pathname } = new URL(url as string)
  const method = init?.method ?? 'GET'
  const found = operations.find((one) => one.method === method && one.form.test(pathname))
  assert.ok(found, `${method} ${pathname} is not an operation`)
  reached.add(found.name)
  const text = await response.clone().text()
  assertDescribed(method, pathname, {
    status: response.status,
    headers: { 'content-type': response.headers.get('content-type') ?? undefined },
    json: isJson(response) && text !== '' ? JSON.parse(text) : undefined,
  })
  return response
}

const tillgate = new Tillgate({ url: app.url, key: app.key, fetch: noting })
const { admin } = new Tillgate({ url: app.url, key: adminKey, fetch: noting })

const methodsOf = (part: object): string[] =>
  Object.keys(part).length > 0
    ? Object.keys(part)
    : Object.getOwnPropertyNames(Object.getPrototypeOf(part)).filter((name) => name !== 'constructor')

/** Calls a method with the ids that it needs, and takes its first result. */
async function callWithIds(part: object, name: string): Promise<void> {
  const method = (part as Record<string, (...given: unknown[]) => any>)[name] ?? assert.fail(name)
  const given = Array.from({ length: method.length }, () => idOf('order', 1))
  const answer = method.apply(part, given)
  if (answer[Symbol.asyncIterator]) for await (const _ of answer) break
  else await answer
}

test('every operation of openapi.json has a method in the client, and no method calls anything else', async () => {
  const { webhooks, catalog, key, books, closings, checkpoints, exports, console: links } = tillgate
  const parts = { webhooks, catalog, key, books, closings, checkpoints, exports, console: links }
  const own = Object.getOwnPropertyNames(Tillgate.prototype)
  // `events`, `eventTexts` and `sync` read the feed like `eventsPage`, but without end; `send` requests any path.
  const plain = own.filter((name) => !['constructor', 'events', 'eventTexts', 'send', 'sync'].includes(name))
  const all = [
    ...plain.map((name) => [tillgate, name] as const),
    ...[...Object.values(parts), admin].flatMap((part) => methodsOf(part).map((name) => [part, name] as const)),
  ]
  for (const [part, name] of all) {
    const before = reached.size
    await callWithIds(part, name).catch((error: unknown) => {
      // The request is refused because of its content, not because of its type.
      assert.ok(error instanceof TillgateError, `${name}: ${String(error)}`)
      assert.match(error.code, /^(validation_failed|\w+_not_found|body_invalid|nothing_usable|signing_off)$/, name)
      assert.notEqual(error.code, 'route_not_found', name)
    })
    assert.ok(reached.size > before || otherForms.has(name), `${name} has an operation of its own`)
  }
  const missing = operations.map(({ name }) => name).filter((name) => !reached.has(name) && !probes.has(name))
  assert.deepEqual(missing, [])
})

test('an operator creates a location and keys, changes, rotates and revokes them, and reads the access log', async () => {
  const location = await admin.createLocation({ name: 'Bistro', timeZone: 'Europe/Zurich', currency: 'CHF' })
  assert.equal((await admin.changeLocation(location.id, { name: 'Bistro Zwei' })).name, 'Bistro Zwei')
  const found = new Set((await Array.fromAsync(admin.locations({ size: 1 }))).map(({ id }) => id))
  assert.ok(found.has(location.id) && found.has(app.location))
  const made = await admin.createKey({ locationId: location.id, name: 'till', scopes: ['ingest', 'read'] })
  const till = new Tillgate({ url: app.url, key: made.key, fetch: noting })
  assert.equal((await till.key.get()).locationId, location.id)
  const next = await admin.rotateKey(made.id)
  assert.notEqual(next.key, made.key)
  await admin.revokeKey(made.id)
  assert.deepEqual(
    (await Array.fromAsync(admin.keys({ location: location.id, state: 'active' }))).map(({ id }) => id),
    [next.id],
  )
  const renewed = new Tillgate({ url: app.url, key: next.key, fetch: noting })
  const [verdict] = await Array.fromAsync(renewed.ingest(['{"type":"order","data":{}}']))
  assert.equal(verdict?.status, 'rejected')
  const [rejected] = await Array.fromAsync(admin.rejected({ location: location.id }))
  assert.ok(rejected)
  assert.equal((await Array.fromAsync(admin.rejectedSummary({ location: location.id }))).length, 1)
  const before = new Date(Date.now() + 60_000).toISOString()
  assert.equal((await admin.deleteRejected({ location: location.id, before })).deleted, 1)
  const acts = (await Array.fromAsync(admin.acts({ location: location.id, size: 2 }))).map(({ act }) => act)
  for (const act of ['location.created', 'location.changed', 'key.created', 'key.revoked', 'rejected.deleted']) {
    assert.ok(acts.map(String).includes(act), `${act} in ${acts.join()}`)
  }
  assert.ok((await admin.system()).database.migrations.length > 0)
  assert.ok((await admin.settings()).data.some(({ name }) => name === 'TILLGATE_RATE_LIMIT'))
  assert.ok((await admin.metrics()).routes.some(({ route }) => route === '/v1/admin/acts/'))
  const [named] = await Array.fromAsync(admin.locationNames({ ids: location.id }))
  assert.equal(named?.id, location.id)
  assert.ok((await Array.fromAsync(admin.overview())).length > 1)
})

test('a link to the console is created, listed and ended', async () => {
  const link = await tillgate.console.createLink({ scopes: ['read'], name: 'Camille' })
  const [session] = await Array.fromAsync(tillgate.console.sessions())
  assert.deepEqual([session?.id, session?.name, session?.redeemedAt], [link.id, 'Camille', null])
  await tillgate.console.endSession(link.id)
  const ended = await Array.fromAsync(tillgate.console.sessions({ state: 'ended' }))
  assert.deepEqual(
    ended.map(({ id }) => id),
    [link.id],
  )
})

test('business days, completeness, warnings and a dry run are read, and a dry run stores nothing', async () => {
  const { data, meta } = await tillgate.businessDays({ since: '2026-03-01', until: '2026-03-03' })
  assert.deepEqual([data.length, meta.currency], [3, 'EUR'])
  assert.deepEqual(await tillgate.businessDay('2026-03-02'), data[1])
  const message = await tillgate.dayMessage('2026-03-02', { language: 'fr' })
  assert.deepEqual([message.date, message.language], ['2026-03-02', 'fr'])
  assert.ok((await tillgate.completeness()).devices.length > 0)
  const cents = { ...orderOf(app.location, 900), total: 100_000 }
  const push = (dryRun: boolean) => Array.fromAsync(tillgate.ingest([order(cents) as never], { dryRun }))
  const [tried] = await push(true)
  assert.equal(tried?.status, 'accepted')
  assert.ok(tried.warnings?.length)
  await assert.rejects(tillgate.order(idOf('order', 900)), { code: 'order_not_found' })
  await push(false)
  const { data: warnings } = await tillgate.warnings({ limit: 5 })
  assert.ok(warnings.some(({ id }) => id === idOf('order', 900)))
})

test('a replay is tried as a dry run first, and pending events and statistics of webhooks are read', async () => {
  const { id } = await tillgate.webhooks.upsert({
    events: ['order.created'],
    endpointUrl: 'http://127.0.0.1:9/',
    locationId: app.location,
    recipientId: app.location,
  })
  const would = await tillgate.webhooks.replay(id, { sequence: 1, types: ['order.created'], dryRun: true })
  assert.ok((would.events ?? 0) > 0)
  const { sequence } = await tillgate.webhooks.status(id)
  await tillgate.webhooks.replay(id, { sequence: 1 })
  assert.ok((await tillgate.webhooks.status(id)).sequence < sequence)
  assert.deepEqual(await Array.fromAsync(tillgate.webhooks.pending(id)), [])
  assert.equal((await tillgate.webhooks.statistics()).data.length, 1)
  assert.deepEqual((await tillgate.webhooks.failures(id)).data, [])
  await tillgate.webhooks.delete(id)
})
