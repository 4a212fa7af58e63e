import type { Order, OrderItem } from '../../../core/contract/orders/schema.ts'
import { deductionKinds, type Deduction, type Deductions } from '../schemas/deductions.ts'
import type { BusinessTime } from '../../../core/domain/days/business-time.ts'
import { isOtherItem } from '../../../core/contract/money/classes.ts'
import { countedItems, standingOf } from '../../../core/contract/money/counted.ts'
import { toMinor, unitsOf } from '../../../core/contract/money/decimal.ts'

/** A deduction. `units` is its amount in ten-thousandths of the currency; it is rounded in the answer. */
export type Taken = Omit<Deduction, 'amount'> & { units: number }

/**
 * Returns the total of an item; for a total of 0, which some tills set for canceled or lost items, quantity × price.
 */
function worthOf({ total, unitPrice, quantity }: OrderItem): number {
  const units = unitsOf(total)
  return units === 0 ? Math.round(unitsOf(unitPrice) * quantity) : units
}

const reasonOf = (text: string | null): string | null => (text === null || text.trim() === '' ? null : text)

/** Lists the deductions of one order. Only counted and canceled orders have any. */
export function deductionsOf(order: Order, time: BusinessTime): Taken[] {
  const standing = standingOf(order)
  if (standing !== 'counted' && standing !== 'canceled') return []
  const at = order.closedAt ?? order.openedAt
  const atMs = Date.parse(at)
  const place = {
    orderId: order.id,
    orderNumber: order.orderNumber,
    at,
    businessDay: time.dayOf(atMs),
    hour: String(time.hourOf(atMs)).padStart(2, '0'),
    operatorId: order.operatorId,
    operatorName: order.operatorName,
  }
  const sales = order.items.filter((item) => !isOtherItem(item))
  if (standing === 'canceled') {
    const units = sales.reduce((sum, item) => sum + worthOf(item), 0)
    const reason = reasonOf(order.cancelReason)
    return [{ ...place, kind: 'orderCanceled', description: null, quantity: null, reason, units }]
  }
  const counted = new Set(countedItems(order))
  return sales.flatMap((item): Taken[] => {
    const of = { ...place, description: item.description, quantity: item.quantity }
    if (item.isCanceled)
      return [{ ...of, kind: 'itemCanceled', reason: reasonOf(item.cancelReason), units: worthOf(item) }]
    if (item.isLoss) return [{ ...of, kind: 'loss', reason: reasonOf(item.lossReason), units: worthOf(item) }]
    if (!counted.has(item)) return []
    return item.discountsApplied.map(({ discountName, discountValue }) => ({
      ...of,
      kind: 'discount',
      reason: reasonOf(discountName),
      units: unitsOf(discountValue),
    }))
  })
}

type Sums = Deductions['totals']

type Group = { key: string; name: string; units: Map<Taken['kind'], { count: number; units: number }> }

/** Returns the sum of each kind; 0 for a kind without deductions. */
function toSums({ units }: Pick<Group, 'units'>, decimals: number): Sums {
  const sumOf = (kind: Taken['kind']) => {
    const sum = units.get(kind)
    return { count: sum?.count ?? 0, amount: toMinor(sum?.units ?? 0, 0, decimals) }
  }
  return Object.fromEntries(deductionKinds.map((kind) => [kind, sumOf(kind)])) as Sums
}

const unitsOfAll = ({ units }: Group) => [...units.values()].reduce((sum, one) => sum + one.units, 0)

/** Groups deductions by a key; a group has the name of its latest deduction, because `taken` begins with the latest. */
function groupBy(taken: readonly Taken[], keyOf: (one: Taken) => { key: string; name: string }): Group[] {
  const groups = new Map<string, Group>()
  for (const one of taken) {
    const { key, name } = keyOf(one)
    const group = groups.get(key) ?? { key, name, units: new Map() }
    const sum = group.units.get(one.kind) ?? { count: 0, units: 0 }
    group.units.set(one.kind, { count: sum.count + 1, units: sum.units + one.units })
    groups.set(key, group)
  }
  return [...groups.values()]
}

/**
 * Adds up deductions, the latest first, by operator, hour and reason; the largest sum first, hours in the order of a
 * business day.
 */
export function sumDeductions(
  taken: readonly Taken[],
  { decimals, dayStartsAt }: { decimals: number; dayStartsAt: string },
): Pick<Deductions, 'totals' | 'operators' | 'hours' | 'reasons'> {
  const largest = (a: Group, b: Group) => unitsOfAll(b) - unitsOfAll(a) || (a.key < b.key ? -1 : 1)
  const toRow = ({ key, name, units }: Group) => ({ key, name, ...toSums({ units }, decimals) })
  const first = Number(dayStartsAt.slice(0, 2))
  const placeOf = ({ key }: Group) => (Number(key) - first + 24) % 24
  const [all] = groupBy(taken, () => ({ key: '', name: '' }))
  const reasons = groupBy(taken, ({ kind, reason }) => ({ key: JSON.stringify([kind, reason]), name: '' }))
  return {
    totals: toSums(all ?? { units: new Map() }, decimals),
    operators: groupBy(taken, ({ operatorId, operatorName }) => ({ key: operatorId, name: operatorName }))
      .toSorted(largest)
      .map(toRow),
    hours: groupBy(taken, ({ hour }) => ({ key: hour, name: `${hour}:00` }))
      .toSorted((a, b) => placeOf(a) - placeOf(b))
      .map(toRow),
    reasons: reasons.toSorted(largest).map((group) => {
      const [kind, reason] = JSON.parse(group.key) as [Taken['kind'], string | null]
      const { count = 0, units = 0 } = group.units.get(kind) ?? {}
      return { kind, reason, count, amount: toMinor(units, 0, decimals) }
    }),
  }
}
