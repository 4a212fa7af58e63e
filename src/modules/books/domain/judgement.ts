import type { BookReason, BookWarning } from '../schemas/books.ts'
import type { AccountFinder } from './accounts.ts'
import { EntryMaker, type Draft, type UnmappedAmount } from './entry.ts'
import type { BookSums } from './sums.ts'

/** Facts about a source that are not in its sums. */
export type Circumstances = {
  currency: string
  /** Whether a day without a Z is complete; not used for a Z. */
  isDayComplete: boolean
  /** Ids of orders that another Z names too. */
  doubled: readonly string[]
  /** The cash that the till's previous Z left in the drawer, in minor units; undefined if unknown. */
  drawerBefore: number | undefined
  isAccepted: boolean
}

/** Whether a source can be booked now, and why not. */
export type Judgement = {
  standing: 'waiting' | 'refused' | 'ready' | 'empty'
  reasons: BookReason[]
  warnings: BookWarning[]
  drafts: Draft[]
  unmapped: UnmappedAmount[]
}

const namedAtMost = 100

const sumOf = (amounts: readonly { amount: number }[]): number => amounts.reduce((sum, { amount }) => sum + amount, 0)

const about = (code: BookReason['code'], parts: Partial<BookReason>): BookReason => ({
  code,
  key: null,
  reported: null,
  computed: null,
  difference: null,
  orderIds: [],
  ...parts,
})

/**
 * Returns a reason if the drawer does not have the expected cash. The location or the mapping says which payments are
 * cash.
 */
function cashReason({ source, stated, orders }: BookSums, finder: AccountFinder): BookReason[] {
  const { entries, initial, final } = stated
  if (source.type === 'day' || (entries.length === 0 && initial === 0 && final === 0)) return []
  const taken = orders.payments.reduce(
    (sum, { name, amount, cash }) => sum + (finder.paymentRow(name)?.cash && cash === 0 ? amount : cash),
    0,
  )
  const moves = sumOf(entries.filter(({ entryType }) => entryType !== 'opening_float'))
  const computed = initial + moves + taken
  if (final === computed) return []
  return [about('cash', { reported: final, computed, difference: final - computed })]
}

/** Whether a difference of tax between a Z and its orders is within the tolerance, in minor units. */
const isTolerated = ({ code, difference }: BookReason, tolerance: number): boolean =>
  (code === 'tax_amount' || code === 'taxable_amount') && difference !== null && Math.abs(difference) <= tolerance

function elsewhere(sums: BookSums, doubled: readonly string[]): BookReason[] {
  const known = sums.reasons.find(({ code }) => code === 'elsewhere')
  const ids = [...new Set([...(known?.orderIds ?? []), ...doubled])].toSorted()
  return ids.length === 0 ? [] : [about('elsewhere', { orderIds: ids.slice(0, namedAtMost) })]
}

function reasonsOf(sums: BookSums, finder: AccountFinder, { isDayComplete, doubled }: Circumstances): BookReason[] {
  const { accounts } = finder
  const { overpaid, unpaid } = sums.orders
  // A day whose orders are all in a Z cannot be incomplete.
  const hasOrders = sums.orders.splits.length + sums.orders.payments.length > 0
  const isOpenDay = sums.source.type === 'day' && hasOrders && (!isDayComplete || accounts.withoutReport === 'refuse')
  return [
    ...(isOpenDay ? [about('incomplete', {})] : []),
    ...sums.reasons
      .filter(({ code }) => code !== 'elsewhere')
      .filter((one) => !isTolerated(one, accounts.taxTolerance)),
    ...elsewhere(sums, doubled),
    ...cashReason(sums, finder),
    ...(accounts.discounts === 'gross' ? sums.discountReasons : []),
    ...(overpaid.amount !== 0 && !finder.optional('overpaid')
      ? [about('overpaid', { difference: overpaid.amount, orderIds: overpaid.orderIds })]
      : []),
    ...(unpaid.amount !== 0 && !finder.optional('unpaid')
      ? [about('unpaid', { difference: 0 - unpaid.amount, orderIds: unpaid.orderIds })]
      : []),
  ]
}

function warningsOf(sums: BookSums, { drawerBefore, isAccepted }: Circumstances): BookWarning[] {
  const { tips, canceledPaid } = sums.orders
  const warning = (code: BookWarning['code'], amount: number): BookWarning[] => (amount === 0 ? [] : [{ code, amount }])
  const gap = drawerBefore === undefined ? 0 : sums.stated.initial - drawerBefore
  return [
    ...(isAccepted ? [{ code: 'accepted' as const, amount: null }] : []),
    ...warning('cash_tips_not_booked', sumOf(tips.outsideCash)),
    ...warning('tip_without_payment', tips.withoutPayment),
    ...warning('tip_partly_inside', tips.partlyInside),
    ...(sums.severalDays ? [{ code: 'several_days' as const, amount: null }] : []),
    ...warning('drawer_gap', gap),
    ...warning('canceled_paid', canceledPaid),
  ]
}

/** Returns whether a Z, or a day without one, can be accepted: not if it would be booked twice. */
const canAccept = (reasons: readonly BookReason[]): boolean => !reasons.some(({ code }) => code === 'elsewhere')

const isWaiting = ({ source }: BookSums, finder: AccountFinder, reasons: readonly BookReason[]): boolean =>
  reasons.some(
    ({ code }) =>
      code === 'missing' ||
      code === 'open' ||
      (code === 'incomplete' && source.type === 'day' && finder.accounts.withoutReport === 'day'),
  )

/** Returns whether a source can be booked with a mapping, the reasons if not, and its entries if it is ready. */
export function judge(sums: BookSums, finder: AccountFinder, circumstances: Circumstances): Judgement {
  const reasons = reasonsOf(sums, finder, circumstances)
  const isAccepted = circumstances.isAccepted && reasons.length > 0 && canAccept(reasons)
  const warnings = warningsOf(sums, { ...circumstances, isAccepted })
  if (reasons.length > 0 && !isAccepted) {
    const standing = isWaiting(sums, finder, reasons) ? 'waiting' : 'refused'
    return { standing, reasons, warnings, drafts: [], unmapped: [] }
  }
  const maker = new EntryMaker(finder, circumstances.currency)
  const drafts = maker.make(sums, isAccepted)
  const wrong = drafts.find(({ totals }) => totals.debit !== totals.credit)
  if (wrong) {
    // The amounts have more decimals than the currency, and their rounded sum differs from the sum of the rounded
    // amounts.
    const { debit: reported, credit: computed } = wrong.totals
    const reason = about('order_total', { reported, computed, difference: reported - computed })
    return { standing: 'refused', reasons: [reason], warnings, drafts: [], unmapped: [] }
  }
  return {
    standing: drafts.length === 0 ? 'empty' : 'ready',
    reasons: isAccepted ? reasons : [],
    warnings,
    drafts,
    unmapped: maker.unmapped,
  }
}
