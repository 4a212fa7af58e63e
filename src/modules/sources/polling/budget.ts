import { hash } from 'node:crypto'
import type { Pull } from '../adapters/pull.ts'

/**
 * Spreads requests to stay within a system's rate limit, over all sources with the same token. A process knows only its
 * own requests.
 */
export class Budgets {
  readonly #at = new Map<string, number[]>()

  /** Returns how many milliseconds the next request of this token must wait, and counts it as made after that wait. */
  take(
    secret: string,
    { baseUrl, budget: { requests, perMs } }: Pick<Pull, 'baseUrl' | 'budget'>,
    nowMs: number,
  ): number {
    const key = `${baseUrl} ${hash('sha256', secret)}`
    const made = (this.#at.get(key) ?? []).filter((at) => at > nowMs - perMs)
    const first = made.at(-requests)
    const at = first === undefined ? nowMs : Math.max(nowMs, first + perMs)
    this.#at.set(key, [...made, at])
    return at - nowMs
  }
}
