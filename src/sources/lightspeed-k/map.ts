import type { Ticket, TicketItem } from '../../schemas/tickets.ts'
import {
  mapEach,
  minorReader,
  newestOf,
  newMapped,
  note,
  type Profile,
  textOr,
  toUtc,
  Unreadable,
  usualPaymentNames,
  type Mapped,
} from '../adapter.ts'
import { jsonAdapter, Reading, type Json } from '../json-documents.ts'

// Lightspeed K-Series: sales of a business day of its financial API. Amounts are text with six decimals, rates 1.12 for 12 %.

type Lightspeed = { profile: Profile; minor: ReturnType<typeof minorReader>; mapped: Mapped }

/** These are no sales. */
const noSales = new Set(['RECALL', 'FLOAT', 'TRANSFER', 'TRANSITORY', 'CASH_IN', 'CASH_OUT'])

const paymentNames: Record<string, string> = { CARD: usualPaymentNames.card, CASH: usualPaymentNames.cash }

/** 1.08875 is 8.875 %: as a decimal, without the noise of a subtraction. */
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
  const discount = minor(line.totalDiscountAmount ?? line.discountAmount)
  const discountName = textOr(line.discountName, 'Discount')
  const name = textOr(line.name)
  return {
    name,
    product: textOr(line.sku, name) || name,
    quantity: Number(line.quantity),
    amount: minor(line.totalNetAmountWithTax) - added,
    taxes,
    discounts:
      discount === 0 ? [] : [{ name: discountName, key: textOr(line.discountCode, discountName), amount: discount }],
    modifiers: children.map((child) => ({ key: textOr(child.sku, textOr(child.name)), name: textOr(child.name) })),
    category: textOr(line.accountingGroup?.name, textOr(line.statisticGroup)),
  }
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
  if (charge === 0) return items
  const name = 'Service charge'
  const own = { name, product: `service-charge:${name}`, quantity: charge < 0 ? -1 : 1, amount: charge, taxes: [] }
  return [...items, { ...own, category: 'Service charges' }]
}

function ticketOf(sale: Json, lightspeed: Lightspeed): Ticket {
  const { minor, profile, mapped } = lightspeed
  const paid: Json[] = sale.payments ?? []
  const sum = (of: (payment: Json) => number) => paid.reduce((all, payment) => all + of(payment), 0)
  const rounding = sum(({ roundingAmount }) => minor(roundingAmount))
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
    items: itemsOf(sale, lightspeed),
    payments: paid.map((payment) => ({
      name: paymentNames[payment.code] ?? textOr(payment.description, textOr(payment.code, 'Other')),
      key: String(payment.paymentMethodId ?? payment.code),
      amount: minor(payment.netAmountWithTax),
      tip: minor(payment.tip),
    })),
    rounding,
    // The payments are the source's own sum; its list of them may lack some, and then says nothing.
    ...(paid.length === 0 || sale.cancelled
      ? {}
      : { said: { total: sum((one) => minor(one.netAmountWithTax)) - rounding } }),
  }
}

/** Members that say nothing more, or that no record has a place for. */
const passedOver = new Set(
  (
    'accountProfileCode accountReference accountingGroupId categories code currency description deviceId ' +
    'deviceName discountAmount discountType externalReferences fiscDate id menuListPrice revenueCenter ' +
    'revenueCenterId serviceChargeType source staffId staffName statisticGroup surcharge tags taxAmount ' +
    'taxCode taxRatePercentage timeOfSale totalNetAmountWithoutTax type unitCostPrice uuid'
  ).split(' '),
)

/** An amount of another currency would be stored as one of the location's. */
function refuseOtherCurrency({ salesLines }: Json, { currency }: Profile): void {
  const other = (salesLines ?? []).find((line: Json) => line.currency !== undefined && line.currency !== currency)
  if (other) throw new Unreadable(`it is in ${other.currency}, and the location in ${currency}`)
}

/** Maps sales, in documents that have lists of them. */
export function mapSales(documents: readonly Json[], profile: Profile): Mapped {
  const mapped = newMapped()
  const reading = new Reading()
  const sales: Json[] = newestOf(
    documents.flatMap(({ sales = [] }) => sales),
    { key: ({ accountFiscId }: Json) => accountFiscId, version: ({ timeClosed }: Json) => textOr(timeClosed) },
  )
  if (documents.some(({ dataComplete }) => dataComplete === false)) note(mapped, 'day_not_complete')
  const own = { profile, minor: minorReader(profile.currency), mapped }
  mapEach(sales, mapped, {
    keyOf: ({ accountFiscId }) => String(accountFiscId),
    map(sale) {
      refuseOtherCurrency(sale, profile)
      if (noSales.has(sale.type)) mapped.left.push({ key: sale.accountFiscId, reason: String(sale.type).toLowerCase() })
      else mapped.tickets.push(ticketOf(reading.of(sale), own))
    },
  })
  reading.unread(sales, mapped.unmapped, passedOver)
  return mapped
}

export const lightspeedK = jsonAdapter('lightspeed-k', mapSales)
