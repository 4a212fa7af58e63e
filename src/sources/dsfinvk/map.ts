import type { Closing, Ticket, TicketItem, TicketPayment } from '../../schemas/tickets.ts'
import {
  Mapping,
  mapOne,
  minorReader,
  note,
  Profile,
  toUtc,
  usualPaymentNames,
  type Adapter,
  type SourceFile,
} from '../adapter.ts'
import { localTimes } from '../local-times.ts'
import type { Scratch } from '../scratch.ts'
import { Tables, type TableRow } from './tables.ts'

// DSFinV-K: the export that every till in Germany must make. Tables of receipts, lines and closings, described by an index.

const cashPoint = (row: TableRow) => `${row.text('Z_KASSE_ID')}:${row.text('Z_NR')}`
const receipt = (row: TableRow) => `${cashPoint(row)}:${row.text('BON_ID')}`
const line = (row: TableRow) => `${receipt(row)}:${row.text('POS_ZEILE')}`

const sold = new Set(['MehrzweckgutscheinKauf', 'EinzweckgutscheinKauf'])
const givenIn = new Set(['MehrzweckgutscheinEinloesung', 'EinzweckgutscheinEinloesung'])
const tips = new Set(['TrinkgeldAG', 'TrinkgeldAN'])
/** Money that goes in or out of the drawer, and is no part of a sale. */
const moves = new Set([
  'Anfangsbestand',
  'Geldtransit',
  'Einzahlung',
  'Auszahlung',
  'Privateinlage',
  'Privatentnahme',
  'Lohnzahlung',
  'DifferenzSollIst',
])

const isItem = (kind: string) => !givenIn.has(kind) && !tips.has(kind) && !moves.has(kind)

/** The key under which vouchers that were redeemed are listed as one payment. */
const voucherKey = 'Gutschein'

type Rate = { name: string; rate: number }

type Export = {
  profile: Profile
  minor: ReturnType<typeof minorReader>
  toTime: (text: string) => string
  mapping: Mapping
  tables: Tables
  rates: Map<string, Rate>
}

/** A receipt with what other tables have of it; `taxes` by the line. */
type Receipt = Export & {
  lines: TableRow[]
  taxes: Map<string, TableRow[]>
  payments: TableRow[]
  place: TableRow | undefined
}

function receiptOf(row: TableRow, data: Export): Receipt {
  const key = receipt(row)
  const of = (name: string) => data.tables.rows(name, key)
  const [taxes, [place]] = [Map.groupBy(of('lines_vat'), line), of('allocation_groups')]
  return { ...data, lines: of('lines'), taxes, payments: of('datapayment'), place }
}

type Taxes = NonNullable<TicketItem['taxes']>

function taxOf(row: TableRow, { rates, minor }: Export): Taxes[number] {
  const key = row.text('UST_SCHLUESSEL')
  const { name, rate } = rates.get(`${cashPoint(row)}:${key}`) ?? { name: `USt-Schlüssel ${key}`, rate: 0 }
  return { name, key, rate, amount: minor(row.number('POS_UST')), mode: 'included' }
}

const weights: Record<string, NonNullable<TicketItem['unit']>> = { kg: 'kg', g: 'g' }

/** The items of a line: one, or of a line with several rates, which is a menu, one for each of them. */
function itemsOf(row: TableRow, data: Receipt): { items: TicketItem[]; menus: NonNullable<Ticket['menus']> } {
  const { minor, taxes: all } = data
  const kind = row.text('GV_TYP')
  const name = row.text('ARTIKELTEXT') || kind
  const product = row.text('ART_NR') || name
  const category = sold.has(kind)
    ? 'Gift cards'
    : kind === 'Aufschlag'
      ? 'Service charges'
      : row.text('WARENGR') || (kind === 'Umsatz' ? '' : kind)
  const quantity = row.number('MENGE') * (row.number('FAKTOR') || 1)
  const unit = weights[row.text('EINHEIT').toLowerCase()]
  const state = row.text('P_STORNO') === '1' && quantity === 0 ? { state: 'canceled' as const } : {}
  const rates = all.get(line(row)) ?? []
  const base = { name, product, quantity, ...(unit ? { unit } : {}), category, ...state }
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

/** A discount goes to the first item of its rate that it fits in. */
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

const nameOf = (type: string, name: string) => name || (type === 'Bar' ? 'Bargeld' : type)

function paymentsOf(lines: readonly TableRow[], data: Receipt): TicketPayment[] {
  const { minor, taxes } = data
  const paid = data.payments.map((payment): TicketPayment => {
    const [type, name] = [payment.text('ZAHLART_TYP'), payment.text('ZAHLART_NAME')]
    const amount = minor(payment.number('BASISWAEH_BETRAG'))
    return { name: nameOf(type, name), key: name ? `${type}:${name}` : type, amount }
  })
  const grossOf = (of: ReadonlySet<string>) =>
    lines
      .filter((one) => of.has(one.text('GV_TYP')))
      .flatMap((one) => taxes.get(line(one)) ?? [])
      .reduce((sum, one) => sum + minor(one.number('POS_BRUTTO')), 0)
  const vouchers = -grossOf(givenIn)
  const tip = grossOf(tips)
  const all = paid.filter(({ amount }) => amount !== 0)
  if (vouchers !== 0) all.push({ name: usualPaymentNames.giftCard, key: voucherKey, amount: vouchers })
  const [first] = all
  if (tip !== 0 && first) Object.assign(first, { amount: first.amount - tip, tip })
  return all
}

function ticketOf(row: TableRow, data: Receipt): Ticket {
  const { minor, profile, toTime, lines } = data
  const items: TicketItem[] = []
  const menus: NonNullable<Ticket['menus']> = []
  for (const one of lines.filter((one) => isItem(one.text('GV_TYP')) && one.text('GV_TYP') !== 'Rabatt')) {
    const made = itemsOf(one, data)
    items.push(...made.items)
    menus.push(...made.menus)
  }
  for (const one of lines.filter((one) => one.text('GV_TYP') === 'Rabatt')) takeOff(items, one, data)
  if (row.text('BON_STORNO') === '1') note(data.mapping.mapped, 'refund_link')
  const payments = paymentsOf(lines, data)
  const vouchers = payments.filter(({ key }) => key === voucherKey).reduce((sum, { amount }) => sum + amount, 0)
  const tip = payments.reduce((sum, one) => sum + (one.tip ?? 0), 0)
  const closed = toTime(row.text('BON_ENDE'))
  const device = row.text('Z_KASSE_ID')
  const moved = lines
    .filter((one) => moves.has(one.text('GV_TYP')))
    .flatMap((one) => data.taxes.get(line(one)) ?? [])
    .reduce((sum, one) => sum + minor(one.number('POS_BRUTTO')), 0)
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
    number: row.text('BON_NR'),
    service: lines.length > 0 && lines.every((one) => one.text('INHAUS') === '0') ? 'takeaway' : 'eat_in',
    state: row.text('BON_TYP') === 'AVTraining' ? 'training' : 'sale',
    closing: cashPoint(row),
    items,
    ...(menus.length > 0 ? { menus } : {}),
    payments,
    said: { total: minor(row.number('UMS_BRUTTO')) + vouchers - tip - moved },
  }
}

/** What the receipts of these kinds are; all others are left by their kind. */
const receipts = new Set(['Beleg', 'AVTraining'])
const reasons: Record<string, string> = { AVBelegabbruch: 'broken off' }

function sumsByRate(cases: readonly TableRow[], { rates, minor }: Export): NonNullable<Closing['said']['taxes']> {
  const byKey = Map.groupBy(cases, (row) => row.text('UST_SCHLUESSEL'))
  return [...byKey].map(([key, rows]) => {
    const { name, rate } = rates.get(`${cashPoint(rows[0] as TableRow)}:${key}`) ?? {
      name: `USt-Schlüssel ${key}`,
      rate: 0,
    }
    const sum = (column: string) =>
      minor(rows.reduce((all, row) => all + Math.round(row.number(column) * 1e5), 0) / 1e5)
    return { name, rate, amount: sum('Z_UST'), base: sum('Z_UMS_NETTO') }
  })
}

/** What a closing's receipts say that its own tables do not: when the first began, and by means of payment what is no sale. */
type Drawer = { begun: string | undefined; noSales: Map<string, number> }

const newDrawer = (): Drawer => ({ begun: undefined, noSales: new Map() })

const addTo = ({ noSales }: Drawer, name: string, amount: number) =>
  noSales.set(name, (noSales.get(name) ?? 0) + amount)

function closingOf(row: TableRow, data: Export, { drawer, tickets }: { drawer: Drawer; tickets: string[] }): Closing {
  const { minor, toTime, profile, tables } = data
  const key = cashPoint(row)
  const ofThis = (name: string) => tables.rows(name, key)
  const cases = ofThis('businesscases')
  const items = cases.filter((one) => isItem(one.text('GV_TYP')))
  const gross = (of: readonly TableRow[]) => of.reduce((sum, one) => sum + minor(one.number('Z_UMS_BRUTTO')), 0)
  const vouchers = -gross(cases.filter((one) => givenIn.has(one.text('GV_TYP'))))
  const stated = new Map<string, number>()
  for (const one of ofThis('payment')) {
    const name = nameOf(one.text('ZAHLART_TYP'), one.text('ZAHLART_NAME'))
    stated.set(name, (stated.get(name) ?? 0) + minor(one.number('Z_ZAHLART_BETRAG')))
  }
  // The closing adds up all that was paid: tips, and what went in and out of the drawer, are in it.
  const payments = [...stated].map(([name, amount]) => ({ name, amount: amount - (drawer.noSales.get(name) ?? 0) }))
  const to = toTime(row.text('Z_ERSTELLUNG'))
  const device = row.text('Z_KASSE_ID')
  const brand = ofThis('cashregister')[0]?.text('KASSE_BRAND') ?? ''
  return {
    source: 'dsfinvk',
    account: profile.account,
    key,
    number: row.number('Z_NR'),
    device: { key: device, name: `${brand} ${device}`.trim() },
    from: drawer.begun ?? to,
    to,
    said: {
      total: gross(items),
      taxes: sumsByRate(items, data),
      payments: [...payments, { name: usualPaymentNames.giftCard, amount: vouchers }],
    },
    tickets,
    header: {
      name: row.text('NAME'),
      address: row.text('STRASSE'),
      zip: row.text('PLZ'),
      city: row.text('ORT'),
      country: row.text('LAND'),
      vat: row.text('USTID'),
    },
  }
}

/** A receipt of nothing but money that goes in or out of the drawer is no sale. */
const isSale = ({ lines }: Receipt): boolean =>
  lines.length === 0 || !lines.every((one) => moves.has(one.text('GV_TYP')))

/** Maps a receipt, and tells the drawer of its closing; `sell` is called if it is a sale. */
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
  if (!isSale(own)) {
    for (const { name, amount } of paymentsOf(own.lines, own)) addTo(drawer, name, amount)
    mapped.left.push({ key: receipt(row), reason: 'money in or out of the drawer' })
    return
  }
  sell()
  const ticket = ticketOf(row, own)
  if (ticket.state === 'sale') for (const { name, tip = 0 } of ticket.payments) addTo(drawer, name, tip)
  mapped.tickets.push(ticket)
}

/** Reads the tables that are looked into by receipt or by closing. */
async function readTables(files: readonly SourceFile[], scratch: Scratch): Promise<Tables> {
  const tables = await Tables.open(files, scratch)
  for (const name of ['transactions', 'lines', 'lines_vat', 'datapayment', 'allocation_groups'])
    await tables.read(name, receipt)
  for (const name of ['vat', 'businesscases', 'payment', 'cashregister', 'cashpointclosing'])
    await tables.read(name, cashPoint)
  return tables
}

export const dsfinvk: Adapter = {
  name: 'dsfinvk',
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
    mapping.handAll()
  },
}
