import type { Closing } from '../../src/modules/sources/schemas/tickets.ts'
import { usualPaymentNames } from '../../src/modules/sources/adapters/adapter.ts'
import { caseOf, debt, isDebt, isItemCase } from './cases.ts'
import { cashPoint, nameOf, sumOf, type Export } from './export.ts'
import type { TableRow } from './tables.ts'

function sumsByRate(of: readonly TableRow[], data: Export): NonNullable<Closing['said']['taxes']> {
  const byKey = Map.groupBy(of, (row) => row.text('UST_SCHLUESSEL'))
  return [...byKey].map(([key, rows]) => {
    const { name, rate } = data.rates.get(`${cashPoint(rows[0] as TableRow)}:${key}`) ?? {
      name: `USt-Schlüssel ${key}`,
      rate: 0,
    }
    return { name, rate, amount: sumOf(rows, 'Z_UST', data), base: sumOf(rows, 'Z_UMS_NETTO', data) }
  })
}

/**
 * Data of a closing that only its receipts have: when the first receipt began, non-sales by means of payment, and
 * drawer movements.
 */
export type Drawer = {
  begun: string | undefined
  noSales: Map<string, number>
  entries: NonNullable<Closing['entries']>
  /** Tips in cash are in the drawer, and no closing says when they leave it. */
  hasCashTips: boolean
}

export const newDrawer = (): Drawer => ({ begun: undefined, noSales: new Map(), entries: [], hasCashTips: false })

export const addTo = ({ noSales }: Drawer, name: string, amount: number) =>
  noSales.set(name, (noSales.get(name) ?? 0) + amount)

export function closingOf(
  row: TableRow,
  data: Export,
  { drawer, tickets }: { drawer: Drawer; tickets: string[] },
): Closing {
  const { minor, toTime, profile, tables } = data
  const key = cashPoint(row)
  const ofThis = (name: string) => tables.rows(name, key)
  const all = ofThis('businesscases')
  const isOfItem = (one: TableRow) => isItemCase(caseOf(one), minor(one.number('Z_UST')))
  const items = all.filter(isOfItem)
  const gross = (of: readonly TableRow[]) => of.reduce((sum, one) => sum + minor(one.number('Z_UMS_BRUTTO')), 0)
  const vouchers = -gross(all.filter((one) => caseOf(one) === 'voucherUsed' && !isOfItem(one)))
  const owed = -gross(all.filter(isDebt))
  const stated = new Map<string, number>()
  let cash = 0
  for (const one of ofThis('payment')) {
    if (one.text('ZAHLART_TYP') === 'Bar') cash += minor(one.number('Z_ZAHLART_BETRAG'))
    const name = nameOf(one.text('ZAHLART_TYP'), one.text('ZAHLART_NAME'))
    stated.set(name, (stated.get(name) ?? 0) + minor(one.number('Z_ZAHLART_BETRAG')))
  }
  // The closing adds up all payments, including tips and drawer movements.
  const payments = [...stated].map(([name, amount]) => ({ name, amount: amount - (drawer.noSales.get(name) ?? 0) }))
  const floats = drawer.entries.filter(({ type }) => type === 'opening_float')
  const initial = floats.reduce((sum, { amount }) => sum + amount, 0)
  const hasDrawer = drawer.entries.length > 0 && !drawer.hasCashTips
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
      payments: [
        ...payments,
        { name: usualPaymentNames.giftCard, amount: vouchers },
        { name: debt.name, amount: owed },
      ],
      ...(hasDrawer ? { cash: { initial, final: cash } } : {}),
    },
    ...(hasDrawer ? { entries: drawer.entries } : {}),
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
