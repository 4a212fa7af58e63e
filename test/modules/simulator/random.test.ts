import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { isUuid } from '../../../src/core/contract/scalars.ts'
import { idOf, randomOf } from '../../../simulator/random.ts'

const draws = (count: number, draw: () => number) => Array.from({ length: count }, draw)
const mean = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length

test('the same parts give the same stream, and parts that join to the same text differ', () => {
  const first = (...parts: string[]) => {
    const random = randomOf(...parts)
    return draws(5, () => random.next())
  }
  assert.deepEqual(first('a', 'b'), first('a', 'b'))
  assert.notDeepEqual(first('a', 'b'), first('ab'))
  assert.notDeepEqual(first('a', 'b'), first('b', 'a'))
})

test('draws are within their bounds', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: -50, max: 50 }), fc.nat(50), (seed, min, width) => {
      const random = randomOf(seed)
      const max = min + width
      for (const number of draws(20, () => random.next())) assert.ok(number >= 0 && number < 1)
      for (const number of draws(20, () => random.int(min, max))) assert.ok(number >= min && number <= max)
      for (const number of draws(20, () => random.between(min, max))) assert.ok(number >= min && number <= max)
      assert.equal(random.chance(0), false)
      assert.equal(random.chance(1), true)
    }),
  )
})

test('the means of the draws are the requested ones', () => {
  const random = randomOf('means')
  const close = (actual: number, expected: number) => Math.abs(actual - expected) < 0.05 * expected
  assert.ok(close(mean(draws(20_000, () => random.next())), 0.5))
  assert.ok(close(mean(draws(20_000, () => random.int(1, 6))), 3.5))
  assert.ok(close(mean(draws(20_000, () => random.normal(10, 3))), 10))
  for (const expected of [0.5, 4, 80]) {
    assert.ok(close(mean(draws(20_000, () => random.poisson(expected))), expected))
  }
  const threes = draws(20_000, () => random.weighted([1, 3], (weight) => weight)).filter((weight) => weight === 3)
  assert.ok(close(threes.length / 20_000, 0.75))
})

test('ids are UUIDs of version 8, one for each list of parts', () => {
  const ids = Array.from({ length: 1000 }, (_, index) => idOf('seed', 'order', index))
  assert.ok(ids.every(isUuid))
  assert.ok(ids.every((id) => /^.{14}8.{4}[89ab]/.test(id)))
  assert.equal(new Set(ids).size, ids.length)
  assert.equal(idOf('a', 1), idOf('a', 1))
  assert.notEqual(idOf('a', 1), idOf('a1'))
})
