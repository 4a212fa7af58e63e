import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BookingEntry } from '../../../../src/modules/books/schemas/books.ts'
import { listAdapters } from '../../../../src/modules/sources/adapters/all.ts'
import { assembleTicket } from '../../../../src/modules/sources/adapters/ticket/assemble.ts'
import { fileOf, runShop } from '../../sources/golden.ts'
import { exportOf, readExport, type Receipt } from '../../sources/dsfinvk-export.ts'
import { addLocation, startApp, type Site } from '../../../support/app.ts'
import { foldAll, put } from '../../../support/books-site.ts'
import {
  meansNames,
  toLightspeed,
  toLoyverse,
  toSquare,
  toSumup,
  toTicket,
  toToast,
  type Line,
  type Means,
  type Sale,
  type Units,
} from '../../../support/month-doors.ts'
import { order, report } from '../../../support/records.ts'

// A month of a restaurant that sells and takes vouchers, deposits, custom amounts, delivery fees, charges and tips,
// compared with a handwritten ledger: the debits and credits of each sale, in decimal text. Figures and books must
// match it, whichever source the sales come from.

const app = await startApp({ clock: () => new Date('2026-03-31T12:00:00.000Z') })

/** A sale in the ledger: accounts with amounts, debit positive; `sales` and `tax` of the figures. */
type Entry = {
  sale: Omit<Sale, 'key' | 'at'>
  sales: string
  tax: string
  notSales: string
  ledger: Record<string, string>
}

const card = '511500'
const cash = '530000'
const [owed, debts, untaxed, revenue, vat, tips] = ['419100', '411100', '706900', '706100', '44571100', '467000']

const lines = (...all: Line[]) => all

const book = {
  meal: {
    sale: { lines: lines(['sale', '11.00', '1.00']), paid: ['card', '11.00'], tip: '2.00' },
    sales: '11.00',
    tax: '1.00',
    notSales: '0',
    ledger: { [card]: '13.00', [revenue]: '-10.00', [vat]: '-1.00', [tips]: '-2.00' },
  },
  voucher: {
    sale: { lines: lines(['voucher', '50.00', '0']), paid: ['cash', '50.00'] },
    sales: '0',
    tax: '0',
    notSales: '50.00',
    ledger: { [cash]: '50.00', [owed]: '-50.00' },
  },
  deposit: {
    sale: { lines: lines(['deposit', '20.00', '0']), paid: ['card', '20.00'] },
    sales: '0',
    tax: '0',
    notSales: '20.00',
    ledger: { [card]: '20.00', [owed]: '-20.00' },
  },
  custom: {
    sale: { lines: lines(['untaxed', '5.00', '0']), paid: ['cash', '5.00'] },
    sales: '5.00',
    tax: '0',
    notSales: '0',
    ledger: { [cash]: '5.00', [untaxed]: '-5.00' },
  },
  delivered: {
    sale: { lines: lines(['sale', '22.00', '2.00'], ['charge', '5.50', '0.50']), paid: ['card', '27.50'] },
    sales: '22.00',
    tax: '2.00',
    notSales: '5.50',
    ledger: { [card]: '27.50', [revenue]: '-25.00', [vat]: '-2.50' },
  },
  surcharged: {
    sale: { lines: lines(['sale', '22.00', '2.00'], ['charge', '1.00', '0']), paid: ['card', '23.00'] },
    sales: '22.00',
    tax: '2.00',
    notSales: '1.00',
    ledger: { [card]: '23.00', [revenue]: '-20.00', [vat]: '-2.00', [untaxed]: '-1.00' },
  },
  redeemed: {
    sale: { lines: lines(['sale', '33.00', '3.00']), paid: ['gift', '33.00'] },
    sales: '33.00',
    tax: '3.00',
    notSales: '0',
    ledger: { [owed]: '33.00', [revenue]: '-30.00', [vat]: '-3.00' },
  },
  owed: {
    sale: { lines: lines(['sale', '11.00', '1.00']), paid: ['account', '11.00'] },
    sales: '11.00',
    tax: '1.00',
    notSales: '0',
    ledger: { [debts]: '11.00', [revenue]: '-10.00', [vat]: '-1.00' },
  },
  refund: {
    sale: { lines: lines(['sale', '-11.00', '-1.00']), paid: ['card', '-11.00'] },
    sales: '-11.00',
    tax: '-1.00',
    notSales: '0',
    ledger: { [card]: '-11.00', [revenue]: '10.00', [vat]: '1.00' },
  },
} as const satisfies Record<string, Entry>

type Name = keyof typeof book

/** Days of March with their sales; each day has everything that an import can contain. */
const days = ['2026-03-02', '2026-03-03', '2026-03-17', '2026-03-30']

/** Adds decimal texts as integers of thousandths. */
const thousandths = (text: string): bigint => {
  const [, sign, whole = '0', part = ''] = /^(-?)(\d+)(?:\.(\d{1,3}))?$/.exec(text) ?? assert.fail(text)
  const size = BigInt(whole) * 1000n + BigInt(part.padEnd(3, '0'))
  return sign === '-' ? -size : size
}

const add = (sums: Map<string, bigint>, name: string, text: string) =>
  sums.set(name, (sums.get(name) ?? 0n) + thousandths(text))

/** Returns the units of a currency: integers of its minor unit, with amounts in yen a hundred times as large. */
function unitsOf(currency: string): Units & { toThousandths: (minor: number) => bigint; times: bigint } {
  const [times, decimals, isoDecimals] =
    currency === 'JPY' ? [100n, 2, 0] : currency === 'KWD' ? [1n, 3, 3] : [1n, 2, 2]
  const of = (text: string, places: number) => Number((thousandths(text) * times * 10n ** BigInt(places)) / 1000n)
  return {
    currency,
    times,
    major: (text) => of(text, 3) / 1000,
    minor: (text) => of(text, decimals),
    iso: (text) => of(text, isoDecimals),
    toThousandths: (minor) => (BigInt(minor) * 1000n) / 10n ** BigInt(decimals) / times,
  }
}

type Made = { orders: any[]; reports: any[] }

type Door = {
  can: readonly Name[]
  /** Payment names of the import, if they are not the common ones. */
  names?: Partial<Record<Means, string>>
  make(sales: readonly Sale[], site: Site, units: Units): Promise<Made> | Made
}

const all = Object.keys(book) as Name[]
const without = (...left: Name[]) => all.filter((name) => !left.includes(name))

async function byAdapter(source: string, document: unknown, site: Site, currency: string): Promise<Made> {
  const adapter = listAdapters().get(source)
  assert.ok(adapter)
  const profile = { account: 'shop', timeZone: 'Europe/Paris', currency, dayStartsAt: '05:00' }
  const files = [fileOf('documents.json', Buffer.from(JSON.stringify(document)))]
  const run = await runShop({ adapter, profile, expected: [{ data: { locationId: site.id } }] }, files)
  assert.deepEqual(run.refused.first, [])
  return { orders: run.records.map(({ data }) => data), reports: [] }
}

const decimalsOf = (currency: string) => (currency === 'KWD' ? 3 : 2)

const records = (sales: readonly Sale[], site: Site, units: Units): any[] =>
  sales.map((sale) => {
    const made = assembleTicket(toTicket(sale, units), { locationId: site.id, decimals: decimalsOf(units.currency) })
    assert.ok('order' in made)
    return made.order
  })

/** Returns the refund of a sale: the meal of its day is returned, the tip is not. */
const refundOf = (sales: readonly Sale[]) => (sale: Sale) =>
  sale.key.startsWith('meal') ? sales.find(({ key }) => key === sale.key.replace('meal', 'refund')) : undefined

const doors: Record<string, Door> = {
  records: { can: all, make: (sales, site, units) => ({ orders: records(sales, site, units), reports: [] }) },
  square: {
    can: without('deposit', 'owed'),
    make: (sales, site, units) => byAdapter('square', toSquare(sales, units), site, units.currency),
  },
  toast: {
    can: without('deposit'),
    names: { account: 'HOUSE_ACCOUNT' },
    make: (sales, site, units) => byAdapter('toast', toToast(sales, units, refundOf(sales)), site, units.currency),
  },
  loyverse: {
    can: without('deposit', 'voucher', 'owed', 'delivered'),
    make: (sales, site, units) => byAdapter('loyverse', toLoyverse(sales, units), site, units.currency),
  },
  'lightspeed-k': {
    can: without('deposit', 'voucher', 'delivered'),
    make: (sales, site, units) => byAdapter('lightspeed-k', toLightspeed(sales, units), site, units.currency),
  },
  sumup: {
    can: without('owed'),
    make: (sales, site, units) => byAdapter('sumup', toSumup(sales, units), site, units.currency),
  },
}

const salesOf = (can: readonly Name[]): (Sale & { name: Name })[] =>
  days.flatMap((day) =>
    can.map((name, i) => ({
      ...(book[name] as Entry).sale,
      name,
      key: `${name}-${day}`,
      at: `${day}T1${i}:00:00.000Z`,
    })),
  )

/** Returns the entries of the ledger for these sales. */
function ledgerOf(sales: readonly { name: Name }[]) {
  const accounts = new Map<string, bigint>()
  const figures = new Map<string, bigint>()
  const means = new Map<string, bigint>()
  for (const { name } of sales) {
    const entry: Entry = book[name]
    for (const [account, amount] of Object.entries(entry.ledger)) add(accounts, account, amount)
    for (const figure of ['sales', 'tax', 'notSales'] as const) add(figures, figure, entry[figure])
    add(figures, 'tips', entry.sale.tip ?? '0')
    add(means, entry.sale.paid[0], entry.sale.paid[1])
  }
  return { accounts, figures, means }
}

const sorted = <T>(sums: ReadonlyMap<string, T>) => [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1))

async function read(site: Site, { toThousandths }: ReturnType<typeof unitsOf>, names: Partial<Record<Means, string>>) {
  const { key } = site
  const range = 'since=2026-03-01&until=2026-03-30'
  const { totals, excluded } = (await app.get(`/v1/sales/?${range}`, { key })).json
  const payments = (await app.get(`/v1/sales/?${range}&by=payment`, { key })).json.data
  const entries = (await app.get(`/v1/books/entries/?${range}`, { key })).json
  assert.deepEqual([entries.refused, entries.unmapped], [[], []])
  const accounts = new Map<string, bigint>()
  for (const { account, debit, credit } of entries.data.flatMap((entry: BookingEntry) => entry.lines)) {
    accounts.set(account, (accounts.get(account) ?? 0n) + toThousandths(debit - credit))
  }
  const meansOf = new Map(Object.entries({ ...meansNames, ...names }).map(([means, name]) => [name, means]))
  return {
    accounts,
    figures: new Map([
      ['sales', toThousandths(totals.salesInclTax)],
      ['tax', toThousandths(totals.tax)],
      ['notSales', toThousandths(excluded.notSales.amount)],
      ['tips', toThousandths(totals.tips)],
    ]),
    means: new Map<string, bigint>(
      payments.map((row: any) => [meansOf.get(row.name) ?? row.name, toThousandths(row.salesInclTax ?? row.amount)]),
    ),
  }
}

async function siteOf(currency: string): Promise<Site> {
  const id = await addLocation(app.pool, undefined, { currency })
  const { key } = await app.addKey(id)
  const site = { id, key } as Site
  assert.equal((await put(app, site, { drawer: false })).status, 200)
  return site
}

async function compare(
  site: Site,
  { orders, reports }: Made,
  sales: readonly { name: Name }[],
  units: ReturnType<typeof unitsOf>,
  names: Door['names'] = {},
) {
  const at = '2026-03-31T11:00:00.000Z'
  const devices = [...new Set(orders.map(({ deviceId }) => deviceId as string))]
  const done =
    reports.length > 0
      ? []
      : devices.map((deviceId) => ({ type: 'device.status', data: { deviceId, at, completeUntil: at, lastNumber: 1 } }))
  await app.store([...orders.map(order), ...reports.map(report), ...done], site.key)
  await foldAll(app, site)
  const [expected, found] = [ledgerOf(sales), await read(site, units, names)]
  for (const part of ['figures', 'means', 'accounts'] as const)
    assert.deepEqual(
      sorted(found[part]),
      sorted(expected[part]).filter(([, amount]) => part === 'figures' || amount !== 0n),
      part,
    )
}

for (const currency of ['EUR', 'CHF', 'JPY', 'KWD']) {
  describe(`a month in ${currency} equals the ledger`, () => {
    for (const [door, { can, names, make }] of Object.entries(doors)) {
      test(`if sent by ${door}`, async () => {
        const [site, units, sales] = [await siteOf(currency), unitsOf(currency), salesOf(can)]
        await compare(site, await make(sales, site, units), sales, units, names)
      })
    }

    test('if pushed as tickets', async () => {
      const [site, units, sales] = [await siteOf(currency), unitsOf(currency), salesOf(all)]
      await app.store(
        sales.map((sale) => ({ type: 'ticket', data: toTicket(sale, units) })),
        site.key,
      )
      await compare(site, { orders: records(sales, site, units), reports: [] }, sales, units)
    })

    for (const counts of [true, false]) {
      test(`if pushed as records with a Z that ${counts ? 'counts' : 'leaves out'} non-sales`, async () => {
        const [site, units, sales] = [await siteOf(currency), unitsOf(currency), salesOf(all)]
        const reports = days.map((day, i) => {
          const own = sales.filter(({ at }) => at.startsWith(day))
          const { figures, means } = ledgerOf(own)
          const minor = (of: bigint) =>
            units.minor(
              `${of < 0n ? '-' : ''}${(of < 0n ? -of : of) / 1000n}.${String((of < 0n ? -of : of) % 1000n).padStart(3, '0')}`,
            )
          const sum = (name: string) => minor(figures.get(name) ?? 0n)
          // Of the charges, 0.50 are tax and 5.00 of 6.00 are taxed; of the sales, 5.00 are untaxed.
          const tax = sum('tax') + (counts ? units.minor('0.50') : 0)
          const taxed = sum('sales') - sum('tax') - units.minor('5.00') + (counts ? units.minor('5.00') : 0)
          return {
            ...zOf(site, day, i + 1),
            totalSales: sum('sales') + (counts ? sum('notSales') : 0),
            reportTaxes: [{ taxName: 'VAT 10 %', taxRate: 1000, taxAmount: tax, taxableAmount: taxed }],
            reportPayments: [...means].map(([name, amount]) => ({
              paymentName: meansNames[name as Means],
              paymentAmount: minor(amount),
            })),
            orders: records(own, site, units).map(({ id }) => id),
          }
        })
        await compare(site, { orders: records(sales, site, units), reports }, sales, units)
        const checks = (await app.get('/v1/reports/checks/?since=2026-03-01&until=2026-03-30', { key: site.key })).json
        assert.deepEqual(
          checks.data.map(({ verdict }: { verdict: string }) => verdict),
          days.map(() => 'balanced'),
        )
      })
    }
  })
}

/** Returns a Z without figures. */
function zOf(site: Site, day: string, n: number) {
  const header = ['Address', 'City', 'Country', 'Name', 'Phone', 'Naf', 'Siret', 'Text', 'Tva', 'Url', 'Zip'].map(
    (name) => [`header${name}`, ''],
  )
  const [from, at] = [`${day}T09:00:00.000Z`, `${day}T22:00:00.000Z`]
  return {
    id: `7e000000-0000-4000-8000-${site.id.slice(-11)}${n}`,
    createdAt: at,
    updatedAt: at,
    locationId: site.id,
    startedAt: from,
    finalizedAt: at,
    deviceName: 'Till',
    deviceIdentifier: null,
    reportNumber: n,
    guestsNumber: 0,
    reportHeaderInfo: Object.fromEntries(header),
    reportProducts: [],
    reportClerksShift: [],
    clerkName: null,
    clerkId: null,
    reportDiscounts: [],
    initialCashBalance: 0,
    finalCashBalance: 0,
    reportEntries: [],
  }
}

test('a month of DSFinV-K with its Zs equals the ledger', async () => {
  const site = await siteOf('EUR')
  assert.equal(
    (
      await put(app, site, {
        drawer: false,
        payments: [
          { name: 'ECKarte', account: card },
          { name: 'Bargeld', cash: true },
        ],
        revenue: [{ rate: 700, account: revenue }],
        tax: [{ rate: 700, account: vat }],
      })
    ).status,
    200,
  )
  // 10.70 at 7 % includes 0.70 of VAT.
  const receipts: Receipt[] = [
    { id: '1', lines: [['Umsatz', 10.7, 0.7, 2]], paid: [['ECKarte', 10.7]], printed: 0.7 },
    { id: '2', lines: [['MehrzweckgutscheinKauf', 50, 0, 5]], paid: [['Bar', 50]], printed: 0 },
    {
      id: '3',
      lines: [
        ['Umsatz', 32.1, 2.1, 2],
        ['MehrzweckgutscheinEinloesung', -32.1, 0, 5],
      ],
      paid: [['Keine', 0]],
      printed: 2.1,
    },
    {
      id: '4',
      lines: [
        ['Umsatz', 10.7, 0.7, 2],
        ['Forderungsentstehung', -10.7, 0, 5],
      ],
      paid: [['Keine', 0]],
      printed: 0.7,
    },
    { id: '5', lines: [['Forderungsaufloesung', 4, 0, 5]], paid: [['Bar', 4]], printed: 0 },
  ]
  const run = await readExport(exportOf(receipts))
  assert.deepEqual(run.refused.first, [])
  const records = run.records.map(({ type, data }) => ({ type, data: { ...data, locationId: site.id } }))
  await app.store(records, site.key)
  await foldAll(app, site)
  const range = 'since=2026-03-01&until=2026-03-30'
  const { totals, excluded } = (await app.get(`/v1/sales/?${range}`, { key: site.key })).json
  // 10.70 + 32.10 + 10.70 and 0.70 + 2.10 + 0.70.
  assert.deepEqual([totals.salesInclTax, totals.tax, excluded.notSales.amount], [5350, 350, 5000])
  const entries = (await app.get(`/v1/books/entries/?${range}`, { key: site.key })).json
  assert.deepEqual(entries.refused, [])
  const accounts = new Map<string, number>()
  for (const { account, debit, credit } of entries.data.flatMap((entry: BookingEntry) => entry.lines))
    accounts.set(account, (accounts.get(account) ?? 0) + debit - credit)
  assert.deepEqual(
    sorted(accounts),
    sorted(
      new Map([
        [card, 1070],
        [cash, 5400],
        [owed, 3210 - 5000],
        [debts, 1070 - 400],
        [revenue, -5000],
        [vat, -350],
      ]),
    ),
  )
})
