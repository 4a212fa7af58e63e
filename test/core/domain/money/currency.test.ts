import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasDecimalsBeyond, money, moneyOf, tolerance } from '../../../../src/core/contract/money/currency.ts'

test('each currency has the minor unit, decimals and step of ISO 4217 and half of its smallest coin', () => {
  // From ISO 4217 and the tables of docs/contract/money.md.
  for (const [currency, isoDecimals, decimals, step, stepMinor, cashRounding] of [
    ['EUR', 2, 2, 0.01, 1, 0.025],
    ['CHF', 2, 2, 0.01, 1, 0.025],
    ['NZD', 2, 2, 0.01, 1, 0.05],
    ['DKK', 2, 2, 0.01, 1, 0.25],
    ['TWD', 2, 2, 1, 100, 0.5],
    ['HUF', 2, 2, 1, 100, 2.5],
    ['JPY', 0, 2, 1, 100, 2.5],
    ['KRW', 0, 2, 1, 100, 2.5],
    ['KWD', 3, 3, 0.001, 1, 0.0025],
    ['TND', 3, 3, 0.001, 1, 0.025],
    ['IQD', 3, 3, 1, 1000, 125],
    ['CLF', 4, 2, 0.01, 1, 0.025],
  ] as const) {
    const minorInOne = decimals === 3 ? 1000 : 100
    const expected = { currency, decimals, minorInOne, step, stepMinor, isoDecimals, cashRounding }
    assert.deepEqual(moneyOf(currency), expected, currency)
  }
})

test('the tolerance of a sum is a step, plus half a step for itself and for each rounding in it', () => {
  assert.deepEqual([tolerance(moneyOf('EUR'), 0), tolerance(moneyOf('JPY'), 3)], [0.015, 3])
})

test('decimals beyond the minor unit of the currency are found', () => {
  for (const [currency, exact, beyond] of [
    ['EUR', 1.25, 1.255],
    ['JPY', 500, 500.5],
    ['KWD', 0.125, 0.1255],
  ] as const) {
    assert.deepEqual(
      [exact, beyond].map((amount) => hasDecimalsBeyond(moneyOf(currency), amount)),
      [false, true],
      currency,
    )
  }
  assert.deepEqual([money(0.1 + 0.2), money(1.0004), money(-2)], ['0.3', '1', '-2'])
})
