import { Type, type Static } from 'typebox'
import { ChangedOrder } from './changed-orders.ts'
import { Choice, closed, Count, Nullable, Uuid } from '../../../core/contract/scalars.ts'

/** The compared figures. The formulas are in `domain/reconciled-figures.ts` and in docs/modules/reconciliation.md. */
export const figureNames = [
  'sales',
  'guests',
  'productSales',
  'productQuantity',
  'taxAmount',
  'taxableAmount',
  'payments',
  'discounts',
  'openingFloat',
  'cash',
  'orderTotal',
  'orderTax',
  'orderDiscount',
  'orderPayments',
] as const

/** How the reported and the computed figure compare. */
export const figureStates = ['equal', 'rounding', 'different'] as const

/** Sections that are skipped if the report does not state them. */
export const reportSections = ['guests', 'products', 'quantities', 'taxes', 'taxable', 'payments', 'discounts'] as const

const ids = (description: string) => Type.Array(Uuid(), { description })

const compared = {
  figure: Choice(figureNames),
  key: Nullable(Type.String(), {
    description:
      'Row of the figure: product or discount id, tax rate in hundredths of a percent, payment name, or the ' +
      'id of the order. Null for a figure of the whole report.',
    examples: ['1000'],
  }),
  name: Nullable(Type.String(), { description: 'Readable name of the row.', examples: ['TVA 10 %'] }),
  reported: Count({
    description: 'Value in the report: an amount in minor units, or a number of guests or products.',
    examples: [4150],
  }),
  computed: Count({ description: 'Sum of the orders.', examples: [4140] }),
  difference: Count({ description: '`reported` − `computed`.', examples: [10] }),
}

const Figure = Type.Object(
  {
    ...compared,
    state: Choice(figureStates, {
      description:
        '`equal`; `rounding`: the difference can be explained by rounding, half a minor unit per counted line; or ' +
        '`different`.',
      examples: ['different'],
    }),
  },
  { ...closed, title: 'Figure' },
)

const Difference = Type.Object(
  {
    ...compared,
    formula: Type.String({ description: 'Formula of `computed`.' }),
    orderIds: ids('Orders used for `computed`.'),
  },
  { ...closed, title: 'Difference' },
)

const ReconciledOrders = Type.Object(
  {
    counted: ids('Orders that are counted.'),
    canceled: ids('Orders of the report that were canceled or moved to another order; not counted.'),
    training: ids('Training orders of the report; not counted.'),
    open: ids('Orders of the report whose latest version is open; not counted.'),
    missing: ids('Orders of the report that have not arrived.'),
    extra: ids('Orders with the id of the report that it does not list; not counted.'),
    elsewhere: ids('Orders of the report with the id of another report; also in one of the lists above.'),
  },
  { ...closed, title: 'ReconciledOrders', description: 'Ids of orders by their relation to the report.' },
)

/** A report recomputed from its orders (docs/modules/reconciliation.md). Ids are in lower case. */
export const Reconciliation = Type.Object(
  {
    reportId: Uuid(),
    reportNumber: Count({ examples: [358] }),
    balanced: Type.Boolean({
      description: 'Whether there is no difference beyond rounding, and no order is open, missing, extra or elsewhere.',
    }),
    orders: ReconciledOrders,
    figures: Type.Array(Figure, { description: 'Figures of the report and the sums of its orders.' }),
    notStated: Type.Array(Choice(reportSections), {
      description:
        'Sections that are empty in the report although its total is not 0 and its orders have values for them; they are not compared.',
      examples: [['products']],
    }),
    differences: Type.Array(Difference, {
      description: 'Figures that differ, and orders that are inconsistent.',
    }),
    changed: Nullable(Type.Array(ChangedOrder), {
      description:
        'Orders that changed after the report was first accepted, with the version then and now; at most ' +
        '100. Null if their versions are archived.',
    }),
  },
  { ...closed, title: 'Reconciliation' },
)

export type Reconciliation = Static<typeof Reconciliation>
