import { discountCard, reasons, type DiscountKey } from './card/card-options.ts'
import type { Catalog } from './card/catalog.ts'
import { allocate } from './cents.ts'
import { addLoss, isPlain, splitOne } from './choices.ts'
import { dueOf, isCounted, netOf, type Draft } from './drafts.ts'
import type { Life } from './lives.ts'
import type { Random } from './random.ts'

/** Cancels one unit of a line, with a reason. Dishes of a formule stay: a formule is sold whole. */
export function voidOne(draft: Draft, random: Random): void {
  const lines = draft.lines.filter(isPlain)
  if (lines.length > 0) splitOne(draft, random.pick(lines)).cancelReason = random.pick(reasons.void)
}

/** Makes a dish again: the lost dish stays on the order, but not on the bill. */
export function loseOne(draft: Draft, random: Random): void {
  const lines = draft.lines.filter((line) => isCounted(line) && line.grams === null && line.dish.prices[line.tier])
  if (lines.length === 0) return
  const { dish, tier } = random.pick(lines)
  addLoss(draft, dish, tier, random.pick(reasons.loss))
}

function spread(draft: Draft, catalog: Catalog, key: DiscountKey, cents: number): void {
  const lines = draft.lines.filter((line) => isCounted(line) && netOf(line) > 0)
  const shares = lines.length > 0 ? allocate(cents, lines.map(netOf)) : []
  for (const [index, line] of lines.entries()) {
    const share = shares[index] ?? 0
    if (share > 0) line.discounts.push({ discount: catalog.discounts[key], cents: share })
  }
}

/** Takes a discount off the whole bill, or gives one small thing away. */
export function discountBill(draft: Draft, random: Random, catalog: Catalog): void {
  const due = dueOf(draft)
  const treats = draft.lines.filter((line) => isPlain(line) && ['coffee', 'dessert', 'spirit'].includes(line.dish.role))
  const roll = random.next()
  if (draft.customerId !== '' && roll < 0.6) {
    spread(draft, catalog, 'loyalty', Math.round((due * discountCard.loyalty.percent) / 100))
  } else if (treats.length > 0 && roll < 0.75) {
    const line = splitOne(draft, random.pick(treats))
    line.discounts.push({ discount: catalog.discounts.house, cents: netOf(line) })
  } else if (roll < 0.85 && draft.guests <= 4) {
    spread(draft, catalog, 'student', Math.round((due * discountCard.student.percent) / 100))
  } else if (roll < 0.92 && draft.guests <= 2) {
    spread(draft, catalog, 'staff', Math.round((due * discountCard.staff.percent) / 100))
  } else if (due > 4 * discountCard.gesture.cents) spread(draft, catalog, 'gesture', discountCard.gesture.cents)
}

/** Plans to move one dish from `from` to `to` while both are at their tables; nothing if they never are. */
export function moveDish(random: Random, from: Life, to: Life): void {
  if (!from.movable || !to.movable) return
  const earliest = Math.max(from.movable.from, to.movable.from)
  const latest = Math.min(from.movable.until, to.movable.until) - 1000
  if (earliest >= latest) return
  const at = random.between(earliest, latest)
  const moved: Draft['lines'] = []
  from.steps.push({
    at,
    run: (draft) => {
      const lines = draft.lines.filter(isPlain)
      if (lines.length < 2) return
      const line = splitOne(draft, random.pick(lines))
      draft.lines.splice(draft.lines.indexOf(line), 1)
      moved.push(line)
    },
  })
  to.steps.push({
    at: at + 900,
    run: (draft) => {
      const transferReason = `Table ${from.draft.place} → table ${draft.place}`
      for (const line of moved) draft.lines.push({ ...line, transferReason })
    },
  })
}
