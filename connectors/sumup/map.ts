import { moneyOf } from '../../src/core/contract/money/currency.ts'
import type { Ticket, TicketItem, TicketPayment } from '../../src/modules/sources/schemas/tickets.ts'
import {
  foreign,
  mapEach,
  newestOf,
  newMapped,
  note,
  noteUnknown,
  type Profile,
  textOr,
  toUtc,
  Unreadable,
  usualPaymentNames,
  type Mapped,
} from '../../src/modules/sources/adapters/adapter.ts'
import { jsonAdapter, Reading, type Json } from '../../src/modules/sources/adapters/json-documents.ts'
import { skippedBy } from '../../src/modules/sources/adapters/not-read.ts'

// SumUp: sales of its Sales API v1.0, in pages or alone, only paid ones. Amounts are integers, with the decimals of the
// currency's `scale`. A payment includes its tip, and no member states the tip: it is the amount paid beyond the sale.

type SumUp = { profile: Profile; mapped: Mapped }

/** Converts amounts of a sale to the location's minor unit. Throws `Unreadable` for another currency. */
export function minorOf({ currency }: Json, profile: Profile): (amount: unknown) => number {
  const code: unknown = currency?.code ?? currency
  if (code !== profile.currency)
    throw new Unreadable(`the sale is in ${String(code)}, but the location in ${profile.currency}`)
  const { decimals, isoDecimals } = moneyOf(profile.currency)
  const scale = Number(currency.scale ?? isoDecimals)
  const [times, parts] = [10 ** Math.max(0, decimals - scale), 10 ** Math.max(0, scale - decimals)]
  return (amount) => {
    const minor = typeof amount === 'number' ? (amount * times) / parts : NaN
    if (!Number.isInteger(minor))
      throw new Unreadable(`${JSON.stringify(amount)} is not an amount in ${profile.currency}`)
    return minor
  }
}

/** Reads a rate from a percentage in thousandths: 19000 is 19 %. */
const rateOf = (percentage: number): number => percentage / 100_000

/** Returns the rates that a sale states, by the id of their tax: one line may omit a rate that another one states. */
function ratesOf(sale: Json): Map<string, number> {
  const lines: Json[] = [
    ...(sale.price.taxes ?? []),
    ...sale.items.flatMap(({ price }: Json) => [...(price.taxes_final ?? []), ...(price.taxes ?? [])]),
  ]
  const stated = lines.filter(({ percentage }) => percentage !== undefined && percentage !== null)
  return new Map(stated.map(({ id, percentage }) => [id as string, rateOf(Number(percentage))]))
}

type OfSale = SumUp & { sale: Json; minor: (amount: unknown) => number; rates: ReadonlyMap<string, number> }

type Taxes = NonNullable<TicketItem['taxes']>

function taxesOf({ price }: Json, { sale, minor, rates, mapped }: OfSale): Taxes {
  if (sale.tax_mode === 'NO_TAX') return []
  const taxes = price.taxes_final.map((tax: Json) => {
    const rate = rates.get(tax.id)
    if (rate === undefined) throw new Unreadable(`the tax ${tax.id} has no percentage`)
    return {
      name: textOr(tax.name, 'Tax'),
      key: tax.id as string,
      rate,
      amount: minor(tax.tax_amount),
      mode: sale.tax_mode === 'NET' ? ('added' as const) : ('included' as const),
    }
  })
  if (taxes.length > 1) note(mapped, 'tax_split')
  return taxes
}

const featureOf = ({ features }: Json, name: string): string =>
  textOr((features ?? []).find((one: Json) => one.name === name)?.value)

const units: Record<string, NonNullable<TicketItem['unit']>> = {
  'weight.kilogram': 'kg',
  'weight.gram': 'g',
  'weight.pound': 'lb',
  'weight.ounce': 'oz',
}

const itemTypes = new Set(['CATALOG', 'CUSTOM', 'GIFT_CARD', 'DEPOSIT', 'FEE'])

/** The kind of a line that is not a sale; `category` is its usual category. */
const kinds: Record<string, Pick<TicketItem, 'kind' | 'category'>> = {
  GIFT_CARD: { kind: 'voucher', category: 'Gift cards' },
  DEPOSIT: { kind: 'deposit' },
  FEE: { kind: 'charge', category: 'Service charges' },
}

/** Returns the total discount of a line: only the difference of its prices with and without discounts shows it. */
function discountsOf(line: Json, before: number, after: number): NonNullable<TicketItem['discounts']> {
  if (before === after) return []
  const stated: Json[] = line.price.discounts ?? line.discounts ?? []
  const names = stated.flatMap(({ source }) => Object.values<Json>(source ?? {}).map((one) => textOr(one?.name)))
  const name = names.filter((one) => one !== '').join(' + ') || 'Discount'
  return [{ name, key: name, amount: before - after }]
}

/**
 * Returns the name and quantity of a line. Throws `Unreadable` if they are missing, because nothing else states them.
 */
function named(line: Json): { name: string; quantity: number } {
  const [name, quantity] = [textOr(line.name), Math.abs(Number(line.quantity ?? NaN))]
  if (name === '') throw new Unreadable(`the line ${line.id} has no name`)
  if (!Number.isFinite(quantity)) throw new Unreadable(`the line ${line.id} has no quantity`)
  const variant = featureOf(line, 'variant_name')
  return { name: variant === '' ? name : `${name} (${variant})`, quantity }
}

function itemOf(line: Json, of: OfSale): TicketItem {
  const { sale, minor } = of
  const { price } = line
  const { name, quantity } = named(line)
  if (line.type !== undefined && line.type !== null && !itemTypes.has(line.type))
    noteUnknown(of.mapped, 'type', line.type)
  const isNet = sale.tax_mode === 'NET'
  const [before, after] = isNet
    ? [price.total_net_amount, price.total_net_amount_final]
    : [price.total_gross_amount, price.total_gross_amount_final]
  const amount = minor(after)
  const fee = featureOf(line, 'fee_id') || featureOf(line, 'fee_type') || name
  const isBack = amount < 0 || (amount === 0 && sale.price.gross_amount < 0)
  const unit = units[line.unit_of_measure?.unit_id ?? '']
  return {
    name,
    product:
      line.type === 'FEE'
        ? `service-charge:${fee}`
        : featureOf(line, 'variant_id') || featureOf(line, 'item_id') || name,
    quantity: isBack ? -quantity : quantity,
    ...(unit ? { unit } : {}),
    amount,
    taxes: taxesOf(line, of),
    discounts: discountsOf(line, minor(before), amount),
    modifiers: (line.modifiers ?? []).map((modifier: Json) => ({
      key: textOr(modifier.id, textOr(modifier.name)),
      name: textOr(modifier.name),
    })),
    ...kinds[line.type],
  }
}

const paymentNames: Record<string, string> = {
  card: usualPaymentNames.card,
  cash: usualPaymentNames.cash,
  gift_card: usualPaymentNames.giftCard,
  apple_pay: 'Apple Pay',
  google_pay: 'Google Pay',
  whatsapp_pay: 'WhatsApp Pay',
}

/** Whether a payment counts, by its final status. */
const isPaid: Record<string, boolean> = { SUCCESSFUL: true, FAILED: false, CANCELED: false }

const signs: Record<string, 1 | -1> = { purchase: 1, unreferenced_refund: -1 }

function paymentOf(payment: Json, { minor, profile }: OfSale): TicketPayment {
  const key = String(payment.method).toLowerCase()
  const sign = signs[String(payment.type ?? 'purchase').toLowerCase()]
  if (sign === undefined) throw new Unreadable(`the payment type ${payment.type} is unknown`)
  const name = profile.payments?.[key] ?? paymentNames[key] ?? key
  return { name, key, amount: sign * minor(payment.amount), tip: 0 }
}

/**
 * Returns the payments without their tips. The tip is the amount paid beyond the sale. It belongs to the first payment
 * that is not cash and is at least as large as the tip, else to the first payment.
 */
function paymentsOf(of: OfSale): TicketPayment[] {
  const { sale, minor, mapped } = of
  const stated: Json[] = sale.payments
  const unknown = stated.find(({ status }) => isPaid[status] === undefined)
  if (unknown) throw new Unreadable(`the payment status ${unknown.status} is unknown`)
  const payments = stated.filter(({ status }) => isPaid[status]).map((payment) => paymentOf(payment, of))
  const tip = payments.reduce((sum, { amount }) => sum + amount, 0) - minor(sale.price.gross_amount)
  if (tip <= 0) return payments
  if (payments.length > 1) note(mapped, 'tip_of_several_payments')
  const tipped = payments.find(({ key, amount }) => key !== 'cash' && amount >= tip) ?? payments[0]
  if (tipped) Object.assign(tipped, { amount: tipped.amount - tip, tip })
  return payments
}

const channels: Record<string, string> = {
  POS: 'pos',
  SOLO: 'pos',
  KIOSK: 'kiosk',
  ONLINE_STORE: 'website',
  ORDER_AND_PAY: 'qr_table',
  ORDER_AGGREGATOR: 'marketplace',
}

const modes = new Set(['GROSS', 'NET', 'NO_TAX'])

function ticketOf(sale: Json, { profile, mapped }: SumUp): Ticket {
  if (!modes.has(sale.tax_mode)) throw new Unreadable(`the tax mode ${sale.tax_mode} is unknown`)
  const minor = minorOf(sale, profile)
  const of: OfSale = { profile, mapped, sale, minor, rates: ratesOf(sale) }
  const gross = minor(sale.price.gross_amount)
  if (gross < 0) note(mapped, 'refund_link')
  const closed = toUtc(sale.closed_at)
  const processed = sale.payments.map(({ processed_at }: Json) => toUtc(processed_at ?? sale.closed_at))
  const device = profile.devices?.['']
  const taxes: Json[] = sale.price.taxes ?? []
  return {
    source: 'sumup',
    account: profile.account,
    key: sale.id,
    version: [closed, ...processed].toSorted((a, b) => (a < b ? -1 : 1)).at(-1) as string,
    opened: toUtc(sale.created_at),
    closed,
    device: { key: '', ...(device ? { name: device } : {}) },
    place: textOr(sale.name),
    channel: sale.source ? (channels[sale.source.channel] ?? 'other') : 'pos',
    items: sale.items.map((line: Json) => itemOf(line, of)),
    payments: paymentsOf(of),
    said: {
      total: gross,
      payments: gross,
      ...(sale.tax_mode === 'NO_TAX' ? {} : { tax: taxes.reduce((sum, tax) => sum + minor(tax.tax_amount), 0) }),
    },
  }
}

/** Returns the sales of a document, which is one page, a single sale, or a list of pages or sales. */
const documentsIn = (document: Json): Json[] =>
  Array.isArray(document)
    ? document.flatMap(documentsIn)
    : Array.isArray(document?.items) && document.id === undefined
      ? document.items
      : [document]

const isSale = (document: Json) => typeof document?.id === 'string' && 'tax_mode' in document && 'payments' in document

/** Maps sales that come in any order. If a sale comes in several versions, the newest counts. */
export function mapSales(raw: readonly Json[], profile: Profile): Mapped {
  const mapped = newMapped()
  const reading = new Reading()
  const found = raw.filter(isSale)
  if (found.length < raw.length)
    mapped.left.push({ key: `${raw.length - found.length} documents`, reason: foreign('sales of SumUp') })
  const processedOf = ({ payments }: Json): string =>
    (Array.isArray(payments) ? payments : [])
      .map((one: Json) => String(one?.processed_at))
      .toSorted()
      .at(-1) ?? ''
  const sales: Json[] = newestOf(found, { key: ({ id }: Json) => id, version: processedOf })
  mapEach(sales, mapped, {
    keyOf: ({ id }) => String(id),
    map: (sale) => void mapped.tickets.push(ticketOf(reading.of(sale), { profile, mapped })),
  })
  reading.unread(sales, mapped.unmapped, skippedBy('sumup'))
  return mapped
}

export const sumup = jsonAdapter(
  'sumup',
  'sales of SumUp: pages of its Sales API, {"items": […]}',
  (documents, profile) => mapSales(documents.flatMap(documentsIn), profile),
)
