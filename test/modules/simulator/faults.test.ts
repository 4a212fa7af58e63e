import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { deviceOf, interleave, withFaults, type Faults } from '../../../simulator/faults.ts'
import type { Order } from '../../../src/core/contract/orders/schema.ts'
import { createRestaurant } from '../../../simulator/restaurant.ts'
import { simulate, type Occurrence } from '../../../simulator/simulation.ts'
import { linesOf, collect } from './support.ts'
import { minuteMs } from '../../../src/core/domain/days/time-units.ts'

const restaurant = createRestaurant({ seed: 'faults', ordersPerDay: 60 })
const span = { from: new Date('2026-02-13T04:00:00Z'), to: new Date('2026-02-15T04:00:00Z') }
const stream = () => simulate(restaurant, span)
const made = [...stream()]

const contents = (occurrences: Iterable<Occurrence>) => [...occurrences].map(({ record }) => JSON.stringify(record))
const inOrder = (occurrences: readonly Occurrence[]) =>
  occurrences.every(({ at }, index) => at >= (occurrences[index - 1]?.at ?? new Date(0)))

/** When each record was created, by its content. */
const madeAt = new Map(made.map(({ at, record }) => [JSON.stringify(record), at.getTime()]))

test('without faults the stream is unchanged', () => {
  assert.deepEqual(linesOf(withFaults(stream(), { seed: 1 })), linesOf(made))
})

test('under any mix of faults no record is lost or sent too early, and the same seed has the same faults', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true })
  const mixes = fc.record({
    seed: fc.integer(),
    lateTills: fc.record({ perDay: share, hours: fc.constant([0.5, 30] as const) }),
    duplicates: share,
    outOfOrder: share,
  })
  fc.assert(
    fc.property(mixes, (faults) => {
      const sent = [...withFaults(stream(), faults)]
      assert.deepEqual(new Set(contents(sent)), new Set(contents(made)))
      assert.ok(inOrder(sent))
      assert.ok(sent.every(({ at, record }) => at.getTime() >= (madeAt.get(JSON.stringify(record)) ?? Infinity)))
      assert.deepEqual(linesOf(withFaults(stream(), faults)), linesOf(sent))
    }),
    { numRuns: 15 },
  )
})

test('a late till sends nothing for hours and then everything at once, in order', () => {
  const faults: Faults = { seed: 3, lateTills: { perDay: 1, hours: [3, 6] } }
  const sent = [...withFaults(stream(), faults)]
  const bursts = Map.groupBy(sent, ({ at, record }) => `${deviceOf(record)} ${at.getTime()}`)
  const largest = [...bursts.values()].toSorted((one, other) => other.length - one.length)[0] ?? []
  assert.ok(largest.length > 10)
  const times = largest.map(({ record }) => madeAt.get(JSON.stringify(record)) ?? 0)
  assert.deepEqual(
    times,
    times.toSorted((one, other) => one - other),
  )
  const waited = (largest[0]?.at.getTime() ?? 0) - (times[0] ?? 0)
  assert.ok(waited > 60 * minuteMs)
})

test('the requested number of records are sent again, within ten minutes', () => {
  const sent = contents(withFaults(stream(), { seed: 4, duplicates: 0.25 }))
  const share = (sent.length - made.length) / made.length
  assert.ok(share > 0.2 && share < 0.3, String(share))
})

test('a later version of an order overtakes a delayed one, and the newest does not change', () => {
  const sent = [...withFaults(stream(), { seed: 5, outOfOrder: 0.3 })]
  const newest = new Map<string, string>()
  let overtaken = 0
  for (const order of collect(sent.map(({ record }) => record)).orders) {
    const before = newest.get(order.id)
    if (before !== undefined && before > order.updatedAt) overtaken += 1
    else newest.set(order.id, order.updatedAt)
  }
  assert.ok(overtaken > 20)
  const expected = new Map(collect(made.map(({ record }) => record)).orders.map((order) => [order.id, order.updatedAt]))
  assert.deepEqual(newest, expected)
})

test('a wrong clock shifts every time of its till by a constant, and neither the sending nor the amounts', () => {
  const sent = [...withFaults(stream(), { seed: 8, wrongClock: { share: 0.6, minutes: 180 } })]
  assert.deepEqual(
    sent.map(({ at }) => at),
    made.map(({ at }) => at),
  )
  const [before, after] = [made, sent].map((records) => collect(records.map(({ record }) => record)))
  assert.ok(before && after)
  const offsets = new Map<string, number>()
  for (const [index, order] of after.orders.entries()) {
    const original: Order | undefined = before.orders[index]
    assert.ok(original)
    const { createdAt, updatedAt, openedAt, closedAt, ...rest } = order
    const offset: number = Date.parse(updatedAt) - Date.parse(original.updatedAt)
    assert.equal(offsets.get(order.deviceId) ?? offset, offset)
    offsets.set(order.deviceId, offset)
    assert.equal(Date.parse(createdAt) - Date.parse(original.createdAt), offset)
    assert.equal(Date.parse(openedAt) - Date.parse(original.openedAt), offset)
    if (closedAt !== null) assert.equal(Date.parse(closedAt) - Date.parse(original.closedAt ?? ''), offset)
    const { createdAt: _c, updatedAt: _u, openedAt: _o, closedAt: _d, ...originalRest } = original
    assert.deepEqual(rest, originalRest)
  }
  const values = [...offsets.values()]
  assert.ok(values.some((offset) => offset !== 0) && values.includes(0))
  assert.ok(values.every((offset) => Math.abs(offset) <= 180 * minuteMs))
})

test('streams of several restaurants are merged in order of time, each complete', () => {
  const restaurants = [1, 2, 3].map((seed) => createRestaurant({ seed, ordersPerDay: 20 }))
  const each = restaurants.map((restaurant) => [...simulate(restaurant, span)])
  const together = [...interleave(restaurants.map((restaurant) => simulate(restaurant, span)))]
  assert.ok(inOrder(together))
  assert.deepEqual(contents(together).toSorted(), contents(each.flat()).toSorted())
})
