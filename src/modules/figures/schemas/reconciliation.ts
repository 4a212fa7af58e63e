import { Type, type Static } from 'typebox'
import { ChangedOrder } from './changed-orders.ts'
import { Choice, closed, Count, Nullable, Uuid } from '../../../core/contract/scalars.ts'

/** Names what is compared. The formulas are in `domain/figures/reconciliation.ts` and in docs/reconciliation.md. */
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

/** How the two sides of a figure stand to each other. */
export const figureStates = ['equal', 'rounding', 'different'] as const

/** Sections of a report that are left out where it states nothing. */
export const reportSections = ['guests', 'products', 'quantities', 'taxes', 'taxable', 'payments', 'discounts'] as const

const ids = (description: string) => Type.Array(Uuid(), { description })

const compared = {
  figure: Choice(figureNames),
  key: Nullable(Type.String(), {
    description:
      'Which row of the figure: product or discount id, tax rate in hundredths of a percent, payment name, or the ' +
      'order for the figures of one order. Null for a figure of the whole report.',
    examples: ['1000'],
  }),
  name: Nullable(Type.String(), { description: 'The same for people.', examples: ['TVA 10 %'] }),
  reported: Count({ description: 'What the report says: cents; guests and quantities are numbers.', examples: [4150] }),
  computed: Count({ description: 'What its orders add up to.', examples: [4140] }),
  difference: Count({ description: '`reported` − `computed`.', examples: [10] }),
}

const Figure = Type.Object(
  {
    ...compared,
    state: Choice(figureStates, {
      description:
        '`equal`; `rounding`: they differ by no more than rounding explains, half a minor unit for each line that was counted; or ' +
        '`different`.',
      examples: ['different'],
    }),
  },
  { ...closed, title: 'Figure' },
)

const Difference = Type.Object(
  {
    ...compared,
    formula: Type.String({ description: 'How `computed` comes about.' }),
    orderIds: ids('The orders that `computed` was added up from.'),
  },
  { ...closed, title: 'Difference' },
)

const ReconciledOrders = Type.Object(
  {
    counted: ids('Orders that are added up.'),
    canceled: ids('Named by the report, canceled or moved to another order: they count nowhere.'),
    training: ids('Named by the report, training orders: they count nowhere.'),
    open: ids('Named by the report, but their latest version that arrived is open: not counted.'),
    missing: ids('Named by the report and never arrived.'),
    extra: ids('Carry the id of the report, which does not name them: not counted.'),
    elsewhere: ids('Named by the report and carry the id of another; also in one of the lists above.'),
  },
  { ...closed, title: 'ReconciledOrders', description: 'Ids of the orders by what they are for the report.' },
)

/** A report recomputed from its orders (docs/reconciliation.md). Ids are in lower case. */
export const Reconciliation = Type.Object(
  {
    reportId: Uuid(),
    reportNumber: Count({ examples: [358] }),
    balanced: Type.Boolean({
      description: 'No difference beyond rounding, and no order open, missing, extra or elsewhere.',
    }),
    orders: ReconciledOrders,
    figures: Type.Array(Figure, { description: 'Every figure of the report beside what its orders add up to.' }),
    notStated: Type.Array(Choice(reportSections), {
      description:
        'Sections that the report leaves empty although its total is not 0, and that its orders would fill: they are not compared.',
      examples: [['products']],
    }),
    differences: Type.Array(Difference, {
      description: 'The figures that do not agree, and orders that do not add up in themselves.',
    }),
    changed: Nullable(Type.Array(ChangedOrder), {
      description:
        'Its orders that changed after the report was accepted for the first time, with the version of then and the one of now; 100 at ' +
        'most. Null where versions of them lie in an archive.',
    }),
  },
  { ...closed, title: 'Reconciliation' },
)

export type Reconciliation = Static<typeof Reconciliation>
