import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Lanes, type Item } from '../../../src/core/delivery/lanes.ts'

const at = (ms: number) => new Date(ms)
const now = at(1_000_000)

function item(seq: number, lane: string, changes: Partial<Item> = {}): Item {
  const rest = { kind: 'order', resourceId: lane, attempts: 0, nextAt: null, stored: false }
  return { seq, type: 'order.updated', lane, ...rest, ...changes }
}

function lanesOf(...items: Item[]): Lanes {
  const lanes = new Lanes()
  for (const one of items) lanes.add(one)
  return lanes
}

const take = (lanes: Lanes) => lanes.take(now)?.seq

describe('the lanes', () => {
  test('return the first event of each resource, and the next only when it is done', () => {
    const lanes = lanesOf(item(1, 'a'), item(2, 'a'), item(3, 'b'))
    const first = lanes.take(now) as Item
    assert.equal(first.seq, 1)
    assert.equal(take(lanes), 3)
    assert.equal(take(lanes), undefined)
    lanes.done(first, now)
    assert.equal(take(lanes), 2)
    assert.equal(lanes.size, 2)
  })

  test('return no event before it is due, and none that waits behind it', () => {
    const failed = item(1, 'a', { stored: true, nextAt: at(now.getTime() + 1) })
    const lanes = lanesOf(failed, item(2, 'a', { stored: true }), item(3, 'b'))
    assert.equal(take(lanes), 3)
    assert.equal(take(lanes), undefined)
    assert.equal(lanes.take(at(now.getTime() + 1))?.seq, 1)
  })

  test('report a resource as waiting while its first event is deferred, also while that event is in flight', () => {
    const lanes = lanesOf(item(1, 'a', { stored: true }), item(2, 'b'))
    assert.ok(lanes.isWaiting('a'))
    assert.ok(!lanes.isWaiting('b'))
    assert.ok(!lanes.isWaiting('c'))
    assert.equal(take(lanes), 1)
    assert.ok(lanes.isWaiting('a'))
  })

  test('return with a failed event all events that wait behind it', () => {
    const lanes = lanesOf(item(1, 'a'), item(2, 'a'), item(3, 'b'))
    const failed = lanes.take(now) as Item
    assert.deepEqual(
      lanes.failed(failed).map(({ seq }) => seq),
      [1, 2],
    )
  })

  test('make a waiting event due when the one before it is done', () => {
    const lanes = lanesOf(item(1, 'a', { stored: true }), item(2, 'a', { stored: true }))
    lanes.done(lanes.take(now) as Item, now)
    assert.deepEqual(lanes.nextDue(), now)
  })

  test('probe with the earliest event only, when it is due, one at a time', () => {
    const due = at(now.getTime() + 5)
    const lanes = lanesOf(item(7, 'b', { stored: true }), item(3, 'a', { stored: true, nextAt: due }))
    assert.equal(lanes.takeProbe(now), undefined)
    assert.equal(lanes.takeProbe(due)?.seq, 3)
    assert.equal(lanes.takeProbe(due), undefined)
  })

  test('drop events that were not begun, and return those to defer so that the cursor can pass them', () => {
    const lanes = lanesOf(item(1, 'a'), item(2, 'b'), item(3, 'b'), item(4, 'c'), item(5, 'a'))
    assert.equal(take(lanes), 1)
    assert.equal(take(lanes), 2)
    const left = lanes.dropAfter(3)
    assert.deepEqual(
      left.map(({ seq }) => seq),
      [3],
    )
    assert.equal(lanes.size, 3)
    assert.equal(take(lanes), undefined)
    assert.equal(lanes.first()?.seq, 1)
    // The lane of 4 was emptied. An item that is added to it again is taken once.
    lanes.add(item(4, 'c'))
    assert.equal(lanes.size, 4)
    assert.equal(take(lanes), 4)
    assert.equal(take(lanes), undefined)
  })

  test('neither drop nor defer events that are in flight or deferred', () => {
    const lanes = lanesOf(item(1, 'a'), item(2, 'b', { stored: true }), item(5, 'c', { stored: true }), item(6, 'd'))
    for (const seq of [1, 2, 5, 6]) assert.equal(take(lanes), seq)
    lanes.add(item(7, 'c', { stored: true }))
    assert.deepEqual(lanes.dropAfter(3), [])
    assert.equal(lanes.size, 5)
  })

  test('make every waiting event due when the receiver has recovered, except one in flight', () => {
    const later = at(now.getTime() + 1_000)
    const lanes = lanesOf(
      item(1, 'a', { stored: true, nextAt: later }),
      item(2, 'b', { stored: true }),
      item(3, 'c', { stored: true, nextAt: later }),
    )
    assert.equal(lanes.take(later)?.seq, 1)
    assert.deepEqual(
      lanes.dueAt(now).map(({ seq }) => seq),
      [3],
    )
    assert.equal(take(lanes), 2)
    assert.equal(take(lanes), 3)
  })

  test('return the time at which the earliest deferred event is due; a new one is due at once', () => {
    assert.equal(lanesOf(item(1, 'a')).nextDue(), null)
    const [soon, later] = [at(5), at(9)]
    const lanes = lanesOf(item(1, 'a', { stored: true, nextAt: later }), item(2, 'b', { stored: true, nextAt: soon }))
    assert.deepEqual(lanes.nextDue(), soon)
    assert.deepEqual(lanesOf(item(1, 'a', { stored: true })).nextDue(), at(0))
  })

  test('report an event as due at once if it is deferred behind one that is not', () => {
    const lanes = lanesOf(item(1, 'a'), item(2, 'a', { stored: true, nextAt: at(9) }))
    assert.deepEqual(lanes.nextDue(), at(0))
    assert.equal(take(lanes), 1)
    assert.deepEqual(lanes.nextDue(), at(0))
  })

  test('never have two events of one resource in flight, and return each resource in order, whatever fails', () => {
    const resources = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(resources, fc.infiniteStream(fc.nat()), (names, random) => {
        const lanes = lanesOf(...names.map((name, i) => item(i + 1, name)))
        const underWay: Item[] = []
        const done = new Map<string, number[]>()
        for (let turn = 0; lanes.size > 0; turn++) {
          const taken = random.next().value % 3 === 0 ? undefined : lanes.take(at(turn))
          if (taken) {
            assert.ok(!underWay.some(({ lane }) => lane === taken.lane))
            underWay.push(taken)
            continue
          }
          const [ended] = underWay.splice(random.next().value % Math.max(underWay.length, 1), 1)
          if (!ended) continue
          if (turn < 200 && random.next().value % 3 === 0) {
            ended.nextAt = at(turn + (random.next().value % 5))
            for (const waiting of lanes.failed(ended)) waiting.stored = true
          } else {
            lanes.done(ended, at(turn))
            done.set(ended.lane, [...(done.get(ended.lane) ?? []), ended.seq])
          }
        }
        for (const [name, order] of done) {
          const own = names.flatMap((other, i) => (other === name ? [i + 1] : []))
          assert.deepEqual(order, own)
        }
      }),
    )
  })
})
