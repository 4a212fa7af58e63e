import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Head } from '../../../../src/core/domain/journal/chain.ts'
import { KnownLocations } from '../../../../src/core/store/pushes/known-locations.ts'

const headAt = (seq: number, epoch = 'e'): Head => ({ epoch, seq, hash: `${epoch}${seq}`, acceptedAt: null })

const rowOf = (id: string) => [{ id, document: '{}' } as never]

test('a head is known after two consecutive writes, and not if it is below one that was seen', () => {
  const known = new KnownLocations()
  known.remember('a', headAt(0), headAt(1), rowOf('x'))
  assert.equal(known.findHead('a', 0), undefined)
  known.remember('a', headAt(1), headAt(2), rowOf('y'))
  assert.deepEqual(known.findHead('a', 2), headAt(2))
  assert.equal(known.findHead('a', 3), undefined)
  assert.deepEqual([...known.findOrders('a', ['x', 'y', 'z']).keys()], ['x', 'y'])
})

test('a location is forgotten after a write by another process, or after a wrong guess', () => {
  const known = new KnownLocations()
  known.remember('a', headAt(0), headAt(1), rowOf('x'))
  known.remember('a', headAt(1), headAt(2), [])
  known.wasWrong('a')
  assert.equal(known.findHead('a', 0), undefined)
  // Another process wrote the third entry.
  known.remember('a', headAt(3), headAt(4), rowOf('y'))
  assert.deepEqual([...known.findOrders('a', ['x', 'y']).keys()], ['y'])
  assert.equal(known.findHead('a', 0), undefined)
  known.remember('a', headAt(4, 'f'), headAt(5), [])
  assert.equal(known.findHead('a', 0), undefined, 'a journal that began anew')
  known.forget('a')
  assert.equal(known.findOrders('a', ['y']).size, 0)
})
