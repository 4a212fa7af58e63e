import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { installationId } from '../../../src/core/domain/accounts/keys.ts'
import { assertProblem } from '../../core/conformance/contract.ts'
import { startApp } from '../../support/app.ts'
import { issue, soldOn, storeDays } from '../../support/books-site.ts'
import { makeCheckpoint } from '../../../src/modules/proofs/projections/checkpoints.ts'
import { closeUpTo } from '../../../src/modules/proofs/projections/closings.ts'
import { createKeyFile, SigningKey } from '../../../src/modules/proofs/projections/signing-key.ts'
import { deleteSource, insertSource, resumeSource } from '../../../src/modules/sources/store/sources.ts'
import { everyRecord, idOf, order, smallOrderOf } from '../../support/records.ts'
import { broken, fitting } from '../../support/schema-values.ts'

type Json = Record<string, any>

const document = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')) as Json
const keyDirectory = mkdtempSync(join(tmpdir(), 'tillgate-operations-'))
after(() => rmSync(keyDirectory, { recursive: true }))
createKeyFile(join(keyDirectory, 'key.pem'))
const signing = { signer: new SigningKey(join(keyDirectory, 'key.pem')), logName: 'tillgate.example' }
const unlimited = { testRate: null, linkRate: null, actRate: null, checkpointRate: null, signing } as const
const app = await startApp(unlimited)
await app.store(everyRecord(app.location))
await app.store(Array.from({ length: 30 }, (_, n) => order(smallOrderOf(app.location, n))))
const admin = await app.addKey(installationId, { scopes: ['admin'] })
const books = { id: app.location, key: app.key }
await storeDays(app, books, { 2: [soldOn(books, 2, 1)] })
await issue(app, books, { until: '2026-03-02', after: 0, skip: true, unmapped: 'suspense' })
await closeUpTo(app.pool, books.id, { until: '2026-03-02', after: 0, now: new Date(), seen: 0 })
const signed = await makeCheckpoint(app.pool, books.id, { ...signing, now: new Date() })
assert.ok(signed)

/** Keys and locations that an operation may end, in addition to those of the caller. */
const spare = await app.addLocation()
const spareKey = await app.addKey(spare.id)
const json = { 'content-type': 'application/json' }
const target = { events: ['order.paid'], endpointUrl: 'https://partner.example/hooks', locationId: app.location }
const webhookId = idOf('order', 90)
const revive = () =>
  app.request('POST', '/v1/webhooks/', {
    headers: json,
    body: JSON.stringify({ ...target, id: webhookId, recipientId: idOf('order', 9) }),
  })
await revive()
const sourceId = idOf('order', 91)
/** Makes the source readable again, whichever operation has paused or deleted it. */
async function reviveSource(): Promise<void> {
  const [locationId, now] = [spare.id, new Date()]
  await deleteSource(app.pool, locationId, sourceId)
  const made = { locationId, id: sourceId, adapter: 'square', account: 'L1', secret: 'env:SOURCE_NOT_SET' }
  const more = { bellSecret: null, baseUrl: null, profile: {}, everySeconds: 300, createdAt: now, readsFrom: now }
  await insertSource(app.pool, { ...made, ...more })
  await resumeSource(app.pool, locationId, sourceId, now)
}
await reviveSource()
const verification = await app.request('POST', '/v1/journal/verifications', { headers: json, body: '{}' })

/** Ids of existing objects, by the operations that have them in their path. */
const knownIds: [form: RegExp, ids: string[]][] = [
  [/^\/v1\/orders\//, [idOf('order', 1), idOf('order', 2)]],
  [/^\/v1\/(books\/entries\/|reports\/.+\/entry)/, [idOf('report', 2)]],
  [/^\/v1\/books\/batches\//, ['1']],
  [/^\/v1\/closings\//, ['day', '1']],
  [/^\/v1\/reports\//, [idOf('report', 1)]],
  [/^\/v1\/webhooks\//, [webhookId]],
  [/^\/v1\/journal\//, [verification.json.id]],
  [/^\/v1\/checkpoints\//, [String(signed.checkpoint.size)]],
  [/^\/v1\/events\//, ['1', '3']],
  [/^\/v1\/business-days\//, ['2026-03-01']],
  [/^\/v1\/admin\/locations\//, [spare.id]],
  [/^\/v1\/admin\/keys\//, [spareKey.id]],
  [/^\/v1\/(admin\/)?sources\//, [sourceId]],
]

const named = {
  locationId: fc.constant(app.location),
  location: fc.constant(spare.id),
  timeZone: fc.constantFrom('Europe/Paris', 'America/New_York'),
  currency: fc.constantFrom('EUR', 'CHF'),
  secret: fc.constant('env:SOURCE_NOT_SET'),
  // The plan of an empty batch.
  plan: fc.constant('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'),
  bellSecret: fc.constant('env:SOURCE_BELL'),
  size: fc.constantFrom(1, 10, signed.checkpoint.size),
  before: fc.constantFrom('2026-03-01', '2026-03-02T10:00:00Z', '18:30'),
  since: fc.constantFrom('2026-03-01', '2026-03-02'),
  until: fc.constantFrom('2026-03-02', '2026-03-03'),
}
const given = { schemas: document['components'].schemas as Json, named: named as Record<string, fc.Arbitrary<unknown>> }

/** A batch is issued, and a day is closed, after the last one; entries that cannot be booked are skipped. */
const issuing = { ...given, named: { ...given.named, after: fc.constant(1), skip: fc.constant(true) } }

type Request = { method: string; url: string; headers: Record<string, string>; body?: string; key: string | null }

const sometimes = <T>(arbitrary: fc.Arbitrary<T>, freq: number) => fc.option(arbitrary, { nil: undefined, freq })
const anyText = fc.constantFrom('', 'x', '-1', '1e3', '9'.repeat(25), '2026-02-30', '\\', '%', "'", 'é', 'null', 'true')

/** Generates all required parameters and a few of the others, most with valid values. */
function queryOf(parameters: readonly Json[]): fc.Arbitrary<string> {
  const queried = parameters.filter((parameter) => parameter['in'] === 'query')
  const textOf = ({ name, schema }: Json) => {
    // Waiting is tested elsewhere.
    const fits = name === 'wait' ? fc.constant(0) : (given.named[name] ?? fitting(schema, given))
    const value = fc.oneof({ weight: 5, arbitrary: fits }, { weight: 1, arbitrary: anyText })
    return value.map((one) => {
      const text = Array.isArray(one) ? one.join(',') : String(one)
      return `${name}=${encodeURIComponent(text.toWellFormed())}`
    })
  }
  const needed = sometimes(fc.constant(true), 20)
  const others = queried.filter(({ required }) => !required)
  return fc
    .tuple(fc.subarray(others, { maxLength: Math.min(3, others.length) }), needed)
    .chain(([some, hasRequired]) =>
      fc.tuple(...[...(hasRequired ? queried.filter(({ required }) => required) : []), ...some].map(textOf)),
    )
    .map((texts) => texts.join('&'))
}

function pathOf(path: string, parameters: readonly Json[]): fc.Arbitrary<string> {
  const known = knownIds.find(([form]) => form.test(path))?.[1] ?? []
  const parts = parameters
    .filter((parameter) => parameter['in'] === 'path')
    .map(({ name, schema }) => {
      const fits = fitting(schema, given).map(String)
      const there = known.length > 0 && name !== 'deliveryId' ? fc.constantFrom(...known) : fits
      return fc
        .oneof(
          { weight: 4, arbitrary: there },
          { weight: 1, arbitrary: fits },
          { weight: 1, arbitrary: anyText.filter((text) => text !== '') },
        )
        .map((value) => [name, value] as const)
    })
  return fc
    .tuple(...parts)
    .map((given) => given.reduce((url, [name, value]) => url.replace(`{${name}}`, encodeURIComponent(value)), path))
}

type Body = { headers: Record<string, string>; body?: string }

function bodyOf(requestBody: Json | undefined, by = given): fc.Arbitrary<Body> {
  const content = Object.entries((requestBody?.['content'] ?? {}) as Json)
  if (content.length === 0) return fc.constant({ headers: {} })
  return fc.constantFrom(...content).chain(([type, { schema }]) => {
    const fits = fitting(type === 'application/x-ndjson' ? { $ref: '#/components/schemas/IngestRecord' } : schema, by)
    const value = fits.chain((one) =>
      fc.oneof({ weight: 3, arbitrary: fc.constant(one) }, { weight: 2, arbitrary: broken(one) }),
    )
    const text = value.map((one) => JSON.stringify(one))
    const isLines = type === 'application/x-ndjson'
    return fc.oneof(
      {
        weight: 8,
        arbitrary: (isLines ? fc.array(text, { maxLength: 3 }).map((lines) => lines.join('\n')) : text).map((body) => ({
          headers: { 'content-type': type },
          body,
        })),
      },
      { weight: 1, arbitrary: text.map((body) => ({ headers: { 'content-type': 'text/csv' }, body })) },
      {
        weight: 1,
        arbitrary: fc
          .constantFrom('', '{', '[1', '\u0000', '"x"')
          .map((body) => ({ headers: { 'content-type': type }, body })),
      },
    )
  })
}

const headers = fc.constantFrom<Record<string, string>>(
  {},
  {},
  {},
  { accept: 'text/csv' },
  { 'if-none-match': '*' },
  { 'tillgate-min-sequence': '5' },
)

function requestsOf(path: string, method: string, operation: Json): fc.Arbitrary<Request> {
  const { parameters = [], requestBody } = operation
  const own = path.startsWith('/v1/admin/') ? admin.key : app.key
  return fc
    .record({
      url: fc
        .tuple(pathOf(path, parameters), queryOf(parameters))
        .map(([at, query]) => (query === '' ? at : `${at}?${query}`)),
      body: bodyOf(requestBody, /^\/v1\/(books\/batches|closings)\//.test(path) ? issuing : given),
      headers,
      key: fc.oneof(
        { weight: 12, arbitrary: fc.constant(own) },
        fc.constantFrom(
          app.key,
          admin.key,
          app.keys.read,
          app.keys.ingest,
          app.keys.webhooks,
          app.keys.expired,
          app.keys.unknown,
          null,
        ),
      ),
    })
    .map(({ url, body, headers, key }) => ({
      method: method.toUpperCase(),
      url,
      key,
      ...body,
      // A replacement refers to the object that it replaces.
      headers: { ...headers, ...body.headers, ...(method === 'put' ? { 'if-match': '*' } : {}) },
    }))
}

const eachRuns = 45
let count = 0
const seen = new Set<string>()

/** Every operation; operations that delete are last. */
const operations = Object.entries(document['paths'] as Json)
  .flatMap(([path, methods]) =>
    Object.entries(methods as Json).map(([method, operation]) => ({ path, method, operation: operation as Json })),
  )
  .toSorted((one, other) => Number(one.method === 'delete') - Number(other.method === 'delete'))

for (const { path, method, operation } of operations) {
  if (operation['operationId'] === undefined) continue
  // `request` compares each response with the document: its status, its media type, the code of a problem, its body.
  test(`${method.toUpperCase()} ${path}: every answer is described in openapi.json, and none is a server error`, async () => {
    await revive()
    await reviveSource()
    await fc.assert(
      fc.asyncProperty(requestsOf(path, method, operation), async ({ method, url, headers, body, key }) => {
        const what = `${method} ${url} ${body ?? ''}`.slice(0, 600)
        const answer = await app.request(method, url, { key, headers, ...(body === undefined ? {} : { body }) })
        count += 1
        seen.add(`${operation['operationId']} ${answer.status}`)
        assert.ok(answer.status < 500, `${what} is ${answer.status}: ${answer.text.slice(0, 500)}`)
        if (answer.status >= 400 && !path.startsWith('/metrics'))
          assertProblem(answer, { status: answer.status, code: answer.json?.code })
      }),
      { numRuns: eachRuns, endOnFailure: true },
    )
  })
}

test('more than 3,000 requests were answered, and each operation succeeded at least once, except those that need what is missing here', () => {
  assert.ok(count > 3_000, `${count} requests`)
  const never = Object.values(document['paths'] as Json)
    .flatMap((methods) => Object.values(methods as Json))
    .filter(({ operationId }) => operationId !== undefined)
    .map(({ operationId }) => operationId as string)
    .filter((id) => ![200, 201, 202, 204, 207].some((status) => seen.has(`${id} ${status}`)))
  // These need a delivery, a session, a passkey, or the system of a source, none of which exists here.
  const needy = [
    'adminCheckSource',
    'endConsoleSession',
    'getDelivery',
    'removeConsolePasskey',
    'resendDelivery',
    'ringSource',
  ]
  assert.deepEqual(never.toSorted(), needy)
})
