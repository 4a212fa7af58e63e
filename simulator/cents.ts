/**
 * Splits an amount in proportion to the weights, by largest remainder: the shares are whole cents and add up to it
 * exactly. Ties go to the earlier share. Weights that are all zero count as equal. Needs at least one weight.
 */
export function allocate(amountCents: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0)
  if (sum === 0)
    return allocate(
      amountCents,
      weights.map(() => 1),
    )
  const shares = weights.map((weight) => Math.floor((amountCents * weight) / sum))
  const remainders = weights.map((weight, index) => ({ index, rest: (amountCents * weight) % sum }))
  remainders.sort((one, other) => other.rest - one.rest || one.index - other.index)
  const left = amountCents - shares.reduce((total, share) => total + share, 0)
  for (const { index } of remainders.slice(0, left)) shares[index] = (shares[index] ?? 0) + 1
  return shares
}

/**
 * Returns the tax contained in an amount that includes it, rounded half up to the cent. The rate is in hundredths of a
 * percent.
 */
export function taxIn(amountCents: number, rate: number): number {
  return Math.round((amountCents * rate) / (10_000 + rate))
}

/** Returns major units for JSON: the double nearest to the decimal, which prints with two decimals at most. */
export const toMajor = (amountCents: number): number => amountCents / 100
