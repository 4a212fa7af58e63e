import type { Ticket, TicketItem, TicketPayment } from '../../src/modules/sources/schemas/tickets.ts'
import {
  foreign,
  isoMinorReader,
  mapEach,
  newestOf,
  newMapped,
  note,
  noteUnknown,
  type Profile,
  takeTip,
  textOr,
  toUtc,
  Unreadable,
  usualPaymentNames,
  type Mapped,
} from '../../src/modules/sources/adapters/adapter.ts'
import { jsonAdapter, Reading, type Json } from '../../src/modules/sources/adapters/json-documents.ts'
import { skippedBy } from '../../src/modules/sources/adapters/not-read.ts'

// Square: pages of SearchOrders, or orders alone. Amounts are integers of the minor unit of ISO 4217; a tender contains its tip, a
// payment does not.

type Minor = (money: Json) => number

/** Returns a function that converts integers of the minor unit of ISO 4217, as Square has them: 500 yen are 500. */
export function minorOf(currency: string): Minor {
  const read = isoMinorReader(currency)
  return (money) => read(money?.amount)
}

type Square = { minor: Minor; mapped: Mapped; profile: Profile; tenders: ReadonlyMap<string, Json> }

const weights: Record<string, NonNullable<TicketItem['unit']>> = {
  METRIC_KILOGRAM: 'kg',
  METRIC_GRAM: 'g',
  IMPERIAL_POUND: 'lb',
  IMPERIAL_WEIGHT_OUNCE: 'oz',
}

const paymentNames: Record<string, string> = {
  CARD: usualPaymentNames.card,
  CASH: usualPaymentNames.cash,
  SQUARE_GIFT_CARD: usualPaymentNames.giftCard,
}

const keyOf = (thing: Json): string => thing.catalog_object_id ?? thing.name ?? thing.uid

type Taxes = NonNullable<TicketItem['taxes']>

/** Returns the taxes of a line; `sign` is −1 for returns. */
function taxesOf(line: Json, { taxes, sign, minor }: Lists): Taxes {
  return (line.applied_taxes ?? []).map((applied: Json) => {
    const tax = taxes.find(({ uid }) => uid === applied.tax_uid)
    if (!tax) throw new Unreadable(`the tax ${applied.tax_uid} of a line is not in the order`)
    return {
      name: textOr(tax.name),
      key: keyOf(tax),
      rate: Number(tax.percentage ?? 0) / 100,
      amount: sign * minor(applied.applied_money),
      mode: tax.type === 'ADDITIVE' ? ('added' as const) : ('included' as const),
    }
  })
}

const added = (taxes: Taxes) => taxes.reduce((sum, { mode, amount }) => (mode === 'added' ? sum + amount : sum), 0)

type Lists = Square & { taxes: readonly Json[]; discounts: readonly Json[]; sign: 1 | -1 }

const itemTypes = new Set(['ITEM', 'CUSTOM_AMOUNT', 'GIFT_CARD'])

function itemOf(line: Json, lists: Lists): TicketItem {
  const { discounts, sign, minor, mapped } = lists
  if (line.item_type !== undefined && !itemTypes.has(line.item_type)) noteUnknown(mapped, 'item_type', line.item_type)
  const isCustom = line.item_type === 'CUSTOM_AMOUNT'
  const isGiftCard = line.item_type === 'GIFT_CARD'
  const variation = textOr(line.variation_name)
  const bare = isCustom ? textOr(line.note) || 'Custom amount' : textOr(line.name)
  const name = isCustom || variation === '' || variation === 'Regular' ? bare : `${bare} (${variation})`
  const taxes = taxesOf(line, lists)
  if (taxes.length > 1) note(mapped, 'tax_split')
  if ((line.modifiers ?? line.return_modifiers ?? []).some((one: Json) => minor(one.total_price_money) !== 0)) {
    note(mapped, 'modifier_price')
  }
  const unit = weights[line.quantity_unit?.measurement_unit?.weight_unit ?? '']
  return {
    name,
    product: isCustom ? bare : (line.catalog_object_id ?? bare),
    quantity: sign * Number(line.quantity),
    ...(unit ? { unit } : {}),
    amount: sign * minor(line.total_money) - added(taxes),
    taxes,
    discounts: (line.applied_discounts ?? []).map((applied: Json) => {
      const discount = discounts.find(({ uid }) => uid === applied.discount_uid) ?? {}
      return {
        name: textOr(discount.name, 'Discount'),
        key: keyOf(discount) ?? 'Discount',
        amount: sign * minor(applied.applied_money),
      }
    }),
    modifiers: (line.modifiers ?? line.return_modifiers ?? []).map((modifier: Json) => ({
      key: keyOf(modifier),
      name: textOr(modifier.name),
    })),
    ...(isGiftCard ? { category: 'Gift cards', kind: 'voucher' as const } : {}),
  }
}

function chargeOf(charge: Json, lists: Lists): TicketItem {
  const { sign, minor } = lists
  const taxes = taxesOf(charge, lists)
  return {
    name: textOr(charge.name, 'Service charge'),
    product: `service-charge:${keyOf(charge)}`,
    quantity: sign,
    amount: sign * minor(charge.total_money ?? charge.applied_money) - added(taxes),
    taxes,
    category: 'Service charges',
    kind: 'charge',
  }
}

const isGratuity = ({ type }: Json) => type === 'AUTO_GRATUITY'

function paymentOf(tender: Json, amount: number, tip: number): TicketPayment {
  const { type } = tender
  const about = textOr(tender.note)
  if (type === 'OTHER') return { name: about || 'Other', key: `OTHER:${about}`, amount, tip }
  return { name: paymentNames[type] ?? String(type), key: String(type), amount, tip }
}

/**
 * Returns the tips that returns refund, by the tender that paid them. The key is empty if the document does not name
 * the tender.
 */
function returnedTips(order: Json, { minor }: Square): Map<string, number> {
  const tips = new Map<string, number>()
  for (const one of (order.returns ?? []).flatMap(({ return_tips: list = [] }: Json) => list)) {
    const tender = textOr(one.source_tender_id)
    tips.set(tender, (tips.get(tender) ?? 0) + minor(one.applied_money))
  }
  return tips
}

/** Returns the tenders of an order and its refunds. A refund has the name of its tender, maybe of another order. */
function paymentsOf(order: Json, square: Square): TicketPayment[] {
  const { minor, mapped, tenders } = square
  const paid = (order.tenders ?? []).map((tender: Json) => {
    const tip = minor(tender.tip_money)
    return paymentOf(tender, minor(tender.amount_money) - tip, tip)
  })
  const refunds = (order.refunds ?? []).filter(({ status }: Json) => status !== 'REJECTED' && status !== 'FAILED')
  const tips = returnedTips(order, square)
  const back = refunds.map((refund: Json) => {
    const tender = tenders.get(refund.tender_id)
    if (!tender) note(mapped, 'refund_of_unknown_payment')
    const payment = paymentOf(tender ?? { type: 'Unknown' }, -minor(refund.amount_money), 0)
    takeTip([payment], -(tips.get(refund.tender_id) ?? 0))
    tips.delete(refund.tender_id)
    return payment
  })
  for (const tip of tips.values()) takeTip(back, -tip)
  return [...paid, ...back]
}

const returnsOf = (order: Json): Json[] => order.returns ?? []

function itemsOf(order: Json, square: Square): TicketItem[] {
  const sold: Lists = { ...square, taxes: order.taxes ?? [], discounts: order.discounts ?? [], sign: 1 }
  const charges = (order.service_charges ?? []).filter((charge: Json) => !isGratuity(charge))
  const returned = returnsOf(order).flatMap((one: Json) => {
    const back: Lists = { ...square, taxes: one.return_taxes ?? [], discounts: one.return_discounts ?? [], sign: -1 }
    const of = (one.return_service_charges ?? []).filter((charge: Json) => !isGratuity(charge))
    if (one.source_order_id !== undefined) note(square.mapped, 'refund_link')
    return [
      ...(one.return_line_items ?? []).map((line: Json) => itemOf(line, back)),
      ...of.map((charge: Json) => chargeOf(charge, back)),
    ]
  })
  return [
    ...(order.line_items ?? []).map((line: Json) => itemOf(line, sold)),
    ...charges.map((charge: Json) => chargeOf(charge, sold)),
    ...returned,
  ]
}

/** Returns the gratuities that Square adds by itself, minus returned ones. */
function gratuityOf(order: Json, { minor }: Square): number {
  const sumOf = (charges: readonly Json[]) =>
    charges
      .filter(isGratuity)
      .reduce((sum: number, charge: Json) => sum + minor(charge.total_money ?? charge.applied_money), 0)
  const back = returnsOf(order).flatMap(({ return_service_charges: list = [] }: Json) => list)
  return sumOf(order.service_charges ?? []) - sumOf(back)
}

/** Returns the rounding of cash: for a return, the rounding of the amount given back. */
const roundingOf = (order: Json, { minor }: Square): number =>
  minor(order.rounding_adjustment?.amount_money) -
  returnsOf(order).reduce((sum: number, one: Json) => sum + minor(one.rounding_adjustment?.amount_money), 0)

const services: Record<string, string> = { PICKUP: 'takeaway', DELIVERY: 'delivery' }

const fulfillments = new Set(['PICKUP', 'DELIVERY', 'SHIPMENT', 'DIGITAL', 'IN_STORE', 'SIMPLE'])

const states = new Set(['OPEN', 'COMPLETED', 'CANCELED'])

function ticketOf(order: Json, square: Square): Ticket {
  const { minor, profile, mapped } = square
  if (!states.has(order.state)) throw new Unreadable(`the state ${JSON.stringify(order.state)} is unknown`)
  const service = order.fulfillments?.[0]?.type
  if (service !== undefined && !fulfillments.has(service)) noteUnknown(mapped, 'fulfillment', service)
  const rounding = roundingOf(order, square)
  const payments = paymentsOf(order, square)
  const gratuity = gratuityOf(order, square)
  takeTip(payments, gratuity)
  const net = order.net_amounts
  const back = order.return_amounts
  const tips = net?.tip_money ? minor(net.tip_money) : minor(order.total_tip_money) - minor(back?.tip_money)
  const total = net ? minor(net.total_money) : minor(order.total_money) - minor(back?.total_money)
  const tax = net ? minor(net.tax_money) : minor(order.total_tax_money) - minor(back?.tax_money)
  const device = profile.devices?.['']
  const customer = textOr(order.customer_id)
  return {
    source: 'square',
    account: profile.account,
    key: order.id,
    version: toUtc(order.updated_at),
    opened: toUtc(order.created_at),
    closed: order.state === 'OPEN' ? null : toUtc(order.closed_at ?? order.updated_at),
    device: { key: '', ...(device ? { name: device } : {}) },
    place: textOr(order.ticket_name),
    ...(customer === '' ? {} : { customer }),
    channel: order.source?.name === 'Square Online' ? 'website' : 'pos',
    service: services[order.fulfillments?.[0]?.type ?? ''] ?? 'eat_in',
    state: order.state === 'CANCELED' ? 'canceled' : 'sale',
    items: itemsOf(order, square),
    payments,
    rounding,
    said: { total: total - tips - gratuity - rounding, tax },
  }
}

/** Returns the orders of a document, which is one page, several pages, a list or a single order. */
const documentsIn = (document: Json): Json[] =>
  document.pages?.flatMap((page: Json) => page.orders ?? []) ??
  document.orders ??
  (Array.isArray(document) ? document : [document])

const isOrder = (document: Json) =>
  typeof document?.id === 'string' && typeof document.state === 'string' && 'created_at' in document

/** Throws `Unreadable` for another currency: its amounts would be stored as amounts of the location's currency. */
function refuseOtherCurrency({ net_amounts: net, total_money: total }: Json, { currency }: Profile): void {
  const other = [net?.total_money?.currency, total?.currency].find((one) => one !== undefined && one !== currency)
  if (other !== undefined) throw new Unreadable(`the order is in ${other}, but the location in ${currency}`)
}

/** Maps orders that come in any order. If an order comes in several versions, the newest counts. */
export function mapOrders(raw: readonly Json[], profile: Profile): Mapped {
  const mapped = newMapped()
  const reading = new Reading()
  const found = raw.filter(isOrder)
  if (found.length < raw.length)
    mapped.left.push({ key: `${raw.length - found.length} documents`, reason: foreign('orders of Square') })
  const orders: Json[] = newestOf(found, {
    key: (order: Json) => String(order.id),
    version: (order: Json) => `${Date.parse(order.updated_at)} ${String(order.version ?? 0).padStart(9, '0')}`,
  })
  const tenders = new Map<string, Json>(
    orders.flatMap((order) => (order.tenders ?? []).map((one: Json) => [one.id, one])),
  )
  const square: Square = { minor: minorOf(profile.currency), mapped, profile, tenders }
  mapEach(orders, mapped, {
    keyOf: ({ id }) => String(id),
    map(order) {
      refuseOtherCurrency(order, profile)
      if (order.state === 'DRAFT') mapped.left.push({ key: order.id, reason: 'draft' })
      else if (order.location_id !== profile.account) mapped.left.push({ key: order.id, reason: 'of another location' })
      else mapped.tickets.push(ticketOf(reading.of(order), square))
    },
  })
  reading.unread(orders, mapped.unmapped, skippedBy('square'))
  return mapped
}

export const square = jsonAdapter(
  'square',
  'orders of Square: pages of SearchOrders, {"orders": […]}',
  (documents, profile) => mapOrders(documents.flatMap(documentsIn), profile),
)
