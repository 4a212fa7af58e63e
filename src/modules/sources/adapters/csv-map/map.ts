import { moneyOf } from '../../../../core/contract/money/currency.ts'
import type { Ticket, TicketItem, TicketPayment } from '../../schemas/tickets.ts'
import { Mapping, mapOne, note, Profile, Unreadable, type Adapter, type MapsTo, type SourceFile } from '../adapter.ts'
import { hourMs } from '../../../../core/domain/days/time-units.ts'
import { localTimes } from '../local-times.ts'
import { Cells, type Context, type Line } from './cells.ts'
import { Closings } from './closings.ts'
import { readCsvFiles, Rows } from './rows.ts'
import type { Cell as CsvCell, CsvMap } from './schema.ts'

/** Returns the rate of a tax amount without a stated rate, in hundredths of a percent. */
function computedRate(total: number, tax: number, isIncluded: boolean): number {
  const net = isIncluded ? total - tax : total
  return net === 0 ? 0 : Math.round((tax / net) * 10_000)
}

function taxesOf(row: Line, total: number, sign: number, context: Context): NonNullable<TicketItem['taxes']> {
  const { map, cells } = context
  const { tax } = map.order.item
  const at = '/order/item/tax'
  if (!tax) return []
  const mode = tax.included ? ('included' as const) : ('added' as const)
  const text = cells.text(row, tax.rate, `${at}/rate`)
  if (text === '') {
    if (tax.amount === undefined || cells.text(row, tax.amount, `${at}/amount`) === '') return []
    const amount = sign * cells.minor(row, tax.amount, `${at}/amount`)
    const hundredths = computedRate(total, amount, tax.included)
    if (amount !== 0) context.note('tax_rate_computed')
    const name = (tax.name ?? 'Tax {} %').replace('{}', String(hundredths / 100))
    return [{ name, key: String(hundredths), rate: hundredths / 10_000, amount, mode }]
  }
  const percent = cells.number(row, { value: text.replace(/\s*%$/, '') }, `${at}/rate`)
  const hundredths = Math.round(percent * 100)
  const rate = hundredths / 10_000
  const computed = tax.included ? (total * rate) / (1 + rate) : total * rate
  const amount =
    tax.amount === undefined
      ? Math.sign(computed) * Math.round(Math.abs(computed))
      : sign * cells.minor(row, tax.amount, `${at}/amount`)
  const name = (tax.name ?? '{} %').replace('{}', text)
  return [{ name, key: String(hundredths), rate, amount, mode }]
}

/** Names of columns with a unit price. */
const priceOfOne = /\bprice\b|\bprix\b|\bpreis\b|\bprecio\b|\bprezzo\b|\bunit|unitaire|unitario|einzel/i

/** Returns the amount of a line: its total, or else the unit price times the quantity, minus the discount. */
function amountOf(row: Line, sign: 1 | -1, discount: number, context: Context): number {
  const { map, cells } = context
  const { item, total } = map.order
  const at = (name: string) => `/order/item/${name}`
  if (item.total === undefined) return sign * cells.product(row, item.price as CsvCell, item.quantity, at) - discount
  const isOfOne = typeof item.total === 'string' && priceOfOne.test(item.total)
  if (isOfOne && total === undefined && item.quantity !== undefined) {
    if (Math.abs(cells.number(row, item.quantity, at('quantity'))) !== 1) context.note('price_of_one')
  }
  return sign * cells.minor(row, item.total, at('total'))
}

function itemOf(row: Line, sign: 1 | -1, context: Context): TicketItem {
  const { map, cells } = context
  const { item } = map.order
  const at = (name: string) => `/order/item/${name}`
  const name = cells.text(row, item.name, at('name'))
  const product = cells.text(row, item.product, at('product'))
  const discount = item.discount ? sign * cells.minor(row, item.discount.amount, at('discount/amount')) : 0
  const total = amountOf(row, sign, discount, context)
  const discountName = cells.text(row, item.discount?.name, at('discount/name')) || 'Discount'
  const unit = cells.text(row, item.unit, at('unit')).toLowerCase()
  const split = item.modifiers ? (row.cells[item.modifiers.column] ?? '').split(item.modifiers.split) : []
  const kind = item.kind && item.kind.values[row.cells[item.kind.column]?.trim() ?? '']
  const state = cells.is(row, item.canceled, at('canceled'))
    ? 'canceled'
    : cells.is(row, item.loss, at('loss'))
      ? 'loss'
      : undefined
  return {
    name,
    ...(product === '' ? {} : { product }),
    quantity: item.quantity === undefined ? sign : sign * cells.number(row, item.quantity, at('quantity')),
    ...(unit === 'kg' || unit === 'g' || unit === 'lb' || unit === 'oz' ? { unit } : {}),
    amount: total,
    taxes: taxesOf(row, total, sign, context),
    ...(discount === 0 ? {} : { discounts: [{ name: discountName, amount: discount }] }),
    modifiers: split
      .map((text) => text.trim())
      .filter((text) => text !== '')
      .map((text) => ({ key: text, name: text })),
    category: cells.text(row, item.category, at('category')),
    sub: cells.text(row, item.sub, at('sub')),
    tier: cells.text(row, item.tier, at('tier')),
    ...(kind === undefined ? {} : { kind }),
    ...(state === undefined ? {} : { state }),
  }
}

function paymentsOf(rows: readonly Line[], sign: 1 | -1, { map, cells }: Context): TicketPayment[] {
  const { payments } = map.order
  if (!payments) return []
  const at = (name: string) => `/order/payments/${name}`
  return rows.flatMap((row) => {
    const tip = payments.tip ? sign * cells.minor(row, payments.tip.amount, at('tip/amount')) : 0
    const kindOf = (name: string) => (payments.kinds?.[name] ? { kind: payments.kinds[name] } : {})
    const paid: TicketPayment[] = payments.columns
      ? payments.columns.map((name) => ({
          name,
          key: name,
          ...kindOf(name),
          amount: sign * cells.minor(row, name, at('columns')),
          tip: 0,
        }))
      : [
          {
            name: cells.text(row, payments.name, at('name')),
            key: cells.text(row, payments.key ?? payments.name, at('key')),
            ...kindOf(cells.text(row, payments.name, at('name'))),
            amount: sign * cells.minor(row, payments.amount, at('amount')),
            tip: 0,
          },
        ]
    if (tip !== 0) {
      const within = paid.find(({ name }) => name === payments.tip?.in)
      const taker = within ?? paid.find(({ amount }) => amount !== 0) ?? paid[0]
      if (taker) taker.tip = tip
      if (taker && within) taker.amount -= tip
    }
    return paid.filter((one) => one.amount !== 0 || one.tip !== 0)
  })
}

/** Maximum time between two lines of a sale, unless all of them have the same close. */
const longestOpenMs = 12 * hourMs

/**
 * Refuses lines with the same key that are of several sales: if the numbers of a system start again each day, two sales
 * would become one. Throws `Unreadable`.
 */
function assertOneSale(rows: readonly Line[], closed: readonly string[], { map, cells }: Context): void {
  const opened = (row: Line) => Date.parse(cells.time(row, map.order.opened, '/order/opened') ?? '')
  const first = rows[0] as Line
  const other = rows.find((row) => Math.abs(opened(row) - opened(first)) > longestOpenMs)
  const isOneClose = closed.length > 0 && closed[0] === closed.at(-1)
  if (other === undefined || isOneClose) return
  throw new Unreadable(
    `${first.file}, line ${first.line}: line ${other.line} has the same key, but is more than 12 hours away: add what tells the sales apart, such as the date, to the key (map /order/key)`,
  )
}

function ticketOf(key: string, rows: readonly Line[], paid: readonly Line[], context: Context): Ticket {
  const { map, profile, cells } = context
  const { order } = map
  const first = rows[0] as Line
  const at = (name: string) => `/order/${name}`
  const text = (cell: Parameters<Cells['text']>[1], name: string) => cells.text(first, cell, at(name))
  const sign = cells.is(first, order.negative, at('negative')) ? -1 : 1
  const opened = cells.time(first, order.opened, at('opened'))
  if (opened === undefined)
    throw new Unreadable(`${first.file}, line ${first.line}: the time is missing (map /order/opened)`)
  const times = rows.flatMap((row) => cells.time(row, order.closed, at('closed')) ?? []).toSorted()
  assertOneSale(rows, times, context)
  const closedAt = order.closed === undefined ? opened : (times.at(-1) ?? null)
  const [operator, device] = [text(order.operator, 'operator'), text(order.device, 'device')]
  const closing = text(order.closing, 'closing')
  const total = order.total === undefined ? undefined : sign * cells.minor(first, order.total, at('total'))
  return {
    source: map.source ?? 'csv',
    account: profile.account,
    key,
    version: cells.time(first, order.version, at('version')) ?? closedAt ?? opened,
    opened,
    closed: closedAt,
    device: { key: device, ...(profile.devices?.[device] ? { name: profile.devices[device] } : {}) },
    operator: { key: operator, name: operator },
    place: text(order.place, 'place'),
    number: text(order.number, 'number'),
    guests: Math.round(cells.number(first, order.guests, at('guests'))),
    customer: text(order.customer, 'customer'),
    channel: text(order.channel, 'channel') || 'pos',
    service: text(order.service, 'service') || 'eat_in',
    state: cells.is(first, order.canceled, at('canceled'))
      ? 'canceled'
      : cells.is(first, order.training, at('training'))
        ? 'training'
        : 'sale',
    ...(closing === '' ? {} : { closing }),
    items: rows.map((row) => itemOf(row, sign, context)),
    payments: paymentsOf(paid, sign, context),
    ...(total === undefined ? {} : { said: { total } }),
  }
}

/** Checks the rules of a map that its schema cannot express. Throws `Unreadable`. */
function checkMap({ order: { item } }: CsvMap): void {
  if ((item.total === undefined) === (item.price === undefined))
    throw new Unreadable('an item needs either total or price, the price of one piece (map /order/item)')
  if (item.tax && item.tax.rate === undefined && item.tax.amount === undefined)
    throw new Unreadable('a tax needs a rate, an amount or both (map /order/item/tax)')
}

/** Reads documents into the rows of a map; `keepState` as in `MapsTo`. Throws `Unreadable`. */
export type ReadRows = (
  files: readonly SourceFile[],
  rows: Rows,
  mapping: Mapping,
  to: Pick<MapsTo, 'scratch' | 'keepState'>,
) => Promise<void>

/** Makes the adapter of a map, for documents that `read` turns into rows. */
export const mapAdapter = (map: CsvMap, name: string, expects: string | null, read: ReadRows): Adapter => ({
  name: map.source ?? name,
  expects,
  profile: Profile,
  async map(files, profile, to) {
    const { scratch, hand } = to
    checkMap(map)
    const { decimals, isoDecimals } = moneyOf(profile.currency)
    const cells = new Cells({ map, toTime: localTimes(map.times.format, profile.timeZone), decimals, isoDecimals })
    const mapping = new Mapping(hand)
    const context: Context = { map, profile, cells, note: (what) => note(mapping.mapped, what) }
    const rows = new Rows(map, cells, scratch)
    await read(files, rows, mapping, to)
    const closings = new Closings(context, scratch)
    for (const [key, of] of rows.groups('report')) closings.add(key, of, mapping)
    const { payments, from } = map.order
    const isPayment = (row: Line) =>
      !(payments?.leave ?? []).some((test) => cells.is(row, test, '/order/payments/leave'))
    for (const [key, own] of rows.groups('order')) {
      mapOne(
        mapping.mapped,
        () => key,
        () => {
          const paid = !payments ? [] : payments.from === from ? own : rows.of('payment', key)
          const ticket = ticketOf(key, own, paid.filter(isPayment), context)
          closings.take(ticket)
          mapping.mapped.tickets.push(ticket)
        },
      )
      mapping.handMuch()
    }
    for (const key of scratch.keysWithout('payment', 'order')) {
      mapping.mapped.left.push({ key, reason: 'payments without a sale' })
      mapping.handMuch()
    }
    for (const closing of closings.list()) {
      mapping.mapped.closings.push(closing)
      mapping.handMuch()
    }
    mapping.handAll()
  },
})

export const csvAdapter = (map: CsvMap): Adapter => mapAdapter(map, 'csv', 'rows below a header line', readCsvFiles)
