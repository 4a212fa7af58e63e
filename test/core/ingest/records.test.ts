import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toText } from '../../../src/core/domain/documents/document-text.ts'
import { isRejection, readRecord } from '../../../src/core/ingest/records.ts'
import { everyRecord } from '../../support/records.ts'

const locationId = '1f1f1f1f-0000-4000-8000-000000000001'

function documentOf(text: string): string {
  const record = readRecord(Buffer.from(text), { line: 1, locationId })
  if (isRejection(record)) assert.fail(`${record.detail}: ${text}`)
  return toText(record.document({}))
}

/** Returns the same value with the fields of each object in reverse order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, child]): [string, unknown] => [key, turned(child)])
  return Object.fromEntries(entries.toReversed())
}

test('a record is stored as the same document, whatever its whitespace and field order', () => {
  for (const record of everyRecord(locationId)) {
    const { type, data } = record
    const expected = documentOf(JSON.stringify(turned(record)))
    assert.deepEqual(JSON.parse(expected), data)
    const texts = [
      JSON.stringify({ type, data }),
      `${JSON.stringify({ type, data })} \r`,
      ` ${JSON.stringify({ type, data })}`,
      JSON.stringify({ data, type }),
      JSON.stringify({ type, data: turned(data) }),
      JSON.stringify({ type, data }, null, 2),
    ]
    for (const text of texts) assert.equal(documentOf(text), expected, text)
  }
})

/** Yields the value with one additional field at the end of each of its objects, with the pointer of that field. */
function* withExtra(value: unknown, pointer: string): Generator<{ value: unknown; at: string }> {
  if (typeof value !== 'object' || value === null) return
  const isList = Array.isArray(value)
  if (!isList) yield { value: { ...value, extra: 1 }, at: `${pointer}/extra` }
  for (const [key, child] of Object.entries(value)) {
    for (const inner of withExtra(child, `${pointer}/${key}`)) {
      const changed = { ...value, [key]: inner.value }
      yield { value: isList ? Object.values(changed) : changed, at: inner.at }
    }
  }
}

test('an undocumented field is refused in every object of every record, whatever the field order', () => {
  let tried = 0
  for (const { type, data } of everyRecord(locationId)) {
    // Written by hand: every other field is in its documented place.
    const arranged: unknown = JSON.parse(documentOf(JSON.stringify({ type, data })))
    for (const { value, at } of withExtra(arranged, '/data')) {
      const record = readRecord(Buffer.from(JSON.stringify({ type, data: value })), { line: 1, locationId })
      assert.ok(isRejection(record), at)
      assert.deepEqual([record.errors[0]?.code, record.errors[0]?.pointer], ['unknown_field', at])
      tried += 1
    }
  }
  assert.ok(tried > 30, `${tried} objects`)
})
