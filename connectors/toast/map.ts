import type { Ticket, TicketItem, TicketPayment } from '../../src/modules/sources/schemas/tickets.ts'
import {
  foreign,
  mapEach,
  minorReader,
  newestOf,
  newMapped,
  note,
  noteUnknown,
  type Profile,
  takeTip,
  textOr,
  toUtc,
  usualPaymentNames,
  type Mapped,
} from '../../src/modules/sources/adapters/adapter.ts'
import { jsonAdapter, Reading, type Json } from '../../src/modules/sources/adapters/json-documents.ts'
import { skippedBy } from '../../src/modules/sources/adapters/not-read.ts'

// Toast: ordersBulk. An order has several checks, each a ticket. Prices are after all discounts, with their modifiers; refunds are inside
// the payments and the selections.

type Toast = {
  profile: Profile
  minor: ReturnType<typeof minorReader>
  mapped: Mapped
  /** How lines without a stated taxation are taxed. */
  usualMode?: 'included' | 'added'
}

const channels: Record<string, string> = {
  'In Store': 'pos',
  Online: 'website',
  API: 'api',
  Kiosk: 'kiosk',
  'Call Center': 'phone',
  Catering: 'catering',
}

const units: Record<string, NonNullable<TicketItem['unit']>> = { LB: 'lb', OZ: 'oz', KG: 'kg', G: 'g' }

const paymentNames: Record<string, string> = {
  CREDIT: usualPaymentNames.card,
  CASH: usualPaymentNames.cash,
  GIFTCARD: usualPaymentNames.giftCard,
}

type Taxes = NonNullable<TicketItem['taxes']>

const modes: Record<string, 'included' | 'added'> = {
  INCLUDED: 'included',
  NOT_INCLUDED: 'added',
  INHERITED: 'included',
  SMART_TAX: 'included',
}

function modeOf({ taxInclusion }: Json, { mapped, usualMode = 'included' }: Toast): 'included' | 'added' {
  if (taxInclusion === undefined || taxInclusion === null) return usualMode
  const mode = modes[taxInclusion]
  if (mode === undefined) noteUnknown(mapped, 'taxInclusion', taxInclusion)
  return mode ?? usualMode
}

function taxesOf(line: Json, toast: Toast): Taxes {
  const { minor, mapped } = toast
  const mode = modeOf(line, toast)
  const taxes = (line.appliedTaxes ?? []).map((tax: Json) => ({
    name: textOr(tax.name, 'Tax'),
    key: textOr(tax.taxRate?.guid, textOr(tax.name, 'Tax')),
    rate: Number(tax.rate ?? 0),
    amount: minor(tax.taxAmount),
    mode,
  }))
  if (taxes.length > 1) note(mapped, 'tax_split')
  return taxes
}

/** Returns the modifiers including nested ones, without voided ones. */
function modifiersOf(selection: Json, toast: Toast): NonNullable<TicketItem['modifiers']> {
  return (selection.modifiers ?? [])
    .filter(({ voided }: Json) => !voided)
    .flatMap((modifier: Json) => {
      if (toast.minor(modifier.price) !== 0) note(toast.mapped, 'modifier_price')
      const name = textOr(modifier.displayName)
      const own = { group: { key: textOr(modifier.optionGroup?.guid) }, key: textOr(modifier.item?.guid, name), name }
      return [own, ...modifiersOf(modifier, toast)]
    })
}

/** Returns the stated discounts of an item, and its share of the check's discounts. */
function discountsOf(selection: Json, check: Json, { minor }: Toast): NonNullable<TicketItem['discounts']> {
  const toDiscount = (applied: Json, amount: number) => {
    const name = textOr(applied.name, 'Discount')
    return { name, key: textOr(applied.discount?.guid, name), amount }
  }
  const own = (selection.appliedDiscounts ?? []).map((applied: Json) =>
    toDiscount(applied, minor(applied.discountAmount)),
  )
  const taken = own.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0)
  const rest = minor(selection.preDiscountPrice ?? selection.price) - minor(selection.price) - taken
  return rest === 0 ? own : [...own, toDiscount(check.appliedDiscounts?.[0] ?? {}, rest)]
}

/** Types of selections that sell a gift card; other such selections are marked by `deferred`. */
const cards = new Set(['TOAST_CARD_SELL', 'TOAST_CARD_RELOAD', 'GIFT_CARD', 'EGIFT_CARD'])

/**
 * Whether a selection pays a debt of the house account. Such a selection is not an item, but reverses a payment on
 * account.
 */
const paysDebt = ({ selectionType }: Json) => selectionType === 'HOUSE_ACCOUNT_PAY_BALANCE'

const selectionTypes = new Set(['NONE', 'OPEN_ITEM', 'SPECIAL_REQUEST', 'HOUSE_ACCOUNT_PAY_BALANCE', ...cards])

function itemOf(selection: Json, { order, check }: { order: Json; check: Json }, toast: Toast): TicketItem {
  const { selectionType } = selection
  if (selectionType && !selectionTypes.has(selectionType)) noteUnknown(toast.mapped, 'selectionType', selectionType)
  const isCard = selection.deferred || cards.has(selectionType)
  const name = textOr(selection.displayName)
  const unit = units[selection.unitOfMeasure ?? '']
  return {
    name,
    product: textOr(selection.item?.guid, name),
    quantity: Number(selection.quantity ?? 1),
    ...(unit ? { unit } : {}),
    amount: toast.minor(selection.price),
    taxes: isCard ? [] : taxesOf(selection, toast),
    discounts: discountsOf(selection, check, toast),
    modifiers: modifiersOf(selection, toast),
    ...(isCard ? { category: 'Gift cards', kind: 'voucher' as const } : {}),
    ...(selection.voided ? { state: 'canceled' as const } : order.excessFood ? { state: 'loss' as const } : {}),
  }
}

const isRounding = (charge: Json) => charge.serviceChargeCategory === 'CASH_ROUNDING'

function chargeOf(charge: Json, toast: Toast): TicketItem {
  const name = textOr(charge.name, 'Service charge')
  return {
    name,
    product: `service-charge:${textOr(charge.serviceCharge?.guid, name)}`,
    quantity: 1,
    amount: toast.minor(charge.chargeAmount),
    taxes: taxesOf({ taxInclusion: 'NOT_INCLUDED', ...charge }, toast),
    category: 'Service charges',
    kind: 'charge',
  }
}

function paymentOf(payment: Json, { profile }: Toast): Pick<TicketPayment, 'name' | 'key'> {
  const { type } = payment
  if (type !== 'OTHER') return { name: paymentNames[type] ?? String(type), key: String(type) }
  const guid = textOr(payment.otherPayment?.guid)
  return { name: profile.payments?.[guid] ?? 'Other', key: `OTHER:${guid}` }
}

/** Whether a payment counts: a payment that was voided or refused does not. */
export const counts = (payment: Json): boolean =>
  !['VOIDED', 'DENIED', 'CANCELLED'].includes(payment.paymentStatus ?? '') && !payment.voidInfo

/** Returns the members that the ticket of a check and the tickets of its refunds share. */
function frameOf(
  order: Json,
  check: Json,
  { profile }: Toast,
): Omit<Ticket, 'key' | 'version' | 'opened' | 'items' | 'payments'> {
  const server = textOr(order.server?.guid)
  const device = textOr(order.createdDevice?.id)
  const dining = textOr(order.diningOption?.guid)
  const deviceName = profile.devices?.[device]
  return {
    source: 'toast',
    account: profile.account,
    number: textOr(check.displayNumber),
    device: { key: device, ...(deviceName ? { name: deviceName } : {}) },
    operator: { key: server },
    channel: channels[order.source] ?? 'other',
    service: profile.diningOptions?.[dining] ?? 'eat_in',
  }
}

/** Whether lines without a stated taxation include their taxes: derived from the total of the check. */
function usualModeOf(check: Json, { minor }: Toast): 'included' | 'added' {
  const lines: Json[] = (check.selections ?? []).filter(({ voided }: Json) => !voided)
  const taxOf = (line: Json) =>
    (line.appliedTaxes ?? []).reduce((sum: number, tax: Json) => sum + minor(tax.taxAmount), 0)
  const isUnsaid = ({ taxInclusion }: Json) => taxInclusion === undefined || taxInclusion === null
  const unsaid = lines.filter(isUnsaid).reduce((sum, line) => sum + taxOf(line), 0)
  if (unsaid === 0) return 'included'
  const charges: Json[] = check.appliedServiceCharges ?? []
  const said = [
    ...lines.map((line) => minor(line.price) + (line.taxInclusion === 'NOT_INCLUDED' ? taxOf(line) : 0)),
    ...charges.map((charge) => minor(charge.chargeAmount) + taxOf(charge)),
  ].reduce((sum, amount) => sum + amount, 0)
  return minor(check.totalAmount) === said + unsaid ? 'added' : 'included'
}

/** Subtracts a gratuity from the payment that paid it, if the check names the payment. */
function takeGratuities(
  charges: readonly Json[],
  { paid, payments }: { paid: readonly Json[]; payments: TicketPayment[] },
  minor: Toast['minor'],
): void {
  for (const charge of charges.filter(({ gratuity }) => gratuity)) {
    const own = paid.findIndex(({ guid }) => guid !== undefined && guid === charge.paymentGuid)
    const amount = minor(charge.chargeAmount)
    const payment = payments[own]
    takeTip(payment && payment.amount >= amount ? [payment] : payments, amount)
  }
}

function ticketOf(order: Json, check: Json, isFirst: boolean, all: Toast): Ticket {
  const toast = { ...all, usualMode: usualModeOf(check, all) }
  const { minor } = toast
  const charges: Json[] = check.appliedServiceCharges ?? []
  const sumOf = (list: Json[]) => list.reduce((sum: number, charge: Json) => sum + minor(charge.chargeAmount), 0)
  const [rounding, gratuity] = [sumOf(charges.filter(isRounding)), sumOf(charges.filter((charge) => charge.gratuity))]
  const paid: Json[] = (check.payments ?? []).filter(counts)
  const payments = paid.map((payment): TicketPayment => ({
    ...paymentOf(payment, toast),
    amount: minor(payment.amount),
    tip: minor(payment.tipAmount),
  }))
  takeGratuities(charges, { paid, payments }, minor)
  const lines: Json[] = check.selections ?? []
  const debts = lines.filter((one) => paysDebt(one) && !one.voided).reduce((sum, { price }) => sum + minor(price), 0)
  if (debts !== 0) payments.push({ ...paymentOf({ type: 'HOUSE_ACCOUNT' }, toast), amount: 0 - debts })
  const isVoided = check.voided || order.voided
  const closed = isVoided ? (check.voidDate ?? order.voidDate ?? check.closedDate) : check.closedDate
  const selections = lines.filter((one) => !paysDebt(one)).map((one) => itemOf(one, { order, check }, toast))
  const items = [
    ...selections,
    ...charges.filter((charge) => !isRounding(charge) && !charge.gratuity).map((charge) => chargeOf(charge, toast)),
  ]
  const said = { total: minor(check.totalAmount) - rounding - gratuity - debts, tax: minor(check.taxAmount) }
  return {
    ...frameOf(order, check, toast),
    key: check.guid,
    version: toUtc(check.modifiedDate ?? order.modifiedDate),
    opened: toUtc(check.openedDate ?? order.openedDate),
    closed: closed ? toUtc(closed) : null,
    guests: isFirst ? Number(order.numberOfGuests ?? 0) : 0,
    state: order.createdInTestMode ? 'training' : isVoided ? 'canceled' : 'sale',
    items,
    payments,
    rounding,
    ...(isVoided ? {} : { said }),
  }
}

/** Makes the ticket of a refund, at its own time; the number of refunded items is not stated. */
function refundOf(order: Json, check: Json, payment: Json, toast: Toast): Ticket {
  const { minor, mapped } = toast
  const { refundAmount, tipRefundAmount, refundDate, refundTransaction } = payment.refund
  const at = toUtc(refundDate)
  const isBack = ({ refundDetails }: Json) =>
    refundDetails && refundDetails.refundTransaction?.guid === refundTransaction?.guid
  const charges: Json[] = (check.appliedServiceCharges ?? []).filter(isBack)
  const gratuity = charges
    .filter((charge) => charge.gratuity)
    .reduce((sum, { refundDetails: { refundAmount: of } }) => sum + minor(of), 0)
  const back = [...(check.selections ?? []).filter(isBack), ...charges.filter((charge) => !charge.gratuity)]
  const items: TicketItem[] = back.map((selection: Json) => {
    const { refundDetails } = selection
    const tax = minor(refundDetails.taxRefundAmount)
    const [first, ...others] = taxesOf(selection, toast)
    const amount = -(minor(refundDetails.refundAmount) + tax)
    const taxes = first
      ? [
          { ...first, amount: -tax, mode: 'included' as const },
          ...others.map((one) => ({ ...one, amount: 0, mode: 'included' as const })),
        ]
      : []
    if ('chargeAmount' in selection) return { ...chargeOf(selection, toast), quantity: -1, amount, taxes }
    const name = textOr(selection.displayName)
    const isCard = selection.deferred || cards.has(selection.selectionType)
    return {
      name,
      product: textOr(selection.item?.guid, name),
      quantity: -1,
      amount,
      taxes: isCard ? [] : taxes,
      modifiers: modifiersOf(selection, toast),
      ...(isCard ? { category: 'Gift cards', kind: 'voucher' as const } : {}),
    }
  })
  const given = minor(refundAmount) - gratuity
  const rest = -given - items.reduce((sum, { amount }) => sum + amount, 0)
  if (rest !== 0) items.push({ name: 'Refund', product: 'refund', quantity: -1, amount: rest, taxes: [] })
  note(mapped, 'refund_link')
  return {
    ...frameOf(order, check, toast),
    key: `refund:${payment.guid}`,
    version: at,
    opened: at,
    closed: at,
    items,
    payments: [{ ...paymentOf(payment, toast), amount: -given, tip: -minor(tipRefundAmount) - gratuity }],
    said: { total: -given },
  }
}

/** Returns the tickets of a check: one for the check itself, and one for each refund in it. */
function ticketsOf(order: Json, check: Json, isFirst: boolean, toast: Toast): Ticket[] {
  const refunds = (check.payments ?? [])
    .filter(counts)
    .filter(({ refund, refundStatus }: Json) => refund && refundStatus !== 'NONE')
  return [
    ticketOf(order, check, isFirst, toast),
    ...refunds.map((payment: Json) => refundOf(order, check, payment, toast)),
  ]
}

/**
 * Marks the ticket of a deleted order as canceled, in case it was stored before. Its version is at least as new as the
 * order.
 */
function toGone(order: Json, ticket: Ticket): Ticket {
  const at = toUtc(order.modifiedDate)
  return { ...ticket, said: {}, state: 'canceled', version: at > ticket.version ? at : ticket.version }
}

function mapOrder(order: Json, toast: Toast & { gone: Ticket[] }): void {
  const { mapped, gone } = toast
  const checks: Json[] = order.checks ?? []
  const kept = checks.filter(({ deleted }) => !order.deleted && !deleted)
  for (const check of checks.filter(({ deleted }) => order.deleted || deleted)) {
    gone.push(...ticketsOf(order, check, false, { ...toast, mapped: newMapped() }).map((one) => toGone(order, one)))
  }
  if (order.deleted) return void mapped.left.push({ key: order.guid, reason: 'deleted' })
  if (kept.length === 0) return void mapped.left.push({ key: order.guid, reason: 'without checks' })
  for (const [i, check] of kept.entries()) mapped.tickets.push(...ticketsOf(order, check, i === 0, toast))
}

/** Maps orders that come in any order. If an order comes in several versions, the newest counts. */
export function mapToast(raw: readonly Json[], profile: Profile): Mapped & { gone: Ticket[] } {
  const mapped = newMapped()
  const gone: Ticket[] = []
  const reading = new Reading()
  const found = raw.filter((one) => typeof one?.guid === 'string' && 'openedDate' in one)
  if (found.length < raw.length)
    mapped.left.push({ key: `${raw.length - found.length} documents`, reason: foreign('orders of Toast') })
  const orders: Json[] = newestOf(found, {
    key: ({ guid }: Json) => guid,
    version: ({ modifiedDate }: Json) => modifiedDate,
  })
  const own = { profile, minor: minorReader(profile.currency), mapped, gone }
  mapEach(orders, mapped, { keyOf: ({ guid }) => String(guid), map: (order) => mapOrder(reading.of(order), own) })
  reading.unread(orders, mapped.unmapped, skippedBy('toast'))
  return { ...mapped, gone }
}

export const toast = jsonAdapter('toast', 'orders of Toast: lists of ordersBulk, […]', (documents, profile) =>
  mapToast(documents.flat(), profile),
)
