import type { PaymentKey } from './card/card-options.ts'
import type { Catalog } from './card/catalog.ts'
import { allocate } from './cents.ts'
import { dueOf, type Draft } from './drafts.ts'
import { close, type Step } from './lives.ts'
import type { Random } from './random.ts'

/** The maximum that French meal vouchers pay per person and day, in cents. */
const mealLimitCents = 2500
const voucherCents = 950

const atLunch = { card: 60, cash: 14, mealCard: 18, mealVoucher: 5, giftCard: 2 } as const
const otherwise = { card: 72, cash: 25, mealCard: 0, mealVoucher: 0, giftCard: 3 } as const
const keys = Object.keys(atLunch) as (keyof typeof atLunch)[]

export function pay(draft: Draft, catalog: Catalog, key: PaymentKey, cents: number): void {
  if (cents > 0) draft.payments.push({ method: catalog.payments[key], cents })
}

/** The share of one payer; `people` is the number of guests it covers. */
type Share = { cents: number; lunch: boolean; people: number }

/** Pays one share, with one payment method, or with a meal voucher and a card for the rest. */
function settle(draft: Draft, random: Random, catalog: Catalog, { cents, lunch, people }: Share): void {
  const weights = lunch ? atLunch : otherwise
  const key = random.weighted(keys, (key) => weights[key])
  const limit = mealLimitCents * Math.max(1, people)
  let first = cents
  if (key === 'mealCard') first = Math.min(cents, limit)
  if (key === 'mealVoucher') first = Math.floor(Math.min(cents, limit) / voucherCents) * voucherCents
  if (key === 'giftCard') first = Math.min(cents, random.int(2, 10) * 500)
  pay(draft, catalog, key, first)
  pay(draft, catalog, random.chance(0.7) ? 'card' : 'cash', cents - first)
}

function tip(draft: Draft, random: Random, catalog: Catalog): void {
  const method = draft.payments.at(-1)?.method
  const { card, cash } = catalog.payments
  if (draft.isTraining || !method || (method !== card && method !== cash) || !random.chance(0.09)) return
  draft.tips.push({ cents: random.int(1, 8) * (draft.guests > 3 ? 200 : 100), method })
}

export type Bill = { from: number; until: number; payers: number; lunch: boolean }

/**
 * Makes the steps that pay the amount due at that time, by one payer after another in equal shares to the cent; the
 * last step closes the order.
 */
export function paymentSteps(random: Random, catalog: Catalog, bill: Bill): Step[] {
  const { from, until, payers } = bill
  let shares: number[] | undefined
  return Array.from({ length: payers }, (_, index): Step => ({
    at: payers === 1 ? until : from + ((until - from) * index) / (payers - 1),
    run: (draft) => {
      shares ??= allocate(
        dueOf(draft),
        Array.from({ length: payers }, () => 1),
      )
      settle(draft, random, catalog, {
        cents: shares[index] ?? 0,
        lunch: bill.lunch,
        people: Math.floor(draft.guests / payers),
      })
      if (index < payers - 1) return
      tip(draft, random, catalog)
      close(draft)
    },
  }))
}
