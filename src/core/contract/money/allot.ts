/**
 * Divides an integer in proportion to weights. The remainder goes to the parts with the largest fractions; if fractions
 * are equal, the first part comes first. Negating amount and weights negates the parts. If the weights sum to 0, all
 * parts are 0.
 */
export function allot(amount: number, weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  if (total === 0) return weights.map(() => 0)
  if (total < 0) {
    return allot(
      -amount,
      weights.map((weight) => -weight),
    ).map((part) => 0 - part)
  }
  if (amount < 0) return allot(-amount, weights).map((part) => 0 - part)
  // BigInt, since the product of two amounts may exceed the safe integers.
  const shares = weights.map((weight) => {
    const product = BigInt(amount) * BigInt(weight)
    const by = BigInt(total)
    const floor = product >= 0n ? product / by : -((-product + by - 1n) / by)
    return { part: Number(floor), rest: product - floor * by }
  })
  const left = amount - shares.reduce((sum, { part }) => sum + part, 0)
  const byRemainder = shares.map(({ rest }, i) => ({ i, rest })).toSorted((a, b) => Number(b.rest - a.rest))
  const parts = shares.map(({ part }) => part)
  for (const { i } of byRemainder.slice(0, left)) parts[i] = (parts[i] as number) + 1
  return parts
}
