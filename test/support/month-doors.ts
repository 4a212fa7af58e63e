// Writes sales in the format of each source. Amounts are decimal texts of a currency with hundredths; `Units` converts
// them, to yen as well.

type Json = any

export type Kind = 'sale' | 'untaxed' | 'voucher' | 'deposit' | 'charge'

/** A line: its kind, its amount with tax, and its tax at 10 %. */
export type Line = readonly [kind: Kind, total: string, tax: string]

export type Means = 'card' | 'cash' | 'gift' | 'account'

export type Sale = { key: string; at: string; lines: readonly Line[]; paid: readonly [Means, string]; tip?: string }

/** How a source writes an amount: as a decimal, or as an integer of the minor unit of ISO 4217. */
export type Units = {
  major: (text: string) => number
  minor: (text: string) => number
  iso: (text: string) => number
  currency: string
}

const names: Record<Kind, string> = {
  sale: 'Menu',
  untaxed: 'Custom amount',
  voucher: 'Gift card',
  deposit: 'Deposit',
  charge: 'Delivery',
}

const isBack = (text: string) => text.startsWith('-')

const sumOf = (units: (text: string) => number, lines: readonly Line[], at: 1 | 2 = 1): number =>
  lines.reduce((sum, line) => sum + Math.round(units(line[at]) * 1000), 0) / 1000

export const meansNames: Record<Means, string> = {
  card: 'Card',
  cash: 'Cash',
  gift: 'Gift card',
  account: 'On account',
}

/** Returns a ticket with the same sale as the records of a till. */
export const toTicket = ({ key, at, lines, paid: [means, amount], tip }: Sale, { minor }: Units): Json => ({
  source: 'mytill',
  account: 'shop',
  key,
  version: at,
  opened: at,
  closed: at,
  device: { key: '1' },
  items: lines.map(([kind, total, tax]) => ({
    name: names[kind],
    quantity: isBack(total) ? -1 : 1,
    amount: minor(total),
    taxes: tax === '0' ? [] : [{ name: 'VAT 10 %', key: '10', rate: 0.1, amount: minor(tax), mode: 'included' }],
    ...(kind === 'sale' || kind === 'untaxed' ? {} : { kind }),
  })),
  payments: [{ name: meansNames[means], key: means, amount: minor(amount), ...(tip ? { tip: minor(tip) } : {}) }],
  said: { total: sumOf(minor, lines), tax: sumOf(minor, lines, 2) },
})

const squareTypes: Record<string, string> = { card: 'CARD', cash: 'CASH', gift: 'SQUARE_GIFT_CARD' }

export function toSquare(sales: readonly Sale[], { iso, currency }: Units): Json {
  const money = (amount: number) => ({ amount, currency })
  const tax = { uid: 'vat', name: 'VAT', percentage: '10', type: 'INCLUSIVE' }
  const lineOf = ([kind, total, of]: Line, i: number, sign: 1 | -1) => ({
    uid: String(i),
    quantity: '1',
    name: names[kind],
    item_type: kind === 'voucher' ? 'GIFT_CARD' : kind === 'untaxed' ? 'CUSTOM_AMOUNT' : 'ITEM',
    total_money: money(sign * iso(total)),
    ...(of === '0' ? {} : { applied_taxes: [{ uid: 'a', tax_uid: 'vat', applied_money: money(sign * iso(of)) }] }),
  })
  const orders = sales.map(({ key, at, lines, paid: [means, amount], tip = '0' }) => {
    const frame = { id: key, location_id: 'shop', created_at: at, updated_at: at, closed_at: at, state: 'COMPLETED' }
    const net = {
      total_money: money(sumOf(iso, lines) + iso(tip)),
      tax_money: money(sumOf(iso, lines, 2)),
      tip_money: money(iso(tip)),
    }
    if (isBack(amount)) {
      const returned = { return_taxes: [tax], return_line_items: lines.map((line, i) => lineOf(line, i, -1)) }
      const refund = { id: `f${key}`, tender_id: 'card-tender', amount_money: money(-iso(amount)), status: 'COMPLETED' }
      return { ...frame, returns: [returned], refunds: [refund], net_amounts: net }
    }
    const charges = lines.filter(([kind]) => kind === 'charge')
    return {
      ...frame,
      taxes: [tax],
      line_items: lines.filter(([kind]) => kind !== 'charge').map((line, i) => lineOf(line, i, 1)),
      service_charges: charges.map((line, i) => ({ ...lineOf(line, i, 1), type: 'CUSTOM' })),
      tenders: [
        {
          id: means === 'card' ? 'card-tender' : key,
          type: squareTypes[means],
          amount_money: money(iso(amount) + iso(tip)),
          tip_money: money(iso(tip)),
        },
      ],
      net_amounts: net,
    }
  })
  return { orders }
}

const toastTypes: Record<Means, string> = { card: 'CREDIT', cash: 'CASH', gift: 'GIFTCARD', account: 'HOUSE_ACCOUNT' }

/**
 * Writes sales for Toast, where a refund is part of the refunded sale. `refunded` returns the full refund of a sale.
 */
export function toToast(sales: readonly Sale[], { major }: Units, refunded: (sale: Sale) => Sale | undefined): Json {
  const taxesOf = (tax: string) =>
    tax === '0' ? [] : [{ taxRate: { guid: 'vat' }, name: 'VAT', rate: 0.1, taxAmount: major(tax) }]
  return sales
    .filter(({ paid }) => !isBack(paid[1]))
    .map((sale) => {
      const {
        key,
        at,
        lines,
        paid: [means, amount],
        tip = '0',
      } = sale
      const back = refunded(sale)
      const transaction = { refundTransaction: { guid: `tx${key}` } }
      const detailsOf = (total: string, tax: string) =>
        back
          ? { refundDetails: { refundAmount: major(total) - major(tax), taxRefundAmount: major(tax), ...transaction } }
          : {}
      const charges = lines.filter(([kind]) => kind === 'charge')
      return {
        guid: `o${key}`,
        openedDate: at,
        modifiedDate: at,
        source: 'In Store',
        checks: [
          {
            guid: key,
            displayNumber: key,
            openedDate: at,
            closedDate: at,
            modifiedDate: at,
            taxAmount: sumOf(major, lines, 2),
            totalAmount: sumOf(major, lines),
            selections: lines
              .filter(([kind]) => kind !== 'charge')
              .map(([kind, total, tax], i) => ({
                guid: `${key}-${i}`,
                displayName: names[kind],
                quantity: 1,
                price: major(total),
                preDiscountPrice: major(total),
                taxInclusion: 'INCLUDED',
                voided: false,
                deferred: kind === 'voucher',
                appliedTaxes: taxesOf(tax),
                ...detailsOf(total, tax),
              })),
            appliedServiceCharges: charges.map(([kind, total, tax], i) => ({
              guid: `${key}-c${i}`,
              name: names[kind],
              // The amount excludes tax; `appliedTaxes` has the tax.
              chargeAmount: Math.round((major(total) - major(tax)) * 1000) / 1000,
              gratuity: false,
              appliedTaxes: taxesOf(tax),
            })),
            payments: [
              {
                guid: `p${key}`,
                type: toastTypes[means],
                amount: major(amount),
                tipAmount: major(tip),
                refundStatus: back ? 'FULL' : 'NONE',
                refund: back
                  ? { refundAmount: major(amount), tipRefundAmount: 0, refundDate: back.at, ...transaction }
                  : null,
              },
            ],
          },
        ],
      }
    })
}

const loyverseTypes: Record<string, string> = { card: 'NONINTEGRATEDCARD', cash: 'CASH', gift: 'GIFTCARD' }

export function toLoyverse(sales: readonly Sale[], { major }: Units): Json {
  const size = (text: string) => Math.abs(major(text))
  return {
    receipts: sales.map(({ key, at, lines, paid: [means, amount], tip = '0' }) => ({
      receipt_number: key,
      receipt_type: isBack(amount) ? 'REFUND' : 'SALE',
      created_at: at,
      updated_at: at,
      receipt_date: at,
      store_id: 'shop',
      pos_device_id: 'd',
      total_money: Math.abs(sumOf(major, lines)),
      total_tax: Math.abs(sumOf(major, lines, 2)),
      tip: major(tip),
      surcharge: sumOf(
        major,
        lines.filter(([kind]) => kind === 'charge'),
      ),
      line_items: lines
        .filter(([kind]) => kind !== 'charge')
        .map(([kind, total, tax], i) => ({
          id: `${key}-${i}`,
          item_name: names[kind],
          quantity: 1,
          total_money: size(total),
          line_taxes:
            tax === '0' ? [] : [{ id: 'vat', type: 'INCLUDED', name: 'VAT', rate: 10, money_amount: size(tax) }],
          line_discounts: [],
          line_modifiers: [],
        })),
      payments: [
        {
          payment_type_id: means,
          name: meansNames[means],
          type: loyverseTypes[means],
          money_amount: size(amount) + size(tip),
        },
      ],
    })),
  }
}

export const toLightspeed = (sales: readonly Sale[], { major, currency }: Units): Json => ({
  sales: sales.map(({ key, at, lines, paid: [means, amount], tip = '0' }) => ({
    accountFiscId: key,
    receiptId: key,
    timeOfOpening: at,
    timeClosed: at,
    cancelled: false,
    type: isBack(amount) ? 'REFUND' : 'SALE',
    salesLines: lines
      .filter(([kind]) => kind !== 'charge')
      .map(([kind, total, tax], i) => ({
        id: `${key}-${i}`,
        name: names[kind],
        quantity: isBack(total) ? '-1' : '1',
        totalNetAmountWithTax: String(major(total)),
        taxLines:
          tax === '0'
            ? []
            : [{ taxId: 'vat', taxCode: 'VAT', taxRate: '1.1', taxAmount: String(major(tax)), taxIncluded: true }],
        serviceCharge: '0',
        totalDiscountAmount: '0',
        currency,
      })),
    payments: [
      {
        code: means.toUpperCase(),
        description: meansNames[means],
        paymentMethodId: means,
        netAmountWithTax: String(major(amount)),
        tip: String(major(tip)),
        surcharge: String(
          sumOf(
            major,
            lines.filter(([kind]) => kind === 'charge'),
          ),
        ),
        roundingAmount: '0',
      },
    ],
  })),
})

const sumupMethods: Record<string, string> = { card: 'CARD', cash: 'CASH', gift: 'GIFT_CARD' }
const sumupTypes: Record<Kind, string> = {
  sale: 'CATALOG',
  untaxed: 'CUSTOM',
  voucher: 'GIFT_CARD',
  deposit: 'DEPOSIT',
  charge: 'FEE',
}

export function toSumup(sales: readonly Sale[], { iso, currency }: Units): Json {
  const taxesOf = (tax: string) =>
    tax === '0' ? [] : [{ id: 'vat', name: 'VAT', percentage: 10_000, tax_amount: iso(tax) }]
  return {
    items: sales.map(({ key, at, lines, paid: [means, amount], tip = '0' }) => ({
      id: key,
      currency: { code: currency },
      tax_mode: 'GROSS',
      created_at: at,
      closed_at: at,
      items: lines.map(([kind, total, tax], i) => ({
        id: `${key}-${i}`,
        type: sumupTypes[kind],
        name: names[kind],
        quantity: 1,
        price: { total_gross_amount: iso(total), total_gross_amount_final: iso(total), taxes_final: taxesOf(tax) },
      })),
      price: {
        gross_amount: sumOf(iso, lines),
        taxes: sumOf(iso, lines, 2) === 0 ? [] : [{ id: 'vat', tax_amount: sumOf(iso, lines, 2), percentage: 10_000 }],
      },
      payments: [
        {
          status: 'SUCCESSFUL',
          method: sumupMethods[means],
          type: isBack(amount) ? 'UNREFERENCED_REFUND' : 'PURCHASE',
          amount: Math.abs(iso(amount)) + iso(tip),
          processed_at: at,
        },
      ],
    })),
  }
}
