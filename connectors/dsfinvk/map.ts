import type { Ticket, TicketItem, TicketPayment } from '../../src/modules/sources/schemas/tickets.ts'
import {
  Mapping,
  mapOne,
  minorReader,
  note,
  noteUnknown,
  Profile,
  takeTip,
  toUtc,
  usualPaymentNames,
  type Adapter,
  type SourceFile,
} from '../../src/modules/sources/adapters/adapter.ts'
import { caseOf, cases, debt, entryTypes, isDebt, isItemCase, isMove, isOf, isTip, voucherKey } from './cases.ts'
import { addTo, closingOf, newDrawer, type Drawer } from './closings.ts'
import { cashPoint, nameOf, sumOf, type Export, type Rate } from './export.ts'
import { localTimes } from '../../src/modules/sources/adapters/local-times.ts'
import { skippedBy } from '../../src/modules/sources/adapters/not-read.ts'
import type { Scratch } from '../../src/modules/sources/adapters/scratch.ts'
import { Tables, type TableRow } from './tables.ts'

// DSFinV-K: the export that every till in Germany must provide. Tables of receipts, lines and closings, described by an
// index.

const receipt = (row: TableRow) => `${cashPoint(row)}:${row.text('BON_ID')}`
const line = (row: TableRow) => `${receipt(row)}:${row.text('POS_ZEILE')}`

/** A receipt with its rows of other tables; the keys of `taxes` are lines. */
type Receipt = Export & {
  lines: TableRow[]
  taxes: Map<string, TableRow[]>
  payments: TableRow[]
  /** The printed taxes of the receipt; undefined if the export does not have them. */
  printed: number | undefined
  /** Components of lines; the keys are lines. */
  parts: Map<string, TableRow[]>
  place: TableRow | undefined
}

function receiptOf(row: TableRow, data: Export): Receipt {
  const key = receipt(row)
  const of = (name: string) => data.tables.rows(name, key)
  const [taxes, [place]] = [Map.groupBy(of('lines_vat'), line), of('allocation_groups')]
  const printed = of('transactions_vat')
  return {
    ...data,
    lines: of('lines'),
    taxes,
    payments: of('datapayment'),
    printed: printed.length === 0 ? undefined : sumOf(printed, 'BON_UST', data),
    parts: Map.groupBy(of('subitems'), line),
    place,
  }
}

const taxRows = (rows: readonly TableRow[], { taxes }: Receipt): TableRow[] =>
  rows.flatMap((one) => taxes.get(line(one)) ?? [])

/** Returns the sum of a receipt's lines, each rounded as on the receipt. */
const grossOf = (rows: readonly TableRow[], data: Receipt): number =>
  taxRows(rows, data).reduce((sum, one) => sum + data.minor(one.number('POS_BRUTTO')), 0)

const isItem = (row: TableRow, data: Receipt): boolean =>
  isItemCase(caseOf(row), sumOf(taxRows([row], data), 'POS_UST', data))

type Taxes = NonNullable<TicketItem['taxes']>

function taxOf(row: TableRow, { rates, minor }: Export): Taxes[number] {
  const key = row.text('UST_SCHLUESSEL')
  const { name, rate } = rates.get(`${cashPoint(row)}:${key}`) ?? { name: `USt-Schlüssel ${key}`, rate: 0 }
  return { name, key, rate, amount: minor(row.number('POS_UST')), mode: 'included' }
}

const weights: Record<string, NonNullable<TicketItem['unit']>> = { kg: 'kg', g: 'g' }

/** Returns the items of a line: one item, or for a menu with several rates, one item for each rate. */
function itemsOf(row: TableRow, data: Receipt): { items: TicketItem[]; menus: NonNullable<Ticket['menus']> } {
  const { minor, taxes: all } = data
  const kind = row.text('GV_TYP')
  const name = row.text('ARTIKELTEXT') || kind
  const product = row.text('ART_NR') || name
  const of = caseOf(row)
  const isVoucher = of === 'voucher' || of === 'voucherUsed'
  const category = isVoucher
    ? 'Gift cards'
    : of === 'charge'
      ? 'Service charges'
      : row.text('WARENGR') || (kind === 'Umsatz' ? '' : kind)
  const stated = row.number('MENGE') * (row.number('FAKTOR') || 1)
  // The quantity of a used voucher gets the sign of its amount.
  const quantity = of === 'voucherUsed' ? Math.sign(grossOf([row], data)) * Math.abs(stated) : stated
  const unit = weights[row.text('EINHEIT').toLowerCase()]
  const state = row.text('P_STORNO') === '1' && quantity === 0 ? { state: 'canceled' as const } : {}
  const rates = all.get(line(row)) ?? []
  const ofKind: TicketItem['kind'] = isVoucher ? 'voucher' : of === 'charge' || of === 'deposit' ? of : undefined
  const modifiers = (data.parts.get(line(row)) ?? []).map((part) => {
    const partName = part.text('ZI_NAME')
    return {
      key: part.text('ZI_ART_NR') || partName,
      name: partName,
      quantity: part.number('ZI_MENGE') * (part.number('ZI_FAKTOR') || 1),
    }
  })
  const base = {
    name,
    product,
    quantity,
    ...(unit ? { unit } : {}),
    category,
    ...(ofKind ? { kind: ofKind } : {}),
    ...(modifiers.length > 0 ? { modifiers } : {}),
    ...state,
  }
  if (rates.length <= 1) {
    const [rate] = rates
    const amount = rate ? minor(rate.number('POS_BRUTTO')) : minor(row.number('STK_BR') * quantity)
    return { items: [{ ...base, amount, taxes: rate ? [taxOf(rate, data)] : [] }], menus: [] }
  }
  const key = row.text('POS_ZEILE')
  const items = rates.map((rate) => ({
    ...base,
    amount: minor(rate.number('POS_BRUTTO')),
    taxes: [taxOf(rate, data)],
    menu: key,
  }))
  const amount = items.reduce((sum, item) => sum + item.amount, 0)
  return { items, menus: [{ key, product, name, quantity, amount }] }
}

/** Assigns a discount to the first item of its rate that is large enough. */
function takeOff(items: TicketItem[], row: TableRow, data: Receipt): void {
  for (const rate of data.taxes.get(line(row)) ?? []) {
    const amount = -data.minor(rate.number('POS_BRUTTO'))
    const tax = taxOf(rate, data)
    const of = items.filter(({ taxes = [] }) => taxes[0]?.key === tax.key)
    const item = of.find((one) => Math.abs(one.amount) >= Math.abs(amount)) ?? of[0]
    const name = row.text('ARTIKELTEXT') || row.text('GV_NAME') || 'Rabatt'
    if (!item) {
      items.push({ name, quantity: -1, amount: -amount, taxes: [tax] })
      continue
    }
    item.amount -= amount
    item.discounts = [...(item.discounts ?? []), { name, amount }]
    const [own] = item.taxes ?? []
    if (own) item.taxes = [{ ...own, amount: own.amount + tax.amount }]
  }
}

function paymentsOf(lines: readonly TableRow[], data: Receipt): TicketPayment[] {
  const { minor } = data
  const paid = data.payments.map((payment): TicketPayment => {
    const [type, name] = [payment.text('ZAHLART_TYP'), payment.text('ZAHLART_NAME')]
    const amount = minor(payment.number('BASISWAEH_BETRAG'))
    return { name: nameOf(type, name), key: name ? `${type}:${name}` : type, amount }
  })
  const used = lines.filter((one) => caseOf(one) === 'voucherUsed' && !isItem(one, data))
  const [vouchers, owed] = [-grossOf(used, data), -grossOf(lines.filter(isDebt), data)]
  const all = paid.filter(({ amount }) => amount !== 0)
  takeTip(all, grossOf(lines.filter(isTip), data))
  if (vouchers !== 0) all.push({ name: usualPaymentNames.giftCard, key: voucherKey, amount: vouchers })
  if (owed !== 0) all.push({ ...debt, amount: owed })
  return all
}

/** Taxes deposits when they are paid, or with their sale: the printed taxes of the receipt show which. */
function taxDeposits(items: TicketItem[], stated: number | undefined): void {
  const taxOf = (of: readonly TicketItem[]) =>
    of.flatMap(({ taxes = [] }) => taxes).reduce((sum, { amount }) => sum + amount, 0)
  const deposits = items.filter(({ kind }) => kind === 'deposit')
  const off = stated === undefined ? 0 : taxOf(items) - stated
  if (off === 0 || Math.abs(off - taxOf(deposits)) > items.length / 2) return
  for (const deposit of deposits) deposit.taxes = []
}

function ticketOf(row: TableRow, data: Receipt): Ticket {
  const { minor, profile, toTime, lines, mapping } = data
  for (const one of lines) if (!(one.text('GV_TYP') in cases)) noteUnknown(mapping.mapped, 'GV_TYP', one.text('GV_TYP'))
  const items: TicketItem[] = []
  const menus: NonNullable<Ticket['menus']> = []
  for (const one of lines.filter((one) => isItem(one, data) && caseOf(one) !== 'discount')) {
    const made = itemsOf(one, data)
    items.push(...made.items)
    menus.push(...made.menus)
  }
  for (const one of lines.filter(isOf('discount'))) takeOff(items, one, data)
  if (row.text('BON_STORNO') === '1') note(mapping.mapped, 'refund_link')
  const payments = paymentsOf(lines, data)
  const sumOfKey = (key: string) =>
    payments.filter((one) => one.key === key).reduce((sum, { amount }) => sum + amount, 0)
  const beside = sumOfKey(voucherKey) + sumOfKey(debt.key)
  const tip = grossOf(lines.filter(isTip), data)
  // The printed taxes, without those of lines that are not items here.
  const notItems = lines.filter((one) => isTip(one) || isMove(one))
  const printed =
    data.printed === undefined ? undefined : data.printed - sumOf(taxRows(notItems, data), 'POS_UST', data)
  taxDeposits(items, printed)
  const closed = toTime(row.text('BON_ENDE'))
  const device = row.text('Z_KASSE_ID')
  const moved = grossOf(lines.filter(isMove), data)
  return {
    source: 'dsfinvk',
    account: profile.account,
    key: receipt(row),
    version: closed,
    opened: toTime(row.text('BON_START')),
    closed,
    device: { key: device },
    operator: { key: row.text('BEDIENER_ID'), name: row.text('BEDIENER_NAME') },
    place: data.place?.text('ABRECHNUNGSKREIS') ?? '',
    number: numberOf(row),
    service: lines.length > 0 && lines.every((one) => one.text('INHAUS') === '0') ? 'takeaway' : 'eat_in',
    state: row.text('BON_TYP') === 'AVTraining' ? 'training' : 'sale',
    closing: cashPoint(row),
    items,
    ...(menus.length > 0 ? { menus } : {}),
    payments,
    said: {
      total: minor(row.number('UMS_BRUTTO')) + beside - tip - moved,
      ...(printed === undefined ? {} : { tax: printed }),
    },
  }
}

/** Returns the printed number of a receipt; some exports format it with groups and decimals. */
function numberOf(row: TableRow): string {
  const text = row.text('BON_NR').trim()
  if (/^\d*$/.test(text)) return text
  try {
    return String(row.number('BON_NR'))
  } catch {
    return text
  }
}

/** The kinds of receipts that are mapped; all others are skipped, with their kind as the reason. */
const receipts = new Set(['Beleg', 'AVTraining'])
const reasons: Record<string, string> = { AVBelegabbruch: 'broken off' }

/** Returns whether a receipt is a sale, and does not only move money in or out of the drawer. */
const isSale = ({ lines }: Receipt): boolean => lines.length === 0 || !lines.every(isMove)

/** Records drawer movements: the opening, cash transit, payments in and out. */
function noteMoves(own: Receipt, drawer: Drawer): void {
  for (const one of own.lines.filter(isMove)) {
    const amount = grossOf([one], own)
    if (amount === 0) continue
    const kind = one.text('GV_TYP')
    const [more, less] = entryTypes[kind] ?? ['cash_in', 'cash_out']
    drawer.entries.push({
      name: one.text('ARTIKELTEXT') || one.text('GV_NAME') || kind,
      amount,
      type: amount > 0 ? more : less,
    })
  }
}

/** Maps a receipt, and adds it to the drawer of its closing; `sell` is called if it is a sale. */
function mapReceipt(row: TableRow, data: Export, drawer: Drawer, sell: () => void): void {
  const { mapped } = data.mapping
  const kind = row.text('BON_TYP')
  if (!receipts.has(kind)) {
    mapped.left.push({ key: receipt(row), reason: reasons[kind] ?? kind })
    return
  }
  const at = data.toTime(row.text('BON_START'))
  if (drawer.begun === undefined || at < drawer.begun) drawer.begun = at
  const own = receiptOf(row, data)
  if (kind === 'Beleg') noteMoves(own, drawer)
  if (!isSale(own)) {
    for (const { name, amount } of paymentsOf(own.lines, own)) addTo(drawer, name, amount)
    mapped.left.push({ key: receipt(row), reason: 'money in or out of the drawer' })
    return
  }
  sell()
  const ticket = ticketOf(row, own)
  if (ticket.state === 'sale') {
    for (const { name, key, tip = 0 } of ticket.payments) {
      addTo(drawer, name, tip)
      if (tip !== 0 && key.split(':')[0] === 'Bar') drawer.hasCashTips = true
    }
  }
  mapped.tickets.push(ticket)
}

/** Reads the tables that are looked up by receipt or by closing. */
async function readTables(files: readonly SourceFile[], scratch: Scratch): Promise<Tables> {
  const tables = await Tables.open(files, scratch)
  for (const name of ['transactions', 'lines', 'lines_vat', 'datapayment']) await tables.read(name, receipt, true)
  for (const name of ['allocation_groups', 'transactions_vat', 'subitems']) await tables.read(name, receipt, false)
  for (const name of ['vat', 'cashpointclosing', 'businesscases', 'payment']) await tables.read(name, cashPoint, true)
  await tables.read('cashregister', cashPoint, false)
  return tables
}

export const dsfinvk: Adapter = {
  name: 'dsfinvk',
  expects: 'receipts of DSFinV-K: rows of transactions.csv',
  profile: Profile,
  async map(files, profile, { scratch, hand }) {
    const tables = await readTables(files, scratch)
    const rates = new Map<string, Rate>()
    for (const row of tables.all('vat')) {
      const rate = Math.round(row.number('UST_SATZ') * 100) / 10_000
      rates.set(`${cashPoint(row)}:${row.text('UST_SCHLUESSEL')}`, { name: row.text('UST_BESCHR'), rate })
    }
    const local = localTimes('YYYY-MM-DDTHH:mm:ss', profile.timeZone)
    const mapping = new Mapping(hand)
    const data: Export = {
      profile,
      minor: minorReader(profile.currency),
      toTime: (text) => (/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? toUtc(text) : local(text)),
      mapping,
      tables,
      rates,
    }
    const drawers = new Map<string, Drawer>()
    for (const row of tables.all('transactions')) {
      const closing = cashPoint(row)
      const drawer = drawers.get(closing) ?? newDrawer()
      drawers.set(closing, drawer)
      mapOne(
        mapping.mapped,
        () => receipt(row),
        () => mapReceipt(row, data, drawer, () => scratch.addTicket(closing, row.text('BON_ENDE'), receipt(row))),
      )
      mapping.handMuch()
    }
    for (const row of tables.all('cashpointclosing')) {
      const key = cashPoint(row)
      mapOne(
        mapping.mapped,
        () => key,
        () => {
          const own = { drawer: drawers.get(key) ?? newDrawer(), tickets: scratch.ticketsOf(key) }
          mapping.mapped.closings.push(closingOf(row, data, own))
        },
      )
      mapping.handMuch()
    }
    tables.countUnread(skippedBy('dsfinvk'), mapping.mapped.unmapped)
    mapping.handAll()
  },
}
