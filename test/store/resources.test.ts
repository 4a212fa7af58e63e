import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventTypes, recordTypes, resources as shapes, type RecordType } from '../../src/schemas/resources.ts'
import { resourceOf, resources } from '../../src/store/resources/all.ts'
import { everyRecord, idOf } from '../support/records.ts'

const location = idOf('location', 1)

test('every type of record has one descriptor, and the location comes first', () => {
  const types = resources.map(({ type }) => type)
  assert.deepEqual(types.toSorted(), [...recordTypes].toSorted())
  assert.equal(types[0], 'location')
  for (const type of recordTypes) assert.equal(resourceOf(type).type, type)
})

test('the events of a resource are those that its descriptor can mean', () => {
  const meant = new Set<string>()
  for (const { type, data } of everyRecord(location)) {
    const resource = resourceOf(type as RecordType)
    const facts = resource.facts(data)
    const version = { id: location, seq: 1, document: JSON.stringify(data), createdAt: '', updatedAt: '' }
    const row = resource.row(version, { facts, types: [], before: { timeZone: '', currency: '' } })
    const own = [...resource.events(facts, undefined), ...resource.events(facts, row)]
    for (const event of own) {
      assert.ok(event in shapes[resource.type].events, `${event} is not an event of ${resource.type}`)
      meant.add(event)
    }
  }
  const flags = { isCanceled: true, isTransferred: true }
  const order = everyRecord(location).find(({ type }) => type === 'order')
  assert.ok(order)
  const facts = { ...(resourceOf('order').facts(order.data) as object), ...flags }
  for (const event of resourceOf('order').events(facts, undefined)) meant.add(event)
  const paid = { ...facts, isCanceled: false, closedAt: '2026-03-01T10:00:00.000Z', total: 0 }
  for (const event of resourceOf('order').events(paid, undefined)) meant.add(event)
  assert.deepEqual([...meant].toSorted(), [...eventTypes].toSorted())
})

test('a first version and a later one have the event of their kind', () => {
  const eventsOf = (type: RecordType, before: object | undefined) => resourceOf(type).events(null, before)
  assert.deepEqual([eventsOf('report', undefined), eventsOf('report', {})], [['report.created'], ['report.updated']])
  assert.deepEqual(eventsOf('catalog.taxes', undefined), ['catalog.taxes.updated'])
  assert.deepEqual(eventsOf('catalog.taxes', {}), ['catalog.taxes.updated'])
  assert.deepEqual(eventsOf('location', {}), ['location.updated'])
})
