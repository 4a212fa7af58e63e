import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { once } from 'node:events'
import { randomOf, type Random } from '../../../simulator/random.ts'

// An export of a German till, with the tables and columns of DSFinV-K 2.4. Its closings are added up here from the
// lines as written, in hundred-thousandths of a euro, the precision of the tables; the reader under test is not used.

const columns = {
  cashpointclosing:
    'Z_BUCHUNGSTAG TAXONOMIE_VERSION Z_START_ID Z_ENDE_ID NAME STRASSE PLZ ORT LAND STNR USTID Z_SE_ZAHLUNGEN Z_SE_BARZAHLUNGEN',
  cashregister:
    'KASSE_BRAND KASSE_MODELL KASSE_SERIENNR KASSE_SW_BRAND KASSE_SW_VERSION KASSE_BASISWAEH_CODE KEINE_UST_ZUORDNUNG',
  vat: 'UST_SCHLUESSEL UST_SATZ UST_BESCHR',
  transactions:
    'BON_ID BON_NR BON_TYP BON_NAME TERMINAL_ID BON_STORNO BON_START BON_ENDE BEDIENER_ID BEDIENER_NAME UMS_BRUTTO',
  allocation_groups: 'BON_ID ABRECHNUNGSKREIS',
  lines:
    'BON_ID POS_ZEILE GUTSCHEIN_NR ARTIKELTEXT POS_TERMINAL_ID GV_TYP GV_NAME INHAUS P_STORNO AGENTUR_ID ART_NR GTIN WARENGR_ID WARENGR MENGE FAKTOR EINHEIT STK_BR',
  lines_vat: 'BON_ID POS_ZEILE UST_SCHLUESSEL POS_BRUTTO POS_NETTO POS_UST',
  datapayment: 'BON_ID ZAHLART_TYP ZAHLART_NAME ZAHLWAEH_CODE ZAHLWAEH_BETRAG BASISWAEH_BETRAG',
  businesscases: 'GV_TYP GV_NAME AGENTUR_ID UST_SCHLUESSEL Z_UMS_BRUTTO Z_UMS_NETTO Z_UST',
  payment: 'ZAHLART_TYP ZAHLART_NAME Z_ZAHLART_BETRAG',
} as const

type Table = keyof typeof columns

/** Percent by the keys of the standard: 1 standard, 2 reduced, 5 not taxable. */
const percents = { 1: 19, 2: 7, 5: 0 } as const

type Key = keyof typeof percents

/** Amounts are cents. A line with several rates has several `parts`. */
type Line = {
  text: string
  kind: string
  quantity: number
  parts: [Key, number][]
  group?: string
  inHouse?: boolean
  storno?: boolean
}

type Payment = { type: string; name?: string; cents: number }

type Receipt = { kind: string; storno?: boolean; lines: Line[]; payments: Payment[]; table?: string }

const menu: [text: string, group: string, parts: [Key, number][]][] = [
  ['Currywurst', 'Imbiss', [[2, 390]]],
  ['Schnitzel', 'Küche', [[2, 1_490]]],
  ['Bier 0,4 l', 'Getränke', [[1, 420]]],
  ['Apfelschorle; groß', 'Getränke', [[1, 370]]],
  [
    'Mittagsmenü "Tag"',
    'Küche',
    [
      [2, 813],
      [1, 277],
    ],
  ],
  ['Espresso', 'Getränke', [[1, 240]]],
]

const centsOf = ({ parts }: Line) => parts.reduce((sum, [, cents]) => sum + cents, 0)
const sumOf = (lines: readonly Line[]) => lines.reduce((sum, line) => sum + centsOf(line), 0)

const simple = (text: string, kind: string, key: Key, cents: number): Line => ({
  text,
  kind,
  quantity: 1,
  parts: [[key, cents]],
})

function soldLines(random: Random): Line[] {
  const lines = Array.from({ length: random.int(1, 4) }, (): Line => {
    const [text, group, parts] = random.pick(menu)
    const quantity = random.int(1, 3)
    return { text, group, kind: 'Umsatz', quantity, parts: parts.map(([key, cents]) => [key, cents * quantity]) }
  })
  const [first] = lines as [Line, ...Line[]]
  if (random.chance(0.1)) lines.push(simple('Pfandflasche', 'Pfand', 1, 25))
  if (random.chance(0.05)) lines.push(simple('Leergut', 'PfandRueckzahlung', 1, -25))
  if (random.chance(0.05)) lines.push(simple('Abendzuschlag', 'Aufschlag', 1, 150))
  if (random.chance(0.08) && first.parts.length === 1) {
    const [[key, cents]] = first.parts as [[Key, number]]
    lines.push(simple('Stammgast', 'Rabatt', key, -Math.round(cents / 10)))
  }
  if (random.chance(0.04) && lines.length > 1) {
    lines.push({ ...first, quantity: -first.quantity, storno: true, parts: first.parts.map(([key, c]) => [key, -c]) })
  }
  return lines
}

function saleOf(random: Random): Receipt {
  const lines = soldLines(random)
  const sold = sumOf(lines)
  const isVoucher = random.chance(0.03) && sold > 500
  if (isVoucher) lines.push(simple('Gutschein', 'MehrzweckgutscheinEinloesung', 5, -500))
  if (random.chance(0.01)) lines.push(simple('Gutschein', 'MehrzweckgutscheinKauf', 5, 2_500))
  const rest = sumOf(lines)
  const tip = random.chance(0.2) && rest > 0 ? random.int(50, 400) : 0
  if (tip > 0) lines.push(simple('Trinkgeld', 'TrinkgeldAN', 5, tip))
  const due = rest + tip
  const types: Payment[] = [
    { type: 'Bar', cents: due },
    { type: 'ECKarte', cents: due },
    { type: 'Kreditkarte', name: 'Visa', cents: due },
  ]
  const one = random.pick(types)
  const isSplit = tip === 0 && due > 1_000 && random.chance(0.08)
  const payments = isSplit
    ? [
        { type: 'Bar', cents: 700 },
        { type: 'ECKarte', cents: due - 700 },
      ]
    : [one]
  return { kind: 'Beleg', lines, payments, ...(random.chance(0.5) ? { table: `Tisch ${random.int(1, 20)}` } : {}) }
}

const negated = (receipt: Receipt): Receipt => ({
  kind: 'Beleg',
  storno: true,
  lines: receipt.lines.map((line) => ({
    ...line,
    quantity: -line.quantity,
    parts: line.parts.map(([key, cents]): [Key, number] => [key, -cents]),
  })),
  payments: receipt.payments.map((payment) => ({ ...payment, cents: -payment.cents })),
})

/** Returns the receipts of a till and a day, with cash movements, training and aborted receipts. */
function receiptsOf(random: Random, count: number): Receipt[] {
  const drawer = (kind: string, cents: number): Receipt => ({
    kind: 'Beleg',
    lines: [simple(kind, kind, 5, cents)],
    payments: [{ type: 'Bar', cents }],
  })
  const sales = Array.from({ length: count }, () => saleOf(random))
  const all = [drawer('Anfangsbestand', 15_000), ...sales]
  for (const sale of sales) {
    const hasTip = sale.lines.some(({ kind }) => kind === 'TrinkgeldAN')
    if (!hasTip && random.chance(0.01)) all.push(negated(sale))
  }
  if (random.chance(0.3)) all.push({ ...saleOf(random), kind: 'AVTraining' })
  if (random.chance(0.3)) all.push({ ...saleOf(random), kind: 'AVBelegabbruch', payments: [] })
  all.push(drawer('Geldtransit', -10_000))
  return all
}

/** Writes hundred-thousandths with a decimal comma. */
function exact(units: number): string {
  const size = String(Math.abs(units)).padStart(6, '0')
  return `${units < 0 ? '-' : ''}${size.slice(0, -5)},${size.slice(-5)}`
}

const perCent = 1_000

/** Splits a gross amount into net and tax, in hundred-thousandths, rounded half away from zero. */
function split(cents: number, key: Key): { gross: number; net: number; tax: number } {
  const gross = cents * perCent
  const net = Math.sign(gross) * Math.round((Math.abs(gross) * 100) / (100 + percents[key]))
  return { gross, net, tax: gross - net }
}

const quoted = (cell: string | number) => (typeof cell === 'number' ? String(cell) : `"${cell.replaceAll('"', '""')}"`)

/** Writes the tables of an export, each row with its till, closing and time. */
class Export {
  readonly #outs = new Map<Table, ReturnType<typeof createWriteStream>>()
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
    mkdirSync(folder, { recursive: true })
    for (const table of Object.keys(columns) as Table[]) {
      const out = createWriteStream(join(folder, `${table}.csv`))
      out.write(`${['Z_KASSE_ID', 'Z_ERSTELLUNG', 'Z_NR', ...columns[table].split(' ')].map(quoted).join(';')}\r\n`)
      this.#outs.set(table, out)
    }
  }

  row(
    table: Table,
    closing: readonly [till: string, at: string, number: number],
    cells: Record<string, string | number>,
  ) {
    const rest = columns[table].split(' ').map((name) => quoted(cells[name] ?? ''))
    this.#outs.get(table)?.write(`${[...closing.map(quoted), ...rest].join(';')}\r\n`)
  }

  async close(): Promise<void> {
    const form =
      '<UTF8/><DecimalSymbol>,</DecimalSymbol><DigitGroupingSymbol>.</DigitGroupingSymbol><Range><From>2</From></Range>' +
      '<VariableLength><ColumnDelimiter>;</ColumnDelimiter><RecordDelimiter>&#13;&#10;</RecordDelimiter>' +
      '<TextEncapsulator>"</TextEncapsulator></VariableLength>'
    const tables = Object.keys(columns).map(
      (name) => `<Table><URL>${name}.csv</URL><Name>${name}</Name>${form}</Table>`,
    )
    writeFileSync(
      join(this.#folder, 'index.xml'),
      `<?xml version="1.0" encoding="UTF-8"?>\n<DataSet><Version>1.0</Version><Media><Name>export</Name>${tables.join('\n')}</Media></DataSet>\n`,
    )
    for (const out of this.#outs.values()) {
      out.end()
      await once(out, 'finish')
    }
  }
}

type Sums = {
  cases: Map<string, { kind: string; key: Key; gross: number; net: number; tax: number }>
  paid: Map<string, Payment>
}

type At = { closing: readonly [string, string, number]; id: number; time: string; end: string }

function writeReceipt(out: Export, receipt: Receipt, { closing, id, time, end }: At, sums: Sums): void {
  const BON_ID = String(id)
  const { lines, payments, kind, storno, table } = receipt
  const isCounted = kind === 'Beleg'
  out.row('transactions', closing, {
    BON_ID,
    BON_NR: id,
    BON_TYP: kind,
    BON_STORNO: storno ? 1 : 0,
    BON_START: time,
    BON_ENDE: end,
    BEDIENER_ID: '3',
    BEDIENER_NAME: 'Ayşe',
    UMS_BRUTTO: exact(sumOf(lines) * perCent),
  })
  if (table) out.row('allocation_groups', closing, { BON_ID, ABRECHNUNGSKREIS: table })
  for (const [i, line] of lines.entries()) {
    const POS_ZEILE = String(i + 1)
    const unit = Math.round((centsOf(line) * perCent) / line.quantity)
    out.row('lines', closing, {
      BON_ID,
      POS_ZEILE,
      ARTIKELTEXT: line.text,
      GV_TYP: line.kind,
      INHAUS: 1,
      P_STORNO: line.storno ? 1 : 0,
      AGENTUR_ID: 0,
      ART_NR: line.kind === 'Umsatz' ? `A-${line.text.length}` : '',
      WARENGR: line.group ?? '',
      MENGE: `${line.quantity},000`,
      FAKTOR: '1,000',
      EINHEIT: 'Stück',
      STK_BR: exact(unit),
    })
    for (const [key, cents] of line.parts) {
      const { gross, net, tax } = split(cents, key)
      const amounts = { POS_BRUTTO: exact(gross), POS_NETTO: exact(net), POS_UST: exact(tax) }
      out.row('lines_vat', closing, { BON_ID, POS_ZEILE, UST_SCHLUESSEL: key, ...amounts })
      if (!isCounted) continue
      const known = sums.cases.get(`${line.kind} ${key}`) ?? { kind: line.kind, key, gross: 0, net: 0, tax: 0 }
      sums.cases.set(`${line.kind} ${key}`, {
        ...known,
        gross: known.gross + gross,
        net: known.net + net,
        tax: known.tax + tax,
      })
    }
  }
  for (const { type, name = '', cents } of payments) {
    const amount = exact(cents * perCent)
    const row = { ZAHLART_TYP: type, ZAHLART_NAME: name, ZAHLWAEH_CODE: 'EUR' }
    out.row('datapayment', closing, { BON_ID, ...row, ZAHLWAEH_BETRAG: amount, BASISWAEH_BETRAG: amount })
    const known = sums.paid.get(`${type} ${name}`)?.cents ?? 0
    if (isCounted) sums.paid.set(`${type} ${name}`, { type, name, cents: known + cents })
  }
}

/** Non-sales: tips, payments with vouchers, and cash movements. */
const noSales = new Set(['TrinkgeldAN', 'MehrzweckgutscheinEinloesung', 'Anfangsbestand', 'Geldtransit'])

function writeClosing(out: Export, closing: At['closing'], day: string, { cases, paid }: Sums): number {
  for (const { kind, key, gross, net, tax } of cases.values()) {
    const amounts = { Z_UMS_BRUTTO: exact(gross), Z_UMS_NETTO: exact(net), Z_UST: exact(tax) }
    out.row('businesscases', closing, { GV_TYP: kind, AGENTUR_ID: 0, UST_SCHLUESSEL: key, ...amounts })
  }
  for (const { type, name = '', cents } of paid.values()) {
    out.row('payment', closing, { ZAHLART_TYP: type, ZAHLART_NAME: name, Z_ZAHLART_BETRAG: exact(cents * perCent) })
  }
  out.row('cashregister', closing, { KASSE_BRAND: 'Beispielkasse', KASSE_BASISWAEH_CODE: 'EUR' })
  for (const [key, percent] of Object.entries(percents)) {
    const about = `Satz ${key}`
    out.row('vat', closing, { UST_SCHLUESSEL: Number(key), UST_SATZ: `${percent},00`, UST_BESCHR: about })
  }
  const total = [...paid.values()].reduce((sum, { cents }) => sum + cents, 0)
  const cash = paid.get('Bar ')?.cents ?? 0
  out.row('cashpointclosing', closing, {
    Z_BUCHUNGSTAG: day,
    TAXONOMIE_VERSION: '2.4',
    NAME: 'Gasthaus Beispiel',
    ORT: 'Hamburg',
    LAND: 'DEU',
    Z_SE_ZAHLUNGEN: exact(total * perCent),
    Z_SE_BARZAHLUNGEN: exact(cash * perCent),
  })
  return (
    [...cases.values()].filter(({ kind }) => !noSales.has(kind)).reduce((sum, { gross }) => sum + gross, 0) / perCent
  )
}

const iso = (ms: number) => new Date(ms).toISOString().slice(0, 19)

export type Written = { receipts: number; closings: { till: string; number: number; day: string; sales: number }[] }

/**
 * Writes the export of this many days of two tills into a folder, with `perDay` receipts each. Resolves to the sales
 * stated in its closings, in cents.
 */
export async function writeDsfinvk(
  folder: string,
  { from, days, perDay, seed = 1 }: { from: string; days: number; perDay: number; seed?: number },
): Promise<Written> {
  const out = new Export(folder)
  const random = randomOf('dsfinvk', seed)
  const closings: Written['closings'] = []
  let receipts = 0
  let id = 0
  for (let i = 0; i < days; i++) {
    const dayMs = Date.parse(`${from}T00:00:00Z`) + i * 86_400_000
    const day = iso(dayMs).slice(0, 10)
    for (const till of ['K1', 'K2']) {
      const closing = [till, iso(dayMs + 26 * 3_600_000), i + 1] as const
      const sums: Sums = { cases: new Map(), paid: new Map() }
      const made = receiptsOf(random, perDay)
      for (const [n, receipt] of made.entries()) {
        // From eleven in the morning to half past one at night.
        const ms = dayMs + 11 * 3_600_000 + Math.floor((n * 14.5 * 3_600_000) / made.length)
        writeReceipt(out, receipt, { closing, id: ++id, time: iso(ms), end: iso(ms + 60_000) }, sums)
      }
      receipts += made.length
      closings.push({ till, number: i + 1, day, sales: writeClosing(out, closing, day, sums) })
      // Pauses, so that the disk keeps up.
      if (i % 20 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  }
  await out.close()
  return { receipts, closings }
}
