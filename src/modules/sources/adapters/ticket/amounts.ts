import { unitsOf, restOf } from '../../../../core/contract/money/decimal.ts'

/** Converts an integer of minor units to an amount. */
export const toAmount = (minor: number, decimals: number): number => minor / 10 ** decimals

/** Converts a decimal to an integer in units of 10⁻¹². */
const exact = (amount: number): bigint => BigInt(unitsOf(amount)) * 100_000_000n + BigInt(restOf(amount))

/**
 * Divides minor units by a quantity into a price of at most four decimals, half away from zero; for a quantity of 0,
 * the amount itself.
 */
export function priceOf(minor: number, quantity: number, decimals: number): number {
  const by = exact(quantity)
  if (by === 0n) return toAmount(minor, decimals)
  const scaled = BigInt(minor) * 10n ** BigInt(12 + 4 - decimals)
  const [size, divisor] = [scaled < 0n ? -scaled : scaled, by < 0n ? -by : by]
  const price = (2n * size + divisor) / (2n * divisor)
  return Number(scaled < 0n === by < 0n ? price : -price) / 10_000
}

/** Adds up rates as decimals: 0.05 and 0.10 are 0.15. */
export const sumOfRates = (rates: readonly number[]): number =>
  Number(rates.reduce((sum, rate) => sum + exact(rate), 0n)) / 1e12

/** Writes minor units for a sentence: 12.50. */
export const money = (minor: number, decimals: number): string => (minor / 10 ** decimals).toFixed(decimals)
