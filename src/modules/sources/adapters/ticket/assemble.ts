import { allot } from '../../../../core/contract/money/allot.ts'
import type { Order, OrderItem } from '../../../../core/contract/orders/schema.ts'
import { weightUnits, type Ticket, type TicketItem } from '../../schemas/tickets.ts'
import { money, priceOf, sumOfRates, toAmount } from './amounts.ts'
import { idOf } from './ids.ts'

/** The target of a ticket: the location, and the decimals of its currency's minor unit. */
export type Target = { locationId: string; decimals: number }

/** A ticket that contradicts its system's own figures. Amounts in `detail` are in major units. */
export type Refusal = { pointer: string; code: 'ticket_differs'; detail: string }

type Discounts = NonNullable<TicketItem['discounts']>

type Taxes = NonNullable<TicketItem['taxes']>

/** An item with its share of the discounts of the whole ticket; amounts in minor units. */
type Line = { item: TicketItem; discounts: Discounts; amount: number; taxes: Taxes; isCounted: boolean }

const sumOf = <T>(list: readonly T[], of: (one: T) => number) => list.reduce((sum, one) => sum + of(one), 0)

const addedTax = ({ taxes }: Line) => sumOf(taxes, ({ mode, amount }) => (mode === 'added' ? amount : 0))

const includedTax = ({ taxes }: Line) => sumOf(taxes, ({ mode, amount }) => (mode === 'included' ? amount : 0))

const taxOfLine = ({ taxes }: Line) => sumOf(taxes, ({ amount }) => amount)

const totalOf = (line: Line) => line.amount + addedTax(line)

/** Subtracts an amount from the included taxes of a line. */
function takeTax(line: Line, taken: number): void {
  const weights = line.taxes.map(({ mode, amount }) => (mode === 'included' ? amount : 0))
  const parts = allot(taken, weights)
  line.taxes = line.taxes.map((tax, i) => ({ ...tax, amount: tax.amount - (parts[i] as number) }))
}

/** Identifies the tax rates of an item, to share discounts of the whole ticket within each rate. */
const rateOf = ({ taxes = [] }: TicketItem) => taxes.map(({ key, rate }) => `${key} ${rate}`).join('+')

/**
 * Shares the discounts of the whole ticket: first among the tax rates, then among the items of each rate, in
 * proportion to price, by the largest-remainder method. So the shares of a rate do not depend on its number of items.
 * With `shrinks`, taxes included in amounts are reduced by the share of the discount: 1.00 off 27.50 with 2.50 of tax
 * leaves 2.41.
 */
function linesOf({ items, discounts: ticketDiscounts = [] }: Ticket, shrinks: boolean): Line[] {
  const lines = items.map((item): Line => {
    const { discounts = [], amount, taxes = [], state } = item
    return {
      item,
      discounts: [...discounts],
      amount,
      taxes: [...taxes],
      isCounted: state === undefined,
    }
  })
  for (const discount of ticketDiscounts) {
    const rates = [
      ...Map.groupBy(
        lines.filter(({ isCounted }) => isCounted),
        ({ item }) => rateOf(item),
      ).values(),
    ]
    const ofRates = allot(
      discount.amount,
      rates.map((rate) => sumOf(rate, ({ amount }) => amount)),
    )
    for (const [i, rate] of rates.entries()) {
      const ofRate = ofRates[i] as number
      const costs = rate.map(({ amount }) => amount)
      const shares = allot(ofRate, costs)
      const [taxTaken = 0] = allot(sumOf(rate, includedTax), [ofRate, sumOf(rate, ({ amount }) => amount) - ofRate])
      const taxShares = allot(taxTaken, shares)
      for (const [j, line] of rate.entries()) {
        const amount = shares[j] as number
        if (amount === 0) continue
        line.discounts.push({ ...discount, amount })
        line.amount -= amount
        if (shrinks) takeTax(line, taxShares[j] as number)
      }
    }
  }
  return lines
}

/**
 * Combines the taxes of an item: rates and amounts added, names and sorted keys joined. Without taxes the key is `0`.
 */
function taxOf(ticket: Ticket, { taxes }: Line, decimals: number): OrderItem['tax'] {
  if (taxes.length === 0) {
    return { taxName: 'No tax', taxRate: 0, taxAmount: 0, taxCatalogId: idOf(ticket, 'tax', '0') }
  }
  const key = taxes
    .map((tax) => tax.key)
    .toSorted()
    .join('+')
  return {
    taxName: taxes.map(({ name }) => name).join(' + '),
    taxRate: sumOfRates(taxes.map(({ rate }) => rate)),
    taxAmount: toAmount(
      sumOf(taxes, ({ amount }) => amount),
      decimals,
    ),
    taxCatalogId: idOf(ticket, 'tax', key),
  }
}

const isWeight = (unit: string | undefined) => weightUnits.some((known) => known === unit)

function itemOf(ticket: Ticket, line: Line, decimals: number): OrderItem {
  const { item, discounts } = line
  const { name, product, quantity, unit, modifiers = [], category = '', sub = '', tier = '', menu, kind } = item
  const total = totalOf(line)
  const taken = sumOf(discounts, (discount) => discount.amount)
  const reason = item.reason ?? null
  return {
    description: name,
    quantity,
    weight: isWeight(unit) ? quantity : null,
    unitPrice: priceOf(total + taken, quantity, decimals),
    total: toAmount(total, decimals),
    category,
    subCategory: sub,
    isCanceled: item.state === 'canceled',
    cancelReason: item.state === 'canceled' ? reason : null,
    tier,
    isTransferred: false,
    transferReason: null,
    discountsApplied: discounts.map((discount) => ({
      discountName: discount.name,
      discountValue: toAmount(discount.amount, decimals),
      discountCatalogId: idOf(ticket, 'discount', discount.key ?? discount.name),
    })),
    ...(modifiers.length === 0
      ? {}
      : { modifiers: modifiers.map((modifier) => modifierOf(ticket, modifier, decimals)) }),
    tax: taxOf(ticket, line, decimals),
    itemCatalogId: idOf(ticket, 'product', product ?? name),
    isLoss: item.state === 'loss',
    lossReason: item.state === 'loss' ? reason : null,
    comboParentId: menu === undefined ? null : idOf(ticket, 'menu', `${ticket.key}:${menu}`),
    ...(kind === undefined ? {} : { kind }),
  }
}

function modifierOf(ticket: Ticket, modifier: NonNullable<TicketItem['modifiers']>[number], decimals: number) {
  const { group, key, name, amount, quantity } = modifier
  return {
    modifierGroupId: idOf(ticket, 'modifier-group', group?.key ?? ''),
    modifierId: idOf(ticket, 'modifier', key),
    name,
    ...(amount === undefined ? {} : { price: toAmount(amount, decimals) }),
    ...(quantity === undefined ? {} : { quantity }),
  }
}

function paymentsOf(ticket: Ticket, decimals: number): Pick<Order, 'payments' | 'tips'> {
  const { payments, rounding = 0 } = ticket
  const idOfPayment = (key: string) => idOf(ticket, 'payment', key)
  const tips = payments.flatMap(({ key, tip = 0 }) =>
    tip === 0 ? [] : [{ amount: toAmount(tip, decimals), paymentCatalogId: idOfPayment(key) }],
  )
  const paid = payments.map(({ name, key, amount }) => ({
    paymentAmount: toAmount(amount, decimals),
    paymentName: name,
    paymentCatalogId: idOfPayment(key),
  }))
  // A payment of the negative rounding, so that the payments add up to the total.
  const rounded = {
    paymentAmount: toAmount(0 - rounding, decimals),
    paymentName: 'Rounding',
    paymentCatalogId: idOfPayment('rounding'),
  }
  return { payments: rounding === 0 ? paid : [...paid, rounded], tips: tips.length === 0 ? null : tips }
}

/** A total as the system states it, and as computed; `within` is the difference tolerated because taxes are rounded. */
type Held = { name: string; stated: number | undefined; made: number; what: string; within?: number }

function differenceOf({ name, stated, made, what, within = 0 }: Held, decimals: number): Refusal | undefined {
  if (stated === undefined || Math.abs(stated - made) <= within) return undefined
  const [one, other, off] = [stated, made, stated - made].map((minor) => money(minor, decimals))
  const detail = `said.${name} is ${one}, but ${what} ${other}: a difference of ${off}`
  return { pointer: `/said/${name}`, code: 'ticket_differs', detail }
}

/** Compares the ticket with its system's own figures; only half a minor unit per line counts as rounding of a tax. */
function findDifference(
  { said = {}, payments }: Ticket,
  counted: readonly Line[],
  decimals: number,
): Refusal | undefined {
  const total = sumOf(counted, totalOf)
  const tax = sumOf(counted, taxOfLine)
  const tips = sumOf(payments, ({ tip = 0 }) => tip)
  const paid = sumOf(payments, ({ amount }) => amount)
  const held: Held[] = [
    { name: 'total', stated: said.total, made: total, what: 'the items add up to' },
    { name: 'tax', stated: said.tax, made: tax, what: 'the taxes of the items add up to', within: counted.length / 2 },
    { name: 'tips', stated: said.tips, made: tips, what: 'the tips of the payments add up to' },
    { name: 'payments', stated: said.payments, made: paid, what: 'the payments add up to' },
  ]
  for (const one of held) {
    const refusal = differenceOf(one, decimals)
    if (refusal) return refusal
  }
  return undefined
}

/**
 * Returns the lines of a ticket. Discounts of the whole ticket reduce taxes, unless the system states taxes after
 * discounts.
 */
function shrunkLinesOf(ticket: Ticket): Line[] {
  const shrunk = linesOf(ticket, true)
  const stated = ticket.said?.tax
  if (stated === undefined || (ticket.discounts ?? []).length === 0) return shrunk
  const isRight = (lines: readonly Line[]) => {
    const counted = lines.filter(({ isCounted }) => isCounted)
    return Math.abs(sumOf(counted, taxOfLine) - stated) <= counted.length / 2
  }
  const asStated = linesOf(ticket, false)
  return !isRight(shrunk) && isRight(asStated) ? asStated : shrunk
}

/** Makes the order of a ticket, or reports how it contradicts its system. The ticket is valid by its schema. */
export function assembleTicket(
  ticket: Ticket,
  { locationId, decimals }: Target,
): { order: Order } | { refusal: Refusal } {
  const lines = shrunkLinesOf(ticket)
  const counted = lines.filter(({ isCounted }) => isCounted)
  const refusal = findDifference(ticket, counted, decimals)
  if (refusal) return { refusal }
  const { menus = [], state = 'sale', closing, refundOf } = ticket
  const sum = (of: (line: Line) => number) => toAmount(sumOf(counted, of), decimals)
  const order: Order = {
    id: idOf(ticket, 'order', ticket.key),
    deviceId: idOf(ticket, 'device', ticket.device?.key ?? ''),
    createdAt: ticket.opened,
    updatedAt: ticket.version,
    locationId,
    reportId: closing === undefined ? null : idOf(ticket, 'report', closing),
    openedAt: ticket.opened,
    closedAt: ticket.closed ?? null,
    guests: ticket.guests ?? 0,
    orderPlace: ticket.place ?? '',
    orderNumber: ticket.number ?? '',
    operatorId: idOf(ticket, 'operator', ticket.operator?.key ?? ''),
    operatorName: ticket.operator?.name ?? '',
    total: sum(totalOf),
    totalTax: sum(taxOfLine),
    totalDiscount: sum(({ discounts }) => sumOf(discounts, (discount) => discount.amount)),
    customerId: ticket.customer ?? '',
    isCanceled: state === 'canceled',
    isTransferred: false,
    transferReason: null,
    cancelReason: state === 'canceled' ? (ticket.reason ?? null) : null,
    items: lines.map((line) => itemOf(ticket, line, decimals)),
    menus: menus.map(({ key, product, name, quantity, amount }) => ({
      id: idOf(ticket, 'menu', `${ticket.key}:${key}`),
      menuCatalogId: idOf(ticket, 'product', product ?? name),
      name,
      quantity,
      unitPrice: priceOf(amount, quantity, decimals),
      total: toAmount(amount, decimals),
    })),
    ...paymentsOf(ticket, decimals),
    channel: ticket.channel ?? 'pos',
    serviceType: ticket.service ?? 'eat_in',
    isTraining: state === 'training',
    source: ticket.source,
    externalLocationId: ticket.account,
    externalOrderId: ticket.key,
    ...(refundOf === undefined ? {} : { refundOf: idOf(ticket, 'order', refundOf) }),
  }
  return { order }
}
