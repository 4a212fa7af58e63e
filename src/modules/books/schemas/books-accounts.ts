import { Type, type Static, type TSchema } from 'typebox'
import { Choice, closed, Count, Nullable } from '../../../core/contract/scalars.ts'

export const bookLayouts = ['direct', 'clearing'] as const
export const revenueSplits = ['rate', 'category', 'serviceType'] as const

const text = (note: Record<string, unknown> = {}) =>
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: String.raw`^[^\u0000-\u001f\u007f-\u009f]*$`,
    'x-must': 'one line of text without tabs or other control characters',
    ...note,
  })

/** Makes the schema of a name that tills use. Any text is allowed, because each name must be able to get an account. */
const tillText = (note: Record<string, unknown> = {}) => Type.String(note)

const number = (note: Record<string, unknown> = {}) =>
  Type.String({
    pattern: '^[0-9]{3}[0-9A-Za-z]{0,17}$',
    'x-must': 'an account number of three digits and up to 17 digits or letters, such as 706100',
    examples: ['706100'],
    ...note,
  })

/**
 * An account. The default of `accountName` is the name of the default account with that number, else `Compte` and the
 * number.
 */
const account = {
  account: number({ description: 'Number of the account.' }),
  accountName: Type.Optional(text({ description: 'Name of the account.', examples: ['Ventes 10 %'] })),
  auxiliary: Type.Optional(
    text({ maxLength: 17, description: 'Auxiliary account number, if any.', examples: ['CAISSE'] }),
  ),
  auxiliaryName: Type.Optional(
    text({ description: 'Name of the auxiliary account.', examples: ['Clients de la caisse'] }),
  ),
}

const Account = Type.Object(account, { ...closed, title: 'BookAccount' })

export type BookAccount = Static<typeof Account>

const NullableAccount = () => Type.Unsafe<BookAccount | null>({ anyOf: [Account, { type: 'null' }] })

const rows = (name: string, members: Record<string, TSchema>, description: string) =>
  Type.Array(Type.Object(members, { ...closed, title: name }), { maxItems: 500, description })

const rate = (note: Record<string, unknown> = {}) =>
  Type.Integer({ minimum: 0, maximum: 100_000, description: 'Hundredths of a percent.', examples: [1000], ...note })

const Payment = Type.Object(
  {
    name: tillText({
      description: 'Name used by the tills; case and accents are ignored.',
      examples: ['Carte bancaire'],
    }),
    account: Type.Optional(account.account),
    accountName: account.accountName,
    auxiliary: account.auxiliary,
    auxiliaryName: account.auxiliaryName,
    cash: Type.Optional(
      Type.Boolean({
        description:
          'Whether it is cash, which counts in the drawer and is booked to the cash account. Not with `account`.',
      }),
    ),
  },
  { ...closed, title: 'BookPayment' },
)

const Journal = Type.Object(
  {
    code: Type.String({
      pattern: '^[0-9A-Za-z]{1,10}$',
      'x-must': 'one to ten letters without accents, or digits',
      description: 'Code of the journal.',
      examples: ['CA'],
    }),
    name: text({ description: 'Name of the journal.', examples: ['Journal de caisse'] }),
  },
  { ...closed, title: 'BookJournal' },
)

const day = (description: string) => Nullable(Type.String({ format: 'date' }), { description, examples: [null] })

const settings = {
  layout: Choice(bookLayouts, {
    description:
      '`direct`: one entry of payments against revenue and tax. `clearing`: an entry of sales and an entry of cash, linked by ' +
      '`accounts.clearing`.',
  }),
  journals: Type.Object(
    { cash: Type.Optional(Journal), sales: Type.Optional(Journal) },
    { ...closed, description: '`direct` uses `cash` only.' },
  ),
  revenueBy: Choice(revenueSplits, { description: 'Splits revenue by this dimension in addition to the tax rate.' }),
  discounts: Choice(['net', 'gross'] as const, {
    description: '`gross`: revenue at list price, with discounts on `accounts.discount`.',
  }),
  drawer: Type.Boolean({ description: 'Whether cash movements are booked.' }),
  taxTolerance: Type.Integer({
    minimum: 0,
    maximum: 100,
    description:
      'Minor units by which the tax of a Z report may differ from its orders, per rate. The tax of the Z report is booked.',
  }),
  startsOn: day('First day of the books: earlier entries are never issued, because another program booked them.'),
  closedUntil: day('The books are closed up to this day. Later entries for it are dated on the following day.'),
  tills: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: {
      type: 'string',
      pattern: '^[0-9A-Za-z]{1,10}$',
      'x-must': 'one to ten letters without accents, or digits',
    },
    description: 'Codes of tills by name, used in `pieceRef`: `C1-Z358`.',
    examples: [{ 'Caisse 1': 'C1' }],
  }),
  withoutReport: Choice(['day', 'refuse'] as const, {
    description: 'Whether counted orders of a complete day that no Z report names are booked as an entry of the day.',
  }),
  payments: Type.Array(Payment, { maxItems: 500, description: 'Accounts of payments, one row per name.' }),
  revenue: rows(
    'BookRevenue',
    {
      rate: Type.Optional(rate()),
      category: Type.Optional(tillText({ examples: ['Plats'] })),
      serviceType: Type.Optional(tillText({ examples: ['eat_in'] })),
      ...account,
    },
    'The most specific row wins (category before service before rate), then the last.',
  ),
  tax: rows('BookTax', { rate: rate(), ...account }, 'Accounts of VAT, one row per rate.'),
  entries: rows(
    'BookDrawerEntry',
    { entryType: tillText({ examples: ['bank_deposit'] }), ...account },
    'Accounts for cash movements, by type.',
  ),
  accounts: Type.Object(
    {
      cash: Type.Optional(NullableAccount()),
      clearing: Type.Optional(NullableAccount()),
      tips: Type.Optional(NullableAccount()),
      suspense: Type.Optional(NullableAccount()),
      discount: Type.Optional(NullableAccount()),
      untaxed: Type.Optional(NullableAccount()),
      vouchers: Type.Optional(NullableAccount()),
      deposits: Type.Optional(NullableAccount()),
      debts: Type.Optional(NullableAccount()),
      rounding: Type.Optional(NullableAccount()),
      overpaid: Type.Optional(NullableAccount()),
      unpaid: Type.Optional(NullableAccount()),
    },
    {
      ...closed,
      description:
        'Other accounts: `untaxed` for sales without a stated tax, `vouchers` and `deposits` for liabilities to guests, `debts` for ' +
        'payments on account, `rounding` for cash rounding. If `overpaid` or `unpaid` is null, a Z report that needs it is refused.',
    },
  ),
}

/** The settings of a location; absent ones have defaults. */
export const BookAccountsOwn = Type.Partial(Type.Object(settings, closed), { ...closed, title: 'BookAccountsOwn' })

const BookAccountsEffective = Type.Object(settings, { ...closed, title: 'BookAccountsEffective' })

/** The mapping that is in force at a location. */
export const BookAccounts = Type.Object(
  {
    version: Count({ description: 'Version of the accounts; 0 if none were set.', examples: [3] }),
    sequence: Count({ description: 'Journal sequence; 0 if none were set.', examples: [48211] }),
    own: Type.Unsafe<BookAccountsOwn>({ ...BookAccountsOwn, description: 'Accounts set by the location.' }),
    effective: Type.Unsafe<BookAccountsEffective>({
      ...BookAccountsEffective,
      description: 'The defaults combined with `own`.',
    }),
  },
  { ...closed, title: 'BookAccounts' },
)

/** The journal entry of a new version. */
export const BookAccountsVersion = Type.Object(
  { version: Count({ examples: [3] }), own: Type.Unsafe<BookAccountsOwn>({ ...BookAccountsOwn }) },
  { ...closed, title: 'BookAccountsVersion' },
)

export type BookAccountsOwn = Partial<BookAccountsEffective>
export type BookAccountRow = BookAccount & { rate?: number; category?: string; serviceType?: string }
export type BookPayment = { name: string; cash?: boolean } & Partial<BookAccount>

export type BookAccountsEffective = {
  layout: (typeof bookLayouts)[number]
  journals: { cash?: { code: string; name: string }; sales?: { code: string; name: string } }
  revenueBy: (typeof revenueSplits)[number]
  discounts: 'net' | 'gross'
  drawer: boolean
  taxTolerance: number
  startsOn: string | null
  closedUntil: string | null
  tills: Record<string, string>
  withoutReport: 'day' | 'refuse'
  payments: BookPayment[]
  revenue: BookAccountRow[]
  tax: (BookAccount & { rate: number })[]
  entries: (BookAccount & { entryType: string })[]
  accounts: Partial<
    Record<
      | 'cash'
      | 'clearing'
      | 'tips'
      | 'suspense'
      | 'discount'
      | 'untaxed'
      | 'vouchers'
      | 'deposits'
      | 'debts'
      | 'rounding'
      | 'overpaid'
      | 'unpaid',
      BookAccount | null
    >
  >
}

export type BookAccounts = {
  version: number
  sequence: number
  own: BookAccountsOwn
  effective: BookAccountsEffective
}

export type BookAccountsVersion = { version: number; own: BookAccountsOwn }
