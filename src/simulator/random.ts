import { hash } from 'node:crypto'

/** A stream of chance. The same parts give the same stream for ever: no draw depends on another stream's draws. */
export type Random = {
  /** [0, 1) */
  next(): number
  /** Whole number, both ends included. */
  int(min: number, max: number): number
  between(min: number, max: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
  /** Weights need not add up to 1; all zero picks the last. */
  weighted<T>(list: readonly T[], weight: (entry: T) => number): T
  normal(mean: number, deviation: number): number
  poisson(mean: number): number
}

const digest = (parts: readonly (string | number)[]) => hash('sha256', parts.join('\u0000'), 'hex')

/** sfc32 seeded with 128 bits of the SHA-256 of the parts; passes PractRand, one draw is a few nanoseconds. */
function sfc32(hex: string): () => number {
  const word = (index: number) => Number.parseInt(hex.slice(index * 8, index * 8 + 8), 16) | 0
  let [a, b, c, d] = [word(0), word(1), word(2), word(3)] as [number, number, number, number]
  return () => {
    const sum = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 4_294_967_296
  }
}

/** The stream that belongs to these parts, for example seed, purpose and date. */
export function randomOf(...parts: readonly (string | number)[]): Random {
  const next = sfc32(digest(parts))
  const normal = (mean: number, deviation: number) =>
    mean + deviation * Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
  return {
    next,
    normal,
    int: (min, max) => min + Math.floor(next() * (max - min + 1)),
    between: (min, max) => min + next() * (max - min),
    chance: (probability) => next() < probability,
    pick: (list) => list[Math.floor(next() * list.length)] as (typeof list)[number],
    weighted: (list, weight) => {
      let left = next() * list.reduce((sum, entry) => sum + weight(entry), 0)
      const found = list.find((entry) => (left -= weight(entry)) < 0)
      return found ?? (list.at(-1) as (typeof list)[number])
    },
    poisson: (mean) => {
      // Knuth's product is exact; past 30 the normal approximation is close and needs two draws instead of `mean`.
      if (mean > 30) return Math.max(0, Math.round(normal(mean, Math.sqrt(mean))))
      const limit = Math.exp(-mean)
      let count = 0
      for (let product = next(); product > limit; product *= next()) count += 1
      return count
    },
  }
}

/** UUID version 8 (RFC 9562: contents are the maker's own) of the SHA-256 of the parts. */
export function idOf(...parts: readonly (string | number)[]): string {
  const hex = digest(parts)
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
