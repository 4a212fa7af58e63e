export type Money = {
  /** ISO 4217. */
  currency: string
  /** Decimals of the integers in catalog, reports and figures: hundredths, or thousandths where the currency has them. */
  decimals: 2 | 3
  /** Minor units in one major unit: 100 or 1000. */
  minorInOne: number
  /** Rounding unit of tills: 0.01 or 0.001, or 1 for currencies used without decimals. */
  step: number
  /** The rounding unit in minor units. */
  stepMinor: number
  /** Decimals of the minor unit of ISO 4217, in which other systems write integers: none for JPY. */
  isoDecimals: number
  /** Maximum difference between a cash payment and the total because of missing small coins: half of the smallest coin. */
  cashRounding: number
}

/** Currencies by the number of decimals that ISO 4217 gives them, unless it is 2. */
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

/** Returns the number of decimals of the ISO 4217 minor unit. */
const isoDecimalsOf = (currency: string): number => exponentOf.get(currency) ?? 2

/** Half of the smallest coin, by currency; 2.5 steps for a currency that is not listed. */
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

/** Returns the decimals in daily use, by the runtime's data: none for HUF, for which ISO 4217 has two. */
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

/** Returns the properties of a currency by its ISO 4217 code. */
export function moneyOf(currency: string): Money {
  let money = described.get(currency)
  if (!money) described.set(currency, (money = describe(currency)))
  return money
}

/** Returns the tolerance of a sum: half a step for each part, and 1.5 steps for the sum. */
export const tolerance = ({ step }: Money, parts: number): number => step * (1.5 + 0.5 * parts)

/** Returns whether an amount has more decimals than the currency: it then differs from its rounded value. */
export function hasDecimalsBeyond({ isoDecimals }: Money, amount: number): boolean {
  const factor = 10 ** isoDecimals
  return Math.round(amount * factor) / factor !== amount
}

/** Formats an amount for a sentence. */
export const money = (amount: number): string => String(Math.round(amount * 1000) / 1000)
