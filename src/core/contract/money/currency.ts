/** Describes what the amounts of a currency look like. */
export type Money = {
  /** ISO 4217. */
  currency: string
  /** Decimals of the integers in catalog, reports and figures: hundredths, or thousandths where the currency has them. */
  decimals: 2 | 3
  /** Minor units in one: 100 or 1000. */
  minorInOne: number
  /** Rounding unit of tills: 0.01 or 0.001, or 1 for currencies used without decimals. */
  step: number
  /** The same in minor units. */
  stepMinor: number
  /** Decimals of the minor unit of ISO 4217, in which other systems write integers: none for JPY. */
  isoDecimals: number
  /** By how much a payment in cash may differ from the total, because small coins are missing: half of the smallest coin. */
  cashRounding: number
}

/** Lists the exponents of ISO 4217 that are not 2, with the currencies that have them. */
const exponents: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
}

const exponentOf = new Map(
  Object.entries(exponents).flatMap(([exponent, codes]) =>
    codes.split(' ').map((code) => [code, Number(exponent)] as const),
  ),
)

/** Returns the decimals of the minor unit that ISO 4217 gives to a currency. */
const isoDecimalsOf = (currency: string): number => exponentOf.get(currency) ?? 2

/** Gives half of the smallest coin, where it is more than 2.5 steps. */
const cashRounding: Readonly<Record<string, number>> = {
  BHD: 0.0025,
  CZK: 0.5,
  DKK: 0.25,
  HKD: 0.05,
  IQD: 125,
  JOD: 0.0025,
  KWD: 0.0025,
  LYD: 0.025,
  NOK: 0.5,
  NZD: 0.05,
  OMR: 0.0025,
  SEK: 0.5,
  THB: 0.125,
  TND: 0.025,
  TWD: 0.5,
  ZAR: 0.05,
}

/** Decimals in daily use, as the runtime knows them: none for HUF, which ISO 4217 gives two. */
function decimalsInUse(currency: string): number {
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
  return currency === 'TWD' ? 0 : maximumFractionDigits
}

function describe(currency: string): Money {
  const used = decimalsInUse(currency)
  const isoDecimals = isoDecimalsOf(currency)
  const decimals = isoDecimals === 3 ? 3 : 2
  const minorInOne = 10 ** decimals
  const step = used === 0 ? 1 : 1 / minorInOne
  return {
    currency,
    decimals,
    minorInOne,
    step,
    stepMinor: used === 0 ? minorInOne : 1,
    isoDecimals,
    cashRounding: cashRounding[currency] ?? 2.5 * step,
  }
}

const described = new Map<string, Money>()

/** `currency` is a code of ISO 4217. */
export function moneyOf(currency: string): Money {
  let money = described.get(currency)
  if (!money) described.set(currency, (money = describe(currency)))
  return money
}

/** Returns how far a sum may be off: half a step per rounding, and one step for the sum itself. */
export const tolerance = ({ step }: Money, parts: number): number => step * (1.5 + 0.5 * parts)

/**
 * Returns whether an amount has more decimals than the currency: the number that was meant is the one closest to the
 * amount among those with the currency's decimals.
 */
export function hasDecimalsBeyond({ isoDecimals }: Money, amount: number): boolean {
  const factor = 10 ** isoDecimals
  return Math.round(amount * factor) / factor !== amount
}

/** Writes an amount in a sentence. */
export const money = (amount: number): string => String(Math.round(amount * 1000) / 1000)
