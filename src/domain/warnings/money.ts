/** Describes what the amounts of a currency look like. */
export type Money = {
  /** What tills round amounts to, in units: 0.01, or 1 where nobody uses decimals. */
  step: number
  /** 10 to the power of the decimals that ISO 4217 gives to the currency. */
  factor: number
  /** By how much a payment in cash may differ from the total, because small coins are missing. */
  cashRounding: number
  /** An item of a menu costs a few units or tens of them, and not hundreds. */
  isDear: boolean
}

/** Lists the currencies without a minor unit (ISO 4217). */
const whole = new Set('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(' '))

/** Gives half of the smallest coin, where it is more than 2.5 steps. */
const cashRounding: Readonly<Record<string, number>> = {
  CZK: 0.5,
  DKK: 0.25,
  HKD: 0.05,
  NOK: 0.5,
  NZD: 0.05,
  SEK: 0.5,
  THB: 0.125,
  TWD: 0.5,
  ZAR: 0.05,
}

const dear = new Set('AUD BGN CAD CHF EUR GBP NZD SGD USD'.split(' '))

/** Decimals in daily use, as the runtime knows them: none for HUF, which ISO 4217 gives two. */
function decimalsInUse(currency: string): number {
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
  return currency === 'TWD' ? 0 : maximumFractionDigits
}

/** `currency` is a code of ISO 4217. */
export function moneyOf(currency: string): Money {
  const used = decimalsInUse(currency)
  const step = used === 0 ? 1 : 0.01
  return {
    step,
    factor: whole.has(currency) ? 1 : 10 ** Math.max(used, 2),
    cashRounding: cashRounding[currency] ?? 2.5 * step,
    isDear: dear.has(currency),
  }
}

/** Returns how far a sum may be off: half a step per rounding, and one step for the sum itself. */
export const tolerance = ({ step }: Money, parts: number): number => step * (1.5 + 0.5 * parts)

/**
 * Returns whether an amount has more decimals than the currency: the number that was meant is the one closest to the
 * amount among those with the currency's decimals.
 */
export const hasDecimalsBeyond = ({ factor }: Money, amount: number): boolean =>
  Math.round(amount * factor) / factor !== amount

/** Writes an amount in a sentence. */
export const money = (amount: number): string => String(Math.round(amount * 1000) / 1000)
