import { hash } from 'node:crypto'
import type { BookingEntry, BookingLine, BookRole } from '../../schemas/books.ts'
import { addDays } from '../days/business-time.ts'
import { AccountFinder, type Account, type Place, type Unmapped } from './accounts.ts'
import { rateText } from './defaults.ts'
import { ratesOf, type BookSums, type RateRow, type Split } from './sums.ts'
import { cleanCell, drawerLabels } from './texts.ts'
import { sumOf } from '../money/amounts.ts'

/** An entry before it has a state, a number or a batch. */
export type Draft = Omit<
  BookingEntry,
  'state' | 'accountsVersion' | 'number' | 'batch' | 'reverses' | 'warnings' | 'source'
> & {
  side: Side
}

/** `all` in the layout `direct`; the two of `clearing`. */
export type Side = 'all' | 'sales' | 'cash'

export type UnmappedAmount = { of: Unmapped; amount: number }

type LineText = { label: string; role: BookRole; key?: string | null }

/** Collects the lines of one entry. An amount below 0 changes sides, and one of 0 is no line. */
class Lines {
  readonly lines: BookingLine[] = []

  debit(
    { account, accountName, auxiliary, auxiliaryName }: Account,
    amount: number,
    { label, role, key = null }: LineText,
  ): void {
    if (amount === 0) return
    const [debit, credit] = amount > 0 ? [amount, 0] : [0, -amount]
    const cell = { label: cleanCell(label), debit, credit, role, key: key === null ? null : cleanCell(key) }
    this.lines.push({
      account,
      accountName: cleanCell(accountName),
      auxiliary: auxiliary === null ? null : cleanCell(auxiliary),
      auxiliaryName: auxiliaryName === null ? null : cleanCell(auxiliaryName),
      ...cell,
    })
  }

  credit(account: Account, amount: number, text: LineText): void {
    this.debit(account, 0 - amount, text)
  }

  get totals(): { debit: number; credit: number } {
    return { debit: sumOf(this.lines.map(({ debit }) => debit)), credit: sumOf(this.lines.map(({ credit }) => credit)) }
  }
}

/** The hash over what an entry books; its labels are not in it. */
export function entryHash(
  { id, journal, date, pieceRef, currency }: Pick<BookingEntry, 'id' | 'journal' | 'date' | 'pieceRef' | 'currency'>,
  lines: readonly Pick<BookingLine, 'account' | 'auxiliary' | 'debit' | 'credit'>[],
): string {
  const head = ['tillgate entry v1', id, journal.code, date, pieceRef, currency].join('\n')
  const body = lines.map(
    ({ account, auxiliary, debit, credit }) => `${account}|${auxiliary ?? ''}|${debit}|${credit}\n`,
  )
  return hash('sha256', `${head}\n${body.join('')}`)
}

/** Money that the orders took and that is no sale, where the Z does not count it among its sales. */
function besideSales({ stated, orders }: BookSums): Split[] {
  if (orders.splits.every(({ kind }) => kind === null)) return []
  const taxes = new Map(stated.taxes.map((row) => [row.rate, row.taxable + row.tax]))
  return Object.values(Object.groupBy(orders.splits, ({ rate }) => rate)).flatMap((splits = []) => {
    const others = splits.filter(({ kind }) => kind !== null)
    const other = sumOf(others.map(({ taxable, tax }) => taxable + tax))
    const whole = sumOf(splits.map(({ taxable, tax }) => taxable + tax))
    const reported = taxes.get((splits[0] as Split).rate) ?? 0
    return other !== 0 && Math.abs(reported - whole + other) < Math.abs(reported - whole) ? others : []
  })
}

type Revenue = {
  of: { rate: number; category?: string; serviceType?: string }
  kind: string | null
  taxable: number
  discount: number
}

/** Works out the entries of one source. */
export class EntryMaker {
  readonly #finder: AccountFinder
  readonly #currency: string
  readonly unmapped: UnmappedAmount[] = []

  constructor(finder: AccountFinder, currency: string) {
    this.#finder = finder
    this.#currency = currency
  }

  #note(place: Place, of: Unmapped, amount: number): Place {
    if (!place.isKnown && amount !== 0) this.unmapped.push({ of, amount })
    return place
  }

  #isCash(sums: BookSums, name: string): boolean {
    const row = sums.orders.payments.find((one) => one.name === name)
    return row !== undefined && row.cash !== 0
  }

  #payments(lines: Lines, sums: BookSums, isAccepted: boolean): void {
    const finder = this.#finder
    for (const { name, amount } of sums.stated.payments) {
      const place = this.#note(finder.payment(name, this.#isCash(sums, name)), { what: 'payment', name }, amount)
      lines.debit(place, amount, { label: `Encaissement ${name}`, role: 'payment', key: name })
    }
    for (const { name, amount } of isAccepted ? [] : sums.orders.tips.outside) {
      const place = this.#note(finder.payment(name, false), { what: 'payment', name }, amount)
      lines.debit(place, amount, { label: `Pourboires ${name}`, role: 'tip_paid', key: name })
    }
  }

  #drawer(lines: Lines, sums: BookSums): void {
    if (!this.#finder.accounts.drawer) return
    for (const { entryType, amount } of sums.stated.entries) {
      if (entryType === 'opening_float' || entryType === 'no_sale') continue
      const contra = this.#note(this.#finder.entry(entryType), { what: 'entry', entryType }, amount)
      const text = { label: drawerLabels[entryType] ?? 'Mouvement de caisse', role: 'drawer', key: entryType } as const
      lines.debit(this.#finder.own('cash'), amount, text)
      lines.credit(contra, amount, text)
    }
  }

  /**
   * Revenue by what it is split by. What the Z says of a rate is booked: what its tax tolerance lets pass is in the largest part of it.
   */
  #revenue(sums: BookSums, others: readonly Split[], isAccepted: boolean): Revenue[] {
    const { revenueBy, discounts } = this.#finder.accounts
    const isOther = new Set(others)
    const rows = new Map<string, Revenue>()
    const splits = sums.orders.splits
    const usesOrders = !isAccepted && (revenueBy !== 'rate' || discounts === 'gross' || others.length > 0)
    for (const split of usesOrders ? splits : []) {
      const { rate, category, serviceType } = split
      const kind = isOther.has(split) ? split.kind : null
      const part = revenueBy === 'category' ? category : revenueBy === 'serviceType' ? serviceType : ''
      const key = `${rate}\n${kind ?? ''}\n${part}`
      const of = {
        rate,
        ...(revenueBy === 'category' ? { category } : {}),
        ...(revenueBy === 'serviceType' ? { serviceType } : {}),
      }
      const row = rows.get(key) ?? { of, kind, taxable: 0, discount: 0 }
      const discount = discounts === 'gross' ? split.discount : 0
      rows.set(key, { ...row, taxable: row.taxable + split.taxable, discount: row.discount + discount })
    }
    for (const { rate, taxable } of sums.stated.taxes) {
      const ofRate = [...rows.values()].filter(({ of, kind }) => of.rate === rate && kind === null)
      const left = taxable - sumOf(ofRate.map((row) => row.taxable))
      if (left === 0) continue
      const largest = ofRate.toSorted((a, b) => Math.abs(b.taxable) - Math.abs(a.taxable))[0]
      if (largest) largest.taxable += left
      else rows.set(`${rate}\n\n`, { of: { rate }, kind: null, taxable, discount: 0 })
    }
    const partOf = ({ of }: Revenue) => of.category ?? of.serviceType ?? ''
    return [...rows.values()].toSorted(
      (a, b) =>
        b.of.rate - a.of.rate ||
        (partOf(a) < partOf(b) ? -1 : partOf(a) > partOf(b) ? 1 : 0) ||
        (a.kind ?? '').localeCompare(b.kind ?? '', 'en'),
    )
  }

  /** Vouchers and deposits are owed to guests, unless a row for their category says otherwise. */
  #revenuePlace({ of, kind }: Revenue, taxable: number): Place {
    const place = this.#note(
      this.#finder.revenue(of),
      { what: 'revenue', rate: of.rate, ...(of.category === undefined ? {} : { category: of.category }) },
      taxable,
    )
    if (kind !== 'voucher' && kind !== 'deposit') return place
    return {
      account: '419100',
      accountName: 'Bons et avances de clients',
      auxiliary: null,
      auxiliaryName: null,
      isKnown: true,
    }
  }

  #sales(lines: Lines, sums: BookSums, others: readonly Split[], isAccepted: boolean): void {
    const rows = this.#revenue(sums, others, isAccepted)
    for (const row of rows) {
      const { rate, category, serviceType } = row.of
      const part = category ?? serviceType
      const amount = row.taxable + row.discount
      const label = `Ventes ${rateText(rate)}${part === undefined ? '' : ` ${part}`}`
      lines.credit(this.#revenuePlace(row, amount), amount, {
        label,
        role: 'revenue',
        key: part === undefined ? String(rate) : `${rate} ${part}`,
      })
    }
    const rates = [...new Set(rows.map(({ of }) => of.rate))]
    for (const rate of rates) {
      const discount = sumOf(rows.filter(({ of }) => of.rate === rate).map((row) => row.discount))
      lines.debit(this.#finder.own('discount'), discount, {
        label: `Remises ${rateText(rate)}`,
        role: 'discount',
        key: String(rate),
      })
    }
    for (const { rate, tax } of this.#taxes(sums, others)) {
      const place = this.#note(this.#finder.tax(rate), { what: 'tax', rate }, tax)
      lines.credit(place, tax, { label: `TVA ${rateText(rate)}`, role: 'tax', key: String(rate) })
    }
  }

  #taxes(sums: BookSums, others: readonly Split[]): RateRow[] {
    if (others.length === 0) return sums.stated.taxes
    const parts = [...sums.stated.taxes, ...others].map((row) => ({
      category: '',
      serviceType: '',
      kind: null,
      discount: 0,
      ...row,
    }))
    return ratesOf(parts)
  }

  #rest(lines: Lines, sums: BookSums): void {
    const { tips, overpaid, unpaid } = sums.orders
    const booked = tips.inside + sumOf(tips.outside.map(({ amount }) => amount))
    lines.credit(this.#finder.own('tips'), booked, { label: 'Pourboires à reverser', role: 'tips' })
    const [over, under] = [this.#finder.optional('overpaid'), this.#finder.optional('unpaid')]
    if (over) lines.credit(over, overpaid.amount, { label: 'Trop-perçu', role: 'overpaid' })
    if (under) lines.debit(under, unpaid.amount, { label: 'Impayé', role: 'unpaid' })
  }

  /** Books the difference that is left in an accepted Z on the suspense account. */
  #difference(lines: Lines, pieceRef: string): void {
    const { debit, credit } = lines.totals
    lines.credit(this.#finder.own('suspense'), debit - credit, { label: `Écart ${pieceRef}`, role: 'difference' })
  }

  #draft(sums: BookSums, side: Side, { lines, totals }: Lines): Draft {
    const { accounts } = this.#finder
    const journal = (side === 'sales' ? accounts.journals.sales : accounts.journals.cash) as {
      code: string
      name: string
    }
    const { closedUntil } = accounts
    const date = closedUntil !== null && sums.day <= closedUntil ? addDays(closedUntil, 1) : sums.day
    const id = side === 'all' ? sums.source.id : `${sums.source.id}/${side}`
    const head = { id, journal, date, pieceRef: pieceRefOf(sums, accounts.tills), currency: this.#currency }
    return { side, ...head, pieceDate: sums.day, lines, totals, hash: entryHash(head, lines) }
  }

  /** Entries without a line are left out. */
  make(sums: BookSums, isAccepted: boolean): Draft[] {
    const others = isAccepted ? [] : besideSales(sums)
    const pieceRef = pieceRefOf(sums, this.#finder.accounts.tills)
    const cash = new Lines()
    const sales = this.#finder.accounts.layout === 'direct' ? cash : new Lines()
    this.#payments(cash, sums, isAccepted)
    this.#drawer(cash, sums)
    if (sales !== cash) {
      const taken = sumOf([...sums.stated.taxes, ...others].map(({ taxable, tax }) => taxable + tax))
      const clearing = this.#finder.own('clearing')
      sales.debit(clearing, taken, { label: `Ventes ${pieceRef}`, role: 'clearing' })
      cash.credit(clearing, taken, { label: `Règlements ${pieceRef}`, role: 'clearing' })
    }
    this.#sales(sales, sums, others, isAccepted)
    if (isAccepted) this.#difference(cash, pieceRef)
    else this.#rest(cash, sums)
    const drafts: [Side, Lines][] =
      sales === cash
        ? [['all', cash]]
        : [
            ['sales', sales],
            ['cash', cash],
          ]
    return drafts.filter(([, { lines }]) => lines.length > 0).map(([side, lines]) => this.#draft(sums, side, lines))
  }
}

/** `Z358`, with the code of its till before it where it has one; `J20260314` for a day without a Z. */
export function pieceRefOf({ source, day }: BookSums, tills: Readonly<Record<string, string>>): string {
  if (source.type === 'day') return `J${day.replaceAll('-', '')}`
  const code = source.deviceName === null ? undefined : tills[source.deviceName]
  return `${code === undefined ? '' : `${code}-`}Z${source.reportNumber}`
}
