import type { Ticket, TicketItem } from '../../src/modules/sources/schemas/tickets.ts'
import {
  foreign,
  mapEach,
  minorReader,
  newestOf,
  newMapped,
  note,
  ownPaymentName,
  type Profile,
  textOr,
  toUtc,
  Unreadable,
  usualPaymentNames,
  type Mapped,
} from '../../src/modules/sources/adapters/adapter.ts'
import { jsonAdapter, Reading, type Json } from '../../src/modules/sources/adapters/json-documents.ts'
import { skippedBy } from '../../src/modules/sources/adapters/not-read.ts'

// Lightspeed K-Series: sales of a business day of its financial API. Amounts are text with six decimals; a rate of 12 %
// is written 1.12.

type Lightspeed = { profile: Profile; minor: ReturnType<typeof minorReader>; mapped: Mapped }

/** The types that are sales. All other types, including unknown types, are skipped and counted. */
const sales = new Set(['SALE', 'REFUND', 'VOID'])

const paymentNames: Record<string, string> = { CARD: usualPaymentNames.card, CASH: usualPaymentNames.cash }

/** Reads a rate: 1.08875 is 8.875 %, computed as a decimal, without the error of a binary subtraction. */
const rateOf = (factor: string): number => Math.round((Number(factor) - 1) * 1e8) / 1e8

function itemOf(line: Json, children: readonly Json[], { minor, mapped }: Lightspeed): TicketItem {
  const taxes = (line.taxLines ?? []).map((tax: Json) => ({
    name: textOr(tax.taxCode, 'Tax'),
    key: textOr(tax.taxId, textOr(tax.taxCode, 'Tax')),
    rate: rateOf(tax.taxRate),
    amount: minor(tax.taxAmount),
    mode: tax.taxIncluded === false ? ('added' as const) : ('included' as const),
  }))
  if (taxes.length > 1) note(mapped, 'tax_split')
  const added = taxes.reduce((sum: number, { mode, amount }: Json) => (mode === 'added' ? sum + amount : sum), 0)
  const name = textOr(line.name)
  return {
    name,
    product: textOr(line.sku, name) || name,
    quantity: Number(line.quantity),
    amount: minor(line.totalNetAmountWithTax) - added,
    taxes,
    discounts: discountsOf(line, minor),
    modifiers: children.map((child) => ({ key: textOr(child.sku, textOr(child.name)), name: textOr(child.name) })),
    category: textOr(line.accountingGroup?.name, textOr(line.statisticGroup)),
    ...(line.voidReason ? { reason: textOr(line.voidReason) } : {}),
  }
}

/** Returns the discount of a line, and its share of the account's discount. */
function discountsOf(line: Json, minor: Lightspeed['minor']): NonNullable<TicketItem['discounts']> {
  const total = minor(line.totalDiscountAmount ?? line.discountAmount)
  const account = minor(line.accountDiscountAmount)
  const ofAccount = textOr(line.accountDiscountName)
  const toDiscount = (name: string, code: unknown, amount: number) =>
    amount === 0 ? [] : [{ name, key: textOr(code, name), amount }]
  if (account === 0 || Math.abs(account) > Math.abs(total))
    return toDiscount(textOr(line.discountName) || ofAccount || 'Discount', line.discountCode, total)
  return [
    ...toDiscount(textOr(line.discountName) || 'Discount', line.discountCode, total - account),
    ...toDiscount(ofAccount || 'Discount', line.accountDiscountCode, account),
  ]
}

const parentOf = (line: Json): string | undefined => line.parentLineId ?? line.parentId ?? undefined

function itemsOf(sale: Json, lightspeed: Lightspeed): TicketItem[] {
  const { minor } = lightspeed
  const lines: Json[] = sale.salesLines ?? []
  const isModifier = (line: Json) => parentOf(line) !== undefined && minor(line.totalNetAmountWithTax) === 0
  const items = lines
    .filter((line) => !isModifier(line))
    .map((line) =>
      itemOf(
        line,
        lines.filter((child) => isModifier(child) && parentOf(child) === line.id),
        lightspeed,
      ),
    )
  const charge = lines.reduce((sum, line) => sum + minor(line.serviceCharge), 0)
  return [...items, ...chargeOf('Service charge', 'service-charge:Service charge', charge)]
}

function chargeOf(name: string, product: string, amount: number): TicketItem[] {
  if (amount === 0) return []
  const quantity = amount < 0 ? -1 : 1
  return [{ name, product, quantity, amount, taxes: [], category: 'Service charges', kind: 'charge' }]
}

const totalOf = (items: readonly TicketItem[]): number =>
  items.reduce(
    (sum, { amount, taxes = [] }) =>
      sum + amount + taxes.reduce((all, tax) => all + (tax.mode === 'added' ? tax.amount : 0), 0),
    0,
  )

function ticketOf(sale: Json, lightspeed: Lightspeed): Ticket {
  const { minor, profile, mapped } = lightspeed
  const paid: Json[] = sale.payments ?? []
  const sum = (of: (payment: Json) => number) => paid.reduce((all, payment) => all + of(payment), 0)
  const rounding = sum(({ roundingAmount }) => minor(roundingAmount))
  const surcharge = sum(({ surcharge: of }) => minor(of))
  const sold = itemsOf(sale, lightspeed)
  const net = sum(({ netAmountWithTax }) => minor(netAmountWithTax))
  // A card surcharge is paid on top of the net amount, or included in it: the lines show which.
  const isBeside = surcharge !== 0 && totalOf(sold) === net - rounding
  const reasons = (sale.salesLines ?? []).flatMap(({ voidReason }: Json) => (voidReason ? [textOr(voidReason)] : []))
  if (sale.type === 'REFUND') note(mapped, 'refund_link')
  const device = String(sale.deviceId ?? '')
  const deviceName = profile.devices?.[device] ?? textOr(sale.deviceName)
  const closed = sale.timeClosed ? toUtc(sale.timeClosed) : null
  return {
    source: 'lightspeed-k',
    account: profile.account,
    key: sale.accountFiscId,
    version: closed ?? toUtc(sale.timeOfOpening),
    opened: toUtc(sale.timeOfOpening),
    closed,
    device: { key: device, ...(deviceName ? { name: deviceName } : {}) },
    operator: { key: String(sale.ownerId ?? ''), name: textOr(sale.ownerName) },
    place: textOr(sale.tableName) || textOr(sale.tableNumber),
    number: textOr(sale.receiptId),
    guests: Math.round(Number(sale.nbCovers ?? 0)),
    service: sale.dineIn === false ? 'takeaway' : 'eat_in',
    state: sale.cancelled ? 'canceled' : 'sale',
    ...(sale.cancelled && reasons[0] ? { reason: reasons[0] } : {}),
    items: [...sold, ...chargeOf('Surcharge', 'surcharge', surcharge)],
    payments: paid.map((payment) => ({
      name: ownPaymentName(
        textOr(payment.description) || (paymentNames[payment.code] ?? textOr(payment.code)),
        paymentNames[payment.code],
      ),
      key: String(payment.paymentMethodId ?? payment.code),
      amount: minor(payment.netAmountWithTax) + (isBeside ? minor(payment.surcharge) : 0),
      tip: minor(payment.tip),
    })),
    rounding,
    // The source states the total that was paid; without payments it states none.
    ...(paid.length === 0 || sale.cancelled ? {} : { said: { total: net - rounding + (isBeside ? surcharge : 0) } }),
  }
}

/** Throws `Unreadable` for another currency: its amounts would be stored as amounts of the location's currency. */
function refuseOtherCurrency({ salesLines }: Json, { currency }: Profile): void {
  const other = (salesLines ?? []).find((line: Json) => line.currency !== undefined && line.currency !== currency)
  if (other) throw new Unreadable(`the sale is in ${other.currency}, but the location in ${currency}`)
}

/** Maps sales, in documents that have lists of them. */
export function mapSales(documents: readonly Json[], profile: Profile): Mapped {
  const mapped = newMapped()
  const reading = new Reading()
  const newest: Json[] = newestOf(
    documents.flatMap((document) => (Array.isArray(document?.sales) ? document.sales : [])),
    { key: ({ accountFiscId }: Json) => accountFiscId, version: ({ timeClosed }: Json) => textOr(timeClosed) },
  )
  const others = documents.filter((document) => !Array.isArray(document?.sales))
  if (others.length > 0) mapped.left.push({ key: `${others.length} documents`, reason: foreign('sales of Lightspeed') })
  if (documents.some((document) => document?.dataComplete === false)) note(mapped, 'day_not_complete')
  const own = { profile, minor: minorReader(profile.currency), mapped }
  mapEach(newest, mapped, {
    keyOf: ({ accountFiscId }) => String(accountFiscId),
    map(sale) {
      refuseOtherCurrency(sale, profile)
      if (sale.type !== undefined && !sales.has(sale.type))
        mapped.left.push({ key: sale.accountFiscId, reason: String(sale.type).toLowerCase() })
      else mapped.tickets.push(ticketOf(reading.of(sale), own))
    },
  })
  reading.unread(newest, mapped.unmapped, skippedBy('lightspeed-k'))
  return mapped
}

export const lightspeedK = jsonAdapter(
  'lightspeed-k',
  'sales of a business day of Lightspeed: {"sales": […]}',
  mapSales,
)
