import type {
  BookAccount,
  BookAccountRow,
  BookAccountsEffective,
  BookAccountsOwn,
  BookPayment,
} from '../schemas/books-accounts.ts'
import type { PaymentKind } from '../../../core/contract/money/payment-kinds-schema.ts'
import { bookPlaces, paymentClasses } from '../../../core/contract/money/classes.ts'
import { defaultAccounts } from './defaults.ts'

/** Removes what does not distinguish names of payments: case, accents and surrounding spaces. */
const foldName = (name: string): string => name.normalize('NFD').replace(/\p{M}/gu, '').trim().toLowerCase()

/** Adds the rows of `above` to those of `below`; a row of `above` replaces the row of `below` with the same key. */
function onTop<Row>(below: readonly Row[], above: readonly Row[] = [], keyOf: (row: Row) => string): Row[] {
  const keys = new Set(above.map(keyOf))
  return [...below.filter((row) => !keys.has(keyOf(row))), ...above]
}

const revenueKey = ({ rate, category, serviceType }: BookAccountRow) => JSON.stringify([rate, category, serviceType])

/** Returns the defaults, overridden by the location's settings. */
export function effectiveAccounts(own: BookAccountsOwn): BookAccountsEffective {
  const usual = defaultAccounts
  return {
    layout: own.layout ?? usual.layout,
    journals: { ...usual.journals, ...own.journals },
    revenueBy: own.revenueBy ?? usual.revenueBy,
    discounts: own.discounts ?? usual.discounts,
    drawer: own.drawer ?? usual.drawer,
    taxTolerance: own.taxTolerance ?? usual.taxTolerance,
    startsOn: own.startsOn ?? usual.startsOn,
    closedUntil: own.closedUntil ?? usual.closedUntil,
    tills: { ...usual.tills, ...own.tills },
    withoutReport: own.withoutReport ?? usual.withoutReport,
    payments: onTop(usual.payments, own.payments, ({ name }) => foldName(name)),
    revenue: onTop(usual.revenue, own.revenue, revenueKey),
    tax: onTop(usual.tax, own.tax, ({ rate }) => String(rate)),
    entries: onTop(usual.entries, own.entries, ({ entryType }) => entryType),
    accounts: { ...usual.accounts, ...own.accounts },
  }
}

/** Returns the payment names that are cash by the mapping. They count like `paymentKinds` of the location. */
export const cashNamesOf = ({ payments = [] }: BookAccountsOwn): string[] =>
  payments.filter(({ cash }) => cash === true).map(({ name }) => name)

/** An account with its names. The auxiliary account and its name are null if there is none. */
export type Account = {
  account: string
  accountName: string
  auxiliary: string | null
  auxiliaryName: string | null
}

const usualNames = new Map(
  [
    ...defaultAccounts.payments,
    ...defaultAccounts.revenue,
    ...defaultAccounts.tax,
    ...defaultAccounts.entries,
    ...Object.values(defaultAccounts.accounts),
  ].flatMap((row) => (row?.account && row.accountName ? [[row.account, row.accountName] as const] : [])),
)

function toAccount({ account, accountName, auxiliary, auxiliaryName }: BookAccount): Account {
  return {
    account,
    accountName: accountName ?? usualNames.get(account) ?? `Compte ${account}`,
    auxiliary: auxiliary ?? null,
    auxiliaryName: auxiliary === undefined ? null : (auxiliaryName ?? auxiliary),
  }
}

/** A payment, rate, category or type of drawer entry without an account; it is booked on the suspense account. */
export type Unmapped =
  | { what: 'payment'; name: string }
  | { what: 'tax'; rate: number }
  | { what: 'revenue'; rate: number; category?: string }
  | { what: 'entry'; entryType: string }

/** The account of an amount; `isKnown` is false if it is the suspense account because no other fits. */
export type AccountMatch = Account & { isKnown: boolean }

/** The accounts that have a default. */
type OwnAccount = Exclude<keyof BookAccountsEffective['accounts'], 'overpaid' | 'unpaid'>

export class AccountFinder {
  readonly accounts: BookAccountsEffective
  readonly #payments: Map<string, BookPayment>
  /** Cache of mapped payments by their names in Z reports and orders: every day has the same few names. */
  readonly #found = new Map<string, BookPayment | undefined>()
  readonly #tax: Map<number, BookAccount>
  readonly #entries: Map<string, BookAccount>

  constructor(accounts: BookAccountsEffective) {
    this.accounts = accounts
    this.#payments = new Map(accounts.payments.map((row) => [foldName(row.name), row]))
    this.#tax = new Map(accounts.tax.map((row) => [row.rate, row]))
    this.#entries = new Map(accounts.entries.map((row) => [row.entryType, row]))
  }

  /** Returns an account that has a default, so the result is never null. */
  own(name: OwnAccount): Account {
    return toAccount(this.accounts.accounts[name] ?? (defaultAccounts.accounts[name] as BookAccount))
  }

  /** Returns null if the mapping has no such account: sources that need it are refused. */
  optional(name: 'overpaid' | 'unpaid'): Account | null {
    const account = this.accounts.accounts[name]
    return account ? toAccount(account) : null
  }

  #placeOf(account: BookAccount | undefined): AccountMatch {
    return account ? { ...toAccount(account), isKnown: true } : { ...this.own('suspense'), isKnown: false }
  }

  /** Returns the row of a payment in the mapping, if there is one. */
  paymentRow(name: string): BookPayment | undefined {
    if (!this.#found.has(name)) this.#found.set(name, this.#payments.get(foldName(name)))
    return this.#found.get(name)
  }

  /** Finds the account of a payment: by its name, else by its kind. */
  payment(name: string, kind: PaymentKind | null): AccountMatch {
    const row = this.paymentRow(name)
    if (row?.account !== undefined) return this.#placeOf(row as BookAccount)
    const of = row?.cash ? 'cash' : kind === null ? null : paymentClasses[kind]
    if (of === null) return this.#placeOf(undefined)
    return { ...this.own(of === 'cash' ? 'cash' : bookPlaces[of]), isKnown: true }
  }

  /** Finds the account of sales without a stated tax: by their category or service type, else the account `untaxed`. */
  untaxed(of: { category?: string; serviceType?: string }): AccountMatch {
    const place = this.#bestRow({ rate: undefined, ...of })
    return place ? this.#placeOf(place) : { ...this.own('untaxed'), isKnown: true }
  }

  revenue(of: { rate: number; category?: string; serviceType?: string }): AccountMatch {
    return this.#placeOf(this.#bestRow(of))
  }

  /**
   * Returns the most specific row that fits; of equally specific rows, the last. Without a rate, only rows that name a
   * category or service type, but no rate, fit.
   */
  #bestRow(of: { rate: number | undefined; category?: string; serviceType?: string }): BookAccountRow | undefined {
    let best: BookAccountRow | undefined
    let weight = -1
    for (const row of this.accounts.revenue) {
      const fits =
        (row.rate === undefined || row.rate === of.rate) &&
        (row.category === undefined || row.category === of.category) &&
        (row.serviceType === undefined || row.serviceType === of.serviceType)
      if (!fits || (of.rate === undefined && row.category === undefined && row.serviceType === undefined)) continue
      const own =
        (row.category === undefined ? 0 : 4) +
        (row.serviceType === undefined ? 0 : 2) +
        (row.rate === undefined ? 0 : 1)
      if (own < weight) continue
      best = row
      weight = own
    }
    return best
  }

  tax(rate: number): AccountMatch {
    return this.#placeOf(this.#tax.get(rate))
  }

  entry(entryType: string): AccountMatch {
    return this.#placeOf(this.#entries.get(entryType))
  }
}
