import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CursorWindow } from '../../../src/core/delivery/cursor-window.ts'
import type { Entry } from '../../../src/core/domain/journal/messages.ts'

const entry = (seq: number): Entry => ({
  locationId: '272461e9-4fd9-5db0-b95b-cc91735b6bf6',
  epoch: '5f0c21ab',
  seq,
  acceptedAt: '2026-03-14T12:00:00.000Z',
  kind: 'order',
  id: '00000000-0000-4000-8000-000000000001',
  types: [],
  document: Buffer.from('{}'),
})

test('the cursor is the last entry up to which all events are done', () => {
  const window = new CursorWindow(4)
  window.enter(entry(5), 1)
  window.enter(entry(6), 2)
  window.enter(entry(7), 0)
  assert.equal(window.cursor, 4)
  window.pass(6)
  window.pass(5)
  assert.equal(window.cursor, 5)
  window.pass(6)
  assert.equal(window.cursor, 7)
})

test('an entry without an event for the webhook is passed at once', () => {
  const window = new CursorWindow(0)
  window.enter(entry(1), 0)
  window.enter(entry(2), 0)
  assert.equal(window.cursor, 2)
})

test('entries are kept until they are passed', () => {
  const window = new CursorWindow(0)
  window.enter(entry(1), 1)
  assert.equal(window.entry(1)?.seq, 1)
  assert.equal(window.entry(2), undefined)
  window.pass(1)
  assert.equal(window.entry(1), undefined)
})

test('in whatever order events are passed, the cursor is just before the first open entry, and never goes back', () => {
  const counts = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(counts, fc.infiniteStream(fc.nat()), (events, random) => {
      const window = new CursorWindow(0)
      const left = [...events]
      const open = events.flatMap((count, i) => Array.from({ length: count }, () => i + 1))
      for (const [i, count] of events.entries()) window.enter(entry(i + 1), count)
      let before = window.cursor
      for (;;) {
        const first = left.findIndex((count) => count > 0)
        assert.equal(window.cursor, first === -1 ? events.length : first)
        assert.ok(window.cursor >= before)
        before = window.cursor
        if (open.length === 0) return
        const [seq] = open.splice(random.next().value % open.length, 1) as [number]
        left[seq - 1]! -= 1
        window.pass(seq)
      }
    }),
  )
})
