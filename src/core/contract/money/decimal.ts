// Amounts as tills write them, without the fractions of binary floating point. A JSON number stands for its decimal
// text (the shortest text that parses to the same number), and is added up in integers.

/** Decimals of amounts in figures: no currency in use has more decimals. */
const unitDecimals = 4

/** The part of an amount beyond ten-thousandths is stored in 10⁻¹² of the currency, rounded. */
const restDecimals = 12

const unitsInOne = 10 ** unitDecimals

/** Returns the digits of a decimal text without the point, and the number of its decimals. */
function digitsOf(text: string): { digits: string; decimals: number } {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [integer = '', fraction = ''] = mantissa.split('.')
  return { digits: `${integer}${fraction}`, decimals: fraction.length - Number(exponent) }
}

/** Divides and rounds half away from zero; the divisor is positive. */
const divided = (amount: bigint, by: bigint): bigint => {
  const [size, sign] = amount < 0n ? [-amount, -1n] : [amount, 1n]
  return (sign * (2n * size + by)) / (2n * by)
}

/** Reads a JSON decimal as an integer in units of 10⁻¹²; smaller parts are rounded half away from zero. */
function readDecimal(text: string): bigint {
  const isNegative = text.startsWith('-')
  const { digits, decimals } = digitsOf(isNegative ? text.slice(1) : text)
  const scale = restDecimals - decimals
  const size =
    scale >= 0 ? BigInt(digits) * 10n ** BigInt(scale) : divided(BigInt(digits), 10n ** BigInt(Math.min(-scale, 400)))
  return isNegative ? -size : size
}

/** Maximum of one amount, in ten-thousandths: a hundred billion. A `bigint` column holds the sum of 9,000 of these. */
const mostUnits = 10 ** (11 + unitDecimals)

const bounded = (units: number): number => Math.min(Math.max(units, -mostUnits), mostUnits)

/** Maximum count of one order or item, in guests or in thousandths of a piece. */
const mostCounted = 10 ** 13

/** Clamps the integer count of one order or item. */
export const boundedCount = (count: number): number => Math.min(Math.max(count, -mostCounted), mostCounted)

const unitsInRest = 10n ** BigInt(restDecimals - unitDecimals)

/** Returns an amount in ten-thousandths, without the part beyond them (`restOf`). */
export function unitsOf(amount: number): number {
  const units = Math.round(amount * unitsInOne)
  // If this quotient equals the amount, nothing is lost: both are the double that is closest to their decimal.
  if (units / unitsInOne === amount || Math.abs(units) >= mostUnits) return bounded(units) + 0
  return Number(readDecimal(String(amount)) / unitsInRest)
}

/** Returns the part of an amount beyond ten-thousandths, in 10⁻¹² of the currency: 0 for nearly every amount. */
export function restOf(amount: number): number {
  const units = Math.round(amount * unitsInOne)
  if (units / unitsInOne === amount || Math.abs(units) >= mostUnits) return 0
  return Number(readDecimal(String(amount)) % unitsInRest)
}

/** Divides integers and rounds half away from zero. */
export function roundedBy(amount: number, by: number): number {
  const size = Math.abs(amount)
  const over = size % by
  const integer = (size - over) / by + (2 * over >= by ? 1 : 0)
  return amount < 0 ? 0 - integer : integer
}

/** Rounds a sum of ten-thousandths and smaller parts, half away from zero, to minor units of this many decimals. */
export function toMinor(units: number, rest: number, decimals: number): number {
  const by = 10 ** (unitDecimals - decimals)
  if (rest === 0) return roundedBy(units, by)
  return Number(divided(BigInt(units) * unitsInRest + BigInt(rest), BigInt(by) * unitsInRest))
}

/** A sum of amounts that is rounded once, when read. */
export class ExactSum {
  units = 0
  rest = 0

  add(amount: number, sign: 1 | -1 = 1): this {
    this.units += sign * unitsOf(amount)
    this.rest += sign * restOf(amount)
    return this
  }

  join({ units, rest }: ExactSum): this {
    this.units += units
    this.rest += rest
    return this
  }

  /** Returns the sum in minor units of a currency with this many decimals. */
  round(decimals: number): number {
    return toMinor(this.units, this.rest, decimals)
  }
}

/** Adds amounts exactly and rounds the sum once, to minor units. */
export function sumToMinor(amounts: Iterable<number>, decimals: number): number {
  const sum = new ExactSum()
  for (const amount of amounts) sum.add(amount)
  return sum.round(decimals)
}
