import type { Closing, Ticket, TicketItem } from '../../src/modules/sources/schemas/tickets.ts'
import {
  foreign,
  mapEach,
  minorReader,
  newestOf,
  newMapped,
  note,
  noteUnknown,
  ownPaymentName,
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

// Loyverse: receipts and shifts. Amounts are decimals of major units; refunds are positive, too.

type Loyverse = { profile: Profile; minor: ReturnType<typeof minorReader>; mapped: Mapped }

const paymentNames: Record<string, string> = {
  CASH: usualPaymentNames.cash,
  NONINTEGRATEDCARD: usualPaymentNames.card,
  CARD: usualPaymentNames.card,
  GIFTCARD: usualPaymentNames.giftCard,
}

const nameOfPayment = ({ type, name }: Json): string =>
  ownPaymentName(textOr(name) || (paymentNames[type ?? ''] ?? textOr(type)), paymentNames[type ?? ''])

const sumOf = (list: readonly Json[], of: (one: Json) => number): number =>
  list.reduce((sum: number, one: Json) => sum + of(one), 0)

const isAdded = ({ type }: Json) => type === 'ADDED'

/**
 * Whether the totals of lines contain their added taxes: the total of the receipt is the sum of the lines, with or
 * without these.
 */
function containsAdded(receipt: Json, { minor }: Loyverse): boolean {
  const lines = receipt.line_items ?? []
  const bare = sumOf(lines, (line) => minor(line.total_money)) + minor(receipt.surcharge)
  const added = sumOf(lines, (line) => sumOf((line.line_taxes ?? []).filter(isAdded), (tax) => minor(tax.money_amount)))
  const total = minor(receipt.total_money)
  const totals = new Set([total, total - minor(receipt.tip)])
  if (totals.has(bare)) return true
  if (totals.has(bare + added)) return false
  const sums = `the lines add up to ${bare} without added taxes and to ${bare + added} with added taxes`
  throw new Unreadable(`the total of the receipt is ${total}, but ${sums} (in minor units)`)
}

function itemOf(
  line: Json,
  { sign, isInside }: { sign: 1 | -1; isInside: boolean },
  { minor, mapped }: Loyverse,
): TicketItem {
  const taxes = (line.line_taxes ?? []).map((tax: Json) => ({
    name: textOr(tax.name, 'Tax'),
    key: textOr(tax.id, textOr(tax.name, 'Tax')),
    rate: Number(tax.rate ?? 0) / 100,
    amount: sign * minor(tax.money_amount),
    mode: isAdded(tax) ? ('added' as const) : ('included' as const),
  }))
  if (taxes.length > 1) note(mapped, 'tax_split')
  const added = sumOf(taxes, ({ mode, amount }) => (mode === 'added' ? amount : 0))
  const [bare, variant] = [textOr(line.item_name), textOr(line.variant_name)]
  const name = variant === '' ? bare : `${bare} (${variant})`
  return {
    name,
    product: textOr(line.variant_id, textOr(line.item_id, name)),
    quantity: sign * Number(line.quantity),
    amount: sign * minor(line.total_money) - (isInside ? added : 0),
    taxes,
    discounts: (line.line_discounts ?? []).map((discount: Json) => ({
      name: textOr(discount.name, 'Discount'),
      key: textOr(discount.id, textOr(discount.name, 'Discount')),
      amount: sign * minor(discount.money_amount),
    })),
    modifiers: (line.line_modifiers ?? []).map((modifier: Json) => {
      if (minor(modifier.money_amount) !== 0) note(mapped, 'modifier_price')
      const option = textOr(modifier.option, textOr(modifier.name))
      return {
        group: { key: textOr(modifier.modifier_id, textOr(modifier.id)) },
        key: textOr(modifier.modifier_option_id, option),
        name: option,
      }
    }),
  }
}

function surchargeOf(amount: number): TicketItem[] {
  if (amount === 0) return []
  const name = 'Surcharge'
  return [
    {
      name,
      product: 'surcharge',
      quantity: amount < 0 ? -1 : 1,
      amount,
      taxes: [],
      category: 'Service charges',
      kind: 'charge',
    },
  ]
}

function ticketOf(receipt: Json, closing: string | undefined, loyverse: Loyverse): Ticket {
  const { minor, profile, mapped } = loyverse
  const isRefund = receipt.receipt_type === 'REFUND'
  if (!isRefund && receipt.receipt_type !== 'SALE' && receipt.receipt_type !== undefined)
    throw new Unreadable(`the receipt_type ${JSON.stringify(receipt.receipt_type)} is unknown`)
  const sign = isRefund ? -1 : 1
  const isInside = containsAdded(receipt, loyverse)
  if (isRefund && receipt.refund_for) note(mapped, 'refund_link')
  const lines: Json[] = receipt.line_items ?? []
  const items = [
    ...lines.map((line) => itemOf(line, { sign, isInside }, loyverse)),
    ...surchargeOf(sign * minor(receipt.surcharge)),
  ]
  const total = sumOf(
    items,
    ({ amount, taxes = [] }) => amount + sumOf(taxes, (tax) => (tax.mode === 'added' ? tax.amount : 0)),
  )
  const payments = (receipt.payments ?? []).map((payment: Json) => ({
    name: nameOfPayment(payment),
    key: textOr(payment.payment_type_id, textOr(payment.type, 'Other')),
    amount: sign * minor(payment.money_amount),
    tip: 0,
  }))
  const tip = sign * minor(receipt.tip)
  if (sumOf(payments, ({ amount }) => amount) === total + tip) takeTip(payments, tip)
  else if (tip !== 0 && payments[0]) payments[0].tip = tip
  const at = toUtc(receipt.receipt_date ?? receipt.created_at)
  const device = textOr(receipt.pos_device_id)
  const name = profile.devices?.[device]
  return {
    source: 'loyverse',
    account: profile.account,
    key: receipt.receipt_number,
    version: toUtc(receipt.updated_at ?? receipt.created_at),
    opened: at,
    closed: at,
    device: { key: device, ...(name ? { name } : {}) },
    operator: { key: textOr(receipt.employee_id) },
    number: receipt.receipt_number,
    place: textOr(receipt.order),
    customer: textOr(receipt.customer_id),
    service: profile.diningOptions?.[textOr(receipt.dining_option)] ?? 'eat_in',
    state: receipt.cancelled_at ? 'canceled' : 'sale',
    ...(closing === undefined ? {} : { closing }),
    items,
    payments,
    said: { total, tax: sign * minor(receipt.total_tax) },
  }
}

/** Whether a receipt is in a shift: it was closed at the device of the shift, between the times of the shift. */
export const isIn = (receipt: Json, shift: Json): boolean =>
  shift.closed_at !== null &&
  receipt.pos_device_id === shift.pos_device_id &&
  Date.parse(receipt.receipt_date) >= Date.parse(shift.opened_at) &&
  Date.parse(receipt.receipt_date) <= Date.parse(shift.closed_at)

function closingOf(
  shift: Json,
  number: number,
  receipts: readonly Json[],
  { minor, profile, mapped }: Loyverse,
): Closing {
  const types = new Map<string, string>(
    receipts.flatMap(({ payments = [] }) => payments.map((one: Json) => [one.payment_type_id, nameOfPayment(one)])),
  )
  const payments: { name: string; amount: number }[] = (shift.payments ?? []).map((payment: Json) => ({
    name: types.get(payment.payment_type_id) ?? textOr(payment.payment_type_id, 'Other'),
    amount: minor(payment.money_amount),
  }))
  const over = shift.actual_cash === null ? 0 : minor(shift.actual_cash) - minor(shift.expected_cash)
  const moves = (shift.cash_movements ?? []).map((move: Json) => {
    const isIn = move.type === 'PAY_IN'
    if (!isIn && move.type !== 'PAY_OUT') noteUnknown(mapped, 'cash movement', move.type)
    return {
      name: textOr(move.comment, isIn ? 'Paid in' : 'Paid out'),
      amount: (isIn ? 1 : -1) * minor(move.money_amount),
      type: isIn ? 'cash_in' : 'cash_out',
    }
  })
  const count = { name: 'Count', amount: over, type: over > 0 ? 'count_overage' : 'count_shortage' }
  const device = textOr(shift.pos_device_id)
  const name = profile.devices?.[device]
  return {
    source: 'loyverse',
    account: profile.account,
    key: shift.id,
    number,
    device: { key: device, ...(name ? { name } : {}) },
    from: toUtc(shift.opened_at),
    to: toUtc(shift.closed_at),
    said: {
      total: sumOf(payments, ({ amount }) => amount) - minor(shift.tip),
      payments,
      cash: { initial: minor(shift.starting_cash), final: minor(shift.actual_cash ?? shift.expected_cash) },
    },
    entries: over === 0 ? moves : [...moves, count],
    tickets: receipts.filter((receipt) => isIn(receipt, shift)).map(({ receipt_number }) => receipt_number),
  }
}

/** Maps receipts and shifts, in documents that have lists of them. */
export function mapLoyverse(documents: readonly Json[], profile: Profile): Mapped {
  const mapped = newMapped()
  const reading = new Reading()
  const own = { profile, minor: minorReader(profile.currency), mapped }
  const receipts: Json[] = newestOf(
    documents.flatMap(({ receipts = [] }) => receipts),
    { key: ({ receipt_number }: Json) => receipt_number, version: ({ updated_at }: Json) => updated_at },
  ).toSorted((a: Json, b: Json) =>
    a.receipt_date < b.receipt_date
      ? -1
      : a.receipt_date > b.receipt_date
        ? 1
        : a.receipt_number < b.receipt_number
          ? -1
          : 1,
  )
  const ofShop = (one: Json) => one.store_id === undefined || one.store_id === profile.account
  const shifts: Json[] = documents.flatMap(({ shifts = [] }) => shifts).filter(ofShop)
  const done = shifts
    .filter(({ closed_at }) => closed_at !== null)
    .toSorted((a: Json, b: Json) => (a.closed_at < b.closed_at ? -1 : 1))
  for (const { id } of shifts.filter(({ closed_at }) => closed_at === null))
    mapped.left.push({ key: id, reason: 'open shift' })
  mapEach(receipts, mapped, {
    keyOf: ({ receipt_number }) => String(receipt_number),
    map(receipt) {
      if (!ofShop(receipt)) {
        mapped.left.push({ key: receipt.receipt_number, reason: 'of another store' })
        return
      }
      const shift = done.find((one) => isIn(receipt, one))
      mapped.tickets.push(ticketOf(reading.of(receipt), shift?.id, own))
    },
  })
  mapEach(done, mapped, {
    keyOf: ({ id }) => String(id),
    map: (shift) =>
      void mapped.closings.push(closingOf(reading.of(shift), done.indexOf(shift) + 1, receipts.filter(ofShop), own)),
  })
  reading.unread([...receipts, ...done], mapped.unmapped, skippedBy('loyverse'))
  return mapped
}

/** Returns pages of receipts and shifts. A receipt or shift that comes alone becomes a page of its own. */
function pagesOf(documents: readonly Json[]): { pages: Json[]; others: number } {
  const flat = documents.flatMap((document) => (Array.isArray(document) ? document : [document]))
  const pages = flat.flatMap((one): Json[] => {
    if (typeof one?.receipt_number === 'string') return [{ receipts: [one] }]
    if (typeof one?.opened_at === 'string' && 'closed_at' in one) return [{ shifts: [one] }]
    return Array.isArray(one?.receipts) || Array.isArray(one?.shifts) ? [one] : []
  })
  return { pages, others: flat.length - pages.length }
}

export const loyverse = jsonAdapter(
  'loyverse',
  'receipts and shifts of Loyverse: {"receipts": […]}, {"shifts": […]}',
  (documents, profile) => {
    const { pages, others } = pagesOf(documents)
    const mapped = mapLoyverse(pages, profile)
    if (others > 0) mapped.left.push({ key: `${others} documents`, reason: foreign('receipts of Loyverse') })
    return mapped
  },
)
