import type { Dish, Formule, ModifierGroup, Option, Price, Tier } from './card/catalog.ts'
import { allocate } from './cents.ts'
import { isCounted, type Draft, type DraftItem } from './drafts.ts'
import { idOf, type Random } from './random.ts'

type Chosen = { groupId: string; option: Option }

function chooseOption(random: Random, group: ModifierGroup, onlyFree: boolean): Chosen[] {
  const options = onlyFree ? group.options.filter((option) => option.cents === 0) : group.options
  if (options.length === 0 || !(group.asked || random.chance(0.3))) return []
  return [{ groupId: group.id, option: random.pick(options) }]
}

/** Returns whether a line is unchanged since it was ordered, and not part of a formule. */
export function isPlain(line: DraftItem): boolean {
  return isCounted(line) && line.transferReason === null && line.discounts.length === 0 && line.menuId === null
}

const isCountable = (line: DraftItem) => isPlain(line) && line.grams === null && line.modifiers.length === 0

/** Adds one unit of a dish, to an equal line if there is one. The dish must be sold under the tier. */
export function addDish(draft: Draft, random: Random, dish: Dish, tier: Tier): DraftItem {
  const price = dish.prices[tier] as Price
  const modifiers = dish.modifiers.flatMap((group) => chooseOption(random, group, false))
  const same = draft.lines.find((line) => isCountable(line) && line.dish === dish && line.tier === tier)
  if (same && modifiers.length === 0 && !dish.byWeight) {
    same.quantity += 1
    return same
  }
  const unitCents = modifiers.reduce((cents, { option }) => cents + option.cents, price.cents)
  const grams = dish.byWeight ? random.int(70, 240) * 5 : null
  const line: DraftItem = { ...blankLine(dish, tier, price), unitCents, grams, modifiers }
  draft.lines.push(line)
  return line
}

function blankLine(dish: Dish, tier: Tier, price: Price): DraftItem {
  return {
    dish,
    tier,
    price,
    unitCents: price.cents,
    quantity: 1,
    grams: null,
    modifiers: [],
    discounts: [],
    cancelReason: null,
    lossReason: null,
    transferReason: null,
    menuId: null,
  }
}

/**
 * Adds a formule: one line per course. The price is shared in proportion to the single prices of the courses, so that
 * every VAT rate gets its part and the lines add up to the price exactly. Its dishes take free modifiers only.
 */
export function addFormule(draft: Draft, random: Random, formule: Formule): void {
  const { tier } = formule
  const dishes = formule.courses.map((course) => random.weighted(course, (dish) => dish.popularity))
  const prices = dishes.map((dish) => dish.prices[tier] as Price)
  const shares = allocate(
    formule.cents,
    prices.map((price) => price.cents),
  )
  const menuId = idOf(draft.id, 'menu', draft.menus.length)
  draft.menus.push({ id: menuId, formule })
  for (const [index, dish] of dishes.entries()) {
    const modifiers = dish.modifiers.flatMap((group) => chooseOption(random, group, true))
    const unitCents = shares[index] as number
    draft.lines.push({ ...blankLine(dish, tier, prices[index] as Price), unitCents, modifiers, menuId })
  }
}

/** Splits one unit off a line: the line itself, or a copy if it has more than one. */
export function splitOne(draft: Draft, line: DraftItem): DraftItem {
  if (line.quantity === 1) return line
  line.quantity -= 1
  const one: DraftItem = { ...line, quantity: 1, modifiers: [...line.modifiers], discounts: [] }
  draft.lines.splice(draft.lines.indexOf(line) + 1, 0, one)
  return one
}

export function addLoss(draft: Draft, dish: Dish, tier: Tier, lossReason: string): void {
  draft.lines.push({ ...blankLine(dish, tier, dish.prices[tier] as Price), lossReason })
}
