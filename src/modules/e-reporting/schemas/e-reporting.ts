import { Type, type Static } from 'typebox'
import { eReportingCategories } from '../../../core/contract/location/schema.ts'
import { Choice, closed, Count, Minor } from '../../../core/contract/scalars.ts'

const category = () =>
  Choice(eReportingCategories, {
    description: 'TT-81: `TLB1` goods, `TPS1` services, `TNT1` not taxed in France, `TMA1` margin scheme.',
    examples: ['TPS1'],
  })

const date = (description: string) => Type.String({ description, examples: ['2026-09-14'] })

const rate = (term: string) =>
  Type.Integer({ description: `${term}: VAT rate in hundredths of a percent.`, examples: [1000] })

const Transactions = Type.Object(
  {
    date: date('TT-77: business day.'),
    category: category(),
    currency: Type.String({ description: 'TT-78: the currency.', examples: ['EUR'] }),
    transactions: Count({ description: 'TT-85: number of orders.', examples: [120] }),
    taxable: Minor({ description: 'TT-82: total without VAT.', examples: [377300] }),
    tax: Minor({
      description: 'TT-83: VAT. The tax authority requires euros: convert it if `currency` differs.',
    }),
    rates: Type.Array(
      Type.Object(
        {
          rate: rate('TT-86'),
          taxable: Minor({ description: 'TT-87: without VAT.' }),
          tax: Minor({ description: 'TT-88: amount of VAT.' }),
        },
        { ...closed, description: 'TG-32: one tax rate.' },
      ),
    ),
    notStated: Minor({
      description:
        'Sales without a stated tax, tax included; not contained in the amounts above. Correct the till, or report them manually.',
      examples: [0],
    }),
    isComplete: Type.Boolean({ description: 'False if `notStated` is not 0.', examples: [true] }),
  },
  { ...closed, title: 'EReportingTransactions', description: 'TG-31: one per day and category (flux 10.3).' },
)

const Payments = Type.Object(
  {
    date: date('TT-96: business day on which the order was closed.'),
    currency: Type.String({ description: 'TT-98: the currency.', examples: ['EUR'] }),
    rates: Type.Array(
      Type.Object(
        { rate: rate('TT-97'), amount: Minor({ description: 'TT-99: amount paid, including VAT, excluding tips.' }) },
        { ...closed, description: 'TG-39: one tax rate.' },
      ),
    ),
  },
  {
    ...closed,
    title: 'EReportingPayments',
    description: 'TG-37: payments for services (`TPS1`), one per day (flux 10.4).',
  },
)

const Unmapped = Type.Object(
  {
    serviceType: Type.String({ examples: ['other'] }),
    transactions: Count({ description: 'Number of orders.' }),
    taxable: Minor({ description: 'Amount without VAT.' }),
    tax: Minor({ description: 'Amount of VAT.' }),
    notStated: Minor({ description: 'Sales without a stated tax; not contained in the amounts above.', examples: [0] }),
  },
  { ...closed, title: 'EReportingUnmapped' },
)

/** The sums that French e-reporting of sales to consumers requires from a till (docs/modules/e-reporting.md). */
export const EReport = Type.Object(
  {
    transactions: Type.Array(Transactions, { description: 'Ordered by day, then by category.' }),
    payments: Type.Array(Payments, { description: 'Payments, one row per day.' }),
    unmapped: Type.Array(Unmapped, {
      description:
        'Service types without a category, over all days; not contained in the sums above. Assign a category to each.',
    }),
    meta: Type.Object(
      {
        since: date('First business day.'),
        until: date('Last business day.'),
        currency: Type.String({ examples: ['EUR'] }),
        timeZone: Type.String({ examples: ['Europe/Paris'] }),
        dayStartsAt: Type.String({ examples: ['05:00'] }),
        categories: Type.Record(Type.String(), Choice(eReportingCategories), {
          description: 'Category of each service type, from the settings of the location.',
        }),
        sequence: Count({ description: 'Journal sequence to which the sums apply.', examples: [48211] }),
      },
      closed,
    ),
  },
  { ...closed, title: 'EReport' },
)

export type EReport = Static<typeof EReport>
