import { createHash } from 'node:crypto'
import type { Order } from '../../src/core/contract/orders/schema.ts'
import type { Report } from '../../src/core/contract/reports/schema.ts'

// Booking entries computed from raw records alone, independently of the product: every amount is a decimal text that
// becomes a BigInt of cents, lines are signed sums in a map, and nothing of `src` is used except types.

export type OracleSettings = {
  layout: 'direct' | 'clearing'
  revenueBy: 'rate' | 'category' | 'serviceType'
  discounts: 'net' | 'gross'
  drawer: boolean
}

export type OracleLine = [account: string, auxiliary: string, debit: number, credit: number]
export type OracleEntry = {
  id: string
  journal: string
  date: string
  pieceRef: string
  lines: OracleLine[]
  hash: string
}

/** Rounds half away from zero, on the written decimal. */
function cents(amount: number): bigint {
  const [sign, text] = amount < 0 ? [-1n, String(-amount)] : [1n, String(amount)]
  if (text.includes('e')) throw new Error(`${text} is beyond this oracle`)
  const [whole = '0', fraction = ''] = text.split('.')
  const digits = BigInt(whole + fraction.padEnd(3, '0').slice(0, 3))
  return sign * ((digits + 5n) / 10n)
}

const half = (numerator: bigint, by: bigint): bigint =>
  numerator < 0n ? -half(-numerator, by) : (2n * numerator + by) / (2n * by)

const rateEnd: Record<number, string> = { 0: '000', 210: '021', 550: '055', 850: '085', 1000: '100', 2000: '200' }

const means: Record<string, string> = {
  'carte bancaire': '511500',
  carte: '511500',
  cb: '511500',
  cheque: '511200',
  'carte titre-restaurant': '511600',
  'titre-restaurant papier': '511600',
  'ticket restaurant': '511600',
  'titre-restaurant': '511600',
  'titres-restaurant': '511600',
  'carte cadeau': '419100',
  especes: '530000',
  cash: '530000',
}

const fold = (name: string) =>
  name
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .trim()
    .toLowerCase()
const accountOf = (name: string) => means[fold(name)] ?? '471000'

const contra: Record<string, string> = {
  cash_in: '580000',
  cash_out: '580000',
  bank_deposit: '580000',
  tip_out: '467000',
  count_overage: '758000',
  count_shortage: '658000',
}

const sum = (list: readonly bigint[]) => list.reduce((all, one) => all + one, 0n)

type Signed = { account: string; aux: string; amount: bigint }

function toEntry(
  id: string,
  journal: string,
  { date, pieceRef, lines }: { date: string; pieceRef: string; lines: Signed[] },
): OracleEntry[] {
  const kept = lines
    .filter(({ amount }) => amount !== 0n)
    .map(({ account, aux, amount }): OracleLine =>
      amount > 0n ? [account, aux, Number(amount), 0] : [account, aux, 0, Number(-amount)],
    )
  if (kept.length === 0) return []
  const text = `tillgate entry v1\n${id}\n${journal}\n${date}\n${pieceRef}\nEUR\n${kept.map((line) => `${line.join('|')}\n`).join('')}`
  return [{ id, journal, date, pieceRef, lines: kept, hash: createHash('sha256').update(text).digest('hex') }]
}

/** Returns the sum of all booked tips, and the tips that are in neither payments nor cash, by payment name. */
function tipsOf(
  orders: readonly Order[],
  nameOf: ReadonlyMap<string, string>,
): { outside: Map<string, bigint>; booked: bigint } {
  const outside = new Map<string, bigint>()
  let booked = 0n
  for (const order of orders) {
    const over = sum(order.payments.map(({ paymentAmount }) => cents(paymentAmount))) - cents(order.total)
    const all = sum((order.tips ?? []).map(({ amount }) => cents(amount)))
    let inside = over > 0n && over <= all ? over : 0n
    booked += inside
    const named = (order.tips ?? []).map((tip) => {
      const own = order.payments.find(({ paymentCatalogId }) => paymentCatalogId === tip.paymentCatalogId)?.paymentName
      return { amount: cents(tip.amount), name: own ?? nameOf.get(tip.paymentCatalogId ?? '') }
    })
    const cash = ({ name }: { name: string | undefined }) => name !== undefined && accountOf(name) === '530000'
    for (const tip of [...named.filter((one) => !cash(one)), ...named.filter(cash)]) {
      const taken = inside < tip.amount ? inside : tip.amount
      inside -= taken
      const left = tip.amount - taken
      if (left === 0n || tip.name === undefined || cash(tip)) continue
      outside.set(tip.name, (outside.get(tip.name) ?? 0n) + left)
      booked += left
    }
  }
  return { outside, booked }
}

function salesLines(report: Report, orders: readonly Order[], { revenueBy, discounts }: OracleSettings): Signed[] {
  const rates = [...new Set(report.reportTaxes.map(({ taxRate }) => taxRate))].toSorted((a, b) => b - a)
  const items = orders.flatMap((order) =>
    order.items.filter((item) => !item.isCanceled && !item.isLoss).map((item) => ({ item, order })),
  )
  const revenue: Signed[] = []
  const taken: Signed[] = []
  for (const rate of rates) {
    const of = items.filter(({ item }) => Math.round(item.tax.taxRate * 10_000) === rate)
    const keyOf = ({ item, order }: (typeof items)[number]) =>
      revenueBy === 'category' ? item.category : revenueBy === 'serviceType' ? order.serviceType : ''
    const netOff = ({ item }: (typeof items)[number]) => {
      const value = sum(item.discountsApplied.map(({ discountValue }) => cents(discountValue)))
      return discounts === 'gross' ? value - half(value * BigInt(rate), BigInt(10_000 + rate)) : 0n
    }
    for (const key of [...new Set(of.map(keyOf))].toSorted()) {
      const part = of.filter((one) => keyOf(one) === key)
      const amount = sum(part.map((one) => cents(one.item.total) - cents(one.item.tax.taxAmount) + netOff(one)))
      revenue.push({ account: `706${rateEnd[rate]}`, aux: '', amount: -amount })
    }
    taken.push({ account: '709000', aux: '', amount: sum(of.map(netOff)) })
  }
  const taxes = rates.map((rate) => ({
    account: `44571${rateEnd[rate]}`,
    aux: '',
    amount: -sum(
      report.reportTaxes.filter(({ taxRate }) => taxRate === rate).map(({ taxAmount }) => BigInt(taxAmount)),
    ),
  }))
  return [...revenue, ...taken, ...taxes]
}

/** Returns the entries of a Z that agrees with its orders. `orders` are its counted orders. */
export function oracleEntries(
  {
    report,
    orders,
    date,
    names,
  }: { report: Report; orders: readonly Order[]; date: string; names: ReadonlyMap<string, string> },
  settings: OracleSettings,
): OracleEntry[] {
  const pieceRef = `Z${report.reportNumber}`
  const paid = new Map<string, bigint>()
  for (const { paymentName, paymentAmount } of report.reportPayments)
    paid.set(paymentName, (paid.get(paymentName) ?? 0n) + BigInt(paymentAmount))
  const { outside, booked } = tipsOf(orders, names)
  const line = (account: string, amount: bigint, aux = ''): Signed => ({ account, aux, amount })
  const cash: Signed[] = [
    ...[...paid].map(([name, amount]) => line(accountOf(name), amount)),
    ...[...outside].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, amount]) => line(accountOf(name), amount)),
    ...(settings.drawer ? report.reportEntries : [])
      .filter(({ entryType }) => entryType !== 'opening_float' && entryType !== 'no_sale')
      .flatMap(({ entryType, entryAmount }) => [
        line('530000', BigInt(entryAmount)),
        line(contra[entryType] ?? '471000', -BigInt(entryAmount)),
      ]),
  ]
  const sales = salesLines(report, orders, settings)
  const tips = line('467000', -booked)
  if (settings.layout === 'direct')
    return toEntry(report.id, 'CA', { date, pieceRef, lines: [...cash, ...sales, tips] })
  const total = sum(report.reportTaxes.map(({ taxAmount, taxableAmount }) => BigInt(taxAmount) + BigInt(taxableAmount)))
  return [
    ...toEntry(`${report.id}/sales`, 'VE', { date, pieceRef, lines: [line('411000', total, 'CAISSE'), ...sales] }),
    ...toEntry(`${report.id}/cash`, 'CA', { date, pieceRef, lines: [...cash, line('411000', -total, 'CAISSE'), tips] }),
  ]
}
