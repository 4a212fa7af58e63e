import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPaid, orderEvents } from '../../../src/domain/journal/events.ts'

const open = {
  closedAt: null as string | null,
  isCanceled: false,
  isTransferred: false,
  isTraining: false,
  total: 20,
  payments: [] as { paymentAmount: number }[],
}
/** What is stored of an open order that meant nothing yet. */
const stored = { canceled: false, transferred: false, paid: false }
const paid = { ...open, closedAt: '2026-03-01T10:00:00.000Z', payments: [{ paymentAmount: 20 }] }

test('a first version is created, a later one updated', () => {
  assert.deepEqual(orderEvents(undefined, open), ['order.created'])
  assert.deepEqual(orderEvents(stored, open), ['order.updated'])
})

test('an order is paid once: closed, not canceled, its payments covering the total', () => {
  assert.deepEqual(orderEvents(undefined, paid), ['order.created', 'order.paid'])
  assert.deepEqual(orderEvents(stored, paid), ['order.updated', 'order.paid'])
  assert.deepEqual(orderEvents({ ...stored, paid: true }, paid), ['order.updated'])
  assert.equal(isPaid({ ...paid, closedAt: null }), false)
  assert.equal(isPaid({ ...paid, isCanceled: true }), false)
  assert.equal(isPaid({ ...paid, payments: [{ paymentAmount: 19.99 }] }), false)
  assert.equal(isPaid({ ...paid, payments: [{ paymentAmount: 25 }] }), true)
  assert.equal(isPaid({ ...paid, total: 0, payments: [] }), true)
})

test('sums of decimal payments compare exactly', () => {
  const payments = [{ paymentAmount: 0.1 }, { paymentAmount: 0.2 }]
  assert.equal(isPaid({ ...paid, total: 0.3, payments }), true)
  assert.equal(isPaid({ ...paid, total: 0.3001, payments }), false)
})

test('canceled and transferred are told when they become so', () => {
  const canceled = { ...open, isCanceled: true }
  const transferred = { ...open, isTransferred: true }
  assert.deepEqual(orderEvents(undefined, canceled), ['order.created', 'order.canceled'])
  assert.deepEqual(orderEvents(stored, canceled), ['order.updated', 'order.canceled'])
  assert.deepEqual(orderEvents({ ...stored, canceled: true }, canceled), ['order.updated'])
  assert.deepEqual(orderEvents(stored, transferred), ['order.updated', 'order.transferred'])
  assert.deepEqual(orderEvents({ ...stored, transferred: true }, transferred), ['order.updated'])
})

test('a training order means no event', () => {
  assert.deepEqual(orderEvents(undefined, { ...paid, isTraining: true }), [])
})
