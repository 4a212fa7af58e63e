import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { allocate, taxIn } from '../../../simulator/cents.ts'

const weights = fc.array(fc.nat(100_000), { minLength: 1, maxLength: 12 })

test('shares are whole cents, add up to the amount, and are less than a cent from their exact part', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), weights, (amount, weights) => {
      const shares = allocate(amount, weights)
      const sum = weights.reduce((total, weight) => total + weight, 0)
      assert.equal(
        shares.reduce((total, share) => total + share, 0),
        amount,
      )
      for (const [index, share] of shares.entries()) {
        assert.ok(Number.isInteger(share))
        const exact = sum === 0 ? amount / weights.length : (amount * (weights[index] ?? 0)) / sum
        assert.ok(Math.abs(share - exact) < 1)
      }
    }),
  )
})

test('the remainder goes to the largest fractions, ties to the first', () => {
  assert.deepEqual(allocate(100, [1, 1, 1]), [34, 33, 33])
  assert.deepEqual(allocate(1790, [1890, 750]), [1281, 509])
  assert.deepEqual(allocate(5, [0, 3, 0]), [0, 5, 0])
  assert.deepEqual(allocate(3, [0, 0]), [2, 1])
})

test('the tax contained in an amount is rounded to the nearest cent, half up', () => {
  assert.equal(taxIn(1100, 1000), 100)
  assert.equal(taxIn(1675, 1000), 152)
  assert.equal(taxIn(1200, 2000), 200)
  assert.equal(taxIn(1055, 550), 55)
  assert.equal(taxIn(3, 2000), 1)
  assert.equal(taxIn(0, 2000), 0)
})
