import { moneyOf } from '../../domain/money/currency.ts'
import type { Closing, Ticket, TicketItem, TicketPayment } from '../../schemas/tickets.ts'
import { mapEach, newMapped, Profile, Unreadable, type Adapter, type Mapped, type SourceFile } from '../adapter.ts'
import { localTimes } from '../local-times.ts'
import { readCsv } from '../text.ts'
import { Cells, type Line } from './cells.ts'
import type { CsvMap, FileMap } from './schema.ts'

type Context = {
  map: CsvMap
  profile: Profile
  cells: Cells
  rows: ReadonlyMap<string, Line[]>
  mapped: Mapped
  decimals: number
}

const baseName = (name: string) => name.split(/[\\/]/).at(-1) as string

/** Whether a file has the name or fits the pattern of a map. */
function fits(pattern: string, name: string): boolean {
  const form = pattern
    .toLowerCase()
    .split('*')
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join('.*')
  return new RegExp(`^${form}$`).test(baseName(name).toLowerCase())
}

/** Guesses the delimiter: the one that the first line has most of. */
export function guessDelimiter(head: string): string {
  const counts = [';', ',', '\t', '|'].map((delimiter) => [delimiter, head.split(delimiter).length] as const)
  return counts.reduce((best, one) => (one[1] > best[1] ? one : best))[0]
}

/** Columns that a map names, in any of its cells of this file. */
function columnsNamed(part: unknown, into: Set<string>): Set<string> {
  if (typeof part === 'string') into.add(part)
  else if (Array.isArray(part)) for (const one of part) columnsNamed(one, into)
  else if (typeof part === 'object' && part !== null) {
    for (const [key, child] of Object.entries(part)) {
      if (!['value', 'values', 'split', 'is', 'as', 'in', 'from', 'kinds', 'included', 'leave'].includes(key))
        columnsNamed(child, into)
      else if (key === 'leave') for (const { column } of child as { column: string }[]) into.add(column)
    }
  }
  return into
}

/** The parts of a map that are read from a file. */
function partsOf({ order, report }: CsvMap, file: string): unknown[] {
  const { payments, item, from, ...frame } = order
  const { tax, ...rest } = item
  const taxCells = tax ? [tax.rate, tax.amount ?? []] : []
  const { from: reportFrom, taxes = [], ...reportFrame } = report ?? { from: undefined }
  const own = from === file ? [frame, rest, ...taxCells] : []
  const paid = payments?.from === file ? [payments, order.key] : []
  return [
    ...own,
    ...paid,
    ...(reportFrom === file ? [reportFrame, taxes.map(({ amount, base }) => [amount, base ?? []])] : []),
  ]
}

function readRows(
  files: readonly SourceFile[],
  { name, file }: { name: string; file: FileMap },
  map: CsvMap,
  mapped: Mapped,
): Line[] {
  const found = files.filter((one) => fits(file.name, one.name))
  if (found.length === 0) throw new Unreadable(`there is no file ${file.name} (map /files/${name}/name)`)
  const named = columnsNamed(partsOf(map, name), new Set())
  return found.flatMap((one) => {
    const head = one.bytes.subarray(0, 2_000).toString('latin1').split('\n', 1)[0] ?? ''
    const { columns, rows } = readCsv(one, {
      delimiter: file.delimiter ?? guessDelimiter(head),
      encoding: file.encoding,
    })
    const missing = [...named].filter((column) => !columns.includes(column))
    if (missing.length > 0)
      throw new Unreadable(
        `${one.name} has no column ${missing.map((column) => `“${column}”`).join(', ')} (map /files/${name})`,
      )
    for (const column of columns) {
      if (named.has(column)) continue
      const at = `${baseName(one.name)}: ${column}`
      mapped.unmapped.set(at, rows.filter(({ cells }) => cells[column] !== '').length)
    }
    return rows.map((row) => ({ ...row, file: baseName(one.name) }))
  })
}

const keyOf = (row: Line, key: CsvMap['order']['key'], { cells }: Context, at: string): string =>
  key.map((part) => cells.text(row, part, at)).join(' ')

function taxesOf(row: Line, total: number, sign: number, { map, cells }: Context): NonNullable<TicketItem['taxes']> {
  const { tax } = map.order.item
  const at = '/order/item/tax'
  if (!tax) return []
  const text = cells.text(row, tax.rate, `${at}/rate`)
  if (text === '') return []
  const percent = cells.number(row, tax.rate, `${at}/rate`)
  const hundredths = Math.round(percent * 100)
  const rate = hundredths / 10_000
  const computed = tax.included ? (total * rate) / (1 + rate) : total * rate
  const amount =
    tax.amount === undefined
      ? Math.sign(computed) * Math.round(Math.abs(computed))
      : sign * cells.minor(row, tax.amount, `${at}/amount`)
  const name = (tax.name ?? '{} %').replace('{}', text)
  return [{ name, key: String(hundredths), rate, amount, mode: tax.included ? 'included' : 'added' }]
}

function itemOf(row: Line, sign: 1 | -1, context: Context): TicketItem {
  const { map, cells } = context
  const { item } = map.order
  const at = (name: string) => `/order/item/${name}`
  const total = sign * cells.minor(row, item.total, at('total'))
  const name = cells.text(row, item.name, at('name'))
  const product = cells.text(row, item.product, at('product'))
  const discount = item.discount ? sign * cells.minor(row, item.discount.amount, at('discount/amount')) : 0
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

function ticketOf(key: string, rows: readonly Line[], paid: readonly Line[], context: Context): Ticket {
  const { map, profile, cells } = context
  const { order } = map
  const first = rows[0] as Line
  const at = (name: string) => `/order/${name}`
  const text = (cell: Parameters<Cells['text']>[1], name: string) => cells.text(first, cell, at(name))
  const sign = cells.is(first, order.negative, at('negative')) ? -1 : 1
  const opened = cells.time(first, order.opened, at('opened'))
  if (opened === undefined)
    throw new Unreadable(`${first.file}, line ${first.line}: there is no time (map /order/opened)`)
  const times = rows.flatMap((row) => cells.time(row, order.closed, at('closed')) ?? []).toSorted()
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

function closingOf(row: Line, tickets: readonly Ticket[], context: Context): Closing {
  const { map, profile, cells } = context
  const report = map.report as NonNullable<CsvMap['report']>
  const at = (name: string) => `/report/${name}`
  const minor = (cell: Parameters<Cells['minor']>[1], name: string) => cells.minor(row, cell, at(name))
  const key = keyOf(row, report.key, context, at('key'))
  const device = cells.text(row, report.device, at('device'))
  const [from, to] = [cells.time(row, report.opened, at('opened')), cells.time(row, report.closed, at('closed'))]
  if (from === undefined || to === undefined)
    throw new Unreadable(`${row.file}, line ${row.line}: the closing has no time`)
  const own = tickets.filter((ticket) =>
    ticket.closing === undefined
      ? ticket.closed &&
        ticket.closed >= from &&
        ticket.closed <= to &&
        (device === '' || ticket.device?.key === device)
      : ticket.closing === key,
  )
  for (const ticket of own) ticket.closing = key
  const number = cells.number(row, report.number, at('number'))
  return {
    source: map.source ?? 'csv',
    account: profile.account,
    key,
    ...(report.number === undefined ? {} : { number }),
    device: { key: device, name: profile.devices?.[device] ?? device },
    from,
    to,
    said: {
      total: minor(report.total, 'total'),
      ...(report.guests === undefined ? {} : { guests: Math.round(cells.number(row, report.guests, at('guests'))) }),
      ...(report.taxes === undefined
        ? {}
        : {
            taxes: report.taxes.map(({ name, rate, amount, base }) => ({
              name,
              rate: Math.round(rate * 100) / 10_000,
              amount: minor(amount, 'taxes'),
              base: base === undefined ? 0 : minor(base, 'taxes'),
            })),
          }),
      ...(report.payments === undefined
        ? {}
        : { payments: report.payments.columns.map((name) => ({ name, amount: minor(name, 'payments') })) }),
      ...(report.cash === undefined
        ? {}
        : { cash: { initial: minor(report.cash.initial, 'cash'), final: minor(report.cash.final, 'cash') } }),
    },
    tickets: own.map((ticket) => ticket.key),
  }
}

/** The lines of the map's files without those that it leaves. */
function keptRows(files: readonly SourceFile[], map: CsvMap, cells: Cells, mapped: Mapped): Map<string, Line[]> {
  return new Map(
    Object.entries(map.files).map(([name, file]) => {
      const rows = readRows(files, { name, file }, map, mapped)
      const isLeft = (row: Line) => (file.leave ?? []).some((test) => cells.is(row, test, `/files/${name}/leave`))
      for (const row of rows.filter(isLeft))
        mapped.left.push({ key: `${row.file}:${row.line}`, reason: 'left by the map' })
      return [name, rows.filter((row) => !isLeft(row))] as const
    }),
  )
}

/** Makes the adapter of a map. */
export const csvAdapter = (map: CsvMap): Adapter => ({
  name: map.source ?? 'csv',
  profile: Profile,
  map(files, profile) {
    const mapped = newMapped()
    const { decimals } = moneyOf(profile.currency)
    const cells = new Cells({ map, toTime: localTimes(map.times.format, profile.timeZone), decimals })
    const rows = keptRows(files, map, cells, mapped)
    const context: Context = { map, profile, cells, rows, mapped, decimals }
    const rowsOf = (name: string) => rows.get(name) ?? []
    const groups = Map.groupBy(rowsOf(map.order.from), (row) => keyOf(row, map.order.key, context, '/order/key'))
    const { payments } = map.order
    const paid = Map.groupBy(payments ? rowsOf(payments.from) : [], (row) =>
      keyOf(row, map.order.key, context, '/order/key'),
    )
    const isPaymentRow = (row: Line) =>
      !(payments?.leave ?? []).some((test) => cells.is(row, test, '/order/payments/leave'))
    mapEach([...groups], mapped, {
      keyOf: ([key]) => key,
      map: ([key, own]) =>
        void mapped.tickets.push(ticketOf(key, own, (paid.get(key) ?? []).filter(isPaymentRow), context)),
    })
    for (const key of paid.keys()) if (!groups.has(key)) mapped.left.push({ key, reason: 'payments without a sale' })
    if (map.report) {
      mapEach(rowsOf(map.report.from), mapped, {
        keyOf: ({ file, line }) => `${file}:${line}`,
        map: (row) => void mapped.closings.push(closingOf(row, mapped.tickets, context)),
      })
    }
    return mapped
  },
})
