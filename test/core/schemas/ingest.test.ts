import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { catalogLists } from '../../../src/core/contract/catalog/schema.ts'
import { pushedShape, recordSchemas, recordTypes, serverTimes } from '../../../src/core/schemas/ingest.ts'
import { everyRecord, idOf } from '../../support/records.ts'

type Shape = { type?: string; properties?: Record<string, Shape>; items?: Shape; additionalProperties?: unknown }

function objectsOf(shape: Shape, path: string): [string, Shape][] {
  const inside = Object.entries(shape.properties ?? {}).flatMap(([key, child]) => objectsOf(child, `${path}.${key}`))
  const items = shape.items ? objectsOf(shape.items, `${path}[]`) : []
  return [...(shape.properties ? [[path, shape] as [string, Shape]] : []), ...inside, ...items]
}

test('every catalog list has its own record type', () => {
  const lists = recordTypes.filter((type) => type.startsWith('catalog.'))
  assert.deepEqual(
    lists,
    Object.keys(catalogLists).map((list) => `catalog.${list}`),
  )
})

test('no object of a record accepts undocumented fields', () => {
  for (const type of recordTypes) {
    for (const [path, shape] of objectsOf(pushedShape(recordSchemas[type]), type)) {
      assert.equal(shape.additionalProperties, false, path)
    }
  }
})

const records = everyRecord(idOf('location', 1))

for (const { type, data } of records) {
  test(`a ${type} as it is read can be pushed`, () => {
    assert.ok(Compile(recordSchemas[type] as TSchema).Check(data))
    assert.ok(Compile(pushedShape(recordSchemas[type])).Check(data))
  })
}

test('only the server times and nullable fields of an order or a report are optional', () => {
  for (const type of ['order', 'report'] as const) {
    const check = Compile(pushedShape(recordSchemas[type]))
    const record = records.find((one) => one.type === type)?.data as Record<string, unknown>
    const shape = recordSchemas[type] as unknown as { properties: Record<string, { type: string | string[] }> }
    for (const [key, { type: allowed }] of Object.entries(shape.properties)) {
      const { [key]: _, ...rest } = record
      const optional = serverTimes.some((name) => name === key) || [allowed].flat().includes('null')
      assert.equal(check.Check(rest), optional, `${type} without ${key}`)
      if (!optional) assert.equal(check.Check({ ...record, [key]: null }), false, `${type} with ${key} null`)
    }
  }
})

test('each nullable field of an item is optional too', () => {
  const check = Compile(pushedShape(recordSchemas.order))
  const order = records.find((one) => one.type === 'order')?.data as { items: Record<string, unknown>[] }
  for (const key of ['weight', 'cancelReason', 'transferReason', 'lossReason', 'comboParentId', 'modifiers']) {
    const { [key]: _, ...item } = order.items[0] as Record<string, unknown>
    assert.ok(check.Check({ ...order, items: [item] }), key)
  }
})
