import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allot } from '../../../../src/core/contract/money/allot.ts'
import {
  ExactSum,
  restOf,
  roundedBy,
  sumToMinor,
  toMinor,
  unitsOf,
} from '../../../../src/core/contract/money/decimal.ts'
import { randomOf } from '../../../../simulator/random.ts'

/** Returns the sum of decimals as text, rounded half away from zero: digits only, without floating-point numbers. */
function sumInText(texts: readonly string[], decimals: number): bigint {
  const places = 30
  const scaled = texts.map((text) => {
    const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? assert.fail(text)
    return BigInt(`${sign}${whole}${fraction.padEnd(places, '0')}`)
  })
  const sum = scaled.reduce((all, one) => all + one, 0n)
  const by = 10n ** BigInt(places - decimals)
  const [size, sign] = sum < 0n ? [-sum, -1n] : [sum, 1n]
  return sign * (size / by + (size % by >= by / 2n ? 1n : 0n))
}

test('halves of the written decimal are rounded away from zero, for either sign', () => {
  // Calculated by hand; 1.005 and 8.575 are below their halves as binary fractions.
  const cents: [number, number][] = [
    [0.125, 13],
    [0.005, 1],
    [1.005, 101],
    [8.575, 858],
    [2.345, 235],
    [1.0049, 100],
    [0.0049999, 0],
    [19.999, 2000],
    [0.1 + 0.2, 30],
  ]
  for (const [amount, expected] of cents) {
    assert.equal(sumToMinor([amount], 2), expected, String(amount))
    assert.equal(sumToMinor([-amount], 2), 0 - expected, String(-amount))
  }
  assert.equal(sumToMinor([0.1255], 3), 126)
  assert.equal(roundedBy(-5, 10), -1)
})

test('sums are exact decimals, rounded once: a thousand times 0.15283 are 152.83', () => {
  assert.equal(
    sumToMinor(
      Array.from({ length: 1000 }, () => 0.15283),
      2,
    ),
    15_283,
  )
  // 2.70 at 6 % of VAT, as written by a till that does not round.
  assert.equal(
    sumToMinor(
      Array.from({ length: 1000 }, () => Number('0.15283018867924527')),
      2,
    ),
    15_283,
  )
  assert.deepEqual([unitsOf(0.15283), restOf(0.15283)], [1528, 30_000_000])
  assert.equal(toMinor(1528, 30_000_000, 3), 153)
})

test('the sum of any decimals equals the sum of their digits as text, and negated amounts cancel out', () => {
  const stream = randomOf('decimals')
  const random = () => stream.next()
  for (let round = 0; round < 2_000; round++) {
    const texts = Array.from({ length: 1 + Math.floor(random() * 12) }, () => {
      const decimals = Math.floor(random() * 9)
      const whole = String(Math.floor(random() ** 3 * 100_000))
      const fraction = Array.from({ length: decimals }, () =>
        random() < 0.3 ? '5' : String(Math.floor(random() * 10)),
      )
      return `${random() < 0.3 ? '-' : ''}${whole}${decimals > 0 ? `.${fraction.join('')}` : ''}`
    })
    const amounts = texts.map(Number)
    for (const decimals of [2, 3]) {
      assert.equal(BigInt(sumToMinor(amounts, decimals)), sumInText(texts, decimals), texts.join(' + '))
    }
    const mirrored = amounts.map((amount) => -amount)
    assert.equal(sumToMinor([...amounts, ...mirrored], 2), 0)
    assert.equal(sumToMinor(mirrored, 2), 0 - sumToMinor(amounts, 2))
  }
})

test('shares add up to the whole, largest remainders first, and negated shares are symmetric', () => {
  assert.deepEqual(allot(100, [1, 1, 1]), [34, 33, 33])
  assert.deepEqual(allot(7, [5, 5]), [4, 3])
  assert.deepEqual(allot(-7, [-5, -5]), [-4, -3])
  assert.deepEqual(allot(5, [0, 0]), [0, 0])
  assert.deepEqual(allot(1000, [1999, 1]), [1000, 0])
  // 14.28, 28.57 and 57.14; and 7.5 and -2.5, where the first of equal remainders gets the rest.
  assert.deepEqual(allot(100, [1, 2, 4]), [14, 29, 57])
  assert.deepEqual(allot(-100, [1, 2, 4]), [-14, -29, -57])
  assert.deepEqual(allot(5, [3, -1]), [8, -3])
  assert.deepEqual(allot(-7, [5, 5]), [-4, -3])
  assert.deepEqual(
    allot(9_007_199_254_740_991, [3, 3, 3]).reduce((a, b) => a + b),
    9_007_199_254_740_991,
  )
})

test('joined sums are rounded once', () => {
  const joined = new ExactSum().add(1.00283).join(new ExactSum().add(0.00217)).join(new ExactSum().add(1, -1))
  // 0.005 in total; each part alone would be rounded down.
  assert.deepEqual([joined.units, joined.rest, joined.round(2)], [49, 100_000_000, 1])
})
