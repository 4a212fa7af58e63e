import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { IngestAnswer, type RecordResult } from '../../../src/core/schemas/ingest.ts'
import { assertProblem, assertSchema } from '../../core/conformance/contract.ts'
import { assertSound } from '../../core/ingest/soundness.ts'
import { startApp, type Answer } from '../../support/app.ts'
import { everyRecord } from '../../support/records.ts'
import { runsOf } from '../../support/seed.ts'

const app = await startApp()
const site = await app.addLocation()

const wild = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    2 ** 53,
    -(2 ** 60),
    1e308,
    '',
    '0',
    [],
    {},
    [[]],
    '2026-02-30T00:00:00.000Z',
    '0001-01-01T00:00:00.000Z',
    '9999-12-31T23:59:59.999Z',
    '\0',
    '\ud800',
    '🍕',
    'x'.repeat(5000),
  ),
  fc.jsonValue(),
)

type Place = { holder: Record<string | number, unknown>; key: string | number }

/** Lists every place inside a value that can be changed. */
function placesOf(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return []
  const holder = value as Record<string | number, unknown>
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesOf(holder[key])])
}

type Change = { at: number; what: 'replace' | 'remove' | 'add' | 'rename' | 'duplicate'; value: unknown; name: string }

const change = fc.record<Change>({
  at: fc.nat(),
  what: fc.constantFrom('replace', 'remove', 'add', 'rename', 'duplicate'),
  value: wild,
  name: fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('__proto__', 'constructor', 'id', 'toString', 'a/b~c')),
})

/** Returns a valid record with a few changes. */
function mutate(record: unknown, changes: readonly Change[]): unknown {
  const copy = structuredClone(record)
  for (const { at, what, value, name } of changes) {
    const places = placesOf(copy)
    const place = places[at % places.length]
    if (!place) continue
    const { holder, key } = place
    const own = structuredClone(value)
    if (what === 'replace') holder[key] = own
    else if (what === 'remove') delete holder[key]
    else if (what === 'duplicate' && Array.isArray(holder)) holder.push(structuredClone(holder[Number(key)]))
    else if (what === 'add')
      Object.defineProperty(holder, name, { value: own, enumerable: true, configurable: true, writable: true })
    else if (what === 'rename') {
      Object.defineProperty(holder, name, { value: holder[key], enumerable: true, configurable: true, writable: true })
      delete holder[key]
    }
  }
  return copy
}

/** A place in the JSON text, and what replaces the character there. */
const scratch = fc.option(
  fc.tuple(
    fc.nat(),
    fc.constantFrom('', '"', '{', ']', ',', '\\', '\0', '\\u0000', '\\ud800', '\n', '1e999', '.', 'é'),
  ),
  { freq: 4 },
)

const line = fc
  .tuple(fc.constantFrom(...everyRecord(site.id)), fc.array(change, { maxLength: 3 }), scratch)
  .map(([record, changes, scratched]) => {
    const text = JSON.stringify(mutate(record, changes))
    if (!scratched) return text
    const at = scratched[0] % text.length
    return text.slice(0, at) + scratched[1] + text.slice(at + 1)
  })

function assertVerdicts(answer: Answer): void {
  assert.ok(answer.status < 500, `${answer.status}: ${answer.text.slice(0, 500)}`)
  if (answer.status === 400 && answer.json.code !== 'nothing_usable') {
    assertProblem(answer, { status: 400, code: answer.json.code })
    return
  }
  if (answer.status === 400) assertProblem(answer, { status: 400, code: 'nothing_usable' })
  else assertSchema(IngestAnswer, answer.json)
  for (const { status, code, detail, errors } of answer.json.results as RecordResult[]) {
    if (status !== 'rejected') continue
    assert.ok(code && detail)
    assert.ok(errors && errors.length > 0 && errors[0]?.code === code)
    for (const { pointer } of errors) assert.ok(pointer === '' || pointer.startsWith('/'), pointer)
  }
}

test('no record causes a server error; each has a result, an invalid one a code and a pointer, and the data stays valid', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 6 }), fc.boolean(), async (lines, asJson) => {
      const body = asJson ? `[${lines.join(',')}]` : lines.join('\n')
      const answer = await app.push(body, { key: site.key, type: asJson ? 'application/json' : 'application/x-ndjson' })
      assertVerdicts(answer)
    }),
    { numRuns: runsOf(300) },
  )
  await assertSound(app.pool, site.id)
  const page = await app.get('/v1/orders/?state=all&size=100', { key: site.key })
  assert.equal(page.status, 200)
})

test('no bytes cause a server error', async () => {
  const headers = fc.constantFrom({}, { 'content-encoding': 'gzip' }, { 'content-encoding': 'br' })
  const types = fc.constantFrom('application/x-ndjson', 'application/json', 'text/plain')
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), headers, types, async (bytes, extra, type) => {
      const answer = await app.push(Buffer.from(bytes), { key: site.key, type, headers: extra })
      assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status}: ${answer.text.slice(0, 500)}`)
      assertProblem(answer, { status: answer.status, code: answer.json.code })
    }),
    { numRuns: runsOf(300) },
  )
  await assertSound(app.pool, site.id)
})
