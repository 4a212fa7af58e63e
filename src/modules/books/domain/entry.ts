import { hash } from 'node:crypto'
import type { BookingEntry, BookingLine, BookRole } from '../schemas/books.ts'
import { addDays } from '../../../core/domain/days/business-time.ts'
import { AccountFinder, type Account, type AccountMatch, type Unmapped } from './accounts.ts'
import { rateText } from './defaults.ts'
import { revenueOf, taxesOf, type Revenue } from './revenue.ts'
import type { BookSums } from './sums.ts'
import { cleanCell, drawerLabels } from './texts.ts'
import { sumOf } from '../../../core/contract/money/amounts.ts'
import { bookPlaces } from '../../../core/contract/money/classes.ts'

/** An entry before it has a state, a number or a batch. */
export type Draft = Omit<
  BookingEntry,
  'state' | 'accountsVersion' | 'number' | 'batch' | 'reverses' | 'warnings' | 'source'
> & {
  side: Side
}

/** `all` in the layout `direct`; `sales` and `cash` in `clearing`. */
export type Side = 'all' | 'sales' | 'cash'

export type UnmappedAmount = { of: Unmapped; amount: number }

type LineText = { label: string; role: BookRole; key?: string | null }

/** Collects the lines of one entry. A negative amount is booked on the other side; an amount of 0 adds no line. */
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

/** Returns the hash over the booked amounts and accounts of an entry, without its labels. */
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

/**
 * Label and role of the lines for each kind of revenue; a rate, and a category or service type, may follow the label.
 */
const revenueTexts: Readonly<Record<Revenue['place'], { label: string; role: BookRole }>> = {
  revenue: { label: 'Ventes', role: 'revenue' },
  untaxed: { label: 'Ventes sans taux de TVA', role: 'untaxed' },
  vouchers: { label: 'Bons vendus', role: 'voucher' },
  deposits: { label: 'Acomptes et consignes', role: 'deposit' },
}

/** Makes the entries of one source. */
export class EntryMaker {
  readonly #finder: AccountFinder
  readonly #currency: string
  readonly unmapped: UnmappedAmount[] = []

  constructor(finder: AccountFinder, currency: string) {
    this.#finder = finder
    this.#currency = currency
  }

  #note(place: AccountMatch, of: Unmapped, amount: number): AccountMatch {
    if (!place.isKnown && amount !== 0) this.unmapped.push({ of, amount })
    return place
  }

  #payments(lines: Lines, sums: BookSums, isAccepted: boolean): void {
    const finder = this.#finder
    for (const { name, amount, kind } of sums.stated.payments ?? sums.orders.payments) {
      const place = this.#note(finder.payment(name, kind), { what: 'payment', name }, amount)
      lines.debit(place, amount, { label: `Encaissement ${name}`, role: 'payment', key: name })
    }
    if (isAccepted && sums.source.type === 'report') return
    for (const { name, amount } of sums.orders.tips.outside) {
      const place = this.#note(finder.payment(name, null), { what: 'payment', name }, amount)
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

  /** Vouchers and deposits are booked as liabilities to guests. */
  #revenuePlace({ place, rate, category, serviceType }: Revenue, amount: number): AccountMatch {
    const finder = this.#finder
    if (place === 'vouchers' || place === 'deposits') return { ...finder.own(place), isKnown: true }
    const part = {
      ...(category === undefined ? {} : { category }),
      ...(serviceType === undefined ? {} : { serviceType }),
    }
    if (rate === null) return finder.untaxed(part)
    const of = { what: 'revenue' as const, rate, ...(category === undefined ? {} : { category }) }
    return this.#note(finder.revenue({ rate, ...part }), of, amount)
  }

  #sales(lines: Lines, rows: readonly Revenue[]): void {
    for (const row of rows) {
      const { place, rate, category, serviceType } = row
      const part = category ?? serviceType
      const amount = row.taxable + row.discount
      const { label, role } = revenueTexts[place]
      const texts = [rate === null || place !== 'revenue' ? [] : rateText(rate), part ?? []].flat()
      const keys = [rate ?? [], part ?? []].flat()
      lines.credit(this.#revenuePlace(row, amount), amount, {
        label: [label, ...texts].join(' '),
        role,
        key: keys.length === 0 ? null : keys.join(' '),
      })
    }
    for (const rate of new Set(rows.map((row) => row.rate))) {
      const discount = sumOf(rows.filter((row) => row.rate === rate).map((row) => row.discount))
      lines.debit(this.#finder.own('discount'), discount, {
        label: rate === null ? 'Remises' : `Remises ${rateText(rate)}`,
        role: 'discount',
        key: rate === null ? null : String(rate),
      })
    }
    for (const { rate, tax } of taxesOf(rows)) {
      const place = this.#note(this.#finder.tax(rate), { what: 'tax', rate }, tax)
      lines.credit(place, tax, { label: `TVA ${rateText(rate)}`, role: 'tax', key: String(rate) })
    }
  }

  #rest(lines: Lines, sums: BookSums): void {
    const { tips, overpaid, unpaid } = sums.orders
    const booked = tips.inside + sumOf(tips.outside.map(({ amount }) => amount))
    lines.credit(this.#finder.own(bookPlaces.tip), booked, { label: 'Pourboires à reverser', role: 'tips' })
    const [over, under] = [this.#finder.optional('overpaid'), this.#finder.optional('unpaid')]
    if (over) lines.credit(over, overpaid.amount, { label: 'Trop-perçu', role: 'overpaid' })
    if (under) lines.debit(under, unpaid.amount, { label: 'Impayé', role: 'unpaid' })
  }

  /** Books the rounding of cash, and the remainder of amounts that have more decimals than the currency. */
  #rounding(lines: Lines, { orders }: BookSums, left: number): void {
    const parts = orders.count + orders.payments.length + 2 * orders.splits.length
    const ofSums = 2 * Math.abs(left - orders.rounding) <= parts ? left : orders.rounding
    lines.credit(this.#finder.own(bookPlaces.rounding), ofSums, { label: 'Arrondis', role: 'rounding' })
  }

  /** Books the remaining difference of an accepted source on the suspense account. */
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

  make(sums: BookSums, isAccepted: boolean): Draft[] {
    const rows = revenueOf(sums, this.#finder.accounts, isAccepted)
    const pieceRef = pieceRefOf(sums, this.#finder.accounts.tills)
    const cash = new Lines()
    const sales = this.#finder.accounts.layout === 'direct' ? cash : new Lines()
    this.#payments(cash, sums, isAccepted)
    this.#drawer(cash, sums)
    if (sales !== cash) {
      const taken = sumOf(rows.map(({ taxable, tax }) => taxable + tax))
      const clearing = this.#finder.own('clearing')
      sales.debit(clearing, taken, { label: `Ventes ${pieceRef}`, role: 'clearing' })
      cash.credit(clearing, taken, { label: `Règlements ${pieceRef}`, role: 'clearing' })
    }
    this.#sales(sales, rows)
    // An accepted Z is booked from its own figures alone, which do not include tips.
    if (!isAccepted || sums.source.type === 'day') {
      this.#rest(cash, sums)
      const { debit, credit } = cash.totals
      this.#rounding(cash, sums, debit - credit)
    }
    if (isAccepted) this.#difference(cash, pieceRef)
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

/**
 * Returns the piece reference: `Z358`, after the code of its till if there is one; `J20260314` for a day without a Z.
 */
export function pieceRefOf({ source, day }: BookSums, tills: Readonly<Record<string, string>>): string {
  if (source.type === 'day') return `J${day.replaceAll('-', '')}`
  const code = source.deviceName === null ? undefined : tills[source.deviceName]
  return `${code === undefined ? '' : `${code}-`}Z${source.reportNumber}`
}
