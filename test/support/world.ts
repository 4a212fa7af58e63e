import { createHash } from 'node:crypto'

/**
 * Random restaurants with an independent ledger. The ledger was written from the documentation (docs/contract/money.md,
 * docs/modules/figures.md, docs/modules/reconciliation.md, docs/modules/e-reporting.md) and imports nothing from `src`:
 * it adds decimal texts as integers of millionths, and knows the start of each business day from a table of offsets. So
 * its results are computed in a second, independent way.
 */

/** Returns a generator of numbers in [0, 1), determined by a seed (mulberry32). */
function chance(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Millionths of a unit of the currency. */
type Micro = bigint
const one = 1_000_000n

/** Rounds to a multiple of `unit` millionths, half away from zero. */
function roundTo(amount: Micro, unit: bigint): Micro {
  const size = amount < 0n ? -amount : amount
  const rounded = ((size + unit / 2n) / unit) * unit
  return amount < 0n ? -rounded : rounded
}

/** Returns an amount as the number of its decimal text, as in JSON: `12.5`, `-0.125`. */
function toNumber(amount: Micro): number {
  const size = amount < 0n ? -amount : amount
  const text = `${size / one}.${String(size % one).padStart(6, '0')}`
  return Number(amount < 0n ? `-${text}` : text)
}

type Zone = {
  timeZone: string
  currency: string
  dayStartsAt: string
  /** Consecutive business days with the moments at which they begin, from the offsets of the time zone database. */
  days: readonly [date: string, startsAt: string][]
  rates: readonly number[]
}

/** Each zone crosses a clock change, or has an offset that is not a whole number of hours. */
export const zones: Record<string, Zone> = {
  // 29 March 2026: 02:00 becomes 03:00, at 01:00 UTC.
  paris: {
    timeZone: 'Europe/Paris',
    currency: 'EUR',
    dayStartsAt: '05:00',
    days: [
      ['2026-03-27', '2026-03-27T04:00:00.000Z'],
      ['2026-03-28', '2026-03-28T04:00:00.000Z'],
      ['2026-03-29', '2026-03-29T03:00:00.000Z'],
      ['2026-03-30', '2026-03-30T03:00:00.000Z'],
      ['2026-03-31', '2026-03-31T03:00:00.000Z'],
    ],
    rates: [0, 0.055, 0.1, 0.2],
  },
  // 5 April 2026: 03:00 becomes 02:00, at 14:00 UTC of the day before; the day begins at the earlier 02:30.
  auckland: {
    timeZone: 'Pacific/Auckland',
    currency: 'KRW',
    dayStartsAt: '02:30',
    days: [
      ['2026-04-03', '2026-04-02T13:30:00.000Z'],
      ['2026-04-04', '2026-04-03T13:30:00.000Z'],
      ['2026-04-05', '2026-04-04T13:30:00.000Z'],
      ['2026-04-06', '2026-04-05T14:30:00.000Z'],
      ['2026-04-07', '2026-04-06T14:30:00.000Z'],
    ],
    rates: [0, 0.15],
  },
  kathmandu: {
    timeZone: 'Asia/Kathmandu',
    currency: 'KWD',
    dayStartsAt: '00:00',
    days: [
      ['2026-02-27', '2026-02-26T18:15:00.000Z'],
      ['2026-02-28', '2026-02-27T18:15:00.000Z'],
      ['2026-03-01', '2026-02-28T18:15:00.000Z'],
      ['2026-03-02', '2026-03-01T18:15:00.000Z'],
    ],
    rates: [0, 0.05, 0.13],
  },
  // 8 March 2026: 02:00 becomes 03:00, at 07:00 UTC. 02:30 does not exist, so that day begins at 03:00.
  newYork: {
    timeZone: 'America/New_York',
    currency: 'USD',
    dayStartsAt: '02:30',
    days: [
      ['2026-03-06', '2026-03-06T07:30:00.000Z'],
      ['2026-03-07', '2026-03-07T07:30:00.000Z'],
      ['2026-03-08', '2026-03-08T07:00:00.000Z'],
      ['2026-03-09', '2026-03-09T06:30:00.000Z'],
      ['2026-03-10', '2026-03-10T06:30:00.000Z'],
    ],
    rates: [0, 0.08875],
  },
  // A year from another program, nine years earlier. 29 October 2017: 03:00 becomes 02:00, at 01:00 UTC.
  imported: {
    timeZone: 'Europe/Paris',
    currency: 'EUR',
    dayStartsAt: '05:00',
    days: [
      ['2017-10-28', '2017-10-28T03:00:00.000Z'],
      ['2017-10-29', '2017-10-29T04:00:00.000Z'],
      ['2017-10-30', '2017-10-30T04:00:00.000Z'],
      ['2017-10-31', '2017-10-31T04:00:00.000Z'],
    ],
    rates: [0, 0.055, 0.1, 0.2],
  },
}

type Kind = 'sale' | 'untaxed' | 'charge' | 'voucher' | 'deposit'

type Item = {
  product: number
  kind: Kind
  quantity: Micro
  unitPrice: Micro
  total: Micro
  discount: Micro
  isStated: boolean
  rate: number
  tax: Micro
  isCanceled: boolean
  isLoss: boolean
}

type Sale = {
  id: string
  day: number
  till: number
  openedAt: number
  closedAt: number
  guests: number
  serviceType: string
  items: Item[]
  payments: [name: string, amount: Micro][]
  tip: Micro
  isCanceled: boolean
  isTraining: boolean
}

/** The ledger's sums of a business day, or of all; amounts in the unit of the API. */
export type Sums = {
  orders: number
  guests: number
  items: number
  salesInclTax: number
  tax: number
  discounts: number
  tips: number
  refunds: number
}

const uuid = (text: string): string => {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

const digitsOf = (currency: string) => (currency === 'KWD' ? 3 : 2)
const smallestPayment: Record<string, bigint> = { EUR: 10_000n, USD: 10_000n, KWD: 1_000n, KRW: 1_000_000n }
const payments = ['Espèces', 'Carte', 'Ticket Resto', 'Bon cadeau', 'En compte']
const serviceTypes = ['eat_in', 'takeaway', 'delivery', 'room_service']

export class World {
  readonly zone: Zone
  readonly sales: Sale[] = []
  readonly seed: string
  /** The unit of figures and reports: hundredths, or thousandths. */
  readonly #unit: bigint
  readonly #next: () => number
  readonly tills = 2
  /** What the tills of this restaurant leave out of their Z reports although it is in their orders. */
  readonly #leftOut: ReadonlySet<Kind>

  constructor(name: keyof typeof zones, seed: number) {
    this.zone = zones[name] as Zone
    this.seed = `${name} ${seed}`
    this.#next = chance(seed + name.length * 7919)
    this.#unit = one / 10n ** BigInt(digitsOf(this.zone.currency))
    this.#leftOut = new Set((['voucher', 'deposit', 'charge'] as const).filter(() => this.#next() < 0.3))
    // Some restaurants have large amounts, with seven digits before the decimal point.
    const scale = this.#next() < 0.25 ? 100_000n : 1n
    for (let day = 0; day < this.zone.days.length - 1; day += 1)
      for (let till = 0; till < this.tills; till += 1) {
        const count = 2 + Math.floor(this.#next() * 5)
        for (let n = 0; n < count; n += 1) this.sales.push(this.#sale(day, till, n, count, scale))
      }
  }

  get orderIds(): string[] {
    return this.sales.map(({ id }) => id)
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#next() * list.length)] as T
  }

  #is(share: number): boolean {
    return this.#next() < share
  }

  #startOf(day: number): number {
    return Date.parse((this.zone.days[day] as [string, string])[1])
  }

  #item(of: bigint, scale: bigint): Item {
    const kind: Kind = this.#is(0.75) ? 'sale' : this.#pick(['untaxed', 'charge', 'voucher', 'deposit'])
    // A redeemed voucher, and a returned deposit.
    const sign = (kind === 'voucher' || kind === 'deposit') && this.#is(0.3) ? -of : of
    const digits = smallestPayment[this.zone.currency] as bigint
    const product = Math.floor(this.#next() * 6)
    const quantity = this.#is(0.2)
      ? BigInt(1 + Math.floor(this.#next() * 1999)) * 1_000n
      : BigInt(1 + Math.floor(this.#next() * 4)) * one
    const unitPrice = BigInt(1 + Math.floor(this.#next() * 2_999)) * digits * scale
    const gross = (quantity * unitPrice) / one
    // Tills write amounts in the smallest unit, or with two more digits.
    const step = this.#is(0.3) && digits > 100n ? digits / 100n : digits
    const before = roundTo(gross, step)
    const discount =
      kind === 'sale' && this.#is(0.2) ? roundTo(before / BigInt(2 + Math.floor(this.#next() * 6)), step) : 0n
    const total = before - discount
    // A single-purpose voucher is taxed like its purpose.
    const isStated = kind === 'sale' || kind === 'charge' || (kind === 'voucher' && this.#is(0.4))
    const rate = isStated ? this.#pick(this.zone.rates) : 0
    const parts = BigInt(Math.round(rate * 100_000))
    const tax = roundTo((total * parts) / (100_000n + parts), this.#is(0.3) ? step / 10n || 1n : digits)
    return {
      product,
      kind,
      quantity: sign * quantity,
      unitPrice,
      total: sign * total,
      discount: sign * discount,
      isStated,
      rate,
      tax: sign * tax,
      isCanceled: this.#is(0.06),
      isLoss: this.#is(0.05),
    }
  }

  #sale(day: number, till: number, n: number, count: number, scale: bigint): Sale {
    const start = this.#startOf(day)
    const length = this.#startOf(day + 1) - start
    const sign = this.#is(0.1) ? -1n : 1n
    const items = Array.from({ length: 1 + Math.floor(this.#next() * 4) }, () => this.#item(sign, scale))
    // There are also sales at the first and the last moment of a business day.
    const closedAt =
      n === 0 ? start : n === count - 1 ? start + length - 60_001 : start + Math.floor(this.#next() * (length - 60_001))
    const sale: Sale = {
      id: uuid(`${this.seed} ${day} ${till} ${n}`),
      day,
      till,
      openedAt: closedAt - 60_000 - Math.floor(this.#next() * 7_200_000),
      closedAt,
      guests: Math.floor(this.#next() * 5),
      serviceType: this.#pick(serviceTypes),
      items,
      payments: [],
      tip: 0n,
      isCanceled: this.#is(0.07),
      isTraining: this.#is(0.05),
    }
    const due = roundTo(this.#totalOf(sale), smallestPayment[this.zone.currency] as bigint)
    const isCoin = this.zone.currency === 'EUR' && this.#is(0.2)
    if (isCoin && due !== 0n) sale.payments = [['Espèces', roundTo(due, 50_000n)]]
    else if (due !== 0n) {
      const [first, second] = [this.#pick(payments), this.#pick(payments)]
      const part =
        first !== second && this.#is(0.3) ? roundTo(due / 3n, smallestPayment[this.zone.currency] as bigint) : 0n
      sale.payments =
        part === 0n
          ? [[first, due]]
          : [
              [first, part],
              [second, due - part],
            ]
      if (sign > 0n && this.#is(0.15))
        sale.tip = BigInt(1 + Math.floor(this.#next() * 300)) * (smallestPayment[this.zone.currency] as bigint)
    }
    return sale
  }

  #kept = (sale: Sale): Item[] => sale.items.filter((item) => !item.isCanceled && !item.isLoss)

  /** Returns the sales part of an order: its total without vouchers, deposits and charges. */
  #soldOf = (sale: Sale): Micro =>
    this.#kept(sale).reduce((sum, { kind, total }) => (kind === 'sale' || kind === 'untaxed' ? sum + total : sum), 0n)

  #totalOf = (sale: Sale): Micro => this.#kept(sale).reduce((sum, { total }) => sum + total, 0n)

  /** Returns an amount in the unit of figures and reports, rounded once. */
  #inUnits(amount: Micro): number {
    return Number(roundTo(amount, this.#unit) / this.#unit)
  }

  #order(sale: Sale, version: 'open' | 'closed' | 'corrected', locationId: string): Record<string, unknown> {
    const isOpen = version === 'open'
    const items = isOpen ? sale.items.slice(0, 1) : sale.items
    const kept = items.filter((item) => !item.isCanceled && !item.isLoss)
    const sum = (of: (item: Item) => Micro) => toNumber(kept.reduce((all, item) => all + of(item), 0n))
    const updatedAt =
      sale.openedAt +
      (isOpen ? 1_000 : version === 'closed' ? sale.closedAt - sale.openedAt : sale.closedAt - sale.openedAt + 45_000)
    return {
      id: sale.id,
      deviceId: uuid(`${this.seed} till ${sale.till}`),
      locationId,
      // The order was created long before or after it was closed: it must not be found by its creation time.
      createdAt: new Date(sale.openedAt + (sale.guests - 2) * 100 * 86_400_000).toISOString(),
      updatedAt: new Date(updatedAt).toISOString(),
      openedAt: new Date(sale.openedAt).toISOString(),
      closedAt: isOpen ? null : new Date(sale.closedAt).toISOString(),
      guests: sale.guests,
      orderPlace: '1',
      orderNumber: sale.id.slice(0, 6),
      operatorId: uuid('operator'),
      operatorName: 'Camille',
      total: sum(({ total }) => total),
      totalTax: sum(({ tax }) => tax),
      totalDiscount: sum(({ discount }) => discount),
      customerId: '',
      isCanceled: version === 'corrected' ? sale.isCanceled : false,
      isTransferred: false,
      items: items.map((item) => ({
        description: `Product ${item.product}`,
        quantity: toNumber(item.quantity),
        unitPrice: toNumber(item.unitPrice),
        total: toNumber(item.total),
        category: 'Plats',
        subCategory: '',
        isCanceled: item.isCanceled,
        tier: '',
        isTransferred: false,
        discountsApplied:
          item.discount === 0n
            ? []
            : [
                {
                  discountName: 'Fidélité',
                  discountValue: toNumber(item.discount),
                  discountCatalogId: uuid('discount'),
                },
              ],
        tax: item.isStated
          ? {
              taxName: `VAT ${item.rate}`,
              taxRate: item.rate,
              taxAmount: toNumber(item.tax),
              taxCatalogId: uuid(`tax ${item.rate}`),
            }
          : { taxName: '', taxRate: 0, taxAmount: 0, taxCatalogId: uuid('no tax'), isStated: false },
        itemCatalogId: uuid(`product ${item.product}`),
        isLoss: item.isLoss,
        ...(item.kind === 'sale' || item.kind === 'untaxed' ? {} : { kind: item.kind }),
      })),
      menus: [],
      payments: isOpen
        ? []
        : sale.payments.map(([name, amount]) => ({
            paymentAmount: toNumber(amount),
            paymentName: name,
            paymentCatalogId: uuid(name),
          })),
      tips: isOpen || sale.tip === 0n ? null : [{ amount: toNumber(sale.tip) }],
      channel: 'pos',
      serviceType: sale.serviceType,
      isTraining: sale.isTraining,
      source: 'pos',
    }
  }

  reportId = (day: number, till: number): string => uuid(`${this.seed} report ${day} ${till}`)

  #report(day: number, till: number, locationId: string): Record<string, unknown> {
    const sales = this.sales.filter((sale) => sale.day === day && sale.till === till)
    const counted = sales.filter((sale) => !sale.isCanceled && !sale.isTraining)
    const items = counted.flatMap(this.#kept).filter(({ kind }) => !this.#leftOut.has(kind))
    const group = <T>(list: readonly T[], keyOf: (one: T) => string) => [...Map.groupBy(list, keyOf).entries()]
    const add = <T>(list: readonly T[], of: (one: T) => Micro) => list.reduce((sum, one) => sum + of(one), 0n)
    const finalizedAt = new Date(this.#startOf(day + 1) - 1_000).toISOString()
    const paid = group(
      counted.flatMap((sale) => sale.payments),
      ([name]) => name,
    )
    const cash = add(
      counted.flatMap((sale) => sale.payments).filter(([name]) => name === 'Espèces'),
      ([, amount]) => amount,
    )
    return {
      id: this.reportId(day, till),
      locationId,
      createdAt: finalizedAt,
      updatedAt: finalizedAt,
      startedAt: new Date(this.#startOf(day)).toISOString(),
      finalizedAt,
      deviceName: `Caisse ${till + 1}`,
      reportNumber: day + 1,
      guestsNumber: counted.reduce((sum, { guests }) => sum + guests, 0),
      totalSales: this.#inUnits(add(items, ({ total }) => total)),
      reportHeaderInfo: {
        headerAddress: '',
        headerCity: '',
        headerCountry: '',
        headerName: '',
        headerPhone: '',
        headerNaf: '',
        headerSiret: '',
        headerText: '',
        headerTva: '',
        headerUrl: '',
        headerZip: '',
      },
      reportProducts: group(items, ({ product }) => String(product)).map(([product, list]) => ({
        productName: `Product ${product}`,
        productSales: this.#inUnits(add(list, ({ total }) => total)),
        category: 'Plats',
        subCategory: '',
        productQuantity: Number(
          roundTo(
            add(list, ({ quantity }) => quantity),
            one,
          ) / one,
        ),
        productCatalogId: uuid(`product ${product}`),
      })),
      reportClerksShift: [],
      reportDiscounts: [],
      reportTaxes: group(
        items.filter(({ isStated }) => isStated),
        ({ rate }) => String(rate),
      ).map(([rate, list]) => ({
        taxName: `VAT ${rate}`,
        taxRate: Math.round(Number(rate) * 10_000),
        taxAmount: this.#inUnits(add(list, ({ tax }) => tax)),
        taxableAmount: this.#inUnits(add(list, ({ total, tax }) => total - tax)),
      })),
      reportPayments: paid.map(([name, list]) => ({
        paymentName: name,
        paymentAmount: this.#inUnits(add(list, ([, amount]) => amount)),
      })),
      initialCashBalance: 10_000,
      finalCashBalance: 10_000 + this.#inUnits(cash),
      reportEntries: [],
      orders: sales.filter(({ isTraining }) => !isTraining).map(({ id }) => id),
    }
  }

  /** Returns all versions of all records of a location, in a random order of arrival: late, twice, newest first. */
  records(locationId: string, arrival: number): Record<string, unknown>[] {
    const next = chance(arrival)
    const orders = this.sales.flatMap((sale) => [
      this.#order(sale, 'open', locationId),
      this.#order(sale, 'closed', locationId),
      ...(sale.isCanceled ? [this.#order(sale, 'corrected', locationId)] : []),
    ])
    const reports = Array.from({ length: this.zone.days.length - 1 }, (_, day) =>
      Array.from({ length: this.tills }, (_unused, till) => this.#report(day, till, locationId)),
    ).flat()
    const all = [
      ...orders.map((data) => ({ type: 'order', data })),
      ...reports.map((data) => ({ type: 'report', data })),
    ]
    const twice = [...all, ...all.filter(() => next() < 0.1)]
    return twice
      .map((record) => ({ record, at: next() }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ record }) => record)
  }

  #countedOf(day: number | null): Sale[] {
    return this.sales.filter((sale) => !sale.isCanceled && !sale.isTraining && (day === null || sale.day === day))
  }

  countedIds = (day: number | null): string[] =>
    this.#countedOf(day)
      .map(({ id }) => id)
      .toSorted()

  /** Returns the figures of a day, or of all days. */
  sums(day: number | null): Sums {
    const counted = this.#countedOf(day)
    const items = counted.flatMap(this.#kept).filter(({ kind }) => kind === 'sale' || kind === 'untaxed')
    const add = <T>(list: readonly T[], of: (one: T) => Micro) =>
      this.#inUnits(list.reduce((sum, one) => sum + of(one), 0n))
    return {
      orders: counted.length,
      guests: counted.reduce((sum, { guests }) => sum + guests, 0),
      items: toNumber(items.reduce((sum, { quantity }) => sum + quantity, 0n)),
      salesInclTax: add(items, ({ total }) => total),
      tax: add(items, ({ tax }) => tax),
      discounts: add(items, ({ discount }) => discount),
      tips: add(counted, ({ tip }) => tip),
      refunds: add(counted, (sale) => {
        const sold = this.#soldOf(sale)
        return sold < 0n ? -sold : 0n
      }),
    }
  }

  /** Returns the sum of the items of these kinds, over all days. */
  byKind(kinds: readonly Kind[]): number {
    const items = this.#countedOf(null)
      .flatMap(this.#kept)
      .filter(({ kind }) => kinds.includes(kind))
    return this.#inUnits(items.reduce((sum, { total }) => sum + total, 0n))
  }

  /** Returns the tax of vouchers, which is due when they are sold. */
  voucherTax(): number {
    const items = this.#countedOf(null)
      .flatMap(this.#kept)
      .filter(({ kind }) => kind === 'voucher')
    return this.#inUnits(items.reduce((sum, { tax }) => sum + tax, 0n))
  }

  paid(): Record<string, number> {
    const all = this.#countedOf(null).flatMap((sale) => sale.payments)
    return Object.fromEntries(
      [...Map.groupBy(all, ([name]) => name)].map(([name, list]) => [
        name,
        this.#inUnits(list.reduce((sum, [, amount]) => sum + amount, 0n)),
      ]),
    )
  }

  /** Returns the sales by rate in hundredths of a percent, or `not_stated`. */
  byTax(): Record<string, { salesInclTax: number; tax: number }> {
    const items = this.#countedOf(null)
      .flatMap(this.#kept)
      .filter(({ kind }) => kind === 'sale' || kind === 'untaxed')
    const keyOf = ({ kind, rate }: Item) => (kind === 'untaxed' ? 'not_stated' : String(Math.round(rate * 10_000)))
    return Object.fromEntries(
      [...Map.groupBy(items, keyOf)].map(([key, list]) => [
        key,
        {
          salesInclTax: this.#inUnits(list.reduce((sum, { total }) => sum + total, 0n)),
          tax: this.#inUnits(list.reduce((sum, { tax }) => sum + tax, 0n)),
        },
      ]),
    )
  }

  /**
   * Returns the supplies of a day by category of French e-reporting: sales and charges with a stated tax, and sales
   * without one.
   */
  supplies(day: number): Record<string, { taxable: number; tax: number; notStated: number }> {
    const categoryOf = ({ serviceType }: Sale) =>
      serviceType === 'eat_in' || serviceType === 'room_service' ? 'TPS1' : 'TLB1'
    return Object.fromEntries(
      [...Map.groupBy(this.#countedOf(day), categoryOf)].map(([category, sales]) => {
        const items = sales.flatMap(this.#kept)
        const taxed = items.filter(
          ({ kind, isStated, rate }) => kind === 'sale' || kind === 'charge' || (isStated && rate !== 0),
        )
        const rates = [...Map.groupBy(taxed, ({ rate }) => rate).values()]
        // Total and tax of a rate are rounded once each; those of a group are the sums of its rates.
        const add = (of: (item: Item) => Micro) =>
          rates.reduce((sum, list) => sum + this.#inUnits(list.reduce((all, item) => all + of(item), 0n)), 0)
        const tax = add((item) => item.tax)
        const untaxed = items.filter(({ kind }) => kind === 'untaxed')
        return [
          category,
          {
            taxable: add(({ total }) => total) - tax,
            tax,
            notStated: this.#inUnits(untaxed.reduce((sum, { total }) => sum + total, 0n)),
          },
        ]
      }),
    )
  }
}
