import { Webhook } from 'standardwebhooks'
import type { Receipt } from './receiver.ts'
import { order, versionOf, type PushedRecord } from './records.ts'

/** Returns a new, paid order: one change with the events `order.created` and `order.paid`. */
export const one = (locationId: string, n: number): PushedRecord => order(versionOf(locationId, n, 1))

/** Returns `count` new, paid orders, starting with the number `from`. */
export const many = (locationId: string, from: number, count: number): PushedRecord[] =>
  Array.from({ length: count }, (_, i) => one(locationId, from + i))

/** Returns the numbers of delivered events, in the order of arrival. */
export const numbersOf = (receipts: readonly Receipt[]): number[] => receipts.map(({ event }) => event.sequence)

export const ascending = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => a - b)

/**
 * Verifies a request with the Standard Webhooks library, which also requires a timestamp within five minutes of now.
 */
export function isSignedWith(secret: string, { headers, body }: Pick<Receipt, 'headers' | 'body'>): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}
