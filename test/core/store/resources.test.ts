import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleData } from '../../../src/core/domain/documents/samples.ts'
import {
  recordTypes,
  resources as shapes,
  type EventType,
  type RecordType,
} from '../../../src/core/contract/resources.ts'
import { listResources, resourceOf } from '../../../src/core/contract/all-resources.ts'
import { idOf } from '../../support/records.ts'

const location = idOf('location', 1)

test('every type of record has one descriptor, and the location comes first', () => {
  const types = listResources().map(({ type }) => type)
  assert.deepEqual(types.toSorted(), [...recordTypes].toSorted())
  assert.equal(types[0], 'location')
  for (const type of recordTypes) assert.equal(resourceOf(type).type, type)
})

test('the events of a resource are those of its descriptor', () => {
  const before = { canceled: false, transferred: false, paid: false, timeZone: '', currency: '' }
  for (const type of recordTypes) {
    const resource = resourceOf(type)
    const own = Object.keys((shapes as Record<string, { events: object }>)[type]?.events ?? {}) as EventType[]
    const meant = own.flatMap((event) => {
      const facts: unknown = resource.facts(sampleData(event, location))
      return [...resource.events(facts, undefined), ...resource.events(facts, before)]
    })
    assert.deepEqual([...new Set(meant)].toSorted(), own.toSorted(), type)
  }
})

test('a first version has the created event, and a later one the updated event', () => {
  const eventsOf = (type: RecordType, before: object | undefined) => resourceOf(type).events(null, before)
  assert.deepEqual([eventsOf('report', undefined), eventsOf('report', {})], [['report.created'], ['report.updated']])
  assert.deepEqual(eventsOf('catalog.taxes', undefined), ['catalog.taxes.updated'])
  assert.deepEqual(eventsOf('catalog.taxes', {}), ['catalog.taxes.updated'])
  assert.deepEqual(eventsOf('location', {}), ['location.updated'])
})
