import type { Report } from '../src/core/contract/reports/schema.ts'
import type { Random } from './random.ts'

type Entry = Report['reportEntries'][number]

const purchases = ['Boulangerie', 'Primeur', 'Droguerie', 'Fleurs', 'Glaçons']

export type Drawer = { initialCents: number; finalCents: number; entries: Entry[] }

/** Draws the difference of the counted cash from the expected amount: rarely, and mostly a small one. */
function countDifference(random: Random): number {
  if (!random.chance(0.09)) return 0
  const cents = random.chance(0.8) ? random.int(5, 300) : random.int(4, 40) * 50
  return random.chance(0.4) ? cents : -cents
}

/**
 * Keeps the cash drawer over a business day. It opens and ends with the float: the excess goes to the bank, a shortage
 * comes from the safe, so each day begins with the final balance of the day before. Tips paid by card leave in cash.
 *
 * finalCents = initialCents + cashCents + every entry but the opening float.
 */
export function keepDrawer(random: Random, floatCents: number, cashCents: number, cardTipCents: number): Drawer {
  const entries: Entry[] = [{ entryName: 'Fond de caisse', entryAmount: floatCents, entryType: 'opening_float' }]
  let balance = floatCents + cashCents
  const move = (entryName: string, entryAmount: number, entryType: string) => {
    entries.push({ entryName, entryAmount, entryType })
    balance += entryAmount
  }
  if (random.chance(0.15)) move('Appoint de monnaie', 5000, 'cash_in')
  if (random.chance(0.35)) move(random.pick(purchases), -random.int(450, 6500), 'expense')
  if (random.chance(0.1)) move('Ouverture du tiroir', 0, 'no_sale')
  if (balance > 80_000) move('Prélèvement vers le coffre', -40_000, 'cash_out')
  if (cardTipCents > 0) move('Pourboires carte reversés', -cardTipCents, 'tip_out')
  const difference = countDifference(random)
  if (difference !== 0) move('Écart de caisse', difference, difference > 0 ? 'count_overage' : 'count_shortage')
  if (balance > floatCents) move('Remise en banque', floatCents - balance, 'bank_deposit')
  if (balance < floatCents) move('Appoint du coffre', floatCents - balance, 'cash_in')
  return { initialCents: floatCents, finalCents: balance, entries }
}
