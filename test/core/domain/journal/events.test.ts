import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderEvents } from '../../../../src/core/domain/journal/events.ts'

const open = {
  isCanceled: false,
  isTransferred: false,
  isTraining: false,
  isPaid: false,
}
/** The stored state of an open order that has not caused events yet. */
const stored = { canceled: false, transferred: false, paid: false }
const paid = { ...open, isPaid: true }

test('a first version is created, a later one updated', () => {
  assert.deepEqual(orderEvents(undefined, open), ['order.created'])
  assert.deepEqual(orderEvents(stored, open), ['order.updated'])
})

test('an order is paid once', () => {
  assert.deepEqual(orderEvents(undefined, paid), ['order.created', 'order.paid'])
  assert.deepEqual(orderEvents(stored, paid), ['order.updated', 'order.paid'])
  assert.deepEqual(orderEvents({ ...stored, paid: true }, paid), ['order.updated'])
})

test('canceled and transferred are sent when the order becomes so', () => {
  const canceled = { ...open, isCanceled: true }
  const transferred = { ...open, isTransferred: true }
  assert.deepEqual(orderEvents(undefined, canceled), ['order.created', 'order.canceled'])
  assert.deepEqual(orderEvents(stored, canceled), ['order.updated', 'order.canceled'])
  assert.deepEqual(orderEvents({ ...stored, canceled: true }, canceled), ['order.updated'])
  assert.deepEqual(orderEvents(stored, transferred), ['order.updated', 'order.transferred'])
  assert.deepEqual(orderEvents({ ...stored, transferred: true }, transferred), ['order.updated'])
})

test('a training order has no events', () => {
  assert.deepEqual(orderEvents(undefined, { ...paid, isTraining: true }), [])
})
